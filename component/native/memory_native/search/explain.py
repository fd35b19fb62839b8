"""Why a passage is found, and why a document is not."""

from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from memory_native.search.analysis import analyse
from memory_native.search.asking import Asked
from memory_native.search.ranking import Context, Scored
from memory_native.search.retrieval import Retrieval


MOST_HITS = 200
"""Passages explained at most: as many as a ranking is judged by (retrieval.md section 2)."""

Absence = Literal["no-content-word", "not-indexed", "no-shared-word", "outranked", "same-text"]
"""Why a path is not found: the query is grammar only; the document is not in the index; it has none of
the words; more than `retrieval.CANDIDATES` passages rank before its own; or other documents say all of
that too, rank no lower, and are shown in its place."""


@dataclass(frozen=True)
class ExplainedTerm:
    """One term of the query: how telling it is, and what stood in for it when it is unknown."""

    term: str
    passages: int
    idf: float
    replaced_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExplainedHit:
    """One passage: what matched, and the parts its score is the sum of (`scoring.Parts`)."""

    path: str
    line: int
    text: str
    score: float
    coverage: float
    matched: tuple[str, ...]
    parts: dict[str, float]
    same_text_as: str = ""  # ``path:line`` of another document's passage, shown in its place


@dataclass(frozen=True)
class Explanation:
    """The terms of a query, its first hits, and, for a path that is not found, the reason."""

    terms: tuple[ExplainedTerm, ...]
    hits: tuple[ExplainedHit, ...]
    absence: Absence | None


def explain(retrieval: Retrieval, query: str, path: str | None, limit: int) -> Explanation:
    """Explain *query*: its first *limit* hits, 200 at most, or those of *path*."""
    asked = retrieval.ask(query)
    hits = _hits(retrieval, asked, path, min(limit, MOST_HITS))
    absence: Absence | None = None
    if path is not None and not hits:
        absence = _absence(retrieval, asked, path)
    elif hits and all(hit.same_text_as for hit in hits):
        absence = "same-text"
    return Explanation(_terms(asked), hits, absence)


def _terms(asked: Asked) -> tuple[ExplainedTerm, ...]:
    known = tuple(
        ExplainedTerm(term.postings.term, term.postings.frequency, term.idf) for term in asked.terms
    )
    named = {term.term for term in known}
    unknown = (term for term in asked.query.weights if term not in named)
    return known + tuple(
        ExplainedTerm(term, 0, 0.0, tuple(asked.replaced.get(term, ()))) for term in unknown
    )


def _hits(
    retrieval: Retrieval, asked: Asked, path: str | None, limit: int
) -> tuple[ExplainedHit, ...]:
    keep = None if path is None else (lambda candidate: candidate == path)
    enough = limit if path is None else 1
    found, context = retrieval.taken(
        asked, lambda walked: list(islice(walked, limit)), enough=enough, keep=keep
    )
    shown = _shown_for(retrieval, asked, found) if path is not None else {}
    retrieval.catalogue.load([passage[1] for passage in found])
    hits = (_hit(retrieval, asked, passage, context) for passage in found)
    if path is None:
        return tuple(hits)
    firsts = (shown.get(section.said(place), ("", 0)) for _, section, place in found)
    return tuple(
        replace(hit, same_text_as=f"{first}:{line}") if first not in {"", path} else hit
        for hit, (first, line) in zip(hits, firsts, strict=True)
    )


def _shown_for(
    retrieval: Retrieval, asked: Asked, found: list[Scored]
) -> dict[bytes, tuple[str, int]]:
    """Return what *found* say -> path and line of the passage that a search shows of those."""
    wanted = {section.said(place) for _, section, place in found}
    first, _ = retrieval.taken(
        asked,
        lambda walked: [one for one in walked if one[1].said(one[2]) in wanted],
        enough=len(wanted),
    )
    retrieval.catalogue.load_documents([section for _, section, _ in first])
    return {
        section.said(place): retrieval.catalogue.spot(section, place) for _, section, place in first
    }


def _hit(retrieval: Retrieval, asked: Asked, passage: Scored, context: Context) -> ExplainedHit:
    score, section, place = passage
    path, line = retrieval.catalogue.spot(section, place)
    parts = context.parts(passage)._asdict()
    above = retrieval.matched_above(asked, passage)
    return ExplainedHit(
        path=path,
        line=line,
        text=retrieval.catalogue.text(section, place),
        score=score,
        coverage=context.coverage(passage),
        matched=tuple(dict.fromkeys((*retrieval.matched(asked, passage), *above))),
        parts={name: value for name, value in parts.items() if value},
    )


def _absence(retrieval: Retrieval, asked: Asked, path: str) -> Absence:
    if not asked.query.weights:
        return "no-content-word"
    document = retrieval.catalogue.find(path)
    if document is None:
        return "not-indexed"
    terms = {term.postings.term for term in asked.terms}
    if any(
        not terms.isdisjoint(analyse(text).terms) for text in retrieval.catalogue.texts(document)
    ):
        return "outranked"
    return "no-shared-word"
