"""Where the HTTP server listens, and who may talk to it."""

import hmac
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ironclaw_memory.errors import InvalidArguments


PATH: Final = "/mcp"
DEFAULT_PORT: Final = 8765
MIN_TOKEN: Final = 16  # characters; a token of our own has 43
_LOCALHOST: Final = "localhost"

Headers = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True, kw_only=True)
class HttpAddress:
    """A loopback address with the bearer token that every request must carry.

    Port 0 takes a free one. Raises `InvalidArguments` for an address that other machines
    can reach, or a token that could be guessed.
    """

    token: str
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT

    def __post_init__(self) -> None:
        """Refuse what would open the memory to others."""
        if not _is_loopback(self.host):
            raise InvalidArguments(
                "host: memory is served on loopback addresses alone.",
                field="host",
                code="not-loopback",
                hint="Use 127.0.0.1 or ::1, and a tunnel such as ssh -L from elsewhere.",
            )
        if len(self.token) < MIN_TOKEN or not self.token.isascii() or not self.token.isprintable():
            raise InvalidArguments(
                f"token: needs at least {MIN_TOKEN} printable ASCII characters.",
                field="token",
                hint="Leave it out, and a random one is made.",
            )

    @property
    def url(self) -> str:
        """The address that a client is given."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{PATH}"


def refusal(headers: Headers, address: HttpAddress) -> tuple[int, str] | None:
    """Return the status and the sentence that refuse a request, or ``None``.

    A page in a browser can have its own name resolve to a loopback address, but cannot
    choose the ``Host`` and ``Origin`` that the browser sends; so both must be ours. The
    token is compared in constant time.
    """
    names = _authorities(address)
    hosts = _all(headers, b"host")
    if len(hosts) != 1 or hosts[0].lower() not in names:
        return 421, "This server answers to its loopback address alone."
    origins = {f"http://{name}" for name in names}
    if any(origin.lower() not in origins for origin in _all(headers, b"origin")):
        return 403, "Pages of other sites may not use this server."
    given = _all(headers, b"authorization")
    scheme, _, token = (given[0] if len(given) == 1 else "").partition(" ")
    matches = hmac.compare_digest(token.strip().encode("latin-1"), address.token.encode())
    if scheme.lower() != "bearer" or not matches:
        return 401, "A bearer token is needed; the server printed it when it started."
    return None


def _authorities(address: HttpAddress) -> frozenset[str]:
    hosts = ("127.0.0.1", _LOCALHOST, "[::1]")
    return frozenset(f"{host}:{address.port}" for host in hosts)


def _all(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]


def _is_loopback(host: str) -> bool:
    try:
        return host == _LOCALHOST or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
