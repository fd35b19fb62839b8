"""Writes that keep too little, too much, or the wrong thing."""

import os
from dataclasses import replace

from memory_native import paths
from memory_native.documents import WriteReply, WriteRequest
from memory_native.documents.requests import WriteStatus
from memory_native.failures import MemoryFailure
from mutants.base import Mutant, is_append, is_replacement


class AppendWithoutNewline(Mutant):
    """Entries run together."""

    rule = "write.append.separates-entries"

    def write(self, request: WriteRequest) -> WriteReply:
        if not is_append(request):
            return super().write(request)
        text = self.body(request.target) + request.content.rstrip()
        return replace(self.replaced(request.target, text), append=True)


class AppendContinuesTheLine(Mutant):
    """An entry continues a last line without a newline."""

    rule = "write.append.starts-a-line-of-its-own"

    def write(self, request: WriteRequest) -> WriteReply:
        if not is_append(request):
            return super().write(request)
        text = f"{self.body(request.target)}{request.content.rstrip()}\n"
        return replace(self.replaced(request.target, text), append=True)


class ReplaceTidiesUp(Mutant):
    """A replacement is trimmed and its line ends are made alike."""

    rule = "write.replace.keeps-exact-bytes"

    def write(self, request: WriteRequest) -> WriteReply:
        if is_replacement(request):
            tidy = "\n".join(request.content.splitlines()).strip() + "\n"
            request = replace(request, content=tidy)
        return super().write(request)


class ReplaceKeepsATail(Mutant):
    """A shorter replacement leaves the end of the old body."""

    rule = "write.replace.drops-the-old-body"

    def write(self, request: WriteRequest) -> WriteReply:
        if not is_replacement(request):
            return super().write(request)
        rest = self.body(request.target)[len(request.content) :]
        return self.replaced(request.target, request.content + rest)


class BlankIsAnEntry(Mutant):
    """Blank text is stored."""

    rule = "write.blank-content-is-input"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.content.strip() or request.old_string is not None or "." not in request.target:
            return super().write(request)
        return self.replaced(request.target, self.body(request.target) + "\n")


class LogInUtc(Mutant):
    """The daily log knows no time zone but UTC."""

    rule = "write.daily-log.is-named-by-the-users-day"

    def write(self, request: WriteRequest) -> WriteReply:
        return super().write(replace(request, timezone="UTC"))


class ThreadsAreOpen(Mutant):
    """A tool may write below ``threads/``."""

    rule = "write.threads-are-reserved"

    def write(self, request: WriteRequest) -> WriteReply:
        if paths.in_threads(request.target):
            return self.replaced(request.target, request.content)
        return super().write(request)


class LeavesLitter(Mutant):
    """Every write leaves a temporary file beside the document."""

    rule = "write.success-is-on-disk"

    def write(self, request: WriteRequest) -> WriteReply:
        reply = super().write(request)
        with open(f"{self.root}/{reply.path}.tmp", "w", encoding="utf-8") as file:
            file.write(request.content)
        return reply


class AcknowledgesAndForgets(Mutant):
    """An append is acknowledged before it is stored, and every second one is lost."""

    rule = "concurrency.no-acknowledged-append-is-lost"

    def write(self, request: WriteRequest) -> WriteReply:
        if not (is_append(request) and request.content.endswith(("1", "3", "5", "7", "9"))):
            return super().write(request)
        return WriteReply(
            status=WriteStatus.WRITTEN,
            path=request.target,
            append=True,
            content_length=len(request.content.rstrip().encode()) + 1,
        )


_SEEN: dict[str, str] = {}


class LostUpdate(Mutant):
    """A document is remembered from the last write instead of read before the next."""

    rule = "concurrency.an-edit-by-hand-is-not-overwritten"

    def write(self, request: WriteRequest) -> WriteReply:
        if not is_append(request):
            return super().write(request)
        key = f"{self._host.scope().owner_key()} {request.target}"
        _SEEN[key] = f"{_SEEN.get(key, '')}{request.content.rstrip()}\n"
        return replace(self.replaced(request.target, _SEEN[key]), append=True)


class PatchesEverywhere(Mutant):
    """A patch replaces every occurrence, asked or not."""

    rule = "patch.replaces-the-first"

    def write(self, request: WriteRequest) -> WriteReply:
        return super().write(replace(request, replace_all=True))


class HalfAppliedPatch(Mutant):
    """A patch that grows too large is applied as far as it fits."""

    rule = "patch.is-all-or-nothing"

    def write(self, request: WriteRequest) -> WriteReply:
        try:
            return super().write(request)
        except MemoryFailure as problem:
            if problem.code == "document-too-large" and request.old_string is not None:
                super().write(replace(request, replace_all=False))
            raise


class PatchesOnce(Mutant):
    """Whoever patches a document that was changed before is refused."""

    rule = "concurrency.no-acknowledged-patch-is-lost"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.old_string is not None and self.upkeep.history(request.target).versions:
            raise MemoryFailure("conflict")
        return super().write(request)


class PatchMissIsFine(Mutant):
    """A patch whose text does not occur is acknowledged."""

    rule = "patch.absent-needle-is-input"

    def write(self, request: WriteRequest) -> WriteReply:
        try:
            return super().write(request)
        except MemoryFailure as problem:
            if problem.code != "no-match":
                raise
            return WriteReply(
                status=WriteStatus.PATCHED,
                path=request.target,
                append=False,
                content_length=len(self.body(request.target).encode()),
                replacements=0,
            )


class PatchDeletes(Mutant):
    """A patch without a new text deletes the old one."""

    rule = "patch.empty-strings-are-input"

    def write(self, request: WriteRequest) -> WriteReply:
        if not request.old_string or request.new_string:
            return super().write(request)
        text = self.body(request.target).replace(request.old_string, "", 1)
        return replace(
            self.replaced(request.target, text), status=WriteStatus.PATCHED, replacements=1
        )


class PatchChangesLineEnds(Mutant):
    """A patched document has LF everywhere."""

    rule = "patch.keeps-line-ends"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.old_string is not None and b"\r" in (
            self._documents.read_bytes(request.target) or b""
        ):
            self.put(request.target, self.body(request.target).replace("\r\n", "\n"))
        return super().write(request)


class PatchMakesDocuments(Mutant):
    """Patching a document that is not there makes it."""

    rule = "patch.absent-document-is-operation"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.old_string is None or os.path.exists(f"{self.root}/{request.target}"):
            return super().write(request)
        return self.replaced(request.target, request.new_string or "")


class NoLargestDocument(Mutant):
    """A document may have any size."""

    rule = "resources.a-document-may-have-one-mebibyte"

    def write(self, request: WriteRequest) -> WriteReply:
        try:
            return super().write(request)
        except MemoryFailure as problem:
            if problem.code != "document-too-large":
                raise
            with open(f"{self.root}/{request.target}", "w", encoding="utf-8") as file:
                file.write(request.content)
            return WriteReply(
                status=WriteStatus.WRITTEN,
                path=request.target,
                append=False,
                content_length=len(request.content.encode()),
            )
