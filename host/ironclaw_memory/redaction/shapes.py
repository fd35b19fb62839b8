"""The shapes of secrets that give themselves away, as one table.

The families are those of reference.md section 5, with a few issuers more. Every
pattern starts with literal text and repeats one character class, so that matching
takes linear time. A run of 64 hexadecimal digits alone is a hash, not a secret.
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

    ``hints`` are lower case and looked for in the lower-cased text first, which costs
    little; the pattern runs only where one of them is. ``holds`` looks at the match.
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


_START: Final = r"(?<![A-Za-z0-9_-])"  # not in the middle of a longer word

SHAPES: Final = (
    _shape(SecretKind.ANTHROPIC, _START + r"sk-ant-[a-z]{2,8}[0-9]{2}-[\w-]{20,}", "sk-ant-"),
    _shape(SecretKind.OPENROUTER, _START + r"sk-or-(?:v1-)?[0-9a-f]{32,}", "sk-or-"),
    _shape(
        SecretKind.OPENAI,
        _START + r"sk-(?!ant-|or-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}",
        "sk-",
        holds=looks_random,
    ),
    _shape(SecretKind.AWS, _START + r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])", "akia", "asia"),
    _shape(SecretKind.GITHUB, _START + r"gh[pousr]_[A-Za-z0-9]{36,}", "ghp_", "gho_", "ghu_",
           "ghs_", "ghr_"),
    _shape(SecretKind.GITHUB, _START + r"github_pat_[A-Za-z0-9_]{22,}", "github_pat_"),
    _shape(SecretKind.GITLAB, _START + r"glpat-[\w-]{20,}", "glpat-"),
    _shape(SecretKind.STRIPE, _START + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}", "k_live_", "k_test_"),
    _shape(SecretKind.STRIPE, _START + r"whsec_[A-Za-z0-9+/]{24,}={0,2}", "whsec_"),
    _shape(SecretKind.SESSION, _START + r"sess[-_][A-Za-z0-9]{24,}", "sess-", "sess_",
           holds=looks_random),
    _shape(SecretKind.GOOGLE, _START + r"AIza[\w-]{35}", "aiza"),
    _shape(SecretKind.SLACK, _START + r"xox[abeoprs]-[A-Za-z0-9-]{16,}", "xox"),
    _shape(SecretKind.SLACK, _START + r"xapp-[0-9]-[A-Za-z0-9-]{20,}", "xapp-"),
    _shape(SecretKind.SLACK, r"hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{16,}",
           "hooks.slack.com"),
    _shape(SecretKind.TWILIO, _START + r"SK[0-9a-f]{32}(?![0-9A-Za-z])", "sk"),
    _shape(SecretKind.SENDGRID, _START + r"SG\.[\w-]{16,64}\.[\w-]{16,64}", "sg."),
    _shape(SecretKind.JWT, _START + r"eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]{4,}", "eyj", holds=_is_jwt),
    _shape(SecretKind.BEARER, r"(?i:bearer)\s{1,4}[A-Za-z0-9._~+/-]{20,}={0,2}", "bearer",
           holds=looks_random),
    _shape(SecretKind.TELEGRAM, r"(?<![0-9A-Za-z])[0-9]{8,10}:[\w-]{35}(?![\w-])", ":",
           holds=looks_random),
    _shape(SecretKind.GROQ, _START + r"gsk_[A-Za-z0-9]{32,}", "gsk_"),
    _shape(SecretKind.HUGGING_FACE, _START + r"hf_[A-Za-z0-9]{30,}", "hf_"),
    _shape(SecretKind.NPM, _START + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])", "npm_"),
    _shape(SecretKind.PYPI, _START + r"pypi-[\w-]{50,}", "pypi-"),
    _shape(SecretKind.URL_PASSWORD, r"://[^\s:/@?#\"'<>]{1,64}:[^\s:/@?#\"'<>]{3,128}@", "://",
           holds=_password_in_url),
)  # fmt: skip
