"""The documents of one scope, as the tools see them (reference.md section 2.2)."""

import os
from dataclasses import dataclass, field, replace

from memory_native import clock, files, metadata, paths, schema
from memory_native.backend import BackendCapabilities
from memory_native.documents import editing
from memory_native.documents.editing import Edit
from memory_native.documents.indexing import Effort, IndexSync, Stored
from memory_native.documents.planning import Plan, plan
from memory_native.documents.ports import IndexPort, SafetyPort
from memory_native.documents.replacing import Author, Change, Replacer, Transform
from memory_native.documents.requests import Document, WriteReply, WriteRequest, WriteStatus
from memory_native.failures import MemoryFailure
from memory_native.metadata import Metadata, Policy, Sidecars
from memory_native.names import Names
from memory_native.ports import Event, Host
from memory_native.renaming import Renamer
from memory_native.safety import path_hash
from memory_native.store import Store
from memory_native.versions.history import History


CLEARED = "The bootstrap document is empty now."
_OPERATION = "write"  # a model's append and patch arrive under this name too (section 5)


@dataclass
class _LastEdit:
    """The edit of the last try: what a reply counts."""

    edit: Edit = field(default_factory=lambda: Edit(text=""))


class Documents:
    """Reads and writes documents below a root directory.

    Every failure is a `MemoryFailure`; it leaves every document as it was.
    """

    def __init__(
        self,
        root: str,
        *,
        host: Host,
        index: IndexPort,
        safety: SafetyPort,
        backend: BackendCapabilities,
    ) -> None:
        """Serve *root*, which exists; ``.store`` is created by the first write."""
        self.root = root
        self.backend = backend
        self.store = Store(root)
        self.names = Names(root)
        self.sidecars = Sidecars(self.store, self.names)
        self.indexing = IndexSync(root, self.names, self.sidecars, index)
        self._replacer = Replacer(self.store, self.names)
        self._renamer = Renamer(self.store, self.names, self.sidecars, self._screen_moved)
        self._host = host
        self._safety = safety

    def read(self, path: str) -> Document:
        """Return a document.

        Raises a path code, ``document-missing``, ``is-a-directory``, ``not-a-document``,
        ``document-unreadable``, ``not-text`` or ``body-too-large``.
        """
        self.backend.require("file_documents")
        legal = paths.document_path(path)
        content = self.read_bytes(legal)
        if content is None:
            raise MemoryFailure("document-missing", field="path")
        text = editing.decode(content)
        return Document(path=legal, content=text, word_count=len(text.split()))

    def read_bytes(self, path: str) -> bytes | None:
        """Return the body at a legal path, or None; raises as `files.read` does."""
        with files.reading():
            return files.read(self.root, self.names.locate(path))

    def write(self, request: WriteRequest) -> WriteReply:
        """Append to, replace, patch or clear one document.

        The steps: (1) capability, (2) target, ``threads/``, path grammar,
        (3) arguments, (4) per try: edit, screen the combined text, validate,
        (5) store, (6) metadata, (7) events and index.
        """
        self.backend.require("file_documents")
        planned = self._plan(request)
        policy = self.sidecars.policy(planned.path, planned.overlay)
        last = _LastEdit()

        def transform(old: bytes | None) -> bytes:
            last.edit = planned.edit(old)
            content = editing.encode(last.edit.text, field="content")
            self._check(planned.path, last.edit.text, policy, allowance=planned.allowance)
            paths.refuse_misspelled(planned.path, field="target")
            return content

        change = self._store(planned.path, transform, policy, overlay=planned.overlay)
        return _reply(planned, last.edit, change)

    def put_back(self, path: str, body: bytes) -> Change:
        """Make *body* the document, as a replacing write would.

        Raises what such a write raises, ``not-text`` if it is not.
        """
        self.backend.require("file_documents")
        paths.refuse_misspelled(path, field="path")
        policy = self.sidecars.policy(path)
        text = editing.decode(body)

        def transform(_: bytes | None) -> bytes:
            self._check(path, text, policy)
            return body

        return self._store(path, transform, policy)

    def replace_bytes(
        self,
        path: str,
        transform: Transform,
        *,
        keep: bool = True,
        overlay: Metadata = metadata.NOTHING,
    ) -> Change:
        """Change any document by compare and replace, as `Replacer.replace` does.

        For the provider's own writes: neither the target rules nor the safety
        screen nor a schema apply. With *keep* the old body becomes a version,
        unless metadata or the backend say otherwise.
        """
        self.backend.require("file_documents")
        legal = paths.new_document_path(path)
        policy = self.sidecars.policy(legal, overlay)
        kept = policy if keep else replace(policy, skip_versioning=True)
        return self._store(legal, transform, kept, overlay=overlay)

    def put(self, path: str, content: bytes) -> None:
        """Store *content* as the whole document, keeping no version: a transcript, for instance."""
        self.replace_bytes(path, lambda _: content, keep=False)

    def remove(self, path: str) -> Change:
        """Take a document away, keeping its last body; raises ``document-missing``."""
        self.backend.require("file_documents", "delete")

        def transform(old: bytes | None) -> None:
            if old is None:
                raise MemoryFailure("document-missing", field="path")

        author = self._author()
        self._ready(author.unix_ms)
        change = self._replacer.replace_prepared(path, transform, keep=self._keeps, author=author)
        self.emit("document-deleted", path)
        self.indexing.follow(path)
        return change

    def rename(self, path: str, to: str) -> int:
        """Give a document another name and return its size.

        Raises as `Renamer.rename` does, ``threads-reserved`` for a document that would
        become a transcript, and a reason code where the new name is that of a prompt
        document and the text may not stand there.
        """
        self.backend.require("file_documents")
        if paths.in_threads(to) and not paths.in_threads(path):
            raise MemoryFailure("threads-reserved", field="to")
        paths.refuse_misspelled(to, field="to")
        self.ready()
        with files.storage():
            size = self._renamer.rename(path, to)
        self.emit("document-deleted", path)
        self.emit("document-written", to, size=size)
        self.indexing.follow(path, to, effort=Effort(whole=size))
        return size

    def erase(self, path: str) -> tuple[bool, int]:
        """Remove a document, its versions, its metadata and its traces in the index, for good.

        Returns whether there was a document, and how many version bodies it had.
        Killed halfway, it may be repeated: the history goes last. Raises
        ``document-missing`` if nothing is known of that name; an index that cannot be
        looked into has lost its traces even then.
        """
        self.backend.require("file_documents", "delete")
        with files.storage():
            name = self.names.locate(path)
            history = History(self.store, path)
            there = files.document_status(self.root, name) is not None
            known = there or history.exists() or path in self.indexing.seen()
            self.indexing.forget(path)
            if there:
                self._unlink(name)
            described = self.sidecars.remove(path)
            versions = history.erase_all()
            if not known and not described:
                raise MemoryFailure("document-missing", field="path")
        self.emit("document-deleted", path)
        self.indexing.follow(path)
        return there, versions

    def protects(self, path: str) -> bool:
        """Tell whether the document re-enters a model's prompt."""
        return self._safety.protects(path)

    def now_ms(self) -> int:
        """Return the time of the current call."""
        return self._host.now().unix_ms

    def ready(self) -> None:
        """Prepare the store for a change, finishing what a killed call began.

        Raises ``store-newer``, ``format-damaged`` or ``storage-failed``.
        """
        self._ready(self._host.now().unix_ms)

    def emit(self, kind: str, path: str, *, size: int | None = None) -> None:
        """Report a significant event; whether it was recorded changes nothing."""
        self._host.emit(Event(kind=kind, path_hash=path_hash(path), size=size))

    # -- the steps of a write ---------------------------------------------

    def _ready(self, unix_ms: int) -> bool:
        """Do what `ready` does; tells whether the scope is fresh, as `Store.prepare` does."""
        with files.storage():
            is_fresh = self.store.prepare(unix_ms=unix_ms)
            self._renamer.finish()
        return is_fresh

    def _plan(self, request: WriteRequest) -> Plan:
        paths.screen_target(request.target)
        path = self._target(request)
        overlay = metadata.parse_overlay(request.metadata)
        if overlay:
            self.backend.require("metadata")
        if self._safety.protects(path):
            self.backend.require("prompt_write_safety")
        return plan(request, path=path, overlay=overlay)

    def _target(self, request: WriteRequest) -> str:
        day = ""
        if request.target == paths.DAILY_LOG:
            now = self._host.now()
            zone = now.zone if request.timezone is None else request.timezone
            day = clock.day(now.unix_ms, zone)
        path = paths.target_path(request.target, day)
        if paths.in_threads(path):
            raise MemoryFailure("threads-reserved", field="target")
        return paths.new_document_path(path, field="target")

    def _check(self, path: str, text: str, policy: Policy, *, allowance: str | None = None) -> None:
        """Let the safety screen and the document's schema see the whole text."""
        self._safety.screen(path=path, content=text, operation=_OPERATION, allowance=allowance)
        if policy.schema is not None and not paths.is_config(path):
            schema.validate(text, policy.schema)

    def _screen_moved(self, path: str, to: str) -> None:
        """Let the safety screen see a text that would become a prompt document by its name."""
        body = self.read_bytes(path) if self._safety.protects(to) else None
        if body is not None:
            self._safety.screen(path=to, content=editing.decode(body), operation=_OPERATION)

    def _store(
        self,
        path: str,
        transform: Transform,
        policy: Policy,
        *,
        overlay: Metadata = metadata.NOTHING,
    ) -> Change:
        author = self._author()
        fresh = self._ready(author.unix_ms)
        self.sidecars.check_overlay(path, overlay)
        keep = self._keeps and not policy.skip_versioning
        change = self._replacer.replace_prepared(path, transform, keep=keep, author=author)
        with files.storage():
            self.sidecars.lay_over(path, overlay)
        if change.is_change:
            self.emit("document-written", path, size=abs(change.delta))
        if change.is_change or overlay:
            self._index(change, policy, fresh=fresh)
        return change

    def _index(self, change: Change, policy: Policy, *, fresh: bool) -> None:
        effort = Effort(
            whole=len(change.new or b""), new=lambda: change.new_bytes, before=change.old_hash
        )
        stored = None
        if change.new is not None and change.mtime_ns and not paths.is_config(change.path):
            stored = Stored(
                content=change.new, mtime_ns=change.mtime_ns, belongs=not policy.skip_indexing
            )
        outcome = self.indexing.follow(change.path, fresh=fresh, effort=effort, stored=stored)
        for path, size in outcome.indexed:
            if path == change.path:  # a cascade from a `.config` would use up the events of a call
                self.emit("document-indexed", path, size=size)

    def _unlink(self, name: str) -> None:
        path = f"{self.root}/{name}"
        os.unlink(path)
        files.sync_directory(os.path.dirname(path))
        files.remove_empty_above(self.root, name)

    @property
    def _keeps(self) -> bool:
        return self.backend.declares("versioning")

    def _author(self) -> Author:
        return Author(unix_ms=self._host.now().unix_ms, changed_by=self._host.scope().owner_key())


def _reply(planned: Plan, edit: Edit, change: Change) -> WriteReply:
    return WriteReply(
        status=planned.status,
        path=planned.path,
        append=planned.appends,
        content_length=edit.entry_bytes if planned.appends else len(change.new or b""),
        replacements=edit.replacements if planned.status is WriteStatus.PATCHED else None,
        message=CLEARED if planned.status is WriteStatus.CLEARED else None,
    )
