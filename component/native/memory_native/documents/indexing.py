"""Keeping the search index in step with the documents.

The index is derived: no fault of it fails a write. Whatever goes wrong here leaves
the index unusable, so that a search asks for a refresh instead of answering from it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from memory_native import files, paths, walking
from memory_native.documents.ports import IndexPort, IndexWriting
from memory_native.failures import MemoryFailure
from memory_native.metadata import Sidecars
from memory_native.names import Names
from memory_native.search.model import IndexUnusable, Stamp


AT_ONCE: Final = 100
"""Documents below a changed ``.config`` that a write takes in itself; the rest waits for a refresh."""

AT_ONCE_BYTES: Final = 128 << 10
"""Bytes of text that a write takes in itself; more waits for a refresh.

Measured: a megabyte of text with many different words takes 2.5 s natively and over twice
that in the guest, more than the deadline of a write. A write stays within a second.
"""


TIDIED_AT_ONCE: Final = 8
"""Sections that one call tidies up in the index beside its own work: some 30 ms in the guest."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """What a write has just put on disk: it need not be read again.

    The time is that of the file as it was written, so that an edit right after is seen.
    """

    content: bytes
    mtime_ns: int
    belongs: bool

    def look(self) -> tuple[str, Stamp | None]:
        """Return text and stamp, no stamp for what does not belong in the index."""
        if not self.belongs:
            return "", None
        try:
            text = self.content.decode()
        except UnicodeDecodeError:
            return "", None
        digest = sha256(self.content).hexdigest()
        return text, Stamp(size=len(self.content), mtime_ns=self.mtime_ns, sha256=digest)


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much text there is to take in: all of it, or what is new since another body.

    *before* gives that body's hash and *new* the bytes, both worked out only if asked for.
    """

    whole: int = 0
    new: Callable[[], int] = lambda: 0
    before: Callable[[], str] = lambda: ""

    def given(self, seen: Stamp | None) -> int:
        """Return the bytes, given what the index has seen of the document."""
        is_next = seen is not None and self.whole > 0 and seen.sha256 == self.before()
        return self.new() if is_next else self.whole


@dataclass(kw_only=True)
class Outcome:
    """What a pass over documents did; *indexed* are paths and their sizes in bytes."""

    indexed: list[tuple[str, int]] = field(default_factory=list)
    removed: int = 0
    handled: int = 0
    remaining: int = 0

    @property
    def changed(self) -> int:
        """How many documents the index now sees differently."""
        return len(self.indexed) + self.removed


