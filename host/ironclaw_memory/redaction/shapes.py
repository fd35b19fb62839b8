"""The shapes of secrets that give themselves away, as one table.

The families are those of reference.md section 5, with a few issuers more. Every
pattern starts with literal text, or with one character of few, and repeats one
character class, so that matching takes linear time. A run of 64 hexadecimal digits alone is a hash, not a secret.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ironclaw_memory.redaction.finding import SecretKind


MIN_MIXED: Final = 2  # of lower case, upper case and digits, what a random token shows


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One row: a pattern, literals of which one must occur for it to match, a check.

    ``hints`` are lower case and looked for in the lower-cased text first; the pattern runs
    only where one of them is, or where there are none because it is as quick itself. To look
    for a single character costs next to nothing. ``holds`` looks at the match.
    """

    kind: SecretKind
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    holds: Callable[[str], bool]


def is_placeholder(value: str) -> bool:
    """Say whether *value* is what people write where a secret would stand."""
    lowered = value.lower()
    return any(word in lowered for word in _PLACEHOLDER_WORDS) or bool(
        _PLACEHOLDER_FORMS.fullmatch(value)
    )


def looks_random(value: str) -> bool:
    """Say whether *value* has digits and letters of both cases, or nearly so."""
    classes = (
        any(c.islower() for c in value),
        any(c.isupper() for c in value),
        any(c.isdigit() for c in value),
    )
    return sum(classes) >= MIN_MIXED and any(c.isdigit() for c in value)


_PLACEHOLDER_WORDS: Final = (
    "example",
    "placeholder",
    "your-",
    "your_",
    "yourtoken",
    "yourkey",
    "...",
    "…",
    "redacted",
    "xxxxx",
    "changeme",
    "change-me",
    "dummy",
    "*****",
    "insert-",
    "insert_",
)
# <token>, [token], ${TOKEN}, $TOKEN, $(command), {{ token }}, %TOKEN%, xxx, ***
_PLACEHOLDER_FORMS: Final = re.compile(
    r"<.*|\[.*|\$[{(].*|\$[A-Z_][A-Z0-9_]*|\{\{.*|%\w+%|x+|\*+|\.+", re.DOTALL
)


def _is_jwt(match: str) -> bool:
    header = match.split(".", 1)[0]
    try:
        decoded = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return False
    return isinstance(decoded, dict) and isinstance(decoded.get("alg"), str)


def _always(match: str) -> bool:
    return True


def _password_in_url(match: str) -> bool:
    password = match.rsplit(":", 1)[1].removesuffix("@")
    return password not in {"password", "pass", "passwd", "pw", "secret", "token"}


def _shape(
    kind: SecretKind, pattern: str, *hints: str, holds: Callable[[str], bool] = _always
) -> Shape:
    return Shape(kind=kind, hints=hints, pattern=re.compile(pattern), holds=holds)


def _word(start: str, rest: str) -> str:
    """Return the pattern of a word that begins with the literal *start*, not of part of a longer one.

    `re` looks quickly for what a pattern begins with if that is a literal; what stands before
    is looked at only where one was found.
    """
    literal = re.escape(start)
    return f"{literal}(?<![A-Za-z0-9_-]{literal}){rest}"


SHAPES: Final = (
    _shape(SecretKind.ANTHROPIC, _word("sk-ant-", r"[a-z]{2,8}[0-9]{2}-[\w-]{20,}"), "-"),
    _shape(SecretKind.OPENROUTER, _word("sk-or-", r"(?:v1-)?[0-9a-f]{32,}"), "-"),
    _shape(
        SecretKind.OPENAI,
        _word("sk-", r"(?!ant-|or-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
        "-",
        holds=looks_random,
    ),
    _shape(SecretKind.AWS, _word("A", r"(?:KIA|SIA)[0-9A-Z]{16}(?![0-9A-Za-z])")),
    _shape(SecretKind.GITHUB, _word("gh", r"[pousr]_[A-Za-z0-9]{36,}"), "_"),
    _shape(SecretKind.GITHUB, _word("github_pat_", r"[A-Za-z0-9_]{22,}"), "_"),
    _shape(SecretKind.GITLAB, _word("glpat-", r"[\w-]{20,}"), "-"),
    _shape(SecretKind.STRIPE, r"[rs](?<![A-Za-z0-9_-][rs])k_(?:live|test)_[A-Za-z0-9]{16,}",
           "k_live_", "k_test_"),
    _shape(SecretKind.STRIPE, _word("whsec_", r"[A-Za-z0-9+/]{24,}={0,2}"), "_"),
    _shape(SecretKind.SESSION, _word("sess", r"[-_][A-Za-z0-9]{24,}"), "-", "_",
           holds=looks_random),
    _shape(SecretKind.GOOGLE, _word("AIza", r"[\w-]{35}")),
    _shape(SecretKind.SLACK, _word("xox", r"[abeoprs]-[A-Za-z0-9-]{16,}"), "-"),
    _shape(SecretKind.SLACK, _word("xapp-", r"[0-9]-[A-Za-z0-9-]{20,}"), "-"),
    _shape(SecretKind.SLACK, r"hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{16,}",
           "hooks.slack.com"),
    _shape(SecretKind.TWILIO, _word("SK", r"[0-9a-f]{32}(?![0-9A-Za-z])")),
    _shape(SecretKind.SENDGRID, _word("SG.", r"[\w-]{16,64}\.[\w-]{16,64}"), "."),
    _shape(SecretKind.JWT, _word("eyJ", r"[\w-]{8,}\.[\w-]{4,}\.[\w-]{4,}"), ".", holds=_is_jwt),
    _shape(SecretKind.BEARER, r"(?i:bearer)\s{1,4}[A-Za-z0-9._~+/-]{20,}={0,2}", "bearer",
           holds=looks_random),
    _shape(SecretKind.TELEGRAM, r"[0-9](?<![0-9A-Za-z][0-9])[0-9]{7,9}:[\w-]{35}(?![\w-])", ":",
           holds=looks_random),
    _shape(SecretKind.GROQ, _word("gsk_", r"[A-Za-z0-9]{32,}"), "_"),
    _shape(SecretKind.HUGGING_FACE, _word("hf_", r"[A-Za-z0-9]{30,}"), "_"),
    _shape(SecretKind.NPM, _word("npm_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])"), "_"),
    _shape(SecretKind.PYPI, _word("pypi-", r"[\w-]{50,}"), "-"),
    _shape(SecretKind.URL_PASSWORD, r"://[^\s:/@?#\"'<>]{1,64}:[^\s:/@?#\"'<>]{3,128}@", ":",
           holds=_password_in_url),
)  # fmt: skip
