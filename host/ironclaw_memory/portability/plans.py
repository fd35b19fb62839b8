"""Texts from elsewhere, compared with a scope before anything is written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from ironclaw_memory.calls.screen import screened
from ironclaw_memory.calls.wiring import SecretPolicy
from ironclaw_memory.errors import InvalidArguments, IronclawMemoryError
from ironclaw_memory.model import Scope
from ironclaw_memory.owner import current_text
from ironclaw_memory.portability.foresight import Places, refusal
from ironclaw_memory.portability.report import (
    DIFFERS,
    ImportReport,
    Problem,
    Progress,
    problem_of,
)


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost

REPEATED: Final = "path-repeated"  # two files whose names are the same letters, encoded differently


@dataclass(frozen=True, kw_only=True)
class Text:
    """A text that wants to become the document at ``path``."""

    path: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """A text that stands elsewhere too, in the scope or earlier in the same import."""

    path: str
    same_as: str


@dataclass(kw_only=True)
class Plan:
    """What an import would do: write ``new``, and leave everything else alone.

    ``duplicates`` names those of ``new`` whose text stands elsewhere too: whoever imports a
    folder wants all of it, under the paths that its files have.
    """

    new: list[Text] = field(default_factory=list)
    identical: list[str] = field(default_factory=list)
    duplicates: list[Duplicate] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skipped: int = 0


def planned(host: "MemoryHost", scope: Scope, texts: Sequence[Text], *, progress: Progress) -> Plan:
    """Compare *texts* with what *scope* holds; nothing is written.

    A text whose path is taken is identical or a problem with the code ``differs``. One
    whose very content stands under another path is new, and named as a duplicate.
    """
    plan = Plan()
    seen = _Seen(host, scope)
    for done, text in enumerate(texts, start=1):
        try:
            _place(plan, seen, text, current_text(host, scope, text.path))
        except IronclawMemoryError as error:
            plan.problems.append(problem_of(error, text.path))
        progress(done, len(texts))
    return plan


def carried_out(
    host: "MemoryHost", scope: Scope, plan: Plan, *, progress: Progress
) -> ImportReport:
    """Write what *plan* has as new and return what became of everything."""
    report = ImportReport(
        identical=list(plan.identical), problems=list(plan.problems), skipped=plan.skipped
    )
    for done, text in enumerate(plan.new, start=1):
        arguments = {"target": text.path, "content": text.content, "append": False}
        try:
            host.call_as_operator(host.tool_id("write"), arguments, scope=scope)
            report.written.append(text.path)
        except IronclawMemoryError as error:
            report.problems.append(problem_of(error, text.path))
        progress(done, len(plan.new))
    return report


def foreseen(plan: Plan, policy: SecretPolicy) -> list[Problem]:
    """Return which new texts will be refused, for their paths or under *policy* for their secrets.

    Nothing is recorded.
    """
    codes = ((text.path, _refusal(text, policy)) for text in plan.new)
    return [Problem(path=path, code=code) for path, code in codes if code]


def _refusal(text: Text, policy: SecretPolicy) -> str | None:
    request = {"target": text.path, "content": text.content}
    try:
        screened("write", request, policy, found=lambda kind: None)
    except InvalidArguments as error:
        return error.code
    return refusal(text.path, len(text.content.encode()), restores=False)


def _place(plan: Plan, seen: "_Seen", text: Text, there: str | None) -> None:
    if there == text.content:
        plan.identical.append(text.path)
    elif there is not None:
        plan.problems.append(Problem(path=text.path, code=DIFFERS))
    elif seen.is_planned(text.path):
        plan.problems.append(Problem(path=text.path, code=REPEATED))
    elif (code := seen.in_the_way(text.path)) is not None:
        plan.problems.append(Problem(path=text.path, code=code))
    else:
        if (same := seen.under_another_path(text)) is not None:
            plan.duplicates.append(Duplicate(path=text.path, same_as=same))
        seen.add(text)
        plan.new.append(text)


class _Seen:
    """Which contents stand where, without reading every document of the scope.

    Only a document of the same size can have the same content, and the host's own walk
    knows the sizes.
    """

    def __init__(self, host: "MemoryHost", scope: Scope) -> None:
        self._host = host
        self._scope = scope
        self._of_size: dict[int, list[str]] = {}
        self._places = Places()
        self._planned: dict[bytes, str] = {}
        self._new: set[str] = set()
        for path, stamp in host.documents(scope).items():
            self._of_size.setdefault(stamp.size, []).append(path)
            self._places.add(path)

    def add(self, text: Text) -> None:
        """Remember a text that will be written."""
        self._planned.setdefault(_digest(text.content), text.path)
        self._places.add(text.path)
        self._new.add(text.path)

    def is_planned(self, path: str) -> bool:
        """Say whether an earlier text will stand at this very path."""
        return path in self._new

    def in_the_way(self, path: str) -> str | None:
        """Return the code for what stands in the way of *path*, or will."""
        return self._places.in_the_way(path)

    def under_another_path(self, text: Text) -> str | None:
        """Return where the same content stands or will stand, if it does."""
        planned_at = self._planned.get(_digest(text.content))
        if planned_at is not None:
            return planned_at
        same_size = self._of_size.get(len(text.content.encode()), ())
        return next((path for path in same_size if self._reads(path) == text.content), None)

    def _reads(self, path: str) -> str | None:
        try:
            return current_text(self._host, self._scope, path)
        except IronclawMemoryError as error:
            problem_of(error, path)  # raises what ends everything
            return None


def _digest(content: str) -> bytes:
    return sha256(content.encode()).digest()
