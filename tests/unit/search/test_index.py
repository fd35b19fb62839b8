"""Writing and reading the index together."""

from collections.abc import Iterator
from functools import partial

import pytest
from tests.unit.search.scope import IndexedScope, stamp

from memory_native.search import IndexReader, IndexUnusable, IndexWriter
from memory_native.search.analysis import analyse
from memory_native.search.postings import SLOTS


def test_a_line_is_found_by_its_words(scope: IndexedScope) -> None:
    """The hit says where the line is, quotes it, and names the words."""
    scope.put("MEMORY.md", "# Facts\n\n- Ann prefers green tea\n- The build runs nightly\n")

    hit = scope.passages("which tea does Ann prefer?")[0]

    assert (hit.path, hit.line, hit.text) == ("MEMORY.md", 3, "- Ann prefers green tea")
    assert "tea" in hit.matched


@pytest.mark.parametrize("query", ["", "   ", "what is the", "?!", "的了吗", "🙂"])
def test_a_query_without_content_finds_nothing(scope: IndexedScope, query: str) -> None:
    """No error and no random hits."""
    scope.put("a.md", "what is the matter, my dear? 的了吗 🙂\n")

    assert scope.passages(query) == []


def test_an_empty_index_answers(scope: IndexedScope) -> None:
    """Nothing indexed is nothing found, and not a missing index."""
    scope.put_all({})

    assert scope.passages("anything") == []


def test_a_document_is_found_by_its_path_and_headings(scope: IndexedScope) -> None:
    """Words that stand only in the path or a heading lead to the document."""
    scope.put_all(
        {
            "runbooks/deployment.md": "- push the image\n- wait for green\n",
            "notes/a.md": "# Holidays\n\n- tickets are booked\n",
        }
    )

    assert scope.lines("deployment")[0][0] == "runbooks/deployment.md"
    assert ("notes/a.md", 3) in scope.lines("holidays")
    assert scope.lines("holidays")[0] == ("notes/a.md", 1)


def test_replacing_a_document_replaces_its_words(scope: IndexedScope) -> None:
    """The next search finds the new text and not the old."""
    scope.put("a.md", "the meeting is on monday\n")
    scope.put("a.md", "the meeting is on thursday\n")

    assert scope.passages("monday") == []
    assert scope.lines("thursday") == [("a.md", 1)]


def test_lines_move_with_an_insertion_above_them(scope: IndexedScope) -> None:
    """Sections that did not change still report the lines they stand on now."""
    body = [f"- fact {number} is about {name}" for number, name in enumerate(_NAMES)]
    scope.put("a.md", "\n".join(body))
    scope.put("a.md", "\n".join(["- inserted", "- twice", *body]))

    assert scope.lines(_NAMES[-1])[0] == ("a.md", len(_NAMES) + 2)


def test_an_append_writes_one_section(scope: IndexedScope) -> None:
    """The cost of a change follows the change, not the document."""
    body = [f"- fact {number} is about {name}" for number, name in enumerate(_NAMES)]
    scope.put("a.md", "\n".join(body))
    before = _rows(scope, "SELECT first FROM section")
    scope.put("a.md", "\n".join([*body, "- one more fact"]))

    assert len(_rows(scope, "SELECT first FROM section") - before) <= 1
    assert scope.retired() <= 1


def test_a_line_that_a_fence_above_it_makes_no_heading_is_none(scope: IndexedScope) -> None:
    """The text of its section is the same, what it says is not."""
    above = [f"- line {number} of the list" for number in range(26)]
    below = ["# Walrus", "- beta", *(f"- more {number}" for number in range(12))]
    scope.put("a.md", "\n".join([*above, *below]))
    scope.put("a.md", "\n".join(["```", *above[1:], *below]))
    edited = scope.passages("walrus")
    scope.remove("a.md")
    scope.put("a.md", "\n".join(["```", *above[1:], *below]))

    assert edited == scope.passages("walrus")


def test_removing_a_document_forgets_it(scope: IndexedScope) -> None:
    """Its words are gone, the others stay, and removing twice is fine."""
    scope.put_all({"a.md": "zanzibar trip\n", "b.md": "ordinary trip\n"})
    scope.remove("a.md")
    scope.remove("a.md")

    assert scope.lines("trip") == [("b.md", 1)]
    assert scope.passages("zanzibar") == []


