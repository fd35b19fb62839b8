"""How sections and documents are laid out in their rows."""

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from memory_native.search.analysis import Analysis, Cue
from memory_native.search.passages import DIGEST_BYTES, Passage, Section, fingerprint
from memory_native.search.postings import LENGTH_CAP


_PASSAGE = struct.Struct("<HBBBI")
_ENTRY = struct.Struct(f"<II{DIGEST_BYTES}s")
_MOST_SPEAKERS = 255
_COMPRESSION = 6
_LONGEST_TEXT = 1 << 20  # a section holds at most 16 passages of 630 characters

SectionRow = tuple[int, int, str, str, bytes, bytes]


class Mark(NamedTuple):
    """What is stored of a passage beside its words."""

    line: int  # counted from the section's first line
    speaker: int  # 1-based place in the section's speakers, 0 for none
    cues: int
    length: int
    fingerprint: int


class Entry(NamedTuple):
    """A section of a document: its first passage number, its first line, what it says."""

    first: int
    line: int
    digest: bytes


@dataclass(frozen=True)
class StoredSection:
    """A section as the index keeps it; its text is unpacked when it is asked for."""

    first: int
    document: int
    headings: tuple[str, ...]
    speakers: tuple[str, ...]
    marks: tuple[Mark, ...]
    packed: bytes

    def texts(self) -> list[str]:
        """Return the text of each passage; raises ValueError when the row is damaged."""
        inflater = zlib.decompressobj()
        try:
            raw = inflater.decompress(self.packed, _LONGEST_TEXT)
        except zlib.error:
            raise ValueError("section text") from None
        texts = raw.decode().split("\n")
        if len(texts) != len(self.marks):
            raise ValueError("section text")
        return texts

    def section(self) -> Section:
        """Return the section as it was cut, with lines counted from 0 and headings at level 1."""
        names = ("", *self.speakers)
        return Section(
            self.headings,
            tuple(
                Passage(mark.line, text, names[mark.speaker], int(bool(mark.cues & Cue.HEADING)))
                for mark, text in zip(self.marks, self.texts(), strict=True)
            ),
        )


def section_row(
    first: int, document: int, section: Section, analyses: Iterable[Analysis]
) -> SectionRow:
    """Return the row of *section*, whose passages were read as *analyses*."""
    speakers = list(dict.fromkeys(p.speaker for p in section.passages if p.speaker))[
        :_MOST_SPEAKERS
    ]
    number = {name: place for place, name in enumerate(speakers, 1)}
    marks = [
        _PASSAGE.pack(
            passage.line - section.line,
            number.get(passage.speaker, 0),
            analysis.cues | (Cue.HEADING if passage.level else Cue.NONE),
            min(len(analysis.terms), LENGTH_CAP),
            fingerprint(passage.text),
        )
        for passage, analysis in zip(section.passages, analyses, strict=True)
    ]
    text = "\n".join(passage.text for passage in section.passages).encode(errors="replace")
    return (
        first,
        document,
        "\n".join(section.headings),
        "\n".join(speakers),
        b"".join(marks),
        zlib.compress(text, _COMPRESSION),
    )


def stored_section(row: SectionRow) -> StoredSection:
    """Return what *row* holds; raises ValueError when it is damaged."""
    first, document, headings, speakers, marks, packed = row
    try:
        unpacked = tuple(map(Mark._make, _PASSAGE.iter_unpack(marks)))
    except struct.error:
        raise ValueError("section marks") from None
    return StoredSection(first, document, _lines(headings), _lines(speakers), unpacked, packed)


def pack_entries(entries: Iterable[Entry]) -> bytes:
    """Return the sections of a document as one value."""
    return b"".join(_ENTRY.pack(*entry) for entry in entries)


def unpack_entries(stored: bytes) -> list[Entry]:
    """Return the sections in *stored*; raises ValueError when it is damaged."""
    try:
        return list(map(Entry._make, _ENTRY.iter_unpack(stored)))
    except struct.error:
        raise ValueError("document sections") from None


def _lines(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("\n")) if joined else ()
