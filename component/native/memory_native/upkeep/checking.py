"""Saying what is wrong with a store, and mending what is derived.

Documents are never touched. What is mended: a damaged format number, what stands in the
place of a directory of the store, a rename under way, histories that do not name their
document, staged versions, bodies that no row or only an erased one speaks of, metadata of
documents that are gone, litter, and the index.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Final

from memory_native import files, paths, standing, store, strict_json, walking
from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.limits import READ_BYTES, SCOPE_BYTES, SCOPE_DOCUMENTS
from memory_native.metadata import is_understood
from memory_native.upkeep import litter
from memory_native.upkeep.reports import Finding
from memory_native.versions.history import History, every, nameless


FINDINGS_MAX: Final = 1000
"""More would not fit into a reply and would not be read."""


_LISTED_IN_PART: Final = frozenset({"name-not-utf8", "directory-unreadable"})
"""What keeps documents out of a listing, though they are there."""


class Checker:
    """One check of one scope."""

    def __init__(
        self, documents: Documents, *, repair: bool, out_of_time: Callable[[], bool]
    ) -> None:
        """Look at *documents*; with *repair* index what is out of step until *out_of_time*."""
        self._documents = documents
        self._out_of_time = out_of_time
        self._store = documents.store
        self._repair = repair
        self._found: list[walking.Found] = []
        self._oddities: list[walking.Oddity] = []

    def report(self) -> str:
        """Return the report as JSON; raises ``store-newer``."""
        number = self._store.format()
        if number is not None and number > store.FORMAT:
            raise MemoryFailure("store-newer")
        # a rename moves what the walk looks at, and nothing is looked into that is not there
        first = [*self._rooms(), *self._format(), *self._renames()]
        self._walk()
        findings = list(islice(chain(first, self._findings()), FINDINGS_MAX))
        return strict_json.compact(
            {
                "format": self._store.format() or 0,
                "documents": len(self._found),
                "bytes": sum(found.size for found in self._found),
                "store_bytes": _size_of(self._store.directory),
                "findings": [vars(finding) for finding in findings],
            }
        )

    def _walk(self) -> None:
        for one in walking.walk(self._documents.root, known=self._documents.indexing.seen()):
            if isinstance(one, walking.Found):
                self._found.append(one)
            else:
                self._oddities.append(one)

    def _findings(self) -> Iterator[Finding]:
        yield from (Finding(code=odd.code, path=odd.path) for odd in self._oddities)
        yield from self._twins()
        yield from self._quota()
        yield from self._nameless()
        yield from self._versions()
        yield from self._sidecars()
        yield from self._configs()
        yield from self._litter()
        yield from self._index()

    def _mend(self, code: str, path: str, act: Callable[[], object]) -> Finding:
        if self._repair:
            act()
        return Finding(code=code, path=path, repaired=self._repair)

    def _rooms(self) -> Iterator[Finding]:
        for room in self._store.misplaced():
            place = f"{paths.STORE}/{room}"
            yield self._mend("store-damaged", place, partial(self._store.make_room, room))

    def _format(self) -> Iterator[Finding]:
        root = self._store.root
        for one in litter.stores(root):  # a profile operation sees its own alone
            if one.format() == 0:
                yield self._mend("format-damaged", one.root[len(root) + 1 :], one.write_format)

    def _twins(self) -> Iterator[Finding]:
        spelled: defaultdict[str, set[str]] = defaultdict(set)
        for found in self._found:
            if not paths.in_threads(found.path):
                for name in (found.name, *paths.ancestors(found.name)):
                    spelled[paths.fold(name)].add(name)
        for names in spelled.values():
            if len(names) > 1:
                yield from (Finding(code="twin", path=name) for name in sorted(names))

    def _quota(self) -> Iterator[Finding]:
        if len(self._found) > SCOPE_DOCUMENTS:
            yield Finding(code="quota-documents", path="")
        if sum(found.size for found in self._found) > SCOPE_BYTES:
            yield Finding(code="quota-bytes", path="")

    def _renames(self) -> Iterator[Finding]:
        journal = self._store.rename_journal
        is_waiting = files.lstat(journal) is not None
        if self._repair and self._store.format() == store.FORMAT:
            self._documents.ready()  # which finishes it, or gives it up
        if is_waiting:
            is_gone = self._repair and files.lstat(journal) is None
            yield Finding(code="rename-unfinished", path="", repaired=is_gone)

    def _nameless(self) -> Iterator[Finding]:
        """Find the histories that do not name their document, which only its path leads to."""
        if files.lstat(self._store.rename_journal) is not None:
            return  # a history on its way still has its old name
        there = {store.key(found.path): found.path for found in self._found}
        for key in nameless(self._store):
            path = there.get(key, "")
            history = History(self._store, path)
            if path and history.rows() and not history.strays():
                yield self._mend("version-damaged", path, history.name_document)
            else:  # naming it would drop the bodies whose rows are lost
                yield Finding(code="version-damaged", path=path)

    def _versions(self) -> Iterator[Finding]:
        for path, history in every(self._store):
            try:
                current = self._documents.read_bytes(path)
            except MemoryFailure:
                current = None
            yield from self._history(path, history, current)

    def _history(self, path: str, history: History, current: bytes | None) -> Iterator[Finding]:
        if history.is_staged():
            yield self._mend("version-staged", path, lambda: history.settle(current))
        if strays := history.strays():
            yield self._mend("version-stray", path, lambda: history.drop_bodies(strays))
        known = history.visible(current)
        newest = next((row for row in reversed(known) if not row.erased), None)
        if newest is not None and not history.is_whole(newest, known):
            yield Finding(code="version-damaged", path=path)

    def _sidecars(self) -> Iterator[Finding]:
        there = {found.path for found in self._found}
        broken = {odd.path for odd in self._oddities if odd.code in _LISTED_IN_PART}
        for file, path in self._documents.sidecars.every():
            if not path:
                yield self._mend("sidecar-damaged", "", partial(os.unlink, file))
            elif not broken.isdisjoint(paths.ancestors(path)):
                continue  # its document may well be there
            elif path not in there and not History(self._store, path).exists():
                yield self._mend("sidecar-orphan", path, partial(os.unlink, file))

    def _configs(self) -> Iterator[Finding]:
        for found in self._found:
            if paths.is_config(found.path) and not is_understood(self._store.root, found.name):
                yield Finding(code="config-invalid", path=found.path)

    def _litter(self) -> Iterator[Finding]:
        root = self._store.root
        if litter.staged(root):
            yield self._mend("litter", "", lambda: litter.clear(root))

    def _index(self) -> Iterator[Finding]:
        yield from self._unreadable()
        differing = self._documents.indexing.out_of_step()
        if differing is None:
            if self._found:
                unfinished = self._documents.indexing.is_unfinished()
                code = "index-unfinished" if unfinished else "index-unusable"
                yield Finding(code=code, path="", repaired=self._reindex())
        elif not self._documents.indexing.is_sound():
            yield Finding(code="index-unusable", path="", repaired=self._reindex())
        elif differing:
            repaired = self._reindex(differing)
            yield from (
                Finding(code="index-out-of-step", path=path, repaired=repaired)
                for path in differing
            )

    def _unreadable(self) -> Iterator[Finding]:
        """Look into what the index has not seen, and into what is recalled without it."""
        indexed = self._documents.indexing.seen()
        for found in self._found:
            if found.path not in indexed or found.path == standing.PATH:
                code = _fault(self._documents.root, found)
                if code:
                    yield Finding(code=code, path=found.path)

    def _reindex(self, differing: Iterable[str] | None = None) -> bool:
        """Bring the index in step if asked to, all of it for None; tells whether it is now."""
        if not self._repair:
            return False
        outcome = self._documents.indexing.refresh(
            (found.path for found in self._found) if differing is None else differing,
            everything=differing is None,
            timer=lambda: self._out_of_time,
        )
        return not outcome.remaining


def _fault(root: str, found: walking.Found) -> str:
    """Return why a file cannot be served as a document, ``""`` if it can."""
    if found.size > READ_BYTES:
        return "too-large"
    try:
        (files.read(root, found.name) or b"").decode()
    except MemoryFailure:
        return "unreadable"
    except UnicodeDecodeError:
        return "not-text"
    return ""


def _size_of(directory: str) -> int:
    total = 0
    for entry in walking.scan(directory)[0]:
        if entry.is_dir(follow_symlinks=False):
            total += _size_of(entry.path)
        else:
            total += entry.stat(follow_symlinks=False).st_size
    return total