class IndexSync:
    """Feeds the documents of one scope to its index."""

    def __init__(self, root: str, names: Names, sidecars: Sidecars, index: IndexPort) -> None:
        self._root = root
        self._names = names
        self._sidecars = sidecars
        self._index = index

    def follow(
        self,
        *changed: str,
        fresh: bool = False,
        effort: Effort | None = None,
        stored: Stored | None = None,
    ) -> Outcome:
        """Take in what the provider itself changed; never fails.

        *effort* and *stored* are about the last of the documents. An index that was unusable
        is not completed here, unless the scope is *fresh*: a write must not pay
        for every document there is.

        A transcript comes when a turn is over and nobody waits: the index is tidied up then.
        """
        outcome = Outcome()
        try:
            with self._index.open() as writing:
                if writing.rebuild_needed and not fresh:
                    writing.continue_later()
                self._follow(writing, list(changed), outcome, effort or Effort(), stored)
                if any(map(paths.in_threads, changed)):
                    writing.maintain(deadline=_after(TIDIED_AT_ONCE))
        except Exception:  # noqa: BLE001 - the document is stored; what was not closed stays unusable
            return Outcome()
        return outcome

    def forget(self, path: str) -> None:
        """Remove every trace of a document; raises whatever the index raises."""
        with self._index.open() as writing:
            if writing.rebuild_needed:
                writing.continue_later()
            writing.remove(path)

    def clear_traces(self, path: str) -> None:
        """Leave nothing of what a document said before; raises whatever the index raises.

        What it says now is taken in first: the index may not have seen an edit by hand yet, and
        not the rest of a large write.
        """
        with self._index.open() as writing:
            if writing.rebuild_needed:
                writing.continue_later()
            self._compare(writing, path, Outcome())
            writing.clear_traces()

    def refresh(
        self, changed: Iterable[str], *, everything: bool, timer: Callable[[], Callable[[], bool]]
    ) -> Outcome:
        """Compare documents with what the index has seen, until the *timer* is out of time.

        It is started once the documents are listed: in a large scope that alone can take
        longer, and a call that then indexed one document would list them all for each.
        Each call changes at least one thing, so that repeating it comes to an
        end. An unusable index is rebuilt, be it that this is noticed on the way, and with
        *everything* one that a power cut may have left half or that does not hold together; the
        paths in *changed* are looked for then where a listing breaks off. Raises whatever
        else the index raises.
        """
        named = [path for path in map(_legal, changed) if path]
        try:
            return self._refresh(named, everything=everything, timer=timer)
        except IndexUnusable:  # it is emptied by being opened again
            return self._refresh(named, everything=everything, timer=timer)

    def _refresh(
        self, named: list[str], *, everything: bool, timer: Callable[[], Callable[[], bool]]
    ) -> Outcome:
        outcome = Outcome()
        with self._index.open(trusting=not everything) as writing:
            governed: Collection[str] | None = None
            if everything or writing.rebuild_needed:
                todo, governed = self._differing(writing.stamps(), named=named)
            else:
                todo = self._expand(writing, named)
            out_of_time = timer()
            for position, path in enumerate(todo):
                if outcome.changed and out_of_time():
                    outcome.remaining = len(todo) - position
                    writing.continue_later()
                    return outcome
                self._compare(writing, path, outcome, governed=governed)
            writing.maintain(deadline=out_of_time if everything else _after(TIDIED_AT_ONCE))
            writing.sync()
        return outcome

    def out_of_step(self) -> list[str] | None:
        """Return the documents whose state the index has not seen, None if it is unusable."""
        known = self._index.peek()
        if known is None:
            return None
        differing, governed = self._differing(known)
        return [path for path in differing if path in known or self._belongs(path, governed)]

    def is_sound(self) -> bool:
        """Tell whether a usable index holds together from end to end: reads all of it."""
        return self._index.is_sound()

    def is_unfinished(self) -> bool:
        """Tell of an unusable index whether nothing is wrong but that it is not built to its end."""
        return self._index.is_unfinished()

    def seen(self) -> Mapping[str, Stamp]:
        """Return what a usable index has seen, nothing of an unusable one."""
        return self._index.peek() or {}

    def _follow(
        self,
        writing: IndexWriting,
        changed: list[str],
        outcome: Outcome,
        effort: Effort,
        stored: Stored | None,
    ) -> None:
        """Compare the changed documents and what a `.config` among them governs, within bounds."""
        size = effort.given(writing.stamp(changed[-1]))
        if size > AT_ONCE_BYTES:
            writing.continue_later()
            return
        for path in self._expand(writing, changed):
            if path not in changed:
                size += self._size(path)
                if outcome.handled >= AT_ONCE or size > AT_ONCE_BYTES:
                    writing.continue_later()
                    return
            self._compare(writing, path, outcome, stored if path == changed[-1] else None)

    def _size(self, path: str) -> int:
        found = files.lstat(f"{self._root}/{self._names.locate(path)}")
        return 0 if found is None else found.st_size

    def _expand(self, writing: IndexWriting, changed: list[str]) -> list[str]:
        """Add to the named paths what is below those that are ``.config`` documents."""
        todo = dict.fromkeys(changed)
        for path in changed:
            if paths.is_config(path):
                todo.update(dict.fromkeys(self._below(writing, paths.ancestors(path)[0])))
        return list(todo)

    def _differing(
        self, known: Mapping[str, Stamp], *, named: Iterable[str] = ()
    ) -> tuple[list[str], set[str]]:
        """Return what has to be compared, and which documents have metadata (`_governed`).

        To be compared is what is new, changed, gone, or no longer wanted.
        """
        hints = {*known, *named}
        found = {found.path: found for found in walking.documents(self._root, known=hints)}
        governed = self._governed(found)
        todo = [path for path in known if path not in found]
        for path, there in found.items():
            if path in governed and self._sidecars.policy(path).skip_indexing:
                if path in known:
                    todo.append(path)
            elif not _is_seen(known.get(path), there.size, there.mtime_ns):
                todo.append(path)
        return todo, governed

    def _governed(self, found: Iterable[str]) -> set[str]:
        """Return the paths that have metadata, of their own or from a ``.config`` above."""
        listed = list(found)
        own = {path for _, path in self._sidecars.every()}
        directories = {paths.ancestors(path)[0] for path in listed if paths.is_config(path)}
        return own | {path for path in listed if not directories.isdisjoint(paths.ancestors(path))}

    def _below(self, writing: IndexWriting, directory: str) -> list[str]:
        prefix = f"{directory}/" if directory else ""
        known = [path for path in writing.stamps() if path.startswith(prefix)]
        walk = walking.walk(self._root, below=self._names.locate(directory), known=known)
        there = (found.path for found in walk if isinstance(found, walking.Found))
        return sorted({*known, *there})

    def _compare(
        self,
        writing: IndexWriting,
        path: str,
        outcome: Outcome,
        stored: Stored | None = None,
        *,
        governed: Collection[str] | None = None,
    ) -> None:
        outcome.handled += 1
        seen = writing.stamp(path)
        text, stamp = stored.look() if stored else self._look(path, governed)
        if stamp is None:
            if seen is not None:
                writing.remove(path)
                outcome.removed += 1
        elif not _is_seen(seen, stamp.size, stamp.mtime_ns):
            writing.put(path, text, stamp)
            outcome.indexed.append((path, stamp.size))

    def _look(self, path: str, governed: Collection[str] | None) -> tuple[str, Stamp | None]:
        """Return text and stamp of what belongs in the index, no stamp for what does not.

        Where it is known which documents are *governed*, metadata of others is not looked for:
        that takes as many calls of the host as the rest.
        """
        name = self._names.locate(path)
        may_skip = governed is None or path in governed
        try:
            status = files.document_status(self._root, name)
            if status is None or (may_skip and self._sidecars.policy(path).skip_indexing):
                return "", None
            content = files.read_found(self._root, name)
            text = None if content is None else content.decode()
        except (MemoryFailure, UnicodeDecodeError, OSError):
            return "", None
        if content is None or text is None:
            return "", None
        digest = sha256(content).hexdigest()
        return text, Stamp(size=status.st_size, mtime_ns=files.modified_ns(status), sha256=digest)

    def _belongs(self, path: str, governed: Collection[str]) -> bool:
        return self._look(path, governed)[1] is not None


def _legal(raw: str) -> str:
    """Return the path in form C, ``""`` if it is not one."""
    try:
        return paths.document_path(raw)
    except MemoryFailure:
        return ""


def _after(sections: int) -> Callable[[], bool]:
    """Return a timer that is out of time once it was asked for each of so many *sections*."""
    left = iter(range(sections))
    return lambda: next(left, None) is None


def _is_seen(seen: Stamp | None, size: int, mtime_ns: int) -> bool:
    return seen is not None and (seen.size, seen.mtime_ns) == (size, mtime_ns)
