"""Versions, erasure, retention and write safety that do not hold what they promise."""

from dataclasses import replace
from typing import Any

from memory_native.documents import WriteReply, WriteRequest
from memory_native.documents.requests import WriteStatus
from memory_native.failures import MemoryFailure
from memory_native.ports import Event, Host, Moment, Scope
from memory_native.upkeep import Upkeep
from memory_native.upkeep.reports import ChangeReport, Erasure, RefreshReport, SweepReport
from mutants.base import Mutant, is_append


class AppendKeepsNothing(Mutant):
    """An append makes no version."""

    rule = "versions.append-keeps-the-previous-body"

    def write(self, request: WriteRequest) -> WriteReply:
        if not is_append(request):
            return super().write(request)
        entry = f"{request.content.rstrip()}\n"
        self.put(request.target, self.body(request.target) + entry)
        return WriteReply(
            status=WriteStatus.WRITTEN,
            path=request.target,
            append=True,
            content_length=len(entry.encode()),
        )


class _Upkeep(Upkeep):
    """Upkeep that knows the mutant it belongs to."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(mutant._documents)
        self._mutant = mutant


class _RestoreForgets(_Upkeep):
    def restore(self, path: str, number: int) -> ChangeReport:
        text = self.version(path, number).content
        self._mutant.put(path, text)
        return ChangeReport(path=path, size=len(text.encode()), kept_as=None)


class _EraseHides(_Upkeep):
    def erase(self, path: str, number: int | None = None) -> Erasure:
        bodies = [self.version(path, row.number).content for row in self.history(path).versions]
        done = super().erase(path, number)
        with open(f"{self._mutant.root}/.store/erased", "a", encoding="utf-8") as file:
            file.writelines(bodies)
        return done


class _SweepActs(_Upkeep):
    def sweep(self, *, dry_run: bool) -> SweepReport:
        return super().sweep(dry_run=False)


class _SweepIsSilent(_Upkeep):
    def sweep(self, *, dry_run: bool) -> SweepReport:
        return replace(super().sweep(dry_run=dry_run), left=())


class _RefreshNeverEnds(_Upkeep):
    def refresh(self, changed: list[str], *, everything: bool, budget_ms: int) -> RefreshReport:
        super().refresh(changed, everything=everything, budget_ms=budget_ms)
        return RefreshReport(indexed=1, removed=0, remaining=1)


class _RenameOverwrites(_Upkeep):
    def rename(self, path: str, to: str) -> ChangeReport:
        try:
            return super().rename(path, to)
        except MemoryFailure as problem:
            if problem.code != "name-taken":
                raise
            text = self._mutant.body(path)
            self._mutant.put(to, text)
            return ChangeReport(path=to, size=len(text.encode()), kept_as=None)


class RestoreForgets(Mutant):
    """What a restored version replaces is not kept."""

    rule = "versions.restore-is-itself-kept"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.upkeep = _RestoreForgets(self)


class EraseHides(Mutant):
    """Erased text is still on disk."""

    rule = "upkeep.an-erased-version-keeps-its-row"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.upkeep = _EraseHides(self)


class SweepActs(Mutant):
    """A dry run removes documents."""

    rule = "upkeep.sweep-applies-hygiene"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.upkeep = _SweepActs(self)


class SweepIsSilent(Mutant):
    """What a sweep leaves is not named."""

    rule = "upkeep.sweep-names-what-it-leaves"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.upkeep = _SweepIsSilent(self)


class RefreshNeverEnds(Mutant):
    """There is always one document left to index."""

    rule = "upkeep.refresh-rebuilds-a-lost-index"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.upkeep = _RefreshNeverEnds(self)


class RenameOverwrites(Mutant):
    """A name that is taken is overwritten."""

    rule = "upkeep.rename-overwrites-nothing"

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.upkeep = _RenameOverwrites(self)


class Unscreened(Mutant):
    """Text for protected documents is not looked at."""

    rule = "safety.high-risk-is-refused-before-storing"

    def write(self, request: WriteRequest) -> WriteReply:
        try:
            return super().write(request)
        except MemoryFailure as problem:
            if not problem.code.endswith("_prompt_injection"):
                raise
            return self.replaced("MEMORY.md", request.content)


class ScreensTheNewPart(Mutant):
    """Only the text of this call is looked at, not what it becomes part of."""

    rule = "safety.appends-are-screened-as-a-whole"

    def write(self, request: WriteRequest) -> WriteReply:
        before = self.body("MEMORY.md")
        if request.target != "memory" or not before or request.old_string is not None:
            return super().write(request)
        self._documents._safety.screen(path="MEMORY.md", content=request.content, operation="write")
        return self.replaced("MEMORY.md", f"{before}{request.content.rstrip()}\n")


class StoresBeforeItRefuses(Mutant):
    """A refused replacement has already taken the old text away."""

    rule = "safety.a-refusal-leaves-the-document"

    def write(self, request: WriteRequest) -> WriteReply:
        try:
            return super().write(request)
        except MemoryFailure as problem:
            if problem.code.endswith("_prompt_injection"):
                self.put("MEMORY.md", "removed\n")
            raise


class _Deaf:
    """A host whose log is believed whatever it says, or not told at all."""

    def __init__(self, host: Host, *, tell: bool) -> None:
        self._host = host
        self._tell = tell

    def scope(self) -> Scope:
        return self._host.scope()

    def now(self) -> Moment:
        return self._host.now()

    def emit(self, event: Event) -> bool:
        if self._tell:
            self._host.emit(event)
        return True


class SilentRefusal(Mutant):
    """Refusals are not on record."""

    rule = "safety.a-refusal-is-on-record"

    def __init__(self, root: str, host: Host) -> None:
        super().__init__(root, _Deaf(host, tell=False))


class UnrecordedWarning(Mutant):
    """A log that takes nothing is taken for one that does."""

    rule = "safety.a-warning-needs-a-record"

    def __init__(self, root: str, host: Host) -> None:
        super().__init__(root, _Deaf(host, tell=True))


class ProtectionKnowsCase(Mutant):
    """A protected name in other letters is free."""

    rule = "safety.protection-ignores-case"

    def write(self, request: WriteRequest) -> WriteReply:
        if request.target in {"memory.MD", "Soul.md", "agents.md"}:
            return self.replaced(request.target, request.content)
        return super().write(request)


class TellsTooMuch(Mutant):
    """Every call offers a hundred events."""

    rule = "resources.events-are-few"

    def write(self, request: WriteRequest) -> WriteReply:
        for _ in range(100):
            self._host.emit(Event(kind="search-performed", size=1))
        return super().write(request)
