"""Secrets inside octal and hex dumps: ``od``, ``xxd`` and ``hexdump`` lines.

A line is an offset of 7 to 16 hexadecimal digits and at least 8 bytes
(reference.md section 5). Lines that follow each other are decoded together and
scanned; the data of every line that carries part of a secret is a finding.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from ironclaw_memory.redaction.finding import Finding, SecretKind


MIN_BYTES: Final = 8  # reference.md section 5
_LINE: Final = re.compile(
    r"^[ \t]{0,8}[0-9A-Fa-f]{7,16}:?[ \t]{1,4}"
    r"(?P<data>(?:[0-9A-Fa-f]{2,4}[ \t]{1,4}){3,32}(?:[0-9A-Fa-f]{2,4}(?![^\s]))?[^\n]{0,80})",
    re.MULTILINE,
)
# What most texts do not have. It begins with one character, for which `re` can look quickly.
_BEGINNING: Final = re.compile(r"\n[ \t]{0,8}[0-9A-Fa-f]{7}")
_TOKEN: Final = re.compile(r"([0-9A-Fa-f]{2,4})(?:[ \t]{1,4}|$)")
_OCTAL: Final = re.compile(r"[0-3][0-7]{2}")
_BYTE_MAX: Final = 0xFF


@dataclass(frozen=True, kw_only=True)
class _Dumped:
    start: int
    end: int
    tokens: tuple[str, ...]


def dumped(text: str, find: Callable[[str], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield the data of the dump lines of *text* in whose bytes *find* finds a secret."""
    if not _BEGINNING.search(f"\n{text}"):
        return
    for block in _blocks(text):
        for decode in (_plain_bytes, _swapped_bytes):
            yield from _in_block(block, decode, find)


def _blocks(text: str) -> Iterator[list[_Dumped]]:
    block: list[_Dumped] = []
    for match in _LINE.finditer(text):
        line = _Dumped(
            start=match.start("data"),
            end=match.end("data"),
            tokens=_tokens(match["data"]),
        )
        if block and text[block[-1].end : match.start()].strip():
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _tokens(data: str) -> tuple[str, ...]:
    """Return the leading tokens of one width; what follows is the text column."""
    tokens: list[str] = []
    at = 0
    while (token := _TOKEN.match(data, at)) and len(token[1]) == len((tokens or [token[1]])[0]):
        tokens.append(token[1])
        at = token.end()
    return tuple(tokens)


def _in_block(
    block: list[_Dumped],
    decode: Callable[[tuple[str, ...]], bytes],
    find: Callable[[str], Iterator[Finding]],
) -> Iterator[Finding]:
    starts, decoded = [], bytearray()
    for line in block:
        starts.append(len(decoded))
        decoded += decode(line.tokens)
    if len(decoded) < MIN_BYTES:
        return
    # latin-1 keeps one position for each byte.
    for secret in find(decoded.decode("latin-1")):
        first = bisect_right(starts, secret.start) - 1
        last = bisect_right(starts, secret.end - 1)
        for line in block[first:last]:
            yield Finding(start=line.start, end=line.end, kind=SecretKind.DUMP)


def _plain_bytes(tokens: tuple[str, ...]) -> bytes:
    if tokens and all(_OCTAL.fullmatch(token) for token in tokens):
        return bytes(int(token, 8) for token in tokens)
    return b"".join(_hex(token) for token in tokens)


def _swapped_bytes(tokens: tuple[str, ...]) -> bytes:
    """Decode the 16-bit little-endian words that ``hexdump`` and ``od -x`` print."""
    return b"".join(_hex(token)[::-1] for token in tokens)


def _hex(token: str) -> bytes:
    return bytes.fromhex(token) if len(token) % 2 == 0 else b""
