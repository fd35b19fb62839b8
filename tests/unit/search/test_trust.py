"""When the index is not to be trusted: kills, damage, foreign files."""

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.search.scope import IndexedScope, stamp

from memory_native.search import (
    IndexReader,
    IndexUnusable,
    IndexWriter,
    PassageHit,
    is_unfinished,
)


TEXT = "\n".join(f"- remark {number} about green tea and trains" for number in range(60))
WRITE_UNTIL_KILLED = """
import sys
from memory_native.search import IndexWriter, Stamp
round = 0
while True:
    with IndexWriter(sys.argv[1]) as writer:
        for number in range(20):
            text = f"- remark {round} {number} on tea\\n" * 5
            writer.put(f"n/{number}.md", text, Stamp(1, round, "x"))
            print(round, flush=True)
    round += 1
"""


def reason(directory: str) -> str:
    """Return why the index in *directory* cannot be read."""
    with pytest.raises(IndexUnusable) as caught:
        IndexReader(directory)
    return caught.value.reason


def test_no_index_is_missing(scope: IndexedScope) -> None:
    """An empty scope has no index yet."""
    assert reason(scope.directory) == "missing"


def test_a_writer_at_work_is_seen(scope: IndexedScope) -> None:
    """From its first moment to its last the mark is there."""
    with IndexWriter(scope.directory) as writer:
        assert reason(scope.directory) == "dirty"
        writer.put("a.md", TEXT, stamp(TEXT))
        assert reason(scope.directory) == "dirty"
    assert not scope.mark.exists()
    assert scope.passages("tea")


def test_an_exception_leaves_the_mark_and_the_next_writer_starts_afresh(
    scope: IndexedScope,
) -> None:
    """What was put before the exception may be half: all of it is put again."""
    scope.put("a.md", TEXT)
    with pytest.raises(UnicodeEncodeError), IndexWriter(scope.directory) as writer:
        writer.put("b.md", TEXT, stamp("\ud800"))
    assert reason(scope.directory) == "dirty"
    with IndexWriter(scope.directory) as writer:
        assert writer.rebuild_needed
        assert writer.stamps() == {}


@pytest.mark.parametrize("lines", [1, 7, 20, 33, 61, 90])
def test_a_killed_writer_leaves_the_mark_or_a_whole_index(scope: IndexedScope, lines: int) -> None:
    """SIGKILL at any point: dirty, or clean with the answers of a finished write."""
    command = [sys.executable, "-c", WRITE_UNTIL_KILLED, scope.directory]
    path = str(Path(__file__).parents[3] / "component" / "native")
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={"PYTHONPATH": path}) as child:
        assert child.stdout is not None
        for _ in range(lines):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
    if scope.mark.exists():
        assert reason(scope.directory) == "dirty"
    else:
        assert len({hit.path for hit in scope.passages("tea", limit=1_000)}) == 20
    with IndexWriter(scope.directory) as writer:
        writer.put("z.md", "fresh tea\n", stamp("fresh tea\n"))
    assert ("z.md", 1) in scope.lines("fresh")


def test_a_rebuild_can_go_on_in_another_call(scope: IndexedScope) -> None:
    """Until it is finished nobody reads; what is done is kept."""
    with IndexWriter(scope.directory) as writer:
        writer.put("a.md", "tea\n", stamp("tea\n"))
        writer.continue_later()
    assert reason(scope.directory) == "dirty"
    with IndexWriter(scope.directory) as writer:
        assert writer.rebuild_needed
        assert set(writer.stamps()) == {"a.md"}
        writer.put("b.md", "more tea\n", stamp("more tea\n"))
    assert [path for path, _ in scope.lines("tea")] == ["a.md", "b.md"]


def test_an_index_that_is_yet_to_be_built_is_told_from_one_that_broke(scope: IndexedScope) -> None:
    """Nothing is wrong with the first three: none, a rebuild that goes on, another version's."""
    assert is_unfinished(scope.directory)
    with IndexWriter(scope.directory) as writer:
        writer.put("a.md", TEXT, stamp(TEXT))
        writer.continue_later()
    assert is_unfinished(scope.directory)
    scope.put("b.md", TEXT)
    assert not is_unfinished(scope.directory)
    whole = scope.file.read_bytes()
    scope.file.write_bytes(whole[:60] + (999).to_bytes(4, "big") + whole[64:])
    assert is_unfinished(scope.directory)
    scope.file.write_bytes(whole[:100])
    assert not is_unfinished(scope.directory)
    scope.file.write_bytes(whole)
    scope.mark.write_text("")  # as a kill leaves it
    assert not is_unfinished(scope.directory)


@pytest.mark.parametrize("length", [0, 1, 50, 99, 100, 4_096, 9_000])
def test_a_truncated_file_is_damaged(scope: IndexedScope, length: int) -> None:
    """Any shorter file is noticed when it is opened."""
    scope.put("a.md", TEXT)
    scope.file.write_bytes(scope.file.read_bytes()[:length])

    assert reason(scope.directory) == "damaged"


