"""Reading a manifest that nobody trusts yet.

The shapes are reference.md section 8 with section 0 applied: a memory surface on a
``wasm`` runtime. Each thing that does not hold is one `InvalidManifest` that names
the field. Runs at build and at install only: it is the one module that needs pydantic.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ironclaw_memory.declared import (
    Hook,
    Manifest,
    MemoryDeclaration,
    Package,
    ScheduledOp,
    ToolDeclaration,
)
from ironclaw_memory.errors import InvalidManifest
from ironclaw_memory.model import Cell, Effect, Origin
from ironclaw_memory.package import Carried


SCHEMA_VERSION: Final = "reborn.extension_manifest.v3"
MAX_MANIFEST_BYTES: Final = 256 * 1024  # reference.md section 8
MAX_DOTS: Final = 64  # in one line; a key of 20,000 parts keeps tomllib busy for 20 s
MEMORY_NAMESPACE: Final = "ironclaw.memory."
UPKEEP_FUNCTIONS: Final = frozenset(
    {
        "history", "version", "restore", "delete", "deleted", "rename", "erase",
        "sweep", "refresh", "check", "describe", "adopt", "explain",
    }
)  # fmt: skip

_ID: Final = r"^[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*$"
_REF: Final = r"^(?!/)(?!.*(^|/)\.{1,2}(/|$))[A-Za-z0-9._/-]+$"
_NOT_BLANK: Final = r"\S"

Ref = Annotated[str, Field(max_length=512)]
Text = Annotated[str, Field(min_length=1, max_length=2000, pattern=_NOT_BLANK)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=False)


class _Runtime(_Table):
    kind: Literal["wasm"]


class _Pass(_Table):
    prompt: Ref
    tools: list[str] = Field(min_length=1)
    max_model_calls: int = Field(ge=1, le=100)


class _ScheduledOp(_Table):
    trigger: Literal["after_turn"]
    interval_turns: int = Field(ge=1, le=10_000)
    pass_: _Pass = Field(alias="pass")


class _Memory(_Table):
    lifecycle: list[Hook] = []
    guidance_doc: Ref | None = None
    capabilities: dict[str, bool] = {}
    upkeep: list[str] = []
    scheduled_ops: list[_ScheduledOp] = []


class _Matrix(_Table):
    loop_run: Cell = Cell.FORBIDDEN
    product: Cell = Cell.FORBIDDEN
    automation: Cell = Cell.FORBIDDEN


class _Tool(_Table):
    id: Annotated[str, Field(max_length=160, pattern=_ID)]
    description: Text
    effects: list[Effect]
    default_permission: Literal["allow", "ask", "deny"]
    visibility: Literal["model", "host_internal", "api"] = "model"
    origin_gate_matrix: _Matrix | None = None
    input_schema_ref: Ref
    output_schema_ref: Ref | None = None
    prompt_doc_ref: Ref | None = None


class _Document(_Table):
    schema_version: Literal["reborn.extension_manifest.v3"]
    id: Annotated[str, Field(max_length=128, pattern=_ID)]
    name: Text
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+([-+][0-9A-Za-z.-]+)?$", max_length=64)]
    description: Text
    trust: Literal["untrusted", "third_party", "first_party_requested", "system_requested"]
    license: Annotated[str, Field(max_length=100)] = ""
    runtime: _Runtime
    memory: _Memory
    tools: list[_Tool] = Field(default=[], max_length=64)


def read_package(carried: Carried) -> Package:
    """Return the package that *carried* describes, validated and frozen.

    Raises `InvalidManifest` naming the first thing that does not hold: TOML, an unknown
    field, a dangling reference, a tool declared twice or outside the id's namespace, an
    unknown upkeep function, a pass with tools that are not declared, or a schema that is
    not a JSON object.
    """
    document = _parse(carried.manifest)
    for problem in _problems(document, carried.files):
        raise problem
    used = {ref: carried.files[ref] for ref in _refs(document)}
    return Package(manifest=_frozen(document), texts=MappingProxyType(used))


def _parse(text: str) -> _Document:
    if len(text.encode()) > MAX_MANIFEST_BYTES:
        raise _invalid("the manifest", f"is larger than {MAX_MANIFEST_BYTES} bytes")
    if any(line.count(".") > MAX_DOTS for line in text.splitlines()):
        raise _invalid("the manifest", f"has a line with more than {MAX_DOTS} dots")
    try:
        return _Document.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        raise _invalid("the manifest", "is not valid TOML") from None
    except RecursionError:
        raise _invalid("the manifest", "nests too deeply") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the manifest"
        raise _invalid(field, first["msg"][:200]) from None


def _invalid(field: str, problem: str) -> InvalidManifest:
    return InvalidManifest(
        f"Manifest: {field[:120]}: {problem}.",
        hint=f"Correct {field[:120]} in manifest.toml and build the component again.",
    )


def _problems(document: _Document, files: Mapping[str, str]) -> Iterator[InvalidManifest]:
    yield from _tool_problems(document)
    yield from _memory_problems(document)
    yield from _ref_problems(document, files)


def _tool_problems(document: _Document) -> Iterator[InvalidManifest]:
    seen: set[str] = set()
    for number, tool in enumerate(document.tools):
        field = f"tools.{number}"
        if tool.id in seen:
            yield _invalid(f"{field}.id", "is declared twice")
        if not tool.id.startswith((f"{document.id}.", MEMORY_NAMESPACE)):
            yield _invalid(f"{field}.id", f"is outside the namespace of {document.id}")
        if len(set(tool.effects)) != len(tool.effects):
            yield _invalid(f"{field}.effects", "names an effect twice")
        seen.add(tool.id)


def _memory_problems(document: _Document) -> Iterator[InvalidManifest]:
    memory = document.memory
    if len(set(memory.lifecycle)) != len(memory.lifecycle):
        yield _invalid("memory.lifecycle", "names a hook twice")
    unknown = set(memory.upkeep) - UPKEEP_FUNCTIONS
    if unknown:
        yield _invalid("memory.upkeep", f"names no function of the contract: {min(unknown)[:40]}")
    declared = {tool.id for tool in document.tools}
    for number, op in enumerate(memory.scheduled_ops):
        missing = set(op.pass_.tools) - declared
        if missing:
            yield _invalid(
                f"memory.scheduled_ops.{number}.pass.tools", f"{min(missing)[:80]} is not declared"
            )


def _ref_problems(document: _Document, files: Mapping[str, str]) -> Iterator[InvalidManifest]:
    for ref in _refs(document):
        if not re.fullmatch(_REF, ref):
            yield _invalid(f"reference {ref[:80]}", "is not a plain relative name")
        if ref not in files:
            yield _invalid(f"reference {ref[:80]}", "names no text of the package")
    for tool in document.tools:
        for ref in filter(None, (tool.input_schema_ref, tool.output_schema_ref)):
            if not _is_json_object(files[ref]):
                yield _invalid(f"reference {ref[:80]}", "is not a JSON object")


def _refs(document: _Document) -> list[str]:
    wanted: list[str | None] = [document.memory.guidance_doc]
    wanted += [op.pass_.prompt for op in document.memory.scheduled_ops]
    for tool in document.tools:
        wanted += [tool.input_schema_ref, tool.output_schema_ref, tool.prompt_doc_ref]
    return sorted({ref for ref in wanted if ref is not None})


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _frozen(document: _Document) -> Manifest:
    return Manifest(
        id=document.id,
        name=document.name,
        version=document.version,
        description=document.description,
        trust=document.trust,
        license=document.license,
        memory=_frozen_memory(document.memory),
        tools=tuple(_frozen_tool(tool) for tool in document.tools),
    )


def _frozen_memory(memory: _Memory) -> MemoryDeclaration:
    return MemoryDeclaration(
        lifecycle=tuple(memory.lifecycle),
        guidance_doc=memory.guidance_doc,
        capabilities=MappingProxyType(dict(memory.capabilities)),
        upkeep=tuple(memory.upkeep),
        scheduled_ops=tuple(
            ScheduledOp(
                trigger=op.trigger,
                interval_turns=op.interval_turns,
                prompt=op.pass_.prompt,
                tools=tuple(op.pass_.tools),
                max_model_calls=op.pass_.max_model_calls,
            )
            for op in memory.scheduled_ops
        ),
    )


def _frozen_tool(tool: _Tool) -> ToolDeclaration:
    effects = tool.effects
    if Effect.DISPATCH_CAPABILITY not in effects:  # reference.md section 8: prepended
        effects = [Effect.DISPATCH_CAPABILITY, *effects]
    matrix = tool.origin_gate_matrix
    return ToolDeclaration(
        id=tool.id,
        description=tool.description,
        effects=tuple(effects),
        default_permission=tool.default_permission,
        visibility=tool.visibility,
        origin_gate_matrix=None if matrix is None else _cells(matrix),
        input_schema_ref=tool.input_schema_ref,
        output_schema_ref=tool.output_schema_ref,
        prompt_doc_ref=tool.prompt_doc_ref,
    )


def _cells(matrix: _Matrix) -> Mapping[Origin, Cell]:
    return MappingProxyType(
        {
            Origin.LOOP_RUN: matrix.loop_run,
            Origin.PRODUCT: matrix.product,
            Origin.AUTOMATION: matrix.automation,
        }
    )
