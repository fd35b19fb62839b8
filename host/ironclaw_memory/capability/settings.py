"""The operator's settings about tools: pure changes of the gate's state."""

from dataclasses import replace

from ironclaw_memory.capability.state import GateState, Settings


def with_disabled(state: GateState, tool: str, *, disabled: bool) -> GateState:
    """Take *tool* out of use, or put it back."""
    names = _toggled(state.settings.disabled, tool, present=disabled)
    return _with(state, replace(state.settings, disabled=names))


def with_ask_each_time(state: GateState, tool: str, *, ask: bool) -> GateState:
    """Ask before every call of *tool*, or stop doing so."""
    names = _toggled(state.settings.ask_each_time, tool, present=ask)
    return _with(state, replace(state.settings, ask_each_time=names))


def with_auto_approve(state: GateState, *, auto_approve: bool) -> GateState:
    """Approve every gated call without asking, or stop doing so."""
    return _with(state, replace(state.settings, auto_approve=auto_approve))


def _toggled(names: frozenset[str], name: str, *, present: bool) -> frozenset[str]:
    return names | {name} if present else names - {name}


def _with(state: GateState, settings: Settings) -> GateState:
    return state if settings == state.settings else replace(state, settings=settings)
