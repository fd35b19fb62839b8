"""The parts of a ranking as the JSON object of wit/upkeep.wit."""

from memory_native import strict_json
from memory_native.index import ScopeIndex
from memory_native.search import ExplainedHit, ExplainedTerm


def explain(index: ScopeIndex, query: str, *, limit: int, path: str | None) -> str:
    """Return ``terms``, at most *limit* ``hits`` and, for a named document, ``path``.

    Raises ``index-stale`` or ``unsupported``.
    """
    found = index.explain(query, limit=limit)
    return strict_json.compact(
        {
            "terms": [_term(term) for term in found.terms],
            "hits": [_hit(hit) for hit in found.hits],
            "path": None if path is None else _about(index, query, path, limit),
        }
    )


def _term(term: ExplainedTerm) -> dict[str, object]:
    return {
        "term": term.term,
        "passages": term.passages,
        "idf": term.idf,
        "replaced_by": list(term.replaced_by),
    }


def _hit(hit: ExplainedHit) -> dict[str, object]:
    return {
        "path": hit.path,
        "line": hit.line,
        "score": hit.score,
        "coverage": hit.coverage,
        "matched": list(hit.matched),
        "parts": hit.parts,
    }


def _about(index: ScopeIndex, query: str, path: str, limit: int) -> dict[str, object]:
    """Return the named document's own hits, or the word for why it has none."""
    found = index.explain(query, path, limit=max(limit, 1))  # even of no hit there is a reason
    return {
        "path": path,
        "absence": found.absence,
        "hits": [_hit(hit) for hit in found.hits[:limit]],
    }
