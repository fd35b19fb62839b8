"""Text to terms, the same way when a passage is indexed and when a query is read.

One regular expression cuts a text into runs by script (retrieval.md section 1.2):

- Latin letters and digits, joined by the connectors of identifiers, paths, versions and addresses.
  A joined run yields its parts and itself, so ``parse_config.py`` is found whole and by part;
- Han, Kana, Hangul: single characters and pairs;
- Thai, Lao, Khmer, Burmese: triples, because these scripts do not mark words;
- every other alphabet: the first five characters of a word, which stands in for a stemmer.

Terms never contain white space or ``#``.
"""

import re
import unicodedata
from functools import reduce
from itertools import chain
from operator import or_
from string import ascii_letters
from typing import NamedTuple

from memory_native.search.irregular import IRREGULAR
from memory_native.search.stemming import stem
from memory_native.search.stopwords import (
    ENGLISH,
    FIRST_PERSON,
    FIRST_PERSON_HAN,
    HAN_CHARACTERS,
    MONTH_ABBREVIATIONS,
    MONTHS,
    TEMPORAL,
    TEMPORAL_HAN,
    WEEKDAYS,
)


# What a passage shows beside its words: bits of one byte. Plain integers, because the ranking reads
# them some thousand times a query and a flag enumeration costs twenty times as much.
TEMPORAL_CUE = 1
QUESTION_CUE = 2
PERSON_CUE = 4
HEADING_CUE = 8
ALL_CUES = TEMPORAL_CUE | QUESTION_CUE | PERSON_CUE | HEADING_CUE


class Analysis(NamedTuple):
    """The terms of a text in order, with repetitions, and its cues."""

    terms: list[str]
    cues: int


_Run = tuple[tuple[str, ...], int]
"""The terms and cues that one joined Latin run contributes."""

TRUNCATED = 5
LONGEST_TERM = 64  # bounds a key of the index; longer runs are base64 or worse
_MOST_REMEMBERED = 65_536  # words and their terms: some 8 MB
_LONGEST_REMEMBERED = 64  # characters
_MOST_PARTS = 6
_SHORTEST_PART = 3  # letters and digits, on average, from which more parts are words all the same
_NOTHING: _Run = ((), 0)

_LATIN = r"[A-Za-z0-9]+(?:['._/@:+\-][A-Za-z0-9]+|(?<=[0-9]),[0-9]{3}(?![0-9]))*"
CJK = "\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
MARKS = "".join(  # \w leaves them out, and its punctuation lies between them
    mark for mark in map(chr, range(0x0483, 0x2000)) if unicodedata.category(mark).startswith("M")
)
_ANY_SCRIPT = re.compile(
    f"({_LATIN})|([{CJK}]+)|([{UNSPACED}]+)|((?:[^\\W_A-Za-z0-9{CJK}{UNSPACED}]|[{MARKS}])+)"
)
_ASCII_ONLY = re.compile(_LATIN)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_NEGATION = "n't"
_CONNECTORS = "'._/@:+-"
_ACRONYMS = re.compile(r"(?<![A-Z])([A-Z]{2,})s(?![A-Za-z])")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_CONTRACTION = re.compile(r"'(?:s|ll|d|m|re|ve|t)$", re.IGNORECASE)
_ORDINAL = re.compile(r"^([0-9]{1,2})(?:st|nd|rd|th)$")
_DATE = re.compile(
    r"(?<![0-9])(?:[12][0-9]{3}([-/.])([01]?[0-9])\1[0-3]?[0-9]"
    r"|[0-3]?[0-9]\.([01]?[0-9])\.[12][0-9]{3})(?![0-9])"
)  # year first, or the day first where dots part them; the parts of 3/4/2026 say nothing of it
_HAN_MONTH = re.compile(r"([0-9]{1,2})月")
_ACCENTS = re.compile("[\u0300-\u036f]")
_SPELLED_OUT = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th"}
    | {"ẞ": "SS", "Æ": "AE", "Œ": "OE", "Ø": "O", "Ł": "L", "Đ": "D", "Ð": "D", "Þ": "TH"}
    | {"ı": "i", "ə": "e", "ħ": "h", "ŋ": "n", "ŧ": "t"}  # noqa: RUF001 - letters of their own
    | {"Ə": "E", "Ħ": "H", "Ŋ": "N", "Ŧ": "T", "\u00ad": ""}  # the last shows in no word
)
_QUESTION_ENDS = ("?", "？")  # noqa: RUF001 - the full-width mark is meant
_STYLE_CONNECTORS = str.maketrans("", "", "_-'")
_BEFORE_CJK = "\u3004"
_MONTH_COUNT = len(MONTHS)
_YEAR_DIGITS = 4


