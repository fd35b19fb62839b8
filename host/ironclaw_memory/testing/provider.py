"""A provider that keeps its documents in a dictionary: the contract's behaviour, no sandbox.

For tests of agents and of what stands around a provider. It has no versions, no
metadata, no write safety, and its search is a count of shared words. The contract
suite says how a real one must behave.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Any, Final

from ironclaw_memory.contract.targets import ALIASES, DAILY_LOG
from ironclaw_memory.errors import InvalidArguments, OperationFailed, UndeclaredTool
from ironclaw_memory.model import Message, Scope
from ironclaw_memory.recall.lanes import Lane, RawSnippet


_TODAY: Final = "daily/2026-01-01.md"
_TARGETS: Final = {word: path or _TODAY for word, path in ALIASES.items()}
_WORD: Final = re.compile(r"\w{3,}")

Axes = tuple[str, str, str | None, str | None]


class InMemoryProvider:
    """Serves any number of scopes from memory. Safe for threads.

    ``documents`` maps the four axes of a scope to paths and texts; tests may read and
    change it.
    """

    def __init__(self) -> None:
        """Start without documents."""
        self._lock = RLock()
        self.documents: dict[Axes, dict[str, str]] = {}
        self._tools: Mapping[str, Callable[[Scope, Mapping[str, Any]], object]] = {
            "ironclaw.memory.read": self._read,
            "ironclaw.memory.write": self._write,
            "ironclaw.memory.search": self._search,
            "ironclaw.memory.tree": self._tree,
        }

    @property
    def tool_ids(self) -> tuple[str, ...]:
        """The tools it serves."""
        return tuple(self._tools)

    @property
    def reads_lanes_at_once(self) -> bool:
        """Both lanes may be read at the same time."""
        return True

    def of(self, scope: Scope) -> dict[str, str]:
        """Return the documents of a scope, by path."""
        return self.documents.setdefault(scope.axes(), {})

    def call(self, tool_id: str, arguments: Mapping[str, Any], scope: Scope) -> object:
        """Run a tool. Raises `InvalidArguments`, `OperationFailed` and `UndeclaredTool`."""
        if tool_id not in self._tools:
            raise UndeclaredTool("There is no such tool.", hint="There are read, write, search.")
        with self._lock:
            return self._tools[tool_id](scope, arguments)

    def read_lane(
        self, lane: Lane, scope: Scope, query: str, max_snippets: int, context_profile: str
    ) -> Sequence[RawSnippet]:
        """Return the standing document and what shares words with *query*; or this thread's."""
        with self._lock:
            documents = self.of(scope)
            if lane is Lane.SHORT_TERM:
                inside = f"threads/{scope.thread}/" if scope.thread else None
                paths = [p for p in sorted(documents) if inside and p.startswith(inside)]
            else:
                paths = ["MEMORY.md"] if documents.get("MEMORY.md", "").strip() else []
                paths += [p for p in self._matches(documents, query) if not _is_own_lane(p)]
            return [_snippet(scope, path, documents[path]) for path in paths[:max_snippets]]

    def record(self, scope: Scope, messages: Sequence[Message], run_id: str) -> bool:
        """Keep the transcript of a run as one document; false without thread or messages."""
        if not scope.thread or not messages:
            return False
        blocks = [f"## {message.role.value}\n{message.content}\n" for message in messages]
        with self._lock:
            self.of(scope)[f"threads/{scope.thread}/{run_id}.md"] = "".join(blocks)
        return True

    def _read(self, scope: Scope, arguments: Mapping[str, Any]) -> object:
        path = arguments["path"]
        content = self.of(scope).get(path)
        if content is None:
            raise InvalidArguments(
                "path names no document.",
                field="path",
                code="document-missing",
                hint="The tool tree lists the documents that exist.",
            )
        return {"path": path, "content": content, "word_count": len(content.split())}

    def _write(self, scope: Scope, arguments: Mapping[str, Any]) -> object:
        target = arguments.get("target") or DAILY_LOG
        path = _TARGETS.get(target, target)
        before = self.of(scope).get(path)
        if arguments.get("old_string") is not None:
            return self._patch(scope, path, before, arguments)
        content, append = arguments.get("content", ""), arguments.get("append", True)
        if not content.strip():
            raise InvalidArguments("content is blank.", field="content", code="content-blank")
        entry = f"{content.rstrip()}\n" if append else content
        self.of(scope)[path] = (before or "") + entry if append else entry
        length = len(entry.encode())
        return {"status": "written", "path": path, "append": append, "content_length": length}

    def _patch(
        self, scope: Scope, path: str, before: str | None, arguments: Mapping[str, Any]
    ) -> object:
        old, new = arguments["old_string"], arguments["new_string"]
        if before is None:
            raise OperationFailed("There is no such document.", code="patch-target-missing")
        if old not in before:
            raise InvalidArguments(
                "old_string does not occur in the document.", field="old_string", code="no-match"
            )
        after = before.replace(old, new, 1)
        self.of(scope)[path] = after
        length = len(after.encode())
        return {"status": "patched", "path": path, "replacements": 1, "content_length": length}

    def _search(self, scope: Scope, arguments: Mapping[str, Any]) -> object:
        documents = self.of(scope)
        paths = self._matches(documents, arguments["query"])[: arguments.get("limit", 5)]
        results = [
            {"path": path, "content": documents[path], "score": 1.0, "is_hybrid_match": False}
            for path in paths
        ]
        return {"query": arguments["query"], "results": results, "result_count": len(results)}

    def _tree(self, scope: Scope, arguments: Mapping[str, Any]) -> object:
        return sorted(self.of(scope))

    @staticmethod
    def _matches(documents: Mapping[str, str], query: str) -> list[str]:
        """Return the paths that share words with *query*, most first."""
        wanted = _words(query)
        shared = {path: len(wanted & _words(text)) for path, text in documents.items()}
        return sorted((p for p, count in shared.items() if count), key=lambda p: (-shared[p], p))


def _is_own_lane(path: str) -> bool:
    return path == "MEMORY.md" or path.lower().startswith("threads/")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _snippet(scope: Scope, path: str, text: str) -> RawSnippet:
    tenant, user, agent, project = scope.axes()
    return RawSnippet(tenant=tenant, user=user, agent=agent, project=project, path=path, text=text)
