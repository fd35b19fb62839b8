"""What a provider declares, frozen: the form every call works with.

`ironclaw_memory.manifest` validates a manifest once, at build or at install, and
produces these values; afterwards they are read back from JSON without pydantic.
Everything here is a request. `capability.clamp` decides what of it holds.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from ironclaw_memory.errors import ComponentUnreadable, UndeclaredTool
from ironclaw_memory.model import Cell, Effect, Origin


FROZEN_FORMAT: Final = 1


class Hook(Enum):
    """The lifecycle tokens (reference.md section 3)."""

    READ_LONG_TERM = "read_long_term"
    READ_SHORT_TERM = "read_short_term"
    RECORD_INTERACTION = "record_interaction"
    PROFILE_READ = "profile_read"


@dataclass(frozen=True, kw_only=True)
class ToolDeclaration:
    """One tool as its provider asks for it; references name texts of the package."""

    id: str
    description: str
    effects: tuple[Effect, ...]
    default_permission: str
    visibility: str
    origin_gate_matrix: Mapping[Origin, Cell] | None
    input_schema_ref: str
    output_schema_ref: str | None
    prompt_doc_ref: str | None

    @property
    def name(self) -> str:
        """The last part of the id, for instance ``write``."""
        return self.id.rsplit(".", 1)[-1]


@dataclass(frozen=True, kw_only=True)
class ScheduledOp:
    """A pass that the host runs every *interval_turns* completed turns."""

    trigger: str
    interval_turns: int
    prompt: str
    tools: tuple[str, ...]
    max_model_calls: int


@dataclass(frozen=True, kw_only=True)
class MemoryDeclaration:
    """The ``[memory]`` table: hooks, guidance, backend flags, upkeep functions, passes."""

    lifecycle: tuple[Hook, ...] = ()
    guidance_doc: str | None = None
    capabilities: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    upkeep: tuple[str, ...] = ()
    scheduled_ops: tuple[ScheduledOp, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A validated manifest."""

    id: str
    name: str
    version: str
    description: str
    trust: str
    license: str
    memory: MemoryDeclaration
    tools: tuple[ToolDeclaration, ...]


@dataclass(frozen=True, kw_only=True)
class Package:
    """A manifest with the texts it refers to, by their names in the package."""

    manifest: Manifest
    texts: Mapping[str, str]

    def tool(self, tool_id: str) -> ToolDeclaration:
        """Return the declaration of *tool_id*; raises `UndeclaredTool`."""
        for tool in self.manifest.tools:
            if tool.id == tool_id:
                return tool
        raise UndeclaredTool(
            f"{self.manifest.id} declares no tool {tool_id!r:.80}.", hint=self.meant(tool_id)
        )

    def meant(self, tool_id: str) -> str:
        """Return a hint for somebody who called a tool *tool_id*, which none is."""
        for tool in self.manifest.tools:
            if tool_id in short_names(tool.id):
                return f"Its id is {tool.id}."
        return "`ironclaw-memory tools` lists what it declares."

    def declares(self, hook: Hook) -> bool:
        """Say whether the provider declares *hook*; an undeclared one is never called."""
        return hook in self.manifest.memory.lifecycle

    def text(self, ref: str | None) -> str | None:
        """Return the text that *ref* names, or ``None`` where nothing is referred to."""
        return None if ref is None else self.texts[ref]

    @property
    def guidance(self) -> str | None:
        """The provider's guidance text, if it declares one."""
        return self.text(self.manifest.memory.guidance_doc)


def freeze(package: Package) -> dict[str, Any]:
    """Return *package* as JSON-ready values; `thaw` is its inverse."""
    return {
        "format": FROZEN_FORMAT,
        "manifest": _plain(asdict(_without_proxies(package.manifest))),
        "texts": dict(package.texts),
    }


def thaw(value: Any) -> Package:
    """Return the package that `freeze` wrote; raises `ComponentUnreadable` if it is damaged."""
    try:
        if value["format"] != FROZEN_FORMAT:
            raise _unreadable()
        return Package(
            manifest=_manifest(value["manifest"]), texts=MappingProxyType(value["texts"])
        )
    except (KeyError, TypeError, ValueError):
        raise _unreadable() from None


def _unreadable() -> ComponentUnreadable:
    return ComponentUnreadable(
        "The frozen manifest beside the component cannot be read.",
        hint="Install the component again.",
    )


def _manifest(value: dict[str, Any]) -> Manifest:
    memory = value["memory"]
    return Manifest(
        **{key: value[key] for key in ("id", "name", "version", "description", "trust", "license")},
        memory=MemoryDeclaration(
            lifecycle=tuple(Hook(token) for token in memory["lifecycle"]),
            guidance_doc=memory["guidance_doc"],
            capabilities=MappingProxyType(memory["capabilities"]),
            upkeep=tuple(memory["upkeep"]),
            scheduled_ops=tuple(
                ScheduledOp(**{**op, "tools": tuple(op["tools"])}) for op in memory["scheduled_ops"]
            ),
        ),
        tools=tuple(_tool(tool) for tool in value["tools"]),
    )


def _tool(value: dict[str, Any]) -> ToolDeclaration:
    matrix = value["origin_gate_matrix"]
    return ToolDeclaration(
        **{
            **value,
            "effects": tuple(Effect(effect) for effect in value["effects"]),
            "origin_gate_matrix": None
            if matrix is None
            else MappingProxyType({Origin(origin): Cell(cell) for origin, cell in matrix.items()}),
        }
    )


def _without_proxies(manifest: Manifest) -> Manifest:
    """Return *manifest* with plain dicts, which `asdict` can copy."""
    tools = tuple(
        replace(tool, origin_gate_matrix=None if m is None else dict(m))
        for tool in manifest.tools
        for m in [tool.origin_gate_matrix]
    )
    memory = replace(manifest.memory, capabilities=dict(manifest.memory.capabilities))
    return replace(manifest, tools=tools, memory=memory)


def _plain(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case dict():
            return {_plain(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value


def short_names(tool_id: str) -> tuple[str, str]:
    """Return what a tool is also called: ``write``, and ``memory_write`` as MCP shows it."""
    verb = tool_id.rpartition(".")[2]
    return verb, f"memory_{verb}"
