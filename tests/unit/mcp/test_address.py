"""Who may talk to the HTTP server."""

import pytest

from ironclaw_memory.adapters.mcp_server.address import HttpAddress, refusal
from ironclaw_memory.errors import InvalidArguments


TOKEN = "s3cret-s3cret-s3cret"  # noqa: S105 - of this test alone
ADDRESS = HttpAddress(token=TOKEN, port=8765)
GOOD = {b"host": b"127.0.0.1:8765", b"authorization": f"Bearer {TOKEN}".encode()}


def status(*more: tuple[bytes, bytes], without: bytes = b"") -> int | None:
    """Return what a request with the good headers and *more*, less one, is refused with."""
    headers = [*((key, value) for key, value in GOOD.items() if key != without), *more]
    refused = refusal(headers, ADDRESS)
    return refused[0] if refused else None


@pytest.mark.parametrize(
    "host", [b"127.0.0.1:8765", b"localhost:8765", b"LocalHost:8765", b"[::1]:8765"]
)
def test_a_loopback_name_with_the_token_is_served(host: bytes) -> None:
    """All three spellings of this machine are one."""
    assert status((b"host", host), without=b"host") is None


@pytest.mark.parametrize(
    "host",
    [
        b"evil.example",
        b"evil.example:8765",
        b"127.0.0.1",
        b"127.0.0.1:80",
        b"127.0.0.1:8765.evil.example",
        b"",
    ],
)
def test_another_host_is_refused(host: bytes) -> None:
    """A name that was made to resolve to this machine is not this machine's."""
    assert status((b"host", host), without=b"host") == 421


def test_two_hosts_or_none_are_refused() -> None:
    """What is in doubt is refused."""
    assert status((b"host", b"127.0.0.1:8765")) == 421
    assert status(without=b"host") == 421


@pytest.mark.parametrize(
    "origin", [b"http://evil.example", b"null", b"https://127.0.0.1:8765", b""]
)
def test_a_page_of_another_site_is_refused(origin: bytes) -> None:
    """A browser says whose page asks."""
    assert status((b"origin", origin)) == 403


def test_a_page_of_this_server_is_served() -> None:
    """Its own origin is no other site."""
    assert status((b"origin", b"http://localhost:8765")) is None


@pytest.mark.parametrize(
    "given",
    [
        b"",
        b"Bearer",
        b"Bearer ",
        b"Bearer wrong",
        TOKEN.encode(),
        f"Basic {TOKEN}".encode(),
        b"Bearer \xff\xfe",
    ],
)
def test_a_request_without_the_token_is_refused(given: bytes) -> None:
    """No token, a wrong one, and one in another scheme are the same."""
    assert status((b"authorization", given), without=b"authorization") == 401
    assert status(without=b"authorization") == 401


def test_two_tokens_are_refused() -> None:
    """One of them is not ours."""
    assert status((b"authorization", b"Bearer x")) == 401


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.org", ""])  # noqa: S104
def test_only_loopback_addresses_are_listened_on(host: str) -> None:
    """Other machines reach memory through a tunnel, or not at all."""
    with pytest.raises(InvalidArguments) as refused:
        HttpAddress(token=TOKEN, host=host)
    assert refused.value.code == "not-loopback"


@pytest.mark.parametrize(
    "token", ["", "short", "with a\nline break in it", "naïve-but-long-enough"]
)
def test_a_token_that_is_weak_or_no_header_text_is_refused(token: str) -> None:
    """The token is all that stands between local processes and memory."""
    with pytest.raises(InvalidArguments):
        HttpAddress(token=token)


def test_the_url_is_one_that_a_client_takes() -> None:
    """An IPv6 address is written in brackets."""
    assert HttpAddress(token=TOKEN, host="::1", port=1).url == "http://[::1]:1/mcp"
