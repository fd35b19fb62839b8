"""Frozen values that pass between the rooms. Nothing here does I/O."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Final, Self

from ironclaw_memory.demands import demand_text
from ironclaw_memory.errors import InvalidArguments, InvalidScope


MAX_ID_BYTES: Final = 256  # reference.md section 1
RESERVED_PREFIX: Final = "__ironclaw_"  # reference.md section 1, host ids
SCOPE_IDS: Final = ("tenant", "user", "agent", "project", "thread")
LATEST: Final = "LATEST"  # stands for the newest version, or the newest snapshot's id
ABSENT: Final = "_none"  # the directory word for an absent agent or project


class Origin(Enum):
    """Who or what caused a call (reference.md section 7)."""

    LOOP_RUN = "loop_run"
    PRODUCT = "product"
    AUTOMATION = "automation"

    @classmethod
    def of(cls, given: Self | str | None) -> Self | None:
        """Return the origin that *given* is or names; ``None`` is nobody and stays it.

        Raises `InvalidArguments` with the names that there are.
        """
        if given is None or isinstance(given, cls):
            return given
        try:
            return cls(given)
        except ValueError:
            names = ", ".join(origin.value for origin in cls)
            raise InvalidArguments(
                "origin: is no origin.",
                field="origin",
                code="origin-unknown",
                hint=f"Use one of {names}.",
            ) from None


class Effect(Enum):
    """What a tool may do; the mount follows from it."""

    DISPATCH_CAPABILITY = "dispatch_capability"
    READ_FILESYSTEM = "read_filesystem"
    WRITE_FILESYSTEM = "write_filesystem"
    NETWORK = "network"
    USE_SECRET = "use_secret"  # noqa: S105 - the effect's name, not a secret


class Cell(Enum):
    """One cell of an origin gate matrix (reference.md section 7)."""

    FORBIDDEN = "forbidden"
    ASK_ALWAYS = "ask_always"
    GATED_UNLESS_GRANTED = "gated_unless_granted"
    CONSENT_SUFFICIENT = "consent_sufficient"
    UNGATED = "ungated"


class Access(Enum):
    """How a scope is mounted; there is no default on purpose.

    With ``index`` documents can be read and the provider's own ``.store`` written: it is
    for bringing an index in step, which happens in a search that nobody permitted to write.
    """

    READ = "read"
    INDEX = "index"
    WRITE = "write"


class Role(Enum):
    """Who spoke in a recorded message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Whose memory it is. Tenant, user, agent and project isolate; thread does not.

    Each id is 1 to 256 bytes of UTF-8 without separators, dot segments, control
    characters or the prefix ``__ironclaw_``; the four axes also refuse ``:`` and the
    word ``_none``, because both mean something in a directory name
    (reference.md section 1). Raises `InvalidScope` naming the axis.
    """

    tenant: str
    user: str
    agent: str | None = None
    project: str | None = None
    thread: str | None = None

    def __post_init__(self) -> None:
        """Refuse an id that could not name a directory of its own."""
        for name in SCOPE_IDS:
            value = getattr(self, name)
            if value is not None or name in {"tenant", "user"}:
                _check_id(name, value)

    def owner_key(self) -> str:
        """Return the owner's key, ``tenant:T:user:U[:agent:A]:project:P|_none``."""
        agent = f":agent:{self.agent}" if self.agent is not None else ""
        return f"tenant:{self.tenant}:user:{self.user}{agent}:project:{self.project or ABSENT}"

    def user_level(self) -> "Scope":
        """Return the scope of tenant and user alone, where the profile lives."""
        return _scope_of_user(self.tenant, self.user)

    def axes(self) -> tuple[str, str, str | None, str | None]:
        """Return the four axes that isolate, without the thread."""
        return (self.tenant, self.user, self.agent, self.project)


def demand_scope(given: object) -> None:
    """Raise `InvalidArguments` for what is no `Scope`, such as a dictionary of its ids."""
    if not isinstance(given, Scope):
        raise InvalidArguments(
            "scope: is no Scope.",
            field="scope",
            hint='Give one such as `Scope(tenant="acme", user="ada")`.',
        )


@lru_cache(maxsize=1024)  # checking an id costs more than a look-up, and every call asks
def _scope_of_user(tenant: str, user: str) -> Scope:
    return Scope(tenant=tenant, user=user)


def _check_id(name: str, value: object) -> None:
    problem = id_problem(name, value)
    if problem:
        raise InvalidScope(
            f"scope.{name} {problem}",
            field=name,
            hint=f"Give {name} 1 to {MAX_ID_BYTES} bytes of plain text without separators.",
        )


