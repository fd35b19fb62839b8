"""The component's exports: the contract's types in, the contract's types out.

What the manifest does not declare still has to exist, because the world has it. The host
never calls it; `undeclared` answers anybody who does.
"""

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import lifecycle, tools
from wit_world.imports import context, types

from minimal_memory.failing import Refusal
from minimal_memory.provider import Provider, Write


T = TypeVar("T")

PROVIDER = Provider("/memory")


def answer(action: Callable[[], T]) -> T:
    """Return what *action* returns; let nothing out but the contract's own failure.

    An exception of any other kind would stop the instance for good.
    """
    try:
        return action()
    except Refusal as refusal:
        failure = types.Failure(
            types.FailureKind[refusal.kind.upper()], refusal.code, refusal.field
        )
    except Exception:  # noqa: BLE001 - see above
        failure = types.Failure(types.FailureKind.UNAVAILABLE, "internal", None)
    raise Err(failure)


def undeclared(*_: Any) -> NoReturn:
    """Say that this provider does not serve the function."""
    raise Err(types.Failure(types.FailureKind.UNAVAILABLE, "unsupported", None))


class Tools(exports.Tools):
    """Two of the five tools."""

    def read(self, request: tools.ReadRequest) -> tools.Document:
        """Return one whole document."""

        def read() -> tools.Document:
            path, text = PROVIDER.read(request.path)
            return tools.Document(path=path, content=text, word_count=len(text.split()))

        return answer(read)

    def write(self, request: tools.WriteRequest) -> tools.WriteReply:
        """Append to or replace one document."""

        def write() -> tools.WriteReply:
            now = context.now()
            written = PROVIDER.write(
                Write(
                    target=request.target,
                    content=request.content,
                    append=request.append,
                    is_patch=request.old_string is not None,
                    metadata=request.metadata,
                    zone=request.timezone or now.zone,
                ),
                now.unix_ms,
            )
            return tools.WriteReply(
                status=tools.WriteStatus.WRITTEN,
                path=written.path,
                append=written.append,
                content_length=written.size,
                replacements=None,
                message=None,
            )

        return answer(write)

    search = undeclared
    tree = undeclared
    profile_set = undeclared


class Lifecycle(exports.Lifecycle):
    """One of the four hooks."""

    def read_long_term(self, request: lifecycle.LaneRequest) -> lifecycle.Lane:
        """Recall the standing document."""

        def recalled() -> lifecycle.Lane:
            found = PROVIDER.recall(request.query, request.max_snippets, request.context_profile)
            return lifecycle.Lane(snippets=[_snippet(text) for text in found])

        return answer(recalled)

    read_short_term = undeclared
    record_interaction = undeclared
    profile_read = undeclared


class Upkeep(exports.Upkeep):
    """Nothing to keep up: no versions, no index."""

    history = undeclared
    version = undeclared
    restore = undeclared
    delete = undeclared
    deleted = undeclared
    rename = undeclared
    erase = undeclared
    sweep = undeclared
    refresh = undeclared
    check = undeclared
    describe = undeclared
    adopt = undeclared
    explain = undeclared


def _snippet(text: str) -> lifecycle.Snippet:
    scope = context.bound_scope()
    return lifecycle.Snippet(
        tenant_id=scope.tenant_id,
        user_id=scope.user_id,
        agent_id=scope.agent_id,
        project_id=scope.project_id,
        path="MEMORY.md",
        text=text,
    )
