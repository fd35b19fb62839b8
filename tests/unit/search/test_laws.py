"""Laws of the index, over sequences of edits that nobody thought of."""

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.search.scope import IndexedScope, stamp

from memory_native.search import IndexWriter
from memory_native.search.analysis import analyse
from memory_native.search.passages import fingerprint


# Invented words, so that a hit is the word and not a relative of it; none is one edit from another.
WORDS = [
    f"{a}{b}{c}"
    for a in ("zor", "quil", "mab")
    for b in ("ank", "ebb", "iff")
    for c in ("", "olu", "yxit")
]
HAN = ["茶叶", "火车", "图书馆", "天气"]
LINES = st.lists(st.sampled_from(WORDS + HAN), min_size=1, max_size=6).map(" ".join)
TEXTS = st.lists(
    st.one_of(LINES, st.sampled_from(("", "```")), LINES.map("# ".__add__)), max_size=30
).map("\n".join)
PATHS = st.sampled_from(["a.md", "notes/b.md", "daily/c.md", "threads/t/d.md"])
EDITS = st.lists(st.tuples(PATHS, st.one_of(st.none(), TEXTS)), max_size=12)
FEW = settings(max_examples=25, deadline=None)


def after(edits: list[tuple[str, str | None]], scope: IndexedScope) -> dict[str, str]:
    """Apply *edits* to *scope*, one transaction each; return the documents there are then."""
    documents: dict[str, str] = {}
    for path, text in edits:
        if text is None:
            scope.remove(path)
            documents.pop(path, None)
        else:
            scope.put(path, text)
            documents[path] = text
    if not edits:
        scope.put_all({})
    return documents


@FEW
@given(EDITS)
def test_every_word_is_found_and_no_other(edits: list[tuple[str, str | None]]) -> None:
    """A word finds exactly the documents that have it, quoting lines that exist."""
    with tempfile.TemporaryDirectory() as home:
        scope = IndexedScope(Path(home) / "index")
        documents = after(edits, scope)
        for word in WORDS[:9] + HAN:
            hits = scope.passages(word, limit=1_000)
            said = {line for text in documents.values() for line in text.split("\n")}
            having = {fingerprint(line) for line in said if word in line.split()}

            assert having <= {fingerprint(hit.text) for hit in hits}
            assert all(documents[hit.path].split("\n")[hit.line - 1] == hit.text for hit in hits)
            assert bool(hits) == bool(set(analyse(word).terms) & _terms(documents))


@FEW
@given(EDITS, st.lists(st.sampled_from(WORDS + HAN), min_size=1, max_size=4).map(" ".join))
def test_any_sequence_of_edits_equals_a_rebuild(
    edits: list[tuple[str, str | None]], query: str
) -> None:
    """The answers depend on the documents alone, not on how they came to be."""
    with tempfile.TemporaryDirectory() as home:
        edited, rebuilt = IndexedScope(Path(home) / "edited"), IndexedScope(Path(home) / "rebuilt")
        rebuilt.put_all(after(edits, edited))

        assert edited.passages(query, limit=1_000) == rebuilt.passages(query, limit=1_000)
        edited.tidy()
        assert edited.passages(query, limit=1_000) == rebuilt.passages(query, limit=1_000)
        assert not edited.retired()


@FEW
@given(EDITS)
def test_removed_words_leave_no_bytes_in_the_file(edits: list[tuple[str, str | None]]) -> None:
    """Not as a term, not in a free page, not in a corner of a page in use."""
    with tempfile.TemporaryDirectory() as home:
        scope = IndexedScope(Path(home) / "index")
        scope.put("secret.md", "# Plan hippogriff\n\n- the basilisk sleeps at Wyvernhall\n")
        after(edits, scope)
        scope.remove("secret.md")
        raw = scope.file.read_bytes().lower()

        assert not [w for w in (b"hippogrif", b"basilisk", b"wyvernhal", b"secret") if w in raw]


def test_heavy_churn_leaves_no_trace_of_what_was_replaced(tmp_path: Path) -> None:
    """The same over thousands of rows, where pages split, merge and are freed."""
    scope = IndexedScope(tmp_path / "index")
    for turn in range(12):
        documents = {
            f"n/{n}.md": f"- turn{turn}note{n}mark says {WORDS[n % 9]} about part{n * 7}{turn}\n"
            * 2
            for n in range(turn * 20, turn * 20 + 150)
        }
        scope.put_all(documents)
    scope.tidy()
    raw = scope.file.read_bytes()

    assert b"turn11note220mark" in raw
    assert not [n for n in range(220, 350) if b"turn10note%dmark" % n in raw]


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_no_page_that_was_split_keeps_a_word_that_is_gone(tmp_path: Path, how: str) -> None:
    """SQLite leaves old cells behind in pages that it writes anew: one in 300, with these words."""
    choose = random.Random(5)  # noqa: S311 - words

    def word() -> str:
        return "".join(choose.choices("bcdfghklmnprst", k=8))

    def put(path: str) -> None:
        scope.put(path, "\n".join(" ".join(word() for _ in range(10)) for _ in range(30)))

    scope = IndexedScope(tmp_path / "index")
    secrets = [f"{word()}xq" for _ in range(300)]
    for number in range(10):
        put(f"n/{number}.md")
    scope.put("secret.md", "\n".join(secrets))
    for number in range(3):
        put(f"m/{number}.md")
    with IndexWriter(scope.directory) as writer:
        if how == "removed":
            writer.remove("secret.md")
        else:
            writer.put("secret.md", "nothing", stamp("nothing"))
            writer.clear_traces()
    raw = scope.file.read_bytes()

    assert not [secret for secret in secrets if secret.encode() in raw]


def _terms(documents: dict[str, str]) -> set[str]:
    texts = [*documents, *documents.values()]
    return {term for text in texts for term in analyse(text).terms}
