"""Private keys in PEM, OpenSSH, SSH2 and PGP armour."""

import re
from collections.abc import Iterator
from typing import Final

from ironclaw_memory.redaction.finding import Finding, SecretKind


_BEGIN: Final = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END: Final = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
# Armoured lines, line ends written as escapes included, for a key that was cut off.
_BODY: Final = re.compile(r"(?:\\[rn]|[\sA-Za-z0-9+/=:,.()-])*")
_MAX: Final = 16 * 1024  # a 16,384-bit RSA key is 12.7 KB in PEM
_MIN_BODY: Final = 16


def private_keys(text: str) -> Iterator[Finding]:
    """Yield every private key, from BEGIN to END or to the end of what looks like one."""
    if "PRIVATE KEY" not in text:
        return
    at = 0
    while begin := _BEGIN.search(text, at):
        after = _BEGIN.search(text, begin.end(), begin.end() + _MAX)
        limit = after.start() if after else begin.end() + _MAX
        end = _END.search(text, begin.end(), limit)
        at = end.end() if end else _end_of_body(text, begin.end(), limit)
        body = text[begin.end() : end.start() if end else at].strip()
        if len(body) >= _MIN_BODY and "..." not in body:
            yield Finding(start=begin.start(), end=at, kind=SecretKind.PRIVATE_KEY)


def _end_of_body(text: str, start: int, limit: int) -> int:
    body = _BODY.match(text, start, limit)
    return body.end() if body else start
