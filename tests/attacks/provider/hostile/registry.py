"""The attacks by tenant and export, and how an attack reports what it managed to do."""

import json
from collections.abc import Callable, Iterable


Attack = Callable[..., object]
ATTACKS: dict[tuple[str, str], Attack] = {}
EVERYWHERE = "*"


def hidden_in(*exports: str) -> Callable[[Attack], Attack]:
    """Register an attack for calls of *exports*."""

    def register(attack: Attack) -> Attack:
        for export in exports:
            ATTACKS[attack.__name__.replace("_", "-"), export] = attack
        return attack

    return register


def attack_of(tenant: str, export: str) -> Attack | None:
    """Return the attack of *tenant* in *export*, if there is one."""
    return ATTACKS.get((tenant, export)) or ATTACKS.get((tenant, EVERYWHERE))


def tried(what: str, act: Callable[..., object], *arguments: object) -> list[str]:
    """Call *act*; return *what* and either ``refused`` with the kind of error, or what was got."""
    try:
        got = act(*arguments)
    except Exception as problem:  # noqa: BLE001 - any refusal will do
        return [what, f"refused: {type(problem).__name__} {getattr(problem, 'errno', '')}".strip()]
    return [what, f"succeeded: {str(got)[:80]}"]


def report(attempts: Iterable[list[str]]) -> str:
    """Return the attempts as the JSON that the test reads."""
    return json.dumps(list(attempts))
