"""A document cut into passages, and passages gathered into sections.

A *passage* is what is ranked and quoted: one non-blank line (a turn, a list item, a paragraph), or
a piece of one that is too long. A *section* is a run of neighbouring passages: the context a
passage is scored in, and the unit of change. Section borders depend on the text around them, not
on line numbers, so an edit re-indexes the sections it touches and no others.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple
from zlib import crc32

from memory_native.search.analysis import CJK, MARKS, UNSPACED


LONGEST_PASSAGE = 420  # characters; retrieval.md section 6
LONGEST_DENSE_PASSAGE = 160  # the same for Chinese and other scripts that say more per character
MOST_BYTES = 1 << 20
"""Bytes of a document that are searchable: the document limit (design.md section 5). Of a larger
file, which came by hand, that is the beginning."""
MOST_LINES = 65_536
"""Lines of a document that are passages of their own, after which several make one. A passage of one
word takes 50 us to index in the guest, and a call has 30 s."""
LONGEST_WORD = 4_096  # characters that are never cut: no key is longer
SECTION_MINIMUM = 12
SECTION_MAXIMUM = 24
SECTION_CHARACTERS = 6_000
DIGEST_BYTES = 16

_MOST_UTF8 = 4  # bytes of a character
_DENSE = 1.6  # UTF-8 bytes a character from which a line counts as dense
_SPEAKER = re.compile(
    r"\s*(?:[-*+] +)?(?:\[[^\]\n]{1,40}\] *)?\*\*([^*\n]{1,60}?)(?::\*\*|\*\* *[:：])"  # noqa: RUF001 - full width is meant
)
_ROLE = re.compile(r"#{1,6} +(?:user|assistant|system|tool) +\(([^)\n]{1,60})\) *$", re.IGNORECASE)
_BARE_ROLE = re.compile("## (?:user|assistant|system|tool)")  # as `recording` writes it
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)$")
_FENCES = ("```", "~~~")
_SENTENCE = re.compile(r"[^。！？!?.]*(?:[。！？!?]+|\.+|$)[\s”\"』」）)]*")  # noqa: RUF001 - full width is meant
_IN_A_WORD = f"(?:[^\\W{CJK}{UNSPACED}]|[{MARKS}]|[+/=.:~%&@-])"
_BOUNDARY = re.compile(f"(?<!{_IN_A_WORD})|(?!{_IN_A_WORD})")
_VALUE = re.compile(r"\s*[:=：]")  # noqa: RUF001 - full width is meant
_BEFORE_A_VALUE = (":", "=", "：")  # noqa: RUF001 - full width is meant
_ASCII_LETTERS_AND_DIGITS = {code: None for code in range(128) if not chr(code).isalnum()}
_BORDER_ODDS = 8  # one line in so many may end a section
_LONGEST_GAP = 60_000  # lines inside a section, whose positions are stored in 16 bits


class Passage(NamedTuple):
    """One piece of a document: 1-based line, its text, who said it, its heading level (0: none)."""

    line: int
    text: str
    speaker: str
    level: int


@dataclass(frozen=True)
class Section:
    """Neighbouring passages, and the headings in force where they begin."""

    headings: tuple[str, ...]
    passages: tuple[Passage, ...]

    @property
    def line(self) -> int:
        """The line of the first passage."""
        return self.passages[0].line

    def digest(self) -> bytes:
        """Return what the section says, wherever it stands: equal digests, equal entries."""
        said = (f"{p.line - self.line}\0{p.speaker}\0{p.level}\0{p.text}" for p in self.passages)
        content = "\n".join([*self.headings, "", *said])
        return blake2b(content.encode(errors="replace"), digest_size=DIGEST_BYTES).digest()


def searchable(text: str, *, said: bool = False) -> Iterator[Passage]:
    """Yield the passages of *text* that are indexed, in order; *said* as `split` has it."""
    if len(text) * _MOST_UTF8 > MOST_BYTES:
        text = text.encode(errors="replace")[:MOST_BYTES].decode(errors="ignore")
    passages = split(text, said=said)
    yield from islice(passages, MOST_LINES)
    yield from _packed(passages)


def _packed(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Yield *passages* joined to some of nearly the longest; their speakers and headings are lost."""
    line, texts, characters = 0, list[str](), 0
    for passage in passages:
        if not passage.text:
            continue
        if texts and characters + len(passage.text) > LONGEST_DENSE_PASSAGE:
            yield Passage(line, " ".join(texts), "", 0)
            texts, characters = [], 0
        line = line if texts else passage.line
        texts.append(passage.text)
        characters += len(passage.text) + 1
    if texts:
        yield Passage(line, " ".join(texts), "", 0)


