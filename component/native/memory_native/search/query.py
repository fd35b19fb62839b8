"""What a query asks for: weighted terms, and whether it asks for a time."""

import re
from collections import Counter
from dataclasses import dataclass

from memory_native.search.analysis import analyse, is_cjk_character, is_latin


MOST_TERMS = 128  # distinct terms looked up; the rarest 32 of them are scored
_MOST_TIMES = 8  # that a repeated word counts
_LONGEST_QUERY = 20_000  # characters read
_UNIGRAM_WEIGHT = 0.4  # beside Latin words; at full weight they drown them (retrieval.md section 3)
_ASKS_TIME = re.compile(
    r"\s*(?:when\b|since when|how long|(?:on |in )?(?:what|which) (?:date|day|month|year|time|week))",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z0-9,] )[A-Z][a-z]+")
_ASKS_TIME_HAN = re.compile("什么时候|几月|几号|哪天|哪一天|哪年|哪一年|多久|何时|日期")


@dataclass(frozen=True)
class Query:
    """The terms with their weights, in the order they were written."""

    weights: dict[str, float]
    asks_time: bool
    names: frozenset[str] = frozenset()  # terms written with a capital inside a sentence


def parse(text: str) -> Query:
    """Return what *text* asks for; without a word that carries content it has no terms."""
    text = text[:_LONGEST_QUERY]
    counted = Counter(analyse(text).terms)
    latin = any(is_latin(term) and len(term) > 1 for term in counted)
    weights = {
        term: min(times, _MOST_TIMES)
        * (_UNIGRAM_WEIGHT if latin and is_cjk_character(term) else 1.0)
        for term, times in list(counted.items())[:MOST_TERMS]
    }
    names = frozenset(analyse(" ".join(_NAME.findall(text))).terms)
    return Query(weights, bool(_ASKS_TIME.match(text) or _ASKS_TIME_HAN.search(text)), names)
