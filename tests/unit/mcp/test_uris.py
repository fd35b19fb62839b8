"""Addresses of documents, and pages of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironclaw_memory.adapters.mcp_server.uris import PAGE, media_type, page, path_of, uri_of


PATHS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(path=PATHS)
def test_an_address_names_its_path_again(path: str) -> None:
    """Every path has an address in plain ASCII, and the way back."""
    uri = uri_of(path)
    assert uri.isascii()
    assert path_of(uri) == path


def test_slashes_stay_and_everything_else_is_encoded() -> None:
    """A client that takes an address apart finds the folders."""
    assert uri_of("notes/a b?#%.md") == "memory:///notes/a%20b%3F%23%25.md"


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "memory:/MEMORY.md",
        "memory://host/a",
        "MEMORY.md",
        "",
        "memory:///%ff",
    ],
)
def test_other_addresses_name_nothing(uri: str) -> None:
    """An address of another kind is not guessed at."""
    assert path_of(uri) is None


@given(names=st.sets(PATHS, max_size=3 * PAGE))
def test_pages_together_are_the_listing(names: set[str]) -> None:
    """Each document is on exactly one page, in order."""
    paths, cursor = sorted(names), None
    seen: list[str] = []
    while True:
        shown, cursor = page(paths, cursor)
        assert len(shown) <= PAGE
        seen += shown
        if cursor is None:
            break
    assert seen == paths


def test_a_document_that_goes_between_two_pages_hides_no_other() -> None:
    """A cursor is a place in the order, not a number."""
    paths = [f"{number:04}.md" for number in range(PAGE + 2)]
    _, cursor = page(paths, None)
    assert page(paths[1:], cursor)[0] == paths[PAGE:]


def test_a_cursor_of_another_kind_is_refused() -> None:
    """It would otherwise list nothing, which looks like an answer."""
    with pytest.raises(ValueError, match="nonsense"):
        page(["a.md"], "nonsense")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("MEMORY.md", "text/markdown"),
        ("context/profile.json", "application/json"),
        ("a.TXT", "text/plain"),
        ("README", "text/plain"),
    ],
)
def test_the_name_says_the_media_type(path: str, kind: str) -> None:
    """Everything in memory is text."""
    assert media_type(path) == kind
