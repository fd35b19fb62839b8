"""Manifests for the tests of clamping and pinning."""

from collections.abc import Mapping
from types import MappingProxyType

from ironclaw_memory.declared import Hook, Manifest, MemoryDeclaration, Package, ToolDeclaration
from ironclaw_memory.model import Cell, Effect, Origin


def tool(
    tool_id: str = "ironclaw.memory.read",
    *,
    effects: tuple[Effect, ...] = (Effect.DISPATCH_CAPABILITY, Effect.READ_FILESYSTEM),
    matrix: Mapping[Origin, Cell] | None = MappingProxyType({Origin.LOOP_RUN: Cell.UNGATED}),
    permission: str = "allow",
) -> ToolDeclaration:
    """Return a tool that asks for what it is given."""
    return ToolDeclaration(
        id=tool_id,
        description="Does something.",
        effects=effects,
        default_permission=permission,
        visibility="model",
        origin_gate_matrix=matrix,
        input_schema_ref="in.json",
        output_schema_ref=None,
        prompt_doc_ref=None,
    )


def manifest(
    *tools: ToolDeclaration,
    extension_id: str = "acme.memory",
    trust: str = "third_party",
    hooks: tuple[Hook, ...] = (),
) -> Manifest:
    """Return a manifest with these tools."""
    return Manifest(
        id=extension_id,
        name="Test",
        version="1.0.0",
        description="A provider for a test.",
        trust=trust,
        license="",
        memory=MemoryDeclaration(lifecycle=hooks),
        tools=tools,
    )


def package(declared: Manifest, **texts: str) -> Package:
    """Return a package of *declared* with some texts."""
    return Package(manifest=declared, texts=MappingProxyType(texts))
