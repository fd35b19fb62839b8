"""The six commands on a scope, each through the gate that a model's calls go through.

Reading and writing are the host's own tools. Deleting and renaming are upkeep, done in a
block that is gated and recorded like a write.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from ironclaw_memory.adapters.anthropic_memory.paths import ROOT, path_of, target_of
from ironclaw_memory.adapters.anthropic_memory.refusal import Refusal
from ironclaw_memory.adapters.anthropic_memory.texts import (
    changed_view,
    inserted,
    listing,
    numbered_view,
    replaced,
)
from ironclaw_memory.adapters.granting import allowing_command
from ironclaw_memory.contract.for_models import as_offered, hint_for_model
from ironclaw_memory.contract.protected import check_movable
from ironclaw_memory.errors import (
    ApprovalRequired,
    IronclawMemoryError,
    OperationFailed,
    UndeclaredTool,
)
from ironclaw_memory.host import MemoryHost
from ironclaw_memory.model import Grant, Origin, Scope


_NAME: Final = "memory"  # the one tool's own, whatever it does
_VIEWED: Final = ("read", "tree")  # what its command `view` shows
NO_DOCUMENT: Final = frozenset({"document-missing", "is-a-directory", "not-a-document"})


@dataclass(frozen=True, kw_only=True)
class Commands:
    """The memory of *scope* as files below ``/memories``, for a model.

    Every command returns what the model reads, or raises `Refusal` with it. *grants* go
    with every call. Raises `UndeclaredTool` for a provider that cannot read, list and write.
    """

    host: MemoryHost
    scope: Scope
    grants: tuple[Grant, ...] = ()
    _tools: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Look up the declared tools."""
        declared = {tool.verb: tool.id for tool in self.host.tools()}
        missing = sorted({"read", "write", "tree"} - declared.keys())
        if missing:
            raise UndeclaredTool(
                f"The provider declares no {missing[0]} tool.", hint="Use another provider."
            )
        object.__setattr__(self, "_tools", declared)

    def view(self, shown: str, view_range: Sequence[int] | None = None) -> str:
        """Show a document with line numbers, or what is in a directory."""
        path = path_of(shown)
        content = self._content(path) if path else None
        if content is not None:
            return numbered_view(shown, content, view_range)
        sizes = self._sizes({"view": path})
        if path and not _below(path, sizes):
            raise _absent(shown)
        return listing(shown, path, sizes)

    def create(self, shown: str, file_text: str) -> str:
        """Make a new document."""
        path = target_of(shown)
        if self._content(path) is not None:
            raise Refusal(f"File {shown} already exists")
        self._call("write", {"target": path, "content": file_text, "append": False})
        return f"File created successfully at: {shown}"

    def str_replace(self, shown: str, old: str, new: str) -> str:
        """Replace a passage that stands in a document exactly once."""
        path, before = self._existing(shown)
        after = replaced(shown, before, old, new)
        if new:
            self._call("write", {"target": path, "old_string": old, "new_string": new})
        else:
            self._rewrite(shown, path, before, after)
        return changed_view(before, after)

    def insert(self, shown: str, line: int, text: str) -> str:
        """Put lines into a document."""
        path, before = self._existing(shown)
        self._rewrite(shown, path, before, inserted(before, line, text))
        return f"The file {shown} has been edited."

    def delete(self, shown: str) -> str:
        """Take a document away, or every one in a directory; the person can bring them back."""
        path = path_of(shown)
        if not path:
            raise Refusal(f"Cannot delete the {ROOT} directory itself")
        found = self._movable(shown, path, self._sizes({"delete": path}))
        with self._upkeep({"delete": path}):
            for document in found:
                self.host.delete(self.scope, document)
        return f"Successfully deleted {shown}"

    def rename(self, old_shown: str, new_shown: str) -> str:
        """Give a document another name, or every one in a directory; nothing is overwritten."""
        old, new = path_of(old_shown), path_of(new_shown)
        if not old:
            raise Refusal(f"Cannot rename the {ROOT} directory itself")
        if not new:
            raise Refusal(f"The destination {new_shown} already exists")
        target_of(new_shown)
        sizes = self._sizes({"rename": old, "to": new})
        targets = {
            path: new + path.removeprefix(old) for path in self._movable(old_shown, old, sizes)
        }
        if new in sizes or _below(new, sizes):
            raise Refusal(f"The destination {new_shown} already exists")
        _check_movable(targets.values())
        with self._upkeep({"rename": old, "to": new}):
            for path, target in targets.items():
                self.host.rename(self.scope, path, target)
        return f"Successfully renamed {old_shown} to {new_shown}"

    def _existing(self, shown: str) -> tuple[str, str]:
        """Return the path and the text of a document that is to be changed."""
        path = target_of(shown)
        content = self._content(path)
        if content is None:
            raise _absent(shown)
        return path, content

    def _content(self, path: str) -> str | None:
        """Return a document's text, or nothing where no document is."""
        try:
            output = self.host.call(
                self._tools["read"],
                {"path": path},
                scope=self.scope,
                origin=Origin.LOOP_RUN,
                grants=self.grants,
            )
        except IronclawMemoryError as error:
            if error.code in NO_DOCUMENT:
                return None
            raise self._refusal("read", error) from None
        return str(output["content"]) if isinstance(output, dict) else None

    def _rewrite(self, shown: str, path: str, before: str, after: str) -> None:
        """Replace the whole text, unless somebody else changed it since it was read."""
        if not after.strip():
            raise Refusal(f"That would leave {shown} blank. Use delete to take the file away.")
        if before:
            change: dict[str, Any] = {"old_string": before, "new_string": after}
        else:
            change = {"content": after, "append": False}
        self._call("write", {"target": path, **change})

    def _call(self, verb: str, arguments: Mapping[str, Any]) -> None:
        try:
            self.host.call(
                self._tools[verb],
                arguments,
                scope=self.scope,
                origin=Origin.LOOP_RUN,
                grants=self.grants,
            )
        except IronclawMemoryError as error:
            raise self._refusal(verb, error) from None

    def _sizes(self, act: Mapping[str, str]) -> dict[str, int]:
        """Return the bytes of every document by path, where a model may list them."""
        with self._gated("tree", act):
            documents = self.host.documents(self.scope)
        return {path: stamp.size for path, stamp in documents.items()}

    def _movable(self, shown: str, path: str, sizes: Mapping[str, int]) -> list[str]:
        """Return the document *path*, or those below it, if all of them may be moved."""
        found = [path] if path in sizes else _below(path, sizes)
        if not found:
            raise Refusal(f"The path {shown} does not exist")
        _check_movable(found)
        return found

    def _upkeep(self, act: Mapping[str, str]) -> AbstractContextManager[None]:
        return self._gated("write", act)

    @contextmanager
    def _gated(self, verb: str, act: Mapping[str, str]) -> Iterator[None]:
        gate = self.host.permitted(
            self._tools[verb],
            act,
            scope=self.scope,
            origin=Origin.LOOP_RUN,
            grants=self.grants,
        )
        try:
            with gate:
                yield
        except IronclawMemoryError as error:
            raise self._refusal(verb, error) from None

    def _refusal(self, verb: str, error: IronclawMemoryError) -> Refusal:
        """Say what went wrong and what would help; for a permission, the command that gives it."""
        hint = hint_for_model(error.hint, {self._tools[verb]: _NAME for verb in _VIEWED})
        if isinstance(error, ApprovalRequired):
            command = allowing_command(self.host, error, self._tools[verb], self.scope)
            hint = hint_for_model(f"`{command}` allows it.", {})
        message = as_offered(error.message, dict.fromkeys(self._tools.values(), _NAME))
        return Refusal(f"{message} {hint}".strip())


def _below(path: str, sizes: Mapping[str, int]) -> list[str]:
    return sorted(other for other in sizes if other.startswith(f"{path}/"))


def _check_movable(paths: Iterable[str]) -> None:
    for path in paths:
        try:
            check_movable(path)
        except OperationFailed as error:
            raise Refusal(f"{error.message} {error.hint}") from None


def _absent(shown: str) -> Refusal:
    return Refusal(f"The path {shown} does not exist. Please provide a valid path.")