def analyse(text: str) -> Analysis:
    """Return the terms and cues of *text*."""
    _WORDS.trim()
    if text.isascii():
        terms, cues = _analyse_ascii(text)
    else:
        terms, cues = _analyse_any(folded(text))
    if text.rstrip().endswith(_QUESTION_ENDS):
        cues |= QUESTION_CUE
    return Analysis(terms, cues)


def folded(text: str) -> str:
    """Return *text* in compatibility form without Latin, Greek and Cyrillic accents.

    Latin letters that are no letter with an accent are spelled as they are without them, so that
    ``Straße`` and ``strasse`` are one word.

    Only U+0300-036F goes: marks of Indic and Thai scripts are letters, and dropping them costs
    11 points of recall at 1 on Hindi (retrieval.md section 1.2).
    """
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.replace("\u2019", "'"))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed).translate(_SPELLED_OUT))


def is_date_term(term: str) -> bool:
    """Return whether *term* is a number, a month or a weekday: a header match on it weighs more."""
    return term.isdigit() or term in _CALENDAR_STEMS


def is_cjk_character(term: str) -> bool:
    """Return whether *term* is a single Han, Kana or Hangul character."""
    return len(term) == 1 and term > _BEFORE_CJK


def is_cjk_pair(term: str) -> bool:
    """Return whether *term* is a pair of such characters."""
    return len(term) == 2 and min(term) > _BEFORE_CJK  # noqa: PLR2004 - a pair


def is_latin(term: str) -> bool:
    """Return whether *term* came from Latin letters or digits."""
    return term.isascii()


class _Words(dict[str, tuple[str, ...]]):
    """The terms of what stands between white space, remembered, because words repeat.

    Looked up without a function call of ours, and cut without the expression above: in the guest
    that takes half as long. Long words hardly repeat and are not put here: what is held has to be
    bounded in bytes.
    """

    def __init__(self) -> None:
        self.cues: dict[str, int] = {}  # of the few words that have any
        self.long_cues = 0  # of long words since somebody set this to 0
        self._held = 0  # words and terms

    def __missing__(self, word: str) -> tuple[str, ...]:
        if word.isalpha() and word.islower():  # most of them
            terms, cues = _word(word)
        elif word.isalnum():
            terms, cues = _latin(word)
        else:
            found, cues = _analyse_runs(word)
            terms = tuple(found)
        if len(word) > _LONGEST_REMEMBERED:
            self.long_cues |= cues
            return terms
        self[word] = terms
        self._held += 1 + len(terms)
        if cues:
            self.cues[word] = cues
        return terms

    def trim(self) -> None:
        """Forget everything once it is much; not inside a text, whose cues are asked for last."""
        if self._held > _MOST_REMEMBERED:
            self.clear()
            self.cues.clear()
            self._held = 0


_WORDS = _Words()


def _analyse_ascii(text: str) -> tuple[list[str], int]:
    words = text.split()
    _WORDS.long_cues = 0
    terms = list(chain.from_iterable(map(_WORDS.__getitem__, words)))
    if _WORDS.cues.keys().isdisjoint(words):
        return terms, _WORDS.long_cues
    return terms, reduce(or_, filter(None, map(_WORDS.cues.get, words)), _WORDS.long_cues)


def _analyse_runs(text: str) -> tuple[list[str], int]:
    """Do without the table, for a word that is not in it."""
    terms: list[str] = []
    cues = 0
    for run in _ASCII_ONLY.findall(text):
        found, cue = _latin(run)
        terms += found
        cues |= cue
    return terms, cues


def _analyse_any(text: str) -> tuple[list[str], int]:
    terms: list[str] = []
    cues = 0
    for latin, cjk, unspaced, other in _ANY_SCRIPT.findall(text):
        if latin:
            found, cue = _remembered(latin)
            terms += found
            cues |= cue
        elif cjk:
            terms += _cjk_terms(cjk)
            cues |= _cjk_cues(cjk)
        elif unspaced:
            terms += [unspaced[i : i + 3] for i in range(max(1, len(unspaced) - 2))]
        else:
            terms.append(other.lower()[:TRUNCATED])
    for month in _HAN_MONTH.findall(text):
        terms += _month_terms(month)
    return terms, cues


def _remembered(run: str) -> _Run:
    if len(run) > _LONGEST_REMEMBERED:
        return _latin(run)
    return _WORDS[run], _WORDS.cues.get(run, 0)


