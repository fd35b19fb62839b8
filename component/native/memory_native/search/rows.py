"""How sections and documents are laid out in their rows."""

import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from zlib import crc32

from memory_native.search.analysis import HEADING_CUE, Analysis
from memory_native.search.passages import DIGEST_BYTES, Passage, Section, fingerprint
from memory_native.search.postings import LENGTH_CAP


_PLACE = struct.Struct("<HI")  # line counted from the section's first, fingerprint
_LINE = struct.Struct("<H")
_ENTRY = struct.Struct(f"<IBI{DIGEST_BYTES}s")
_SPAN = struct.Struct("<HB")
_CHECK = struct.Struct("<I")
_COLUMNS = 3  # cues, lengths and speakers: a byte a passage each, read hundreds of times a query
_MOST_SPEAKERS = 255
_COMPRESSION = 6
_LONGEST_TEXT = 1 << 20  # a section holds at most 24 passages of 4,096 characters


class Entry(NamedTuple):
    """A section of a document: its passage numbers, its first line, what it says."""

    first: int
    size: int  # passages, `passages.SECTION_MAXIMUM` at most
    line: int
    digest: bytes


class Span(NamedTuple):
    """The slots of a section in its block."""

    slot: int
    size: int


class StoredSection(NamedTuple):
    """What ranking needs of a section."""

    first: int
    document: int
    speakers: str  # one a line
    cues: bytes
    lengths: bytes
    said_by: bytes  # 1-based place of each passage's speaker among the speakers, 0 for none
    places: bytes

    @property
    def size(self) -> int:
        """How many passages it has."""
        return len(self.cues)

    def said(self, place: int) -> bytes:
        """Return the `fingerprint` of a passage, as it is stored."""
        return self.places[place * _PLACE.size + _LINE.size : (place + 1) * _PLACE.size]

    def line(self, place: int) -> int:
        """Return the line of a passage, counted from the section's first."""
        return int(_LINE.unpack_from(self.places, place * _PLACE.size)[0])

    def titles(self, content: "StoredContent") -> list[str]:
        """Return the headings in force and those inside."""
        if not any(cue & HEADING_CUE for cue in self.cues):
            return [*content.headings]
        inside = zip(content.texts, self.cues, strict=True)
        return [*content.headings, *(text for text, cue in inside if cue & HEADING_CUE)]

    def restored(self, content: "StoredContent") -> Section:
        """Return the section as it was cut, with lines counted from 0 and headings at level 1."""
        names = ("", *_lines(self.speakers))
        passages = (
            Passage(
                self.line(place),
                text,
                names[self.said_by[place]],
                int(bool(self.cues[place] & HEADING_CUE)),
            )
            for place, text in enumerate(content.texts)
        )
        return Section(content.headings, tuple(passages))


class StoredContent(NamedTuple):
    """What a section says: the headings in force where it begins, and the text of each passage."""

    headings: tuple[str, ...]
    texts: list[str]


def section_row(
    first: int, document: int, section: Section, analyses: Sequence[Analysis]
) -> tuple[int, int, str, bytes]:
    """Return the row of *section*, whose passages were read as *analyses*."""
    passages = section.passages
    speakers = list(dict.fromkeys(p.speaker for p in passages if p.speaker))[:_MOST_SPEAKERS]
    number = {name: place for place, name in enumerate(speakers, 1)}
    cues = [
        analysis.cues | HEADING_CUE if passage.level else analysis.cues
        for passage, analysis in zip(passages, analyses, strict=True)
    ]
    lengths = [min(len(analysis.terms), LENGTH_CAP) for analysis in analyses]
    said_by = [number.get(passage.speaker, 0) for passage in passages]
    start = section.line
    places = [_PLACE.pack(p.line - start, fingerprint(p.text)) for p in passages]
    columns = (bytes(cues), bytes(lengths), bytes(said_by), *places)
    joined = b"".join(columns)
    return first, document, "\n".join(speakers), joined + _CHECK.pack(crc32(joined, first))


def stored_section(row: tuple[int, int, str, bytes]) -> StoredSection:
    """Return what *row* holds; raises ValueError when it is damaged."""
    first, document, speakers, checked = row
    columns, check = checked[: -_CHECK.size], checked[-_CHECK.size :]
    count, rest = divmod(len(columns), _COLUMNS + _PLACE.size)
    if rest or not count or check != _CHECK.pack(crc32(columns, first)):
        raise ValueError("section columns")
    return StoredSection(
        first,
        document,
        speakers,
        columns[:count],
        columns[count : 2 * count],
        columns[2 * count : 3 * count],
        columns[3 * count :],
    )


def content_row(first: int, section: Section) -> tuple[int, str, bytes]:
    """Return the row of what *section* says; the compressed text carries its own checksum."""
    text = "\n".join(passage.text for passage in section.passages).encode(errors="replace")
    return first, "\n".join(section.headings), zlib.compress(text, _COMPRESSION)


def stored_content(row: tuple[str, bytes], count: int) -> StoredContent:
    """Return the *count* passages in *row*; raises ValueError when it is damaged."""
    headings, packed = row
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(packed, _LONGEST_TEXT)
    except zlib.error:
        raise ValueError("section text") from None
    texts = raw.decode().split("\n")
    if not inflater.eof or len(texts) != count:
        raise ValueError("section text")
    return StoredContent(_lines(headings), texts)


def pack_entries(entries: Iterable[Entry]) -> bytes:
    """Return the sections of a document as one value."""
    return b"".join(_ENTRY.pack(*entry) for entry in entries)


def unpack_entries(stored: bytes) -> list[Entry]:
    """Return the sections in *stored*; raises ValueError when it is damaged."""
    try:
        return list(map(Entry._make, _ENTRY.iter_unpack(stored)))
    except struct.error:
        raise ValueError("document sections") from None


def pack_spans(spans: Iterable[Span]) -> bytes:
    """Return the retired sections of a block as one value, empty for none."""
    joined = b"".join(_SPAN.pack(*span) for span in spans)
    return joined and joined + _CHECK.pack(crc32(joined))


def unpack_spans(stored: bytes) -> list[Span]:
    """Return the retired sections in *stored*; raises ValueError when it is damaged."""
    if stored == b"":
        return []
    joined, check = stored[: -_CHECK.size], stored[-_CHECK.size :]
    if len(joined) % _SPAN.size or check != _CHECK.pack(crc32(joined)):
        raise ValueError("retired sections")
    return list(map(Span._make, _SPAN.iter_unpack(joined)))


def _lines(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("\n")) if joined else ()
