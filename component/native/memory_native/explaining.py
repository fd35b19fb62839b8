"""The parts of a ranking as the JSON object of wit/upkeep.wit."""

from contextlib import suppress

from memory_native import paths, strict_json
from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.index import ScopeIndex
from memory_native.search import ExplainedHit, ExplainedTerm


def explain(
    index: ScopeIndex, documents: Documents, query: str, *, limit: int, path: str | None
) -> str:
    """Return ``terms``, at most *limit* ``hits`` and, for a named document, ``path``.

    Raises ``index-stale`` or ``unsupported``.
    """
    found = index.explain(query, limit=limit)
    return strict_json.compact(
        {
            "terms": [_term(term) for term in found.terms],
            "hits": [_hit(hit) for hit in found.hits],
            "path": None if path is None else _about(index, documents, query, path, limit),
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
    said: dict[str, object] = {
        "path": hit.path,
        "line": hit.line,
        "score": hit.score,
        "coverage": hit.coverage,
        "matched": list(hit.matched),
        "parts": hit.parts,
    }
    return {**said, "same_text_as": hit.same_text_as} if hit.same_text_as else said


def _about(
    index: ScopeIndex, documents: Documents, query: str, path: str, limit: int
) -> dict[str, object]:
    """Return the named document's own hits, or the word for why it is not found."""
    found = index.explain(query, path, limit=max(limit, 1))  # even of no hit there is a reason
    kept_out = found.absence == "not-indexed"
    return {
        "path": path,
        "absence": _why_not_indexed(documents, path) if kept_out else found.absence,
        "hits": [_hit(hit) for hit in found.hits[:limit]],
    }


def _why_not_indexed(documents: Documents, path: str) -> str:
    with suppress(MemoryFailure):  # of a path that is none, or a file that cannot be read
        legal = paths.document_path(path)
        if documents.read_bytes(legal) is None:
            return "document-missing"
        if documents.sidecars.policy(legal).skip_indexing:
            return "skip-indexing"
    return "not-indexed"
