"""Questions put to one shelf read nothing of the others, and find what is on it."""

from pathlib import Path

import pytest
from tests.unit.search.scope import stamp

from memory_native.search import IndexReader, IndexWriter
from memory_native.search.postings import SLOTS
from memory_native.search.retrieval import CANDIDATES


def shelf_of(path: str) -> str:
    """Return the first directory of what is below ``s/``."""
    return path.split("/")[1] if path.startswith("s/") else ""


@pytest.fixture
def directory(tmp_path: Path) -> str:
    """Return an index where the shelf ``big`` holds far more of the word than any other place."""
    with IndexWriter(str(tmp_path), shelf_of) as writer:
        many = "".join(f"- green tea number {n}\n" for n in range(CANDIDATES[0] * 4))
        for path, text in (
            ("s/big/a.md", many),
            ("s/small/a.md", "- the tea was cold\n- and then nothing\n"),
            ("s/small/b.md", "- more tea\n"),
            ("notes.md", "- a note about tea\n"),
        ):
            writer.put(path, text, stamp(text))
    return str(tmp_path)


def found(directory: str, query: str, shelf: str | None, limit: int = 50) -> set[str]:
    """Return the documents whose passages are found."""
    with IndexReader(directory) as reader:
        return {hit.path for hit in reader.passages(query, limit=limit, shelf=shelf)}


def test_a_shelf_is_searched_alone(directory: str) -> None:
    """However much better the passages of another match."""
    assert found(directory, "green tea", "small") == {"s/small/a.md", "s/small/b.md"}
    assert found(directory, "green tea", "") == {"notes.md"}
    assert found(directory, "green tea", "big") == {"s/big/a.md"}


def test_no_shelf_named_is_all_of_them(directory: str) -> None:
    """The search tool asks for everything."""
    assert found(directory, "tea", None, limit=1_000) == {
        "s/big/a.md",
        "s/small/a.md",
        "s/small/b.md",
        "notes.md",
    }


def test_an_unknown_shelf_is_empty(directory: str) -> None:
    """Not everything, and no error."""
    assert found(directory, "tea", "nobody") == set()


def test_a_shelf_follows_its_documents(directory: str) -> None:
    """Replaced and removed ones are seen."""
    with IndexWriter(directory, shelf_of) as writer:
        text = "- coffee instead\n"
        writer.put("s/small/a.md", text, stamp(text))
        writer.remove("s/small/b.md")
    assert found(directory, "tea", "small") == set()
    assert found(directory, "coffee", "small") == {"s/small/a.md"}


def test_neighbours_in_context_stay_on_the_shelf(directory: str) -> None:
    """A line found by the one before it comes along."""
    with IndexReader(directory) as reader:
        lines = [hit.text for hit in reader.passages("cold tea", limit=5, shelf="small")]
    assert lines[0] == "- the tea was cold"
    assert "- and then nothing" in lines


def test_a_block_filled_to_its_last_place_is_left_to_its_kind(tmp_path: Path) -> None:
    """The number after it may belong to a block of the other kind."""
    eight = "".join(f"- green tea number {n}\n" for n in range(8))
    with IndexWriter(str(tmp_path), shelf_of) as writer:
        for number in range(SLOTS // 8 + 2):
            for path in (f"s/big/{number}.md", f"n/{number}.md"):
                writer.put(path, eight, stamp(path))
        writer.put("late.md", "- coffee\n", stamp("late"))
        assert writer.maintain(deadline=lambda: False)

    assert found(str(tmp_path), "coffee", "") == {"late.md"}
    assert found(str(tmp_path), "coffee", "big") == set()


def test_the_roles_of_a_transcript_are_not_searched(tmp_path: Path) -> None:
    """Each message has one; the same words in a note are its own."""
    said = "## user\nHow do I brew it?\n## assistant\nSteep the leaves at 80 degrees.\n"
    with IndexWriter(str(tmp_path), shelf_of) as writer:
        writer.put("s/one/a.md", said, stamp(said))
        writer.put("notes.md", "## assistant\nhires in May\n", stamp("notes"))

    assert found(str(tmp_path), "assistant", None) == {"notes.md"}
    with IndexReader(str(tmp_path)) as reader:
        (first,) = reader.documents("brew", limit=1)
        assert first.content == "How do I brew it?\nSteep the leaves at 80 degrees."
