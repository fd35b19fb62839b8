"""What a document no longer says: out of every search at once, out of the file a little later."""

import pytest
from tests.unit.search.scope import IndexedScope

from memory_native.search import IndexReader, IndexUnusable, IndexWriter
from memory_native.search.writer import MOST_RETIRED


def _churned(scope: IndexedScope, edits: int) -> None:
    for turn in range(edits):
        scope.put("a.md", f"- the zebra of turn{turn}x\n")


def test_what_was_replaced_waits_and_is_not_found(scope: IndexedScope) -> None:
    """Neither by its words, nor as what a mistyped word may have meant, nor in an explanation."""
    scope.put_all({"a.md": "# Basilisk\n\n- sleeps at wyvernhall\n", "b.md": "- nothing\n"})
    scope.put("a.md", "- gone fishing\n")

    assert scope.retired() == 1
    assert scope.passages("wyvernhall wyvernhal basilisk") == []
    with IndexReader(scope.directory) as reader:
        explained = reader.explain("wyvernhall wyvernhail")
    assert not any(term.passages or term.replaced_by for term in explained.terms)


def test_a_retired_word_does_not_stand_before_a_living_one(scope: IndexedScope) -> None:
    """Of the words one slip away the frequent ones are offered: those that are still said."""
    scope.put("a.md", "\n".join(["- coffea coffeb coffed here"] * 5))
    scope.put("a.md", "- tea\n")
    scope.put("b.md", "- coffee there\n")

    assert scope.lines("coffex") == [("b.md", 1)]


def test_retired_passages_count_in_no_score(scope: IndexedScope) -> None:
    """How rare a word is depends on what is said now."""
    _churned(scope, 10)
    scope.put("b.md", "- a zebra and a gnu\n")
    edited = scope.passages("zebra gnu")
    scope.tidy()

    assert scope.passages("zebra gnu") == edited


def test_only_so_many_wait(scope: IndexedScope) -> None:
    """Beyond that a write cuts what it retires."""
    _churned(scope, MOST_RETIRED + 9)

    assert scope.retired() == MOST_RETIRED
    assert scope.lines("zebra") == [("a.md", 1)]


def test_tidying_up_cuts_what_waits_piece_by_piece(scope: IndexedScope) -> None:
    """It stops when time is up, and says so."""
    _churned(scope, 6)
    asked = iter([False, False, True])
    with IndexWriter(scope.directory) as writer:
        assert not writer.maintain(deadline=lambda: next(asked))
    assert scope.retired() == 3
    scope.tidy()
    raw = scope.file.read_bytes()

    assert not scope.retired()
    assert b"turn5x" in raw
    assert not [turn for turn in range(5) if b"turn%dx" % turn in raw]


def test_removing_a_document_cuts_all_that_waits(scope: IndexedScope) -> None:
    """Also of other documents: what is removed leaves no trace, whatever it once said."""
    scope.put("other.md", "- the password was xyzzyplugh\n")
    scope.put("other.md", "- no password\n")
    scope.put("a.md", "- the basilisk of wyvernhall\n")
    scope.put("a.md", "- nothing of note\n")
    scope.remove("a.md")
    raw = scope.file.read_bytes()

    assert not scope.retired()
    assert not [word for word in (b"basilisk", b"wyvernhal", b"xyzzyplugh") if word in raw]


def test_a_block_whose_sections_all_wait_is_kept_for_them(scope: IndexedScope) -> None:
    """Their records are cut out of it before it goes."""
    crowd = [f"n/{number}.md" for number in range(2_000)]
    scope.put_all(dict.fromkeys(crowd, "- a turnip\n"))
    scope.put_all(dict.fromkeys(crowd, "- a parsnip\n"))
    scope.tidy()

    assert scope.passages("turnip") == []
    assert scope.lines("parsnip")
    with IndexReader(scope.directory) as reader:
        assert reader.is_sound()


@pytest.mark.parametrize("damage", [b"\1", b"\377\377\1\0", b"\0\0\1" * 2])
def test_a_damaged_list_of_what_waits_is_noticed(scope: IndexedScope, damage: bytes) -> None:
    """It says what not to answer with, so the index is not answered from."""
    _churned(scope, 3)
    _alter(scope, "UPDATE block SET retired = ?", damage)
    with IndexReader(scope.directory) as reader:
        assert not reader.is_sound()
    with pytest.raises(IndexUnusable):
        scope.passages("zebra")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE block SET retired = x''",
        "UPDATE block SET used = 1",
        "UPDATE block SET used = 2049",
        "UPDATE block SET passages = passages + 1",
        "UPDATE block SET sections = sections - 1",
        "UPDATE document SET sections = x'' WHERE path = 'b.md'",
        "UPDATE section SET document = 2 WHERE first = 0",
    ],
)
def test_what_does_not_add_up_is_found_by_whoever_doubts(scope: IndexedScope, change: str) -> None:
    """Each page is well formed and each row too; together they would answer wrongly, or never."""
    scope.put("b.md", "- a gnu\n")
    _churned(scope, 3)
    with IndexReader(scope.directory) as reader:
        assert reader.is_sound()
    _alter(scope, change)

    with IndexReader(scope.directory) as reader:
        assert not reader.is_sound()


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM section WHERE first < 2048", "UPDATE document SET sections = x''"],
    ids=["no section", "sections of no document"],
)
def test_tidying_up_what_does_not_add_up_comes_to_an_end(scope: IndexedScope, change: str) -> None:
    """A block that seems sparse and cannot be emptied is damaged, not asked again and again."""
    crowd = [f"n/{number}.md" for number in range(2_100)]
    scope.put_all(dict.fromkeys(crowd, "- a turnip\n"))
    for statement in ("UPDATE block SET passages = 1", change):
        _alter(scope, statement)

    with pytest.raises(IndexUnusable), IndexWriter(scope.directory) as writer:
        writer.maintain(deadline=lambda: False)


def _alter(scope: IndexedScope, statement: str, *values: bytes) -> None:
    with IndexWriter(scope.directory) as writer:
        writer._connection.execute(statement, values)
