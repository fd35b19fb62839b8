"""Secrets that a label gives away: ``password: …``, ``api_key=…``, ``Authorization: …``.

The labels are those of reference.md section 5 and their Chinese words. Only the
value is a finding, the label stays. What is quoted or assigned counts sooner than
what stands in a sentence: "the password is required" is no secret.
"""

import re
from collections.abc import Iterator
from typing import Final

from ironclaw_memory.redaction.finding import Finding, SecretKind
from ironclaw_memory.redaction.shapes import is_placeholder


_LOOKED_AT: Final = 128  # code points of a value that decide whether it is a secret
_QUOTED_MAX: Final = 4096  # a quote that does not close within this is no quote

_HINTS: Final = ("token", "key", "secret", "passw", "passphrase", "authorization")
_CHINESE: Final = "密码|口令|密钥|令牌"

_AUTHORIZATION: Final = "authorization"
_PASSWORDS: Final = ("passw", "passphrase", "密码", "口令")
# Runs on lower-cased text. Each alternative begins with a literal: `re` then passes quickly
# over what begins with none of them.
_LABEL: Final = re.compile(
    r"passw(?:or)?d|passphrase|密码|口令"
    rf"|{_AUTHORIZATION}"
    r"|access[ _-]?token|auth[ _-]?token|bot[ _-]?token|refresh[ _-]?token|session[ _-]?token"
    r"|api[ _-]?(?:token|key|secret)"
    r"|client[ _-]?secret|shared[ _-]?secret"
    r"|secret[ _-]?(?:token|(?:access[ _-]?)?key)"
    r"|密钥|令牌"
)
_LABEL_AT_END: Final = re.compile(rf"(?:{_LABEL.pattern})\Z")
# Full-width and curly signs are written as escapes: they look like others.
_STOPS: Final = r"\s\"'`,;\uff0c\u3002\uff1b\u3001\u201c\u201d\u2018\u2019"
_SEPARATOR: Final = re.compile(
    r"(?:\\{0,2}[\"'`*\]]){0,3}\s{0,8}"
    r"(?P<sign>:?=>?|:{1,2}|\uff1a|是|为|(?:is set to|is|was|equals)(?=\s))"
    r"\*{0,2}(?P<gap>\s{0,8})"
)
_QUOTE: Final = re.compile(r"\\{0,2}[\"'`\u201c\u2018]")
_CLOSING: Final = {"\u201c": "\u201d", "\u2018": "\u2019"}
_BARE: Final = re.compile(rf"[^{_STOPS}]{{1,{_LOOKED_AT}}}")
_BARE_REST: Final = re.compile(rf"[^{_STOPS}]*")
_SCHEME: Final = re.compile(r"(?i)(?P<scheme>basic|bearer|digest|negotiate|oauth|token)\s{1,8}")
_REST_OF_LINE: Final = re.compile(r"[^\n]*")

_TELLING: Final = re.compile(r"[0-9!@#$%^&*+=~?|]|[a-z][A-Z]")
# A name with dots, a call, a path, a URL, a date.
_CODE: Final = re.compile(
    r"\A(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z|\.{0,2}/|~/|https?:|[0-9]{4}-[0-9]{2}-[0-9]{2}\Z)"
    r"|\w\(|\{"
)
# What stands alone after "password:" and is no password.
_STATES: Final = frozenset(
    {
        "absent", "bool", "boolean", "changed", "confirmed", "correct", "default", "disabled",
        "empty", "enabled", "encrypted", "expired", "false", "field", "hashed", "hidden",
        "incorrect", "input", "invalid", "leaked", "masked", "mandatory", "missing", "never",
        "nil", "no", "none", "null", "number", "off", "ok", "on", "optional", "password",
        "present", "protected", "rejected", "required", "reset", "rotated", "saved", "secret",
        "set", "str", "string", "text", "true", "type", "undefined", "unchanged", "unknown",
        "unset", "valid", "wrong", "yes",
    }
)  # fmt: skip
_MIN_ASSIGNED: Final = 4
_MIN_TELLING: Final = 6
_MIN_IN_PROSE: Final = 8


