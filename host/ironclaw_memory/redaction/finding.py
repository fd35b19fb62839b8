"""What a scan finds, and how findings become redactions."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final


REDACTED_SECRET: Final = "[REDACTED_SECRET]"  # noqa: S105 - reference.md section 5
REDACTED_HOST_PATH: Final = "[REDACTED_HOST_PATH]"  # reference.md section 5


class SecretKind(Enum):
    """What sort of secret was found; the audit log keeps nothing else of it."""

    ANTHROPIC = "anthropic-key"
    AUTHORIZATION = "authorization"
    AWS = "aws-key"
    BEARER = "bearer-token"
    DUMP = "dumped-secret"
    GITHUB = "github-token"
    GITLAB = "gitlab-token"
    GOOGLE = "google-key"
    GROQ = "groq-key"
    HUGGING_FACE = "hugging-face-token"
    JWT = "json-web-token"
    LABELLED = "labelled-secret"
    NPM = "npm-token"
    OPENAI = "openai-key"
    OPENROUTER = "openrouter-key"
    PRIVATE_KEY = "private-key"
    PYPI = "pypi-token"
    SENDGRID = "sendgrid-key"
    SESSION = "session-token"
    SLACK = "slack-token"
    STRIPE = "stripe-key"
    TELEGRAM = "telegram-bot-token"
    TWILIO = "twilio-key"
    URL_PASSWORD = "url-password"  # noqa: S105 - the kind's name


@dataclass(frozen=True, kw_only=True, order=True)
class Finding:
    """A secret at ``text[start:end]``; positions count code points."""

    start: int
    end: int
    kind: SecretKind


def disjoint(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return *findings* in order, those that overlap joined under the first one's kind."""
    joined: list[Finding] = []
    for finding in sorted(findings, key=lambda f: (f.start, -f.end)):
        if joined and finding.start < joined[-1].end:
            last = joined.pop()
            end = max(last.end, finding.end)
            finding = Finding(start=last.start, end=end, kind=last.kind)  # noqa: PLW2901
        joined.append(finding)
    return tuple(joined)


def replaced(text: str, spans: Iterable[tuple[int, int]], placeholder: str) -> str:
    """Return *text* with each of the disjoint, ordered *spans* replaced."""
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], placeholder]
        at = end
    pieces.append(text[at:])
    return "".join(pieces)