def test_another_format_is_foreign(scope: IndexedScope) -> None:
    """A number in the header, raised with every change of layout or analysis."""
    scope.put("a.md", TEXT)
    raw = bytearray(scope.file.read_bytes())
    raw[60:64] = (999).to_bytes(4, "big")
    scope.file.write_bytes(raw)

    assert reason(scope.directory) == "foreign-format"
    with IndexWriter(scope.directory) as writer:
        assert writer.rebuild_needed


def test_a_file_that_is_no_database_is_damaged(scope: IndexedScope) -> None:
    """Text, or a link to somewhere else, in place of the index."""
    scope.put("a.md", TEXT)
    scope.file.write_bytes(b"# not a database\n" * 500)
    assert reason(scope.directory) == "damaged"
    scope.file.unlink()
    scope.file.symlink_to("/etc/hostname")
    assert reason(scope.directory) == "damaged"


@pytest.mark.parametrize("seed", range(40))
def test_flipped_bytes_never_raise_anything_else_nor_invent_text(
    scope: IndexedScope, seed: int
) -> None:
    """Every answer from a damaged file quotes a line that is there, or is refused as damaged."""
    scope.put_all({"a.md": TEXT, "b.md": TEXT.replace("tea", "coffee")})
    source = random.Random(seed)  # noqa: S311 - a repeatable flip
    raw = bytearray(scope.file.read_bytes())
    for _ in range(12):
        raw[source.randrange(100, len(raw))] ^= 1 << source.randrange(8)
    scope.file.write_bytes(raw)
    hits: list[PassageHit] = []
    with suppress_damage():
        hits = scope.passages("green tea trains", limit=200)
        with IndexReader(scope.directory) as reader:
            reader.documents("coffee", limit=5)
            reader.explain("tea remark", "a.md")
    quoted = {hit.text for hit in hits if hit.path in {"a.md", "b.md"}}

    assert quoted <= {*TEXT.split("\n"), *TEXT.replace("tea", "coffee").split("\n")}


@pytest.mark.parametrize("seed", range(20))
def test_writing_into_a_damaged_file_is_refused_as_damaged(scope: IndexedScope, seed: int) -> None:
    """No other error leaves the writer; the mark stays, so the next one starts afresh."""
    scope.put_all({"a.md": TEXT, "b.md": TEXT.replace("tea", "coffee")})
    raw = bytearray(scope.file.read_bytes())
    source = random.Random(seed)  # noqa: S311 - a repeatable flip
    start = source.randrange(100, len(raw) - 2_000)
    raw[start : start + 2_000] = source.randbytes(2_000)
    scope.file.write_bytes(raw)
    with suppress_damage(), IndexWriter(scope.directory) as writer:
        writer.put("a.md", TEXT.upper(), stamp(TEXT))
        writer.remove("b.md")
        writer.maintain(deadline=lambda: False)
    if scope.mark.exists():
        assert reason(scope.directory) == "dirty"


def test_a_full_disk_is_no_damage(scope: IndexedScope) -> None:
    """A rebuild would not help; whoever asked is told what would."""
    scope.put("a.md", TEXT)
    lines = "\n".join(f"- word{number}y" for number in range(5_000))
    with pytest.raises(OSError, match="error"):
        _put_into_few_pages(scope, "b.md", lines)


def _put_into_few_pages(scope: IndexedScope, path: str, text: str) -> None:
    with IndexWriter(scope.directory) as writer:
        writer._connection.execute("PRAGMA max_page_count = 12")  # SQLite's own full disk
        writer.put(path, text, stamp(text))


@contextmanager
def suppress_damage() -> Iterator[None]:
    """Accept that the index is refused as damaged, and nothing else."""
    try:
        yield
    except IndexUnusable as unusable:
        if unusable.reason != "damaged":
            raise


@pytest.mark.parametrize("target", ["nowhere", "elsewhere", "dirty"])
def test_a_mark_that_is_a_link_is_replaced(scope: IndexedScope, target: str) -> None:
    """The next writer starts afresh, and nothing is written through the link."""
    scope.put("a.md", "green tea")
    elsewhere = scope.mark.with_name("elsewhere")
    elsewhere.write_text("kept")
    scope.mark.symlink_to(target)
    with pytest.raises(IndexUnusable):
        scope.lines("tea")
    scope.put("b.md", "black tea")
    assert scope.lines("tea") == [("b.md", 1)]
    assert elsewhere.read_text() == "kept"


def test_a_mark_that_is_an_empty_directory_is_replaced(scope: IndexedScope) -> None:
    """Somebody made it; the next writer starts afresh."""
    scope.put("a.md", "green tea")
    scope.mark.mkdir()
    scope.put("b.md", "black tea")
    assert scope.lines("tea") == [("b.md", 1)]
