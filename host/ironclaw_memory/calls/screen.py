"""Secrets are caught on the host's side, before any provider sees a word of them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ironclaw_memory.calls.wiring import SecretPolicy
from ironclaw_memory.errors import InvalidArguments


if TYPE_CHECKING:
    from ironclaw_memory.redaction.finding import SecretKind


STORED_TEXTS: Final = {
    "write": ("content", "new_string"),
    "profile_set": ("location",),
}
"""The arguments whose text is stored, by tool."""

NAMES: Final = {"write": ("target",)}
"""The arguments that become a file name; a secret there is refused under every policy but allow."""


def screened(
    tool_name: str,
    request: Mapping[str, Any],
    policy: SecretPolicy,
    *,
    found: Callable[[str], None],
) -> dict[str, Any]:
    """Return *request* as it may reach a provider; *found* is told each kind of secret.

    Raises `InvalidArguments` naming the field where the policy is to reject.
    """
    if policy is SecretPolicy.ALLOW:
        return dict(request)
    clean = dict(request)
    for field in NAMES.get(tool_name, ()):
        _refuse_secret(request.get(field), field, found)
    for field in STORED_TEXTS.get(tool_name, ()):
        if policy is SecretPolicy.REJECT:
            _refuse_secret(request.get(field), field, found)
        elif isinstance(text := request.get(field), str):
            clean[field] = redacted(text, found=found)
    if tool_name == "write" and request.get("metadata") is not None:
        _refuse_secret(request["metadata"], "metadata", found)
    return clean


def redacted(text: str, *, found: Callable[[str], None]) -> str:
    """Return *text* with its secrets replaced; *found* is told each kind."""
    from ironclaw_memory.redaction.redact import redact_secrets  # noqa: PLC0415 - see `_kinds`

    clean = redact_secrets(text)
    for kind in clean.kinds:
        found(kind.value)
    return clean.text


def _kinds(value: object, field: str) -> "tuple[SecretKind, ...]":
    from ironclaw_memory.redaction.redact import redact_value  # noqa: PLC0415 - a read needs no table

    return redact_value(value, key=field).kinds


def _refuse_secret(value: object, field: str, found: Callable[[str], None]) -> None:
    kinds = _kinds(value, field)
    if not kinds:
        return
    for kind in kinds:
        found(kind.value)
    raise InvalidArguments(
        f"{field}: looks like it contains a secret ({kinds[0].value}).",
        field=field,
        code="secret-detected",
        hint="Leave the secret out; memory is no place for it. An operator can set `secrets` in "
        "config.toml, or IRONCLAW_MEMORY_SECRETS, to redact or allow.",
    )