def labelled(text: str, lowered: str) -> Iterator[Finding]:
    """Yield the labelled secrets of *text*; *lowered* is its `lower_aligned` form."""
    if not any(hint in lowered for hint in _HINTS) and (
        text.isascii() or not re.search(_CHINESE, text)
    ):
        return
    after = 0
    for label in _LABEL.finditer(lowered):
        separator = _SEPARATOR.match(text, label.end())
        if separator is None or label.start() < after:
            continue
        if label[0] == _AUTHORIZATION:
            span = _authorization_value(text, separator.end())
            kind = SecretKind.AUTHORIZATION
        else:
            span = _value(text, separator, is_password=label[0].startswith(_PASSWORDS))
            kind = SecretKind.LABELLED
        if span:
            after = span[1]
            yield Finding(start=span[0], end=span[1], kind=kind)


def is_labelled(key: str, value: str) -> bool:
    """Say whether *value* is a secret because it stands under *key*, as in JSON."""
    lowered = lower_aligned(key)
    label = _LABEL_AT_END.search(lowered)
    if label is None:
        return False
    if label[0] == _AUTHORIZATION:
        return _is_telling(value) and not is_placeholder(value)
    return len(value.strip()) >= _MIN_ASSIGNED and not _is_harmless(value)


def lower_aligned(text: str) -> str:
    """Return *text* in lower case, position for position."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return text.replace("\u0130", "I").lower()  # the one code point that becomes two


def _value(text: str, separator: re.Match[str], *, is_password: bool) -> tuple[int, int] | None:
    start = separator.end()
    quoted = _quoted(text, start)
    if quoted:
        value = text[quoted[0] : quoted[1]]
        assigned = not separator["sign"][0].isalpha() or _is_telling(value)
        long_enough = len(value.strip()) >= _MIN_ASSIGNED
        return quoted if assigned and long_enough and not _is_harmless(value) else None
    bare = _BARE.match(text, start)
    if bare is None:
        return None
    value = bare[0].rstrip(".:!?)]}>*")
    if not _is_bare_secret(text, separator, value, is_password=is_password):
        return None
    end = start + len(value)
    if bare.end() - start == _LOOKED_AT:
        end = _end_of_run(text, start)
    return (start, end)


def _is_bare_secret(text: str, separator: re.Match[str], value: str, *, is_password: bool) -> bool:
    if _is_harmless(value) or _CODE.search(value):
        return False
    sign, start = separator["sign"], separator.end()
    if sign[0].isalpha():
        return _is_telling_in_prose(value)
    if _is_telling(value):
        return True
    if len(value) < _MIN_ASSIGNED or value.lower() in _STATES:
        return False
    ends_line = text[start + len(value) : start + len(value) + 2].strip(" .")[:1] in ("", "\n")
    tight = sign == "=" and not separator["gap"]
    return tight or (ends_line and (is_password or "=" in sign))


def _is_telling(value: str) -> bool:
    return len(value) >= _MIN_TELLING and bool(_TELLING.search(value, 0, _LOOKED_AT))


def _is_telling_in_prose(value: str) -> bool:
    # "is" and "was" are followed by a word more often than by a secret: "is SHA-256".
    return len(value) >= _MIN_IN_PROSE and _is_telling(value)


def _is_harmless(value: str) -> bool:
    return is_placeholder(value.strip()) or value.strip().lower() in _STATES


def _quoted(text: str, start: int) -> tuple[int, int] | None:
    """Return the inside of a quotation that begins at *start*, if it closes."""
    quote = _QUOTE.match(text, start)
    if quote is None:
        return None
    closing = quote[0][:-1] + _CLOSING.get(quote[0][-1], quote[0][-1])
    end = text.find(closing, quote.end(), quote.end() + _QUOTED_MAX)
    return (quote.end(), end) if end > quote.end() else None


def _authorization_value(text: str, start: int) -> tuple[int, int] | None:
    quote = _QUOTE.match(text, start)
    scheme = _SCHEME.match(text, quote.end() if quote else start)
    if scheme is None:
        return None
    at = scheme.end()
    if scheme["scheme"].lower() in {"digest", "oauth"} and "=" in text[at : at + _LOOKED_AT]:
        end = _REST_OF_LINE.match(text, at)
        return (at, end.end()) if end and end.end() > at else None
    bare = _BARE.match(text, at)
    if bare is None or is_placeholder(bare[0]) or not _is_telling(bare[0]):
        return None
    return (at, _end_of_run(text, at))


def _end_of_run(text: str, start: int) -> int:
    run = _BARE_REST.match(text, start)
    return run.end() if run else start
