"""What the provider changed between two looks is noted, so that what a person undid is found out."""

import os
import unicodedata
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, wired
from tests.unit.calls.looking import FIRST, SCOPE, documents, event, look, search

from ironclaw_memory import freshness as freshness_module
from ironclaw_memory import written
from ironclaw_memory.calls import run
from ironclaw_memory.capability.audit import MAX_ASSERTIONS
from ironclaw_memory.declared import Package
from ironclaw_memory.errors import ProviderTrapped
from ironclaw_memory.freshness import Freshness
from ironclaw_memory.model import Invocation, Origin, ProviderEvent
from ironclaw_memory.sandbox.request import GuestCall


@pytest.mark.parametrize("kind", ["written", "indexed"])
def test_a_document_that_came_and_went_between_two_looks_is_looked_for(
    tmp_path: Path, kind: str
) -> None:
    """No walk found it, and the provider's index has it; once, in this process or the next."""
    look(Freshness(tmp_path, "digest"), FIRST)
    Freshness(tmp_path, "digest").note(SCOPE, [event(kind, "new.md")])

    assert look(Freshness(tmp_path, "digest"), FIRST).everything
    assert not look(Freshness(tmp_path, "digest"), FIRST).is_news


def test_a_document_that_was_written_is_compared_whatever_its_stamp(tmp_path: Path) -> None:
    """A person put the one of the last look back, with its time; its name may be decomposed."""
    freshness = Freshness(tmp_path, "digest")
    found = {**FIRST, unicodedata.normalize("NFD", "caf\u00e9.md"): (1, 1)}
    look(freshness, found)
    freshness.note(SCOPE, [event("written", "caf\u00e9.md")])
    freshness.note(SCOPE, [event("deleted", "b.md")])

    change = look(freshness, found)
    assert change.paths == ("b.md", unicodedata.normalize("NFD", "caf\u00e9.md"))
    assert not change.everything


@pytest.mark.parametrize(
    ("events", "found", "paths"),
    [
        ([event("written", "c.md")], {**FIRST, "c.md": (1, 1)}, ("c.md",)),
        ([event("written", "a.md")], {"b.md": (3, 10)}, ("a.md",)),
        ([event("written", "c.md"), event("deleted", "c.md")], FIRST, ()),
        ([event("deleted", "a.md"), event("written", "c.md")], {"c.md": (3, 10)}, ("a.md", "c.md")),
        ([ProviderEvent(kind="safety-checked", path_hash="sha256:" + "0" * 64)], FIRST, ()),
    ],
)
def test_what_the_walk_can_name_costs_no_comparison_of_everything(
    tmp_path: Path,
    events: list[ProviderEvent],
    found: freshness_module.Seen,
    paths: tuple[str, ...],
) -> None:
    """Written, written and gone from the last look's files, deleted by the provider, renamed."""
    freshness = Freshness(tmp_path, "digest")
    look(freshness, {path: FIRST[path] for path in FIRST})
    for one in events:
        freshness.note(SCOPE, [one])
    change = freshness.compare(SCOPE, {**found, "b.md": (3, 10)}, freshness.noted(SCOPE))
    assert (change.paths, change.everything) == (paths, False)


def test_what_is_noted_during_a_look_is_left_to_the_next(tmp_path: Path) -> None:
    """Another process may write between the walk and its end, the same document even."""
    freshness = Freshness(tmp_path, "digest")
    look(freshness, FIRST)
    freshness.note(SCOPE, [event("written", "new.md")])
    change = freshness.compare(SCOPE, FIRST, freshness.noted(SCOPE))
    freshness.note(SCOPE, [event("written", "new.md")])
    freshness.remember(SCOPE, change)

    assert look(freshness, FIRST).everything
    assert not look(freshness, FIRST).is_news


def test_what_could_not_be_remembered_stays_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk the next look compares with what an earlier one saw."""

    def full(*arguments: object, **named: object) -> None:
        raise OSError(28, "No space left on device")

    freshness = Freshness(tmp_path, "digest")
    look(freshness, FIRST)
    freshness.note(SCOPE, [event("written", "new.md")])
    with monkeypatch.context() as patched:
        patched.setattr(freshness_module, "write_private", full)
        look(freshness, {**FIRST, "new.md": (1, 1)})
    assert look(freshness, FIRST).everything


def test_notes_are_bounded_private_and_name_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than is kept, or than a call may tell of, counts as everything; so does damage."""
    freshness = Freshness(tmp_path / "seen", "digest")
    look(freshness, FIRST)
    monkeypatch.setattr(written, "MOST_BYTES", 1_000)
    before = os.umask(0)
    try:
        for number in range(50):
            freshness.note(SCOPE, [event("deleted", f"{number}.md")])
    finally:
        os.umask(before)
    (file,) = (tmp_path / "seen").glob("*.written")
    assert file.stat().st_size <= 1_000
    assert file.stat().st_mode & 0o777 == 0o600
    assert b".md" not in file.read_bytes()
    assert look(freshness, FIRST).everything

    freshness.note(SCOPE, [event("deleted", "a.md")] * 32)
    assert look(freshness, FIRST).everything
    for damage in (b"+", b"\n", b"\xff" * 80 + b"\n", file.name.encode() + b"\n"):
        file.write_bytes(damage)
        assert look(freshness, FIRST).everything
        assert not look(freshness, FIRST).is_news


