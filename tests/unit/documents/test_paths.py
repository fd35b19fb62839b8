"""Laws of the path grammar."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_native import paths
from memory_native.failures import Kind, MemoryFailure
from memory_native.limits import PATH_BYTES, SEGMENT_BYTES


TEXT = st.text(max_size=40)
SEGMENT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)
PATH = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)


def _accepted(raw: str) -> str | None:
    try:
        return paths.document_path(raw)
    except MemoryFailure as failure:
        assert failure.kind is Kind.INPUT  # noqa: PT017 - the property itself
        return None


@given(TEXT | PATH)
def test_anything_is_accepted_or_an_input_failure(raw: str) -> None:
    """No text raises anything else, half surrogates included."""
    _accepted(raw)


@given(TEXT | PATH)
def test_an_accepted_path_is_canonical_and_safe(raw: str) -> None:
    """It is in form C, accepted again as itself, within limits, and never leaves the root."""
    path = _accepted(raw)
    if path is None:
        return

    assert path == unicodedata.normalize("NFC", path) == paths.document_path(path)
    segments = path.split("/")
    assert not {"", ".", ".."} & set(segments)
    assert not any(sign in path for sign in "\\\0\n\r\x1b\x85\u202e")
    assert all(len(segment.encode()) <= SEGMENT_BYTES for segment in segments)
    assert len(path.encode()) <= PATH_BYTES
    assert segments[0].casefold() != ".store"


@given(PATH)
def test_canonically_equal_requests_are_one_path(path: str) -> None:
    """Composed and decomposed spellings name the same document."""
    composed, decomposed = (unicodedata.normalize(form, path) for form in ("NFC", "NFD"))

    assert _accepted(composed) == _accepted(decomposed)


@given(PATH)
def test_case_variants_fold_alike(path: str) -> None:
    """Twins have one fold, and folding again changes nothing."""
    folded = paths.fold(path)

    assert folded == paths.fold(path.casefold()) == paths.fold(folded)
    assert folded == paths.fold(unicodedata.normalize("NFD", path))


@given(PATH)
def test_ancestors_go_from_near_to_far(path: str) -> None:
    """Each is a prefix of the one before, and the root is last."""
    above = paths.ancestors(path)

    assert above[-1] == ""
    assert all(
        far == "" or near.startswith(f"{far}/")
        for near, far in zip((path, *above), above, strict=False)
    )


@pytest.mark.parametrize("path", ["threads", "threads/t", "Threads/t/x", "THREADS/x"])
def test_the_threads_root_is_found_in_any_ascii_case(path: str) -> None:
    """The eight bytes are compared without case."""
    assert paths.in_threads(path)


@pytest.mark.parametrize("path", ["notes/threads/x", "threads2/x", "thread\u017f/x", "thread/s"])
def test_nothing_else_is_the_threads_root(path: str) -> None:
    """Only a whole first segment counts, and only in ASCII."""
    assert not paths.in_threads(path)


@pytest.mark.parametrize(
    "path", ["a.md", "notes.v1.2.md", ".config", ".hidden", "meta", "a.metadata"]
)
def test_dotted_names_are_legal(path: str) -> None:
    """Only the three suffixes are reserved."""
    assert paths.document_path(path) == path
