"""Ids as file names: readable where plain, injective and safe where hostile."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_native import paths
from memory_native.threads import is_of_thread, segment, transcript_path


IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=120)


@pytest.mark.parametrize(
    "plain", ["t1", "thread-a", "run_2026-03-04", "0190e6c2-7b1d-7c3e-9a55-1f2e3d4c5b6a", "v1.2"]
)
def test_a_plain_id_is_its_own_name(plain: str) -> None:
    """What one finds in the folder is what one knows."""
    assert segment(plain) == plain


@pytest.mark.parametrize(
    ("hostile", "name"),
    [
        ("T1", "=541"),
        ("a/b", "a=2fb"),
        ("..", "=2e=2e"),
        (".config", "=2econfig"),
        (".store", "=2estore"),
        ("x.meta", "x=2emeta"),
        ("x.versions", "x=2eversions"),
        ("end.", "end=2e"),
        ("con", "=63on"),
        ("com1.txt", "=63om1.txt"),
        ("a=b", "a=3db"),
        ("a~b", "a=7eb"),
        ("a b\n", "a=20b=0a"),
        ("\u00e9", "=c3=a9"),
        ("-rf", "-rf"),
    ],
)
def test_a_hostile_id_is_spelled_out(hostile: str, name: str) -> None:
    """Byte by byte, as the module says."""
    assert segment(hostile) == name


@given(IDS, IDS)
def test_no_two_ids_share_a_name_on_any_disk(one: str, other: str) -> None:
    """Not even on one that folds case or composes accents."""
    if one != other:
        assert _as_stored(segment(one)) != _as_stored(segment(other))


@pytest.mark.parametrize(
    ("one", "other"), [("T1", "t1"), ("\u00e9", "e\u0301"), ("T1", "=541"), ("x" * 256, "x" * 255)]
)
def test_likely_twins_are_apart(one: str, other: str) -> None:
    """Case, composition, an id that looks like a name, two that are too long."""
    assert segment(one) != segment(other)


@given(IDS, IDS)
def test_every_transcript_has_a_legal_path_that_belongs_to_its_thread(
    thread: str, run: str
) -> None:
    """Within the limits of every file system, and found again by its lane."""
    path = transcript_path(thread, run)

    assert paths.document_path(path) == path
    assert all(len(part.encode()) <= 255 for part in path.split("/"))
    assert is_of_thread(path, thread)
    assert path.isascii()


@given(IDS, IDS)
def test_a_transcript_belongs_to_no_other_thread(thread: str, other: str) -> None:
    """The lane of one thread never shows another's."""
    if thread != other:
        assert not is_of_thread(transcript_path(thread, "r"), other)


def _as_stored(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
