"""A query looked up in an open index: the terms it has, and what stands for those it has not."""

import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from memory_native.search import thesaurus
from memory_native.search.analysis import is_latin
from memory_native.search.fuzzy import REPLACEMENT_WEIGHT, most_frequent, neighbours
from memory_native.search.lookup import Postings, Statistics, postings
from memory_native.search.matching import Term, scored_terms
from memory_native.search.query import Query, parse
from memory_native.search.scoring import idf


_UNKNOWN_ELSEWHERE = 0.3
"""What an unknown term that is not Latin counts in `Asked.expected_idf`: most are pairs of characters
across two words, there by chance."""
_MOST_PROBES = (
    6_000  # rows looked up, terms times blocks; a long query on a large index drops terms
)
_FEWEST_TERMS = 24

Near = dict[str, list[Postings]]  # unknown term -> indexed ones that stand for it


@dataclass(frozen=True)
class Asked:
    """A query looked up: the terms that count, and the idf of all that was asked for."""

    query: Query
    terms: tuple[Term, ...]
    total_idf: float
    expected_idf: float  # the same for `retrieval.FLOOR`
    replaced: dict[str, list[str]]  # unknown term -> indexed terms one slip away, or alike
    statistics: Statistics  # of what is searched


class _StandIns(NamedTuple):
    """What stands for unknown terms: words one slip away, and words that mean something alike."""

    slips: Near
    related: Near


def ask(connection: sqlite3.Connection, counted: Statistics, text: str) -> Asked:
    """Look up *text* in the blocks that *counted* is about.

    A related word helps to rank and is not asked for: only what is written counts in the sums.
    """
    query = parse(text)
    most = max(_FEWEST_TERMS, _MOST_PROBES // max(1, len(counted.blocks)))
    weights = dict(list(query.weights.items())[:most])
    known = postings(connection, counted, weights)
    unknown = [term for term in weights if not known[term].known]
    slips, related = _stand_ins(connection, counted, query, weights, unknown)
    written = [(known[term], weight) for term, weight in weights.items()]
    terms = scored_terms(written + _weighed(slips, weights, REPLACEMENT_WEIGHT), counted)
    asked_for = sum(term.idf * term.weight for term in terms)
    missing = {term: weights[term] for term in unknown if term not in slips}
    worth = idf(counted.passages, 0)
    likely = sum(w * (1 if is_latin(t) else _UNKNOWN_ELSEWHERE) for t, w in missing.items())
    terms += scored_terms(_weighed(related, weights, thesaurus.WEIGHT), counted)
    return Asked(
        query,
        tuple(sorted(terms, key=lambda term: (term.frequency, term.postings.term))),
        total_idf=asked_for + worth * sum(missing.values()),
        expected_idf=asked_for + worth * likely,
        replaced={term: [one.term for one in near] for term, near in (slips | related).items()},
        statistics=counted,
    )


def _stand_ins(
    connection: sqlite3.Connection,
    counted: Statistics,
    query: Query,
    weights: dict[str, float],
    unknown: list[str],
) -> _StandIns:
    """Return what is indexed for the *unknown* terms.

    A query of nothing but unknown words asks for what no document says: nothing alike is found for
    it. A name is no word that others mean.
    """
    alone = len(unknown) == len(weights)
    alike = thesaurus.replacements(
        [] if alone else [term for term in unknown if term not in query.names]
    )
    near = neighbours(connection, counted, [term for term in unknown if term not in alike])
    wanted = {one for found in (alike, near) for ones in found.values() for one in ones}
    known = postings(connection, counted, sorted(wanted)) if wanted else {}
    slips = {term: most_frequent(known[one] for one in ones) for term, ones in near.items()}
    related = {
        term: [known[one] for one in ones if known[one].passages][: thesaurus.MOST_USED]
        for term, ones in alike.items()
    }
    return _StandIns(_found(slips), _found(related))


def _found(near: Near) -> Near:
    return {term: ones for term, ones in near.items() if ones}


def _weighed(near: Near, weights: dict[str, float], factor: float) -> list[tuple[Postings, float]]:
    """Return what stands for unknown terms, once; what is asked for itself stands for none."""
    found = {
        one.term: (one, factor * weights[term])
        for term, ones in near.items()
        for one in ones
        if one.term not in weights
    }
    return list(found.values())