def test_an_erased_document_leaves_no_note(tmp_path: Path) -> None:
    """Not its hash either; if the erasure did not come to its end, everything is compared."""
    freshness = Freshness(tmp_path, "digest")
    look(freshness, FIRST)
    for path in ("new.md", "b.md"):
        freshness.note(SCOPE, [event("written", path)])
    freshness.note(SCOPE, [event("deleted", "new.md")])
    freshness.forget(SCOPE, "new.md")
    (file,) = tmp_path.glob("*.written")
    assert written.hash_of("new.md") not in file.read_text()
    assert freshness.noted(SCOPE).known == {written.hash_of("b.md"): True}

    freshness.forget(SCOPE, "b.md")
    assert written.hash_of("b.md") not in file.read_text()
    assert freshness.noted(SCOPE).everything


@pytest.mark.parametrize("fails", [False, True])
def test_what_a_call_changed_is_noted_also_when_it_fails_after_that(
    tmp_path: Path, package: Package, fails: bool
) -> None:
    """The next search has the provider look for it, and the one after that does not.

    The index is on disk first, so that it is compared and not made anew.
    """
    guest = ScriptedGuest()
    documents(tmp_path)
    search(wired(tmp_path, guest, package=package))
    if fails:
        guest.answers["write"] = ProviderTrapped("The provider trapped.")

    def tell(call: GuestCall) -> None:
        if call.function == "write":
            call.record(event("written", "new.md"))

    guest.during = tell
    arguments = {"target": "new.md", "content": "tea"}
    call = Invocation(
        tool_id="ironclaw.memory.write", arguments=arguments, scope=SCOPE, origin=Origin.LOOP_RUN
    )
    with pytest.raises(ProviderTrapped) if fails else nullcontext():
        run(wired(tmp_path, guest, package=package), call, operator=True)

    for _ in range(2):
        search(wired(tmp_path, guest, package=package))
    refreshes = ["refresh", "refresh"]
    assert guest.asked() == ["refresh", "search", "write", *refreshes, "search", "search"]
    requests = [call.arguments["request"] for call in guest.calls[3:5]]
    assert [(r["paths"], r["everything"]) for r in requests] == [([], False), ([], True)]  # type: ignore[index]


def test_a_scope_without_documents_is_remembered_before_the_first_write(
    tmp_path: Path, package: Package
) -> None:
    """Its first look has something to compare with; one of unknown documents has not."""
    guest = ScriptedGuest()
    call = Invocation(
        tool_id="ironclaw.memory.write",
        arguments={"target": "a.md", "content": "tea"},
        scope=SCOPE,
        origin=Origin.LOOP_RUN,
    )
    for root, everything in ((tmp_path / "fresh", False), (tmp_path / "known", True)):
        place = documents(root)
        if everything:
            (place / "b.md").write_text("coffee")
        run(wired(root, guest, package=package), call, operator=True)
        (place / "a.md").write_text("tea")
        search(wired(root, guest, package=package))
        (refresh,) = [one for one in guest.calls if one.function == "refresh"]
        guest.calls.clear()
        assert refresh.arguments["request"]["everything"] is everything  # type: ignore[index]


def test_a_look_that_another_overtook_has_the_next_one_compare_everything(tmp_path: Path) -> None:
    """What the other saw and dropped its notes for is in nobody's memory."""
    first, second = Freshness(tmp_path, "digest"), Freshness(tmp_path, "digest")
    look(first, FIRST)
    slow = first.compare(SCOPE, {**FIRST, "b.md": (9, 9)}, first.noted(SCOPE))
    second.note(SCOPE, [event("written", "d.md")])
    look(second, {**FIRST, "d.md": (1, 1)})
    first.remember(SCOPE, slow)

    assert look(first, FIRST).everything


def test_an_empty_scope_replaces_no_memory(tmp_path: Path) -> None:
    """Another process may have looked since it was found empty."""
    first, second = Freshness(tmp_path, "digest"), Freshness(tmp_path, "digest")

    def is_empty() -> bool:
        look(second, FIRST)
        return True

    first.begin(SCOPE, is_empty)
    assert not look(first, FIRST).is_news


def test_a_flood_of_events_is_kept_within_bounds(tmp_path: Path, package: Package) -> None:
    """Those that the audit log refuses too."""
    guest = ScriptedGuest()
    kept: list[int] = []

    def flood(call: GuestCall) -> None:
        if call.function == "write":
            bad = replace(event("written", "a.md"), reason="bogus")
            for one in (bad, *(event("written", f"{n}.md") for n in range(1_000))):
                call.record(one)
            kept.extend(len(cell.cell_contents) for cell in _lists_of(call.record))

    guest.during = flood
    documents(tmp_path)
    wiring = wired(tmp_path, guest, package=package)
    arguments = {"target": "a.md", "content": "tea"}
    call = Invocation(
        tool_id="ironclaw.memory.write", arguments=arguments, scope=SCOPE, origin=Origin.LOOP_RUN
    )
    run(wiring, call, operator=True)
    assert kept == [MAX_ASSERTIONS]
    assert wiring.freshness.noted(SCOPE).everything


def _lists_of(function: object) -> list[Any]:
    cells = getattr(function, "__closure__", ()) or ()
    return [cell for cell in cells if isinstance(cell.cell_contents, list)]
