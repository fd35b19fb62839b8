"""The score of a passage, as data: its weights and its parts.

    base      = sum over matched terms of idf * saturation, reduced when few of the terms match
    carry     = what a question in the line before it scored; a question itself loses a little
    nearby    = shares of what the two lines on each side scored, inside the section
    section   = BM25 of the section for the query
    header    = idf of the query terms in the path and headings; dates and numbers count three times
    speaker, time, person = the passage is said by someone named in the query; carries a time
                when the query asks for one; speaks of its speaker
    length    = a little for saying more

Weights: retrieval.md section 6, tuned there on LoCoMo conversations 1-5.
"""

import math
from typing import NamedTuple


COORDINATION = 0.5
CARRY = 0.4
QUESTION_PENALTY = 0.1
HEADING_PENALTY = 0.3
BEFORE, AFTER, TWO_AWAY = 0.4, 0.2, 0.1
SECTION = 1.0
HEADER, HEADER_DATE = 0.5, 1.5
SPEAKER = 6.0
TIME = 2.0
PERSON = 1.0
LENGTH = 0.25

_SECTION_K1 = 1.2
_SECTION_B = 0.75
_SECTION_AVERAGE = 17.0  # passages
_LONGEST_SECTION = 64


class Parts(NamedTuple):
    """What the score of a passage is made of; the score is their sum."""

    base: float
    carry: float
    nearby: float
    section: float
    header: float
    speaker: float
    time: float
    person: float
    length: float


def idf(total: int, frequency: float) -> float:
    """Return how telling a term is that occurs in *frequency* of *total* units."""
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def units_with(frequency: int, units: int) -> float:
    """Return in how many of *units* sections a term of *frequency* passages occurs, on average."""
    return units * -math.expm1(-frequency / units) if units else 0.0


def _section_part(frequency: int, passages: int) -> float:
    norm = _SECTION_K1 * (1 - _SECTION_B + _SECTION_B * passages / _SECTION_AVERAGE)
    return frequency * (_SECTION_K1 + 1) / (frequency + norm)


SECTION_SATURATION = tuple(  # [passages of the section][passages of it that have the term]
    tuple(_section_part(frequency, passages) for frequency in range(_LONGEST_SECTION + 1))
    for passages in range(_LONGEST_SECTION + 1)
)
LENGTH_BONUS = tuple(LENGTH * math.log1p(terms) for terms in range(256))
