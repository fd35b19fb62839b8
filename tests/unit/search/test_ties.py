"""Which of many equals are found depends on where they stand, not on when they were indexed."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.unit.search.scope import IndexedScope

from memory_native.search import IndexReader, catalogue


def _shuffled(documents: Mapping[str, str]) -> dict[str, str]:
    return {path: documents[path] for path in sorted(documents, key=lambda path: path[::-1])}


def _scopes(home: Path, documents: Mapping[str, str]) -> tuple[IndexedScope, IndexedScope]:
    ordered, shuffled = IndexedScope(home / "ordered"), IndexedScope(home / "shuffled")
    ordered.put_all(dict(sorted(documents.items())))
    shuffled.put_all(_shuffled(documents))
    return ordered, shuffled


_LINES = {f"notes/{n:03}.md": f"- the walrus of place x{n}\n" for n in range(400)}
_HEADED = {f"walrus/{n:03}.md": f"- some other thing x{n}\n" for n in range(90)}


@pytest.mark.parametrize("documents", [_LINES, _HEADED], ids=["lines", "headings"])
@pytest.mark.parametrize("query", ["walrus", "walrus x7"])
def test_equals_are_found_in_the_order_of_their_paths(
    tmp_path: Path, documents: dict[str, str], query: str
) -> None:
    """However they came into the index; more of them than are looked at."""
    ordered, shuffled = _scopes(tmp_path, documents)
    found = ordered.lines(query, 40)
    assert shuffled.lines(query, 40) == found
    equals = [path for path, _ in found if path != found[0][0]]
    assert equals == sorted(equals)


@pytest.mark.parametrize("costs", [0.0, 1e6], ids=["looked-up", "walked"])
def test_the_first_of_some_passages_are_those_of_the_first_lines(
    scope: IndexedScope, monkeypatch: pytest.MonkeyPatch, costs: float
) -> None:
    """By path, then by line, and no other passage of their sections, whichever way is faster."""
    monkeypatch.setattr(catalogue, "_LOOKUP", costs)
    scope.put_all({"b.md": "- one\n- two\n- three\n", "a.md": "- four\n- five\n"})
    with IndexReader(scope.directory) as reader:
        first_of = reader._retrieval.catalogue.first_of
        assert first_of([0, 2, 3, 4], 3) == [3, 4, 0]
        assert first_of([2, 1], 5) == [1, 2]
