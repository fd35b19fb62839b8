"""What the tools and hooks answer, named as in wit/tools.wit and wit/lifecycle.wit."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One document that matched; *score* is 0 to 1, the best hit having 1."""

    path: str
    content: str
    score: float
    is_hybrid_match: bool


@dataclass(frozen=True, kw_only=True)
class Hits:
    """The documents that matched, best first."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A listing as the text of a JSON array."""

    json: str


@dataclass(frozen=True, kw_only=True)
class Acknowledgement:
    """That something was done."""

    ok: bool = True


@dataclass(frozen=True, kw_only=True)
class Snippet:
    """One recalled text, raw, with the scope and the document it belongs to."""

    tenant_id: str
    user_id: str
    agent_id: str | None
    project_id: str | None
    path: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Lane:
    """Snippets, best first."""

    snippets: tuple[Snippet, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Whether a transcript was kept."""

    recorded: bool


@dataclass(frozen=True, kw_only=True)
class ProfileDocument:
    """The stored profile's text, unchecked, or none."""

    json: str | None