def _cjk_terms(run: str) -> list[str]:
    single = [character for character in run if character not in HAN_CHARACTERS]
    pairs = (run[i : i + 2] for i in range(len(run) - 1))
    return single + [pair for pair in pairs if not HAN_CHARACTERS.issuperset(pair)]


def _cjk_cues(run: str) -> int:
    temporal = TEMPORAL_CUE if any(word in run for word in TEMPORAL_HAN) else 0
    return temporal | (0 if FIRST_PERSON_HAN.isdisjoint(run) else PERSON_CUE)


def _latin(run: str) -> _Run:
    """Return what one joined run contributes."""
    if run.isalpha() and (run.islower() or run.istitle()):  # most runs: one word, no connectors
        return _word(run.lower())
    while run[-len(_NEGATION) :].lower() == _NEGATION:  # what it is joined to is no grammar
        run = run[: -len(_NEGATION)].rstrip(ascii_letters).rstrip(_CONNECTORS)
    bare = _ACRONYMS.sub(r"\1", _CONTRACTION.sub("", run))
    if _THOUSANDS.fullmatch(bare):
        return _number(bare)
    parts = _PARTS.findall(bare)
    if not parts:
        return _NOTHING
    if len(parts) == 1:
        lowered = parts[0].lower()
        return _word_terms(lowered), _word_cues(lowered, run)
    if len(parts) > _MOST_PARTS and bare.isalnum() and len(bare) < _SHORTEST_PART * len(parts):
        return (_whole(bare),), 0  # a digest or a key: its pieces mean nothing
    return _compound(bare, [part.lower() for part in parts])


def _number(run: str) -> _Run:
    """Return what digits in threes contribute: an amount, or a list of numbers."""
    joined, parts = run.replace(",", ""), run.split(",")
    return (*_word_terms(joined), *chain.from_iterable(map(_word_terms, parts))), 0


def _word(word: str) -> _Run:
    """Return what a word of lower-case letters contributes."""
    terms = _LISTED.get(word)
    if terms is None:
        terms = (stem(word)[:LONGEST_TERM],)
    return terms, _WORD_CUES.get(word, 0)


def _word_terms(word: str) -> tuple[str, ...]:
    if word.isdigit():
        return (word.lstrip("0")[:LONGEST_TERM] or "0",)
    return _word(word)[0]


def _word_cues(word: str, run: str) -> int:
    person = PERSON_CUE if word in FIRST_PERSON or run.lower() in FIRST_PERSON else 0
    return person | (TEMPORAL_CUE if _is_temporal(word) else 0)


def _is_temporal(word: str) -> bool:
    return word in TEMPORAL or (word.isdigit() and len(word) == _YEAR_DIGITS)


def _compound(run: str, parts: list[str]) -> _Run:
    """Return the parts of a joined run, the run itself, and the month of a date in it."""
    ordinal = _ORDINAL.match(run.lower())
    if ordinal:
        return (ordinal[1].lstrip("0") or "0",), TEMPORAL_CUE
    terms = [term for part in parts for term in _word_terms(part)]
    cues = TEMPORAL_CUE if any(map(_is_temporal, parts)) else 0
    for _, month, after_day in _DATE.findall(run):
        terms += _month_terms(month or after_day)
        cues = TEMPORAL_CUE
    whole = _whole(run)
    if whole not in terms:
        terms.append(whole)
    return tuple(terms), cues


def _whole(run: str) -> str:
    """Return the run as one term: case humps, ``_`` and ``-`` are style, so all styles agree."""
    lowered = run.lower()
    if any(character.isalpha() for character in lowered):
        lowered = lowered.translate(_STYLE_CONNECTORS)
    if lowered.isalpha():
        lowered = stem(IRREGULAR.get(lowered, lowered))
    return lowered[:LONGEST_TERM]


def _month_terms(month: str) -> list[str]:
    """Return the name of a month given as digits, so that dates agree however they are written."""
    number = int(month)
    return [stem(MONTHS[number - 1])] if 1 <= number <= _MONTH_COUNT else []


_CALENDAR_STEMS = frozenset(stem(word) for word in MONTHS + WEEKDAYS)
_LISTED: dict[str, tuple[str, ...]] = {
    **{form: (stem(word)[:LONGEST_TERM],) for form, word in IRREGULAR.items()},
    **{short: (stem(month),) for short, month in MONTH_ABBREVIATIONS.items()},
    **dict.fromkeys(ENGLISH, ()),
}
"""The terms of words that are not simply stemmed."""
_WORD_CUES = {
    word: TEMPORAL_CUE * (word in TEMPORAL) | PERSON_CUE * (word in FIRST_PERSON)
    for word in TEMPORAL | FIRST_PERSON
}
