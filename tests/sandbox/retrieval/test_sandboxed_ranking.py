"""The retrieval benchmark measures the component: what it finds is what its index finds natively."""

from collections.abc import Iterator

import pytest
from tests.bench.retrieval.metrics import score
from tests.bench.retrieval.native import NativeIndex
from tests.bench.retrieval.protocol import BUDGET_BYTES, Document, Place, Question, Store
from tests.bench.retrieval.sandboxed import SandboxedMemory, SandboxedOperations


pytestmark = pytest.mark.sandbox

DOCUMENTS = (
    Document("notes/tea.md", "# Tea\n\n- Ann likes green tea\n- Bob drinks black coffee\n"),
    Document(
        "threads/may/s1.md",
        "# Session 1 - 7 May 2025\n\n"
        "**Ann**: When does the train to Graz leave?\n"
        "**Bob**: At noon, from the west platform.\n"
        "**Ann**: Then I shall buy tea before.\n",
    ),
    Document("notes/杭州.md", "# 杭州\n\n西湖龙井是绿茶\n火车中午离开\n"),
)
QUERIES = ("green tea", "When does Bob's train leave?", "Graz platform", "火车什么时候离开", "绿茶")


@pytest.fixture(scope="module", name="sandboxed")
def _sandboxed() -> SandboxedMemory:
    return SandboxedMemory()


@pytest.fixture(name="operations")
def _operations() -> Iterator[SandboxedOperations]:
    with SandboxedOperations(indexed=True) as operations:
        yield operations


def test_the_component_ranks_as_its_index_does_natively(sandboxed: SandboxedMemory) -> None:
    """The same lines in the same order, English and Chinese."""
    native = NativeIndex()
    native.record(DOCUMENTS)
    sandboxed.record(DOCUMENTS)

    ranked = {query: sandboxed.ranked(query, 200) for query in QUERIES}
    assert ranked == {query: native.ranked(query, 200) for query in QUERIES}
    assert all(ranked.values())


def test_more_than_twenty_lines_are_ranked(sandboxed: SandboxedMemory) -> None:
    """A recall at 20 and sessions in their order need more than a page of hits."""
    text = "".join(f"- tea of kind {number}\n" for number in range(60))
    sandboxed.record([Document("notes/kinds.md", text)])

    assert len(sandboxed.ranked("tea", 50)) == 50


def test_a_store_holds_nothing_of_the_one_before(sandboxed: SandboxedMemory) -> None:
    """Each is a scope of its own."""
    sandboxed.record(DOCUMENTS)
    sandboxed.record([Document("notes/other.md", "- the walrus\n")])

    assert sandboxed.ranked("green tea", 20) == []


def test_the_lane_is_quoted_by_line_and_threads_are_recalled(sandboxed: SandboxedMemory) -> None:
    """A snippet of neighbouring lines names each of them, under the path of the data set."""
    sandboxed.record(
        [Document("threads/may/s1.md", "# May\n\n**Ann**: when is tea?\n**Bob**: tea at noon\n")]
    )
    snippets = sandboxed.budget("when is tea at noon")

    quotes = {quote.place: quote.text for snippet in snippets for quote in snippet.quotes}
    assert quotes[Place("threads/may/s1.md", 3)] == "**Ann**: when is tea?"
    assert quotes[Place("threads/may/s1.md", 4)] == "**Bob**: tea at noon"
    assert sum(len(snippet.text.encode()) for snippet in snippets) <= BUDGET_BYTES


def test_the_standing_document_counts_as_read(sandboxed: SandboxedMemory) -> None:
    """Its lines come first in the lane, packed into a chunk, and answer a question there."""
    gold = frozenset({Place("MEMORY.md", 3)})
    store = Store(
        "standing",
        (Document("MEMORY.md", "- walks\n\n- Ann likes green tea\n"),),
        (Question("tea", gold),),
    )

    assert score(sandboxed, [store]).figures()["budget any"] == 1.0


def test_operations_write_what_they_find_and_measure(operations: SandboxedOperations) -> None:
    """A build, a write and the bytes of the index all happen in the component's scope."""
    operations.lay_out(DOCUMENTS)
    operations.build()
    built = operations.size()
    operations.write(Document("notes/new.md", "- walrus and oyster\n"))

    assert operations.query("walrus") == 1
    assert 0 < built <= operations.size()


def test_operations_without_an_index_write_and_find_nothing() -> None:
    """What indexing costs is the difference between the two."""
    with SandboxedOperations(indexed=False) as bare:
        bare.lay_out(DOCUMENTS)
        bare.build()
        bare.write(Document("notes/new.md", "- walrus and oyster\n"))

        assert bare.query("walrus") == 0