def id_problem(name: str, value: object) -> str:
    """Return what is wrong with a *value* of the id *name* of a scope, or the empty string."""
    is_axis = name != "thread"
    if not isinstance(value, str) or not value.strip():
        return "is empty or not text"
    rules = (
        (_too_long(value), f"is longer than {MAX_ID_BYTES} bytes or not valid Unicode"),
        (value in {".", ".."}, "is a dot segment"),
        (any(c in "/\\" for c in value), "contains a separator"),
        (any(unicodedata.category(c) == "Cc" for c in value), "contains a control character"),
        (value.startswith(RESERVED_PREFIX), f"starts with the reserved {RESERVED_PREFIX}"),
        (is_axis and ":" in value, "contains a colon"),
        (is_axis and value == ABSENT, f"is the reserved word {ABSENT}"),
    )
    return next((text for broken, text in rules if broken), "")


def _too_long(value: str) -> bool:
    try:
        return len(value.encode()) > MAX_ID_BYTES
    except UnicodeEncodeError:
        return True


TOOL_FORM: Final = 'Give the id of a tool, such as "ironclaw.memory.write".'
ANY: Final = "*"  # an axis of a grant that matches every value


@dataclass(frozen=True, kw_only=True)
class Grant:
    """A standing permission. Empty means no: nothing here defaults to everything.

    ``tool`` is a full tool id. ``tenant``, ``user``, ``agent`` and ``project`` are a
    pattern: ``"*"`` matches any value, ``None`` matches an absent one only.
    ``effects`` must cover the tool's. ``expires_ms`` is Unix milliseconds or
    ``None`` for no end; ``uses_left`` counts calls or is ``None`` for any number.
    """

    tool: str
    tenant: str
    user: str
    agent: str | None = None
    project: str | None = None
    origin: Origin = Origin.LOOP_RUN
    effects: frozenset[Effect] = frozenset()
    expires_ms: int | None = None
    uses_left: int | None = None
    id: str = ""

    @classmethod
    def exactly(
        cls,
        *,
        tool: str,
        scope: Scope,
        origin: Origin,
        effects: frozenset[Effect],
        expires_ms: int | None = None,
        uses_left: int | None = None,
    ) -> "Grant":
        """Return a grant for *scope* alone.

        Raises `InvalidScope` where an id is ``"*"``: the grant would be for everybody.
        """
        demand_scope(scope)
        for axis in ("tenant", "user", "agent", "project"):
            if getattr(scope, axis) == ANY:
                message = f'scope.{axis} "*" cannot be granted exactly'
                raise InvalidScope(message, field=axis, hint="Use another id.")
        tenant, user, agent, project = scope.axes()
        return cls(
            tool=tool,
            tenant=tenant,
            user=user,
            agent=agent,
            project=project,
            origin=origin,
            effects=effects,
            expires_ms=expires_ms,
            uses_left=uses_left,
        )

    def in_force(self, now_ms: int) -> bool:
        """Say whether the grant has neither expired nor been used up."""
        unexpired = self.expires_ms is None or now_ms < self.expires_ms
        return unexpired and (self.uses_left is None or self.uses_left > 0)

    def covers(
        self, *, tool: str, scope: Scope, origin: Origin, effects: frozenset[Effect]
    ) -> bool:
        """Say whether the grant is for such a call. A call without effects is never covered."""
        pattern = (self.tenant, self.user, self.agent, self.project)
        return (
            self.tool == tool
            and self.origin is origin
            and bool(effects)
            and effects <= self.effects
            and all(w in (ANY, v) for w, v in zip(pattern, scope.axes(), strict=True))
        )


def demand_grants(given: object) -> tuple[Grant, ...]:
    """Return the grants in *given*. Raises `InvalidArguments` for anything else."""
    grants = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(grant, Grant) for grant in grants):
        raise InvalidArguments(
            "grants: are no list of grants.", field="grants", hint="Give `Grant` values in a list."
        )
    return grants


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One call as an adapter asks for it, before anything but the types of tool and scope is checked."""

    tool_id: str
    arguments: Mapping[str, object]
    scope: Scope
    origin: Origin | None
    grants: tuple[Grant, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a call of nobody's memory, or of what cannot be a tool."""
        demand_scope(self.scope)
        demand_text(self.tool_id, "tool_id", hint=TOOL_FORM)


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of a turn, verbatim."""

    role: Role
    content: str
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A point in time: Unix milliseconds and an IANA zone."""

    unix_ms: int
    zone: str = "UTC"


@dataclass(frozen=True, kw_only=True)
class ProviderEvent:
    """What a provider asserts happened; enums, hashes and sizes only."""

    kind: str
    path_hash: str | None = None
    reason: str | None = None
    registry: str | None = None
    size: int | None = None


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A provider's ``failure`` record as it crossed the boundary."""

    kind: str
    code: str
    field_name: str | None = field(default=None)