def split(text: str, *, said: bool = False) -> Iterator[Passage]:
    """Yield the passages of *text* in order.

    What was *said* in turns has headings that are no more than a role: one has no text of its own
    to be found by, and ends the headings before it.
    """
    speaker, fenced = "", False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip("\r\ufeff")
        start = line.lstrip()[:3]
        if not start:
            continue
        if start in _FENCES:
            fenced = not fenced
        heading = None if fenced or line[0] != "#" else _heading(line)
        if heading:
            speaker = _role(line)
            is_bare = said and _BARE_ROLE.fullmatch(line)
            yield Passage(number, "" if is_bare else line, "", len(heading[1]))
            continue
        label = _SPEAKER.match(line) if "**" in line else None
        said_by = label[1].strip() if label else speaker
        if len(line) <= LONGEST_DENSE_PASSAGE:
            yield Passage(number, line, said_by, 0)
            continue
        for piece in _pieces(line):
            yield Passage(number, piece, said_by, 0)


def sections(passages: Iterator[Passage]) -> Iterator[Section]:
    """Gather *passages* into sections of 12 to 24, less where the document ends.

    One without text is in none.
    """
    headings: list[tuple[int, str]] = []
    in_force: tuple[str, ...] = ()
    gathered: list[Passage] = []
    characters = 0
    for passage in passages:
        if not passage.text:
            headings = [(level, text) for level, text in headings if level < passage.level]
            continue
        if gathered and _ends_before(passage, gathered, characters):
            yield Section(in_force, tuple(gathered))
            gathered, characters = [], 0
        if not gathered:
            in_force = tuple(text for _, text in headings)
        if passage.level:
            headings = [(level, text) for level, text in headings if level < passage.level]
            headings.append((passage.level, passage.text))
        gathered.append(passage)
        characters += len(passage.text)
    if gathered:
        yield Section(in_force, tuple(gathered))


def fingerprint(text: str) -> int:
    """Return a 32-bit print of what *text* says: case, spacing and punctuation do not count."""
    if text.isascii():
        return crc32(text.lower().translate(_ASCII_LETTERS_AND_DIGITS).encode())
    return crc32("".join(filter(str.isalnum, text.casefold())).encode())


def _heading(line: str) -> re.Match[str] | None:
    return _HEADING.match(line) if len(line) <= LONGEST_PASSAGE else None


def _role(line: str) -> str:
    """Return the name under a transcript heading (``## user (Ann)``); a bare role names nobody."""
    role = _ROLE.match(line)
    return role[1] if role else ""


def _ends_before(passage: Passage, gathered: list[Passage], characters: int) -> bool:
    """Return whether a section ends before *passage*: full, or at a place its text picks."""
    count = len(gathered)
    distance = passage.line - gathered[0].line
    if count >= SECTION_MAXIMUM or distance > _LONGEST_GAP:
        return True
    if characters + len(passage.text) > SECTION_CHARACTERS:
        return True
    if count < SECTION_MINIMUM:
        return False
    return (
        passage.level > 0 or crc32(gathered[-1].text.encode(errors="replace")) % _BORDER_ODDS == 0
    )


def _pieces(line: str) -> Iterator[str]:
    """Yield *line* whole, or cut at sentence ends into pieces of the longest passage."""
    longest = _longest(line)
    if len(line) <= longest:
        yield line
        return
    start = end = 0
    for sentence in _SENTENCE.finditer(line):
        stop = sentence.end()
        if stop < len(line) and line[stop - 1] in ".?!":
            continue  # inside a number, a name or an address
        if stop - start > longest and end > start:
            yield line[start:end]
            start = end
        while stop - start > longest + longest // 2:
            cut = _cut(line, start, longest)
            yield line[start:cut]
            start = cut
        end = stop
    if end > start:
        yield line[start:end]


def _cut(line: str, start: int, longest: int) -> int:
    """Return where a piece that begins at *start* ends: not inside a word or a key.

    Nor between a name and its value: whoever masks secrets in a piece has to recognise them.
    """
    middle, full = start + longest // 2, start + longest
    for at in reversed([found.start() for found in _BOUNDARY.finditer(line, middle, full + 1)]):
        value = _VALUE.match(line, at, at + longest)
        if at <= full and not (value or line[start:at].rstrip().endswith(_BEFORE_A_VALUE)):
            return at
    last = min(start + LONGEST_WORD, len(line))
    beyond = _BOUNDARY.search(line, full + 1, last)
    return beyond.start() if beyond else last


def _longest(line: str) -> int:
    if line.isascii() or len(line.encode(errors="replace")) < _DENSE * len(line):
        return LONGEST_PASSAGE
    return LONGEST_DENSE_PASSAGE