def test_stamps_say_what_was_indexed(scope: IndexedScope) -> None:
    """Writer and reader agree on the bytes that each document had."""
    scope.put("a.md", "one\n")
    with IndexWriter(scope.directory) as writer:
        assert writer.stamps() == {"a.md": stamp("one\n")}
        assert writer.stamp("a.md") == stamp("one\n")
        assert writer.stamp("b.md") is None
    with IndexReader(scope.directory) as reader:
        assert reader.stamps() == {"a.md": stamp("one\n")}
        assert reader.stamp("b.md") is None


def test_documents_are_picked_before_the_limit(scope: IndexedScope) -> None:
    """A filter never starves the list: what it keeps is found behind thousands it does not."""
    crowd = {f"threads/{number}.md": "tea tea tea\n" for number in range(300)}
    crowd |= {f"threads/x{number}.md": f"tea tea {number}\n" for number in range(300)}
    scope.put_all(crowd | {"notes/one.md": "a remark that also has tea in a longer sentence\n"})
    with IndexReader(scope.directory) as reader:
        hits = reader.passages("tea", limit=1, keep=lambda path: path.startswith("notes/"))

    assert [hit.path for hit in hits] == ["notes/one.md"]


def test_the_same_words_twice_are_shown_once(scope: IndexedScope) -> None:
    """Copies do not fill the list, however many they are."""
    copies = {f"log/{number:04}.md": "- All checks passed!\n" for number in range(900)}
    scope.put_all(
        copies | {"notes/one.md": "the checks that passed were slow today, all of them\n"}
    )

    found = sorted(scope.lines("all checks passed", limit=5))

    assert found == [("log/0000.md", 1), ("notes/one.md", 1)]


def test_equal_scores_are_ordered_by_path_and_line(scope: IndexedScope) -> None:
    """The order does not depend on when a document was written."""
    scope.put_all({"b.md": "tea x2\n", "c.md": "tea x3\n", "a.md": "tea x1\n"})

    assert [path for path, _ in scope.lines("tea")] == ["a.md", "b.md", "c.md"]


def test_one_result_per_document_with_its_best_lines(scope: IndexedScope) -> None:
    """Scores run down from 1; the content quotes the lines that matched, in their order."""
    filler = "\n".join(f"- unrelated remark {number}" for number in range(30))
    scope.put_all(
        {
            "a.md": f"- tea in the morning\n{filler}\n- green tea at noon\n",
            "b.md": "- tea\n",
        }
    )
    with IndexReader(scope.directory) as reader:
        first, second = reader.documents("green tea", limit=5)
        best = reader.documents("green tea", limit=5, min_score=1.0)

    assert (first.path, first.score) == ("a.md", 1.0)
    assert "green tea at noon" in first.content.split("\n")[-1]
    assert 0 < second.score < 1
    assert [hit.path for hit in best] == ["a.md"]


def test_content_stays_within_its_bytes(scope: IndexedScope) -> None:
    """Whole lines, in bytes rather than characters, and at least one."""
    scope.put("a.md", "\n".join(f"茶水 number {number}" for number in range(200)))
    with IndexReader(scope.directory) as reader:
        (small,) = reader.documents("茶水", limit=1, content_bytes=100)
        (least,) = reader.documents("茶水", limit=1, content_bytes=1)

    assert 0 < len(small.content.encode()) <= 100
    assert least.content.startswith("茶水")


def test_a_floor_keeps_unrelated_memories_from_being_quoted(scope: IndexedScope) -> None:
    """A common word in common is not a subject in common."""
    scope.put("a.md", "the zeppelin landed in Friedrichshafen at noon\nand then we had lunch\n")
    strange = "which violinist performed the Sibelius concerto in Tampere around noon"

    assert scope.lines(strange) != []
    assert scope.passages(strange, floor=True) == []


