"""What happens to a model's write that carries a secret."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.redaction.finding import SecretKind
from ironclaw_memory.redaction.redact import redact_value


class SecretPolicy(Enum):
    """The operator's choice (reference.md section 0, secrets).

    ``reject`` is the default for a model's writes, ``redact`` for recorded turns.
    """

    REJECT = "reject"
    REDACT = "redact"
    ALLOW = "allow"


@dataclass(frozen=True, kw_only=True)
class Found:
    """A secret in an argument: where and of what sort, never what it says."""

    field: str
    kind: SecretKind


@dataclass(frozen=True, kw_only=True)
class Screened:
    """Arguments that were looked at; ``arguments`` is what may be passed on.

    ``found`` is for the audit log. Under the policy ``allow`` nobody looks, so it is
    empty.
    """

    arguments: Mapping[str, object]
    found: tuple[Found, ...]
    refused: bool


def screen(
    arguments: Mapping[str, object],
    policy: SecretPolicy,
    *,
    exempt: frozenset[str] = frozenset(),
) -> Screened:
    """Look for secrets in every text of *arguments*, at any depth, and apply *policy*.

    ``exempt`` names arguments that are not stored, such as the text that a patch
    looks for.
    """
    if policy is SecretPolicy.ALLOW:
        return Screened(arguments=arguments, found=(), refused=False)
    redacted = {
        name: redact_value(value, key=name)
        for name, value in arguments.items()
        if name not in exempt
    }
    found = tuple(
        Found(field=name, kind=kind) for name, value in redacted.items() for kind in value.kinds
    )
    if policy is SecretPolicy.REJECT or not found:
        return Screened(arguments=arguments, found=found, refused=bool(found))
    changed = {name: value.value for name, value in redacted.items() if value.kinds}
    return Screened(arguments={**arguments, **changed}, found=found, refused=False)


def refusal(screened: Screened) -> InvalidArguments:
    """Return the error for a refused write; it names the argument and the sort of secret."""
    first = screened.found[0]
    return InvalidArguments(
        f"The argument {first.field} contains what looks like a secret ({first.kind.value}).",
        field=first.field,
        code="secret-found",
        hint="Leave the secret out and say where it is kept instead.",
    )
