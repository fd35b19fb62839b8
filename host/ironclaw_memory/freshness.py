"""Which documents a person may have edited since the provider last looked.

The host's own walk costs 45 ms for 10,000 files where a guest's costs a second, so the
host compares size and modification time and names the changed paths (design.md section 6).
What was seen is kept on disk between processes, in one file a scope: it names documents, so
another build of a provider replaces what the one before saw, and an erased name goes. It is a
hint that can always be thrown away: the provider compares again before it indexes. Beside it
is noted what the provider changed since (written.py), which a person may have undone.
"""

import hashlib
import json
import os
import threading
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from ironclaw_memory import written
from ironclaw_memory.model import ProviderEvent, Scope
from ironclaw_memory.private import FILE_MODE, clear_unfinished, make_private, write_private


SEEN: Final = "seen"  # the directory of the memories, among the host's own
LOOK_EVERY_MS: Final = 2_000  # design.md section 6: seen within 2 s in a running host
KEPT_SCOPES: Final = 1_024  # of those beyond it a look is due again
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")

Stamp = tuple[int, int]
"""Size in bytes and modification time in nanoseconds."""

Seen = Mapping[str, Stamp]

_Axes = tuple[str, str, str | None, str | None]


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a look found: the changed paths, and the state to remember once they are indexed.

    ``everything`` is set when nothing is remembered, or when the machine was restarted:
    then files may be newer than an index that was never synced. It is also set, with
    ``trusted``, when a document is gone that nobody can name: the index was made since the
    machine started, so it need not be made anew. ``noted`` was dealt with once they are indexed; ``before`` is
    what was remembered when the look began.
    """

    paths: tuple[str, ...]
    everything: bool
    seen: Seen
    noted: written.Noted = written.NOTHING
    trusted: bool = False
    before: Seen | None = None

    @property
    def is_news(self) -> bool:
        """Whether the provider has anything to do."""
        return self.everything or bool(self.paths)


class _Kept(NamedTuple):
    """What a file holds: what was seen, by which provider, since which start of the machine."""

    boot: str
    provider: str
    seen: Seen


class Freshness:
    """Remembers, per scope and provider, what the last look saw. Safe under many threads."""

    def __init__(
        self, directory: Path, provider_digest: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Keep memories in *directory*, which is outside every mount; *clock* is in seconds."""
        self._directory = directory
        self._digest = provider_digest
        self._clock = clock
        self._looked: OrderedDict[_Axes, float] = OrderedDict()
        self._begun: set[_Axes] = set()
        self._lock = threading.Lock()

    def is_due(self, scope: Scope) -> bool:
        """Say whether *scope* was not looked at within the last `LOOK_EVERY_MS`."""
        with self._lock:
            looked = self._looked.get(_key(scope))
        return looked is None or (self._clock() - looked) * 1000 >= LOOK_EVERY_MS

    def begin(self, scope: Scope, is_empty: Callable[[], bool]) -> None:
        """Before a call that may change *scope*: remember of one without documents that it is.

        Else its first look would have nothing to compare with, and the index would be made anew.
        """
        with self._lock:
            if _key(scope) in self._begun:
                return
            if len(self._begun) >= KEPT_SCOPES:
                self._begun.clear()
            self._begun.add(_key(scope))
        if not self._path(scope).exists() and is_empty():
            self._create(scope)

    def note(self, scope: Scope, events: Iterable[ProviderEvent]) -> None:
        """Note what a call that is over changed, as far as its *events* say."""
        written.note(self._notes(scope), events)

    def doubt(self, scope: Scope) -> None:
        """Have the next look compare everything: a call took in more than its events say."""
        written.note_anything(self._notes(scope))

    def noted(self, scope: Scope) -> written.Noted:
        """Return what was noted since the last look.

        To be asked before the walk: what is noted after that the walk may not have found.
        """
        return written.read(self._notes(scope))

    def compare(self, scope: Scope, found: Seen, noted: written.Noted = written.NOTHING) -> Change:
        """Compare what a walk *found* with what was remembered, and was *noted* since then.

        A document that the provider changed is compared again whatever its stamp: a person may
        have put an older one back, with its time. One that it knows and nobody finds can only
        be found out by the provider.
        """
        remembered = self._load(scope)
        if remembered is None:
            return self.everything(scope, found, noted)
        changed = {path for path, stamp in found.items() if remembered.get(path) != stamp}
        changed |= remembered.keys() - found.keys()
        left = noted.known.keys() - set(map(written.hash_of, changed)) if noted.known else set()
        if left:  # else no name needs to be hashed
            named = {path: written.hash_of(path) for path in found}
            changed |= {path for path, name in named.items() if name in left}
            left -= set(named.values())
        lost = noted.everything or any(noted.known[name] for name in left)
        paths = () if lost else tuple(sorted(changed))
        return Change(
            paths=paths,
            everything=lost,
            seen=found,
            noted=noted,
            trusted=lost,
            before=remembered,
        )

    def everything(self, scope: Scope, found: Seen, noted: written.Noted) -> Change:
        """Return that everything is to be compared with what a walk *found*."""
        before = self._load(scope)
        return Change(paths=(), everything=True, seen=found, noted=noted, before=before)

    def remember(self, scope: Scope, change: Change) -> None:
        """Take *change* as indexed, or as nothing; the next look is due after the interval.

        What another look remembered meanwhile, and dropped its notes for, may be newer than
        this one's walk: the next look compares everything then.
        """
        if change.is_news and self._load(scope) != change.before:
            self.doubt(scope)
        if not change.is_news or self._store(scope, change.seen):
            written.drop(self._notes(scope), change.noted.lines)
        with self._lock:
            self._looked[_key(scope)] = self._clock()
            self._looked.move_to_end(_key(scope))
            while len(self._looked) > KEPT_SCOPES:
                self._looked.popitem(last=False)

    def forget(self, scope: Scope, path: str) -> None:
        """Keep the name *path* no longer: the document was erased.

        A look that began before that and ends after it keeps the name until the next look.
        """
        written.forget(self._notes(scope), path)
        file = self._path(scope)
        kept = _read(file)
        try:
            clear_unfinished(file)
            if kept is None:
                file.unlink(missing_ok=True)
                return
            seen = {name: stamp for name, stamp in kept.seen.items() if not _is_same(name, path)}
            if len(seen) < len(kept.seen):
                _write(file, kept._replace(seen=seen), durable=True)
        except OSError:
            with suppress(OSError):  # where it cannot be written it may still go
                file.unlink(missing_ok=True)

    def _path(self, scope: Scope) -> Path:
        name = hashlib.sha256(scope.owner_key().encode()).hexdigest()
        return self._directory / f"{name[:40]}.json"

    def _notes(self, scope: Scope) -> Path:
        return self._path(scope).with_suffix(".written")

    def _load(self, scope: Scope) -> Seen | None:
        kept = _read(self._path(scope))
        known = kept is not None and (kept.boot, kept.provider) == (_boot_id(), self._digest)
        return kept.seen if kept is not None and known else None

    def _create(self, scope: Scope) -> None:
        """Remember an empty scope, unless another process has remembered anything meanwhile."""
        kept = _Kept(boot=_boot_id(), provider=self._digest, seen={})
        with suppress(OSError):
            make_private(self._directory)
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
            with os.fdopen(os.open(self._path(scope), flags, FILE_MODE), "wb") as file:
                file.write(json.dumps(kept._asdict()).encode())

    def _store(self, scope: Scope, seen: Seen) -> bool:
        """Replace the memory and say whether that worked; if not, the next look costs more."""
        file = self._path(scope)
        kept = _Kept(boot=_boot_id(), provider=self._digest, seen=seen)
        try:
            make_private(self._directory)
            clear_unfinished(file)
            _write(file, kept, durable=False)
        except OSError:
            return False
        return True


def _read(file: Path) -> _Kept | None:
    try:
        value = json.loads(file.read_bytes())
        seen = {path: (size, mtime) for path, (size, mtime) in value["seen"].items()}
        return _Kept(boot=value["boot"], provider=value["provider"], seen=seen)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write(file: Path, kept: _Kept, *, durable: bool) -> None:
    write_private(file, json.dumps(kept._asdict()).encode(), durable=durable)


def _is_same(name: str, path: str) -> bool:
    """Say whether a *name* on disk is the document *path*, however either is composed."""
    return unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", path)


def _key(scope: Scope) -> _Axes:
    """Return *scope* without its thread: threads share one directory."""
    return scope.axes()


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return "unknown"  # elsewhere than on Linux a restart is not noticed
