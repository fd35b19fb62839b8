"""A component for eyes: what it asks for beside what it would get."""

from collections.abc import Iterable, Iterator

from ironclaw_memory.adapters.cli.inspection import origins, summary
from ironclaw_memory.adapters.cli.render.table import columns, size
from ironclaw_memory.installing import Inspection
from ironclaw_memory.model import Origin


def drawn(found: Inspection, *, approved: bool = False) -> str:
    """Return the inspection as a page of text; *approved* says that these bytes are installed."""
    return "\n".join(_parts(found, approved=approved))


def _parts(found: Inspection, *, approved: bool) -> Iterator[str]:
    yield columns(_head(found, approved=approved))
    yield columns(_tools(found))
    differences = found.effective.differences
    if differences:
        yield "Requested and not given:"
        rows = ((f"  {d.subject}", d.requested, f"-> {d.effective}", d.reason) for d in differences)
        yield columns(rows)


def _head(found: Inspection, *, approved: bool) -> list[tuple[str, str]]:
    manifest, memory = found.package.manifest, found.package.manifest.memory
    off = [name for name, on in memory.capabilities.items() if not on]
    on = [name for name, declared in memory.capabilities.items() if declared]
    return [
        ("provider", summary(manifest)),
        ("file", f"{found.file.name}, {size(found.size)}"),
        ("sha256", found.sha256),
        ("licence", manifest.license or "not given"),
        ("trust", f"{manifest.trust} -> {found.effective.trust.value}"),
        ("usable", _usable(found, approved=approved)),
        ("exports", _joined(name for name in found.surface.exports if ":" in name)),
        ("imports", _joined(found.surface.imports)),
        *_sockets(found),
        ("hooks", _joined(hook.value for hook in memory.lifecycle)),
        ("upkeep", _joined(memory.upkeep)),
        ("flags", f"{_joined(on)}; off: {_joined(off)}"),
        ("passes", _joined(f"every {op.interval_turns} turns" for op in memory.scheduled_ops)),
    ]


def _sockets(found: Inspection) -> list[tuple[str, str]]:
    """Return the line that says why imports of sockets are no danger, where there are any."""
    if not any(name.startswith("wasi:sockets/") for name in found.surface.imports):
        return []
    return [("", "those of wasi:sockets are inert: the host opens none")]


def _usable(found: Inspection, *, approved: bool) -> str:
    if found.bundled:
        return "yes, it is the bundled one"
    if found.effective.refused:
        return "no, its id is reserved"
    return "yes, it is approved" if approved else "after `component install`"


def _tools(found: Inspection) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("tool", "effects", "effective", *(origin.value for origin in Origin))
    ]
    for tool in found.package.manifest.tools:
        rules = found.effective.tools.get(tool.id)
        asked = _joined(sorted(effect.value for effect in tool.effects))
        got = {effect.value for effect in rules.effects} if rules else set()
        same = got == {effect.value for effect in tool.effects}
        effective = "as requested" if same else _joined(sorted(got))
        rows.append((tool.id, asked, effective, *origins(tool, found.effective)))
    return rows


def _joined(words: Iterable[str]) -> str:
    return ", ".join(words) or "none"