def test_a_floor_keeps_the_answer_beside_a_match(scope: IndexedScope) -> None:
    """The line after a match may be what was meant, though it shares no word."""
    scope.put("a.md", "**Ann**: where did the zeppelin land?\n**Bob**: by the lake\n")

    found = {hit.line for hit in scope.passages("zeppelin", floor=True)}

    assert found == {1, 2}


def test_more_than_a_block_of_passages(scope: IndexedScope) -> None:
    """Documents are found on both sides of a block's border, and after removals across it."""
    documents = {
        f"n/{number:04}.md": f"- item {number} of colour {_NAMES[number % len(_NAMES)]} w{number}x\n"
        for number in range(SLOTS + 200)
    }
    scope.put_all(documents)
    last = SLOTS + 199

    assert scope.lines(f"w{last}x")[0] == (f"n/{last:04}.md", 1)
    assert scope.lines("w7x")[0] == ("n/0007.md", 1)
    scope.remove("n/0007.md")
    assert ("n/0007.md", 1) not in scope.lines("w7x")


def test_maintenance_empties_sparse_blocks_in_slices(scope: IndexedScope) -> None:
    """After heavy churn the blocks are few again, whatever the slices, and nothing is lost."""
    for turn in range(3):
        scope.put_all({f"n/{n}.md": f"- version {turn} of word{n}\n" for n in range(1_000)})
    blocks = len(_rows(scope, "SELECT id FROM block WHERE passages > 0"))
    done = False
    while not done:
        left = iter(range(300))
        with IndexWriter(scope.directory) as writer:
            done = writer.maintain(deadline=partial(_is_spent, left))

    assert len(_rows(scope, "SELECT id FROM block WHERE passages > 0")) <= blocks
    assert scope.lines("word77")[0] == ("n/77.md", 1)
    assert "version 2" in scope.passages("word77")[0].text


def test_odd_documents_are_bounded_work(scope: IndexedScope) -> None:
    """One line of a megabyte, bytes that are no text, nothing at all."""
    scope.put_all(
        {
            "line.md": "word " * 200_000 + "needle",
            "binary.md": "".join(map(chr, range(1, 256))) * 40,
            "empty.md": "",
        }
    )

    assert scope.lines("needle")[0] == ("line.md", 1)
    assert len(scope.passages("word", limit=1000)) <= 1000


def test_a_query_of_thousands_of_words_is_answered(scope: IndexedScope) -> None:
    """Only so many words are looked up; those that are, count."""
    scope.put("a.md", "the answer mentions word17\n")
    query = " ".join(f"word{number}" for number in range(5_000))

    assert scope.lines(query)[0] == ("a.md", 1)


def test_a_reader_notices_that_the_file_changed_under_it(scope: IndexedScope) -> None:
    """What was read from two states is not given out."""
    scope.put("a.md", "tea\n")
    with IndexReader(scope.directory) as reader:
        scope.put("a.md", "coffee\n")
        with pytest.raises(IndexUnusable, match="dirty"):
            reader.passages("tea", limit=1)


def test_every_term_row_belongs_to_a_document(scope: IndexedScope) -> None:
    """After a removal the vocabulary is that of what is left."""
    scope.put_all({"a.md": "alpha beta\n", "b.md": "beta gamma\n"})
    scope.remove("a.md")
    left = {
        term for term in _rows(scope, "SELECT term FROM posting") if not str(term).startswith("#")
    }

    assert left == set(analyse("beta gamma").terms)


def _is_spent(left: Iterator[int]) -> bool:
    return next(left, None) is None


def _rows(scope: IndexedScope, statement: str) -> set[str | int]:
    with IndexReader(scope.directory) as reader:
        return {row[0] for row in reader._connection.execute(statement)}


_NAMES = [
    "amber",
    "basil",
    "cedar",
    "dahlia",
    "ebony",
    "fennel",
    "ginger",
    "hazel",
    "indigo",
    "juniper",
    "kelp",
    "lavender",
    "maple",
    "nettle",
    "olive",
    "poppy",
    "quince",
    "rosemary",
    "sage",
    "thyme",
    "umber",
    "violet",
    "willow",
    "yarrow",
    "zinnia",
    "acacia",
    "birch",
    "clover",
    "dill",
    "elder",
    "fern",
    "garlic",
    "heather",
    "iris",
    "jasmine",
]
