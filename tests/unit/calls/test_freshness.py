"""Edits by hand: noticed by the host's own walk, indexed by the provider before a search."""

import hashlib
import os
import unicodedata
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired

from ironclaw_memory import freshness as freshness_module
from ironclaw_memory import written
from ironclaw_memory.calls import Wiring, run
from ironclaw_memory.declared import Package
from ironclaw_memory.errors import ProviderTrapped, ProviderUnavailable
from ironclaw_memory.freshness import LOOK_EVERY_MS, Freshness
from ironclaw_memory.model import Failure, Invocation, Origin, ProviderEvent, Scope
from ironclaw_memory.owner import Owner
from ironclaw_memory.sandbox.request import GuestCall
from ironclaw_memory.scopes import directory_of


SCOPE = Scope(tenant="acme", user="alice")
FIRST = {"a.md": (3, 10), "b.md": (3, 10)}


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        """Start at zero."""
        self.seconds = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.seconds


@pytest.fixture(scope="module")
def package() -> Package:
    """The bundled provider's package."""
    return native_package()


def search(wiring: Wiring) -> object:
    """Search once."""
    return run(
        wiring,
        Invocation(
            tool_id="ironclaw.memory.search",
            arguments={"query": "tea"},
            scope=SCOPE,
            origin=Origin.LOOP_RUN,
        ),
    )


def event(kind: str, path: str) -> ProviderEvent:
    """Return what a provider says of the document at *path*."""
    return ProviderEvent(
        kind=f"document-{kind}", path_hash=f"sha256:{hashlib.sha256(path.encode()).hexdigest()}"
    )


def look(freshness: Freshness, found: freshness_module.Seen) -> freshness_module.Change:
    """Look as the host does, and take what was found as indexed."""
    change = freshness.compare(SCOPE, found, freshness.noted(SCOPE))
    freshness.remember(SCOPE, change)
    return change


def documents(root: Path) -> Path:
    """Return the directory of the scope, made."""
    path = root.joinpath(*directory_of(SCOPE))
    path.mkdir(parents=True)
    return path


def test_what_changed_is_named_and_what_did_not_is_not(tmp_path: Path) -> None:
    """Changed, added and removed paths; nothing else."""
    freshness = Freshness(tmp_path, "digest")
    freshness.remember(SCOPE, freshness.compare(SCOPE, FIRST))
    change = freshness.compare(SCOPE, {"a.md": (3, 11), "c.md": (1, 1)})
    assert (change.paths, change.everything) == (("a.md", "b.md", "c.md"), False)


def test_the_first_look_compares_everything(tmp_path: Path) -> None:
    """So does one for another provider, which has an index of its own."""
    freshness = Freshness(tmp_path, "digest")
    assert freshness.compare(SCOPE, FIRST).everything
    freshness.remember(SCOPE, freshness.compare(SCOPE, FIRST))
    assert not Freshness(tmp_path, "digest").compare(SCOPE, FIRST).is_news
    assert Freshness(tmp_path, "another").compare(SCOPE, FIRST).everything


def test_a_damaged_memory_counts_as_none(tmp_path: Path) -> None:
    """It is a hint and nothing else."""
    freshness = Freshness(tmp_path, "digest")
    freshness.remember(SCOPE, freshness.compare(SCOPE, FIRST))
    for file in tmp_path.iterdir():
        file.write_text('{"boot": 1')
    assert freshness.compare(SCOPE, FIRST).everything


def test_what_is_remembered_is_the_owners_alone(tmp_path: Path) -> None:
    """It names documents, whatever the process's mask lets others read."""
    seen = Freshness(tmp_path / "seen", "0" * 64)
    before = os.umask(0)
    try:
        seen.remember(SCOPE, seen.compare(SCOPE, FIRST))
    finally:
        os.umask(before)

    assert [file.stat().st_mode & 0o777 for file in (tmp_path / "seen").iterdir()] == [0o600]


def test_a_look_is_due_every_two_seconds(tmp_path: Path) -> None:
    """design.md section 6, for every thread of the scope together."""
    clock = Clock()
    freshness = Freshness(tmp_path, "digest", clock=clock)
    assert freshness.is_due(SCOPE)
    freshness.remember(SCOPE, freshness.compare(SCOPE, FIRST))
    assert not freshness.is_due(Scope(tenant="acme", user="alice", thread="t1"))
    clock.seconds = LOOK_EVERY_MS / 1000
    assert freshness.is_due(SCOPE)


def test_no_more_scopes_are_known_than_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that was looked at longest ago is looked at again early."""
    monkeypatch.setattr(freshness_module, "KEPT_SCOPES", 2)
    freshness = Freshness(tmp_path, "digest", clock=Clock())
    scopes = [Scope(tenant="acme", user=user) for user in ("a", "b", "a", "c")]
    for scope in scopes:
        freshness.remember(scope, freshness.compare(scope, FIRST))
    assert [freshness.is_due(scope) for scope in scopes] == [False, True, False, False]
    assert len(freshness._looked) == 2


def test_a_scope_has_one_file_whichever_provider_looked(tmp_path: Path) -> None:
    """Else every build would leave a list of documents behind, erased ones too."""
    for digest in ("one", "two", "three"):
        freshness = Freshness(tmp_path, digest)
        freshness.remember(SCOPE, freshness.compare(SCOPE, FIRST))
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("digest", ["digest", "another"])
def test_an_erased_name_is_forgotten_and_nothing_else_is(tmp_path: Path, digest: str) -> None:
    """Whoever saw it, however it is composed; what else was seen need not be compared again."""
    name = "caf\u00e9.md"
    freshness = Freshness(tmp_path, digest)
    found = {**FIRST, unicodedata.normalize("NFD", name): (1, 1)}
    freshness.remember(SCOPE, freshness.compare(SCOPE, found))
    (file,) = tmp_path.iterdir()
    left = tmp_path / f".{file.name}.0123456789abcdef.new"
    left.write_bytes(file.read_bytes())

    Freshness(tmp_path, "digest").forget(SCOPE, name)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert "caf" not in file.read_text()
    assert not freshness.compare(SCOPE, FIRST).is_news


def test_a_name_that_cannot_be_taken_out_takes_the_rest_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk a file can be removed and not be written; a damaged one may hold any name."""

    def full(*arguments: object, **named: object) -> None:
        raise OSError(28, "No space left on device")

    freshness = Freshness(tmp_path, "digest")
    freshness.remember(SCOPE, freshness.compare(SCOPE, FIRST))
    with monkeypatch.context() as patched:
        patched.setattr(freshness_module, "write_private", full)
        freshness.forget(SCOPE, "a.md")
    assert list(tmp_path.iterdir()) == []

    freshness.remember(SCOPE, freshness.compare(SCOPE, FIRST))
    (file,) = tmp_path.iterdir()
    file.write_text('{"seen": {"a.md"')
    freshness.forget(SCOPE, "a.md")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fails", [False, True])
def test_the_host_does_not_name_an_erased_document(
    tmp_path: Path, package: Package, fails: bool
) -> None:
    """Nor one whose erasure was stopped, which may have gone before that."""
    guest = ScriptedGuest()
    (documents(tmp_path) / "tea-secret.md").write_text("tea")
    wiring = wired(tmp_path, guest, package=package)
    search(wiring)
    seen = tmp_path / "host" / "seen"
    assert [b"tea-secret" in file.read_bytes() for file in seen.iterdir()] == [True]
    gone = {"document": True, "versions": 1}
    stopped = ProviderTrapped("The provider trapped.")
    guest.answers["erase"] = stopped if fails else gone

    owner = Owner(wiring)
    with pytest.raises(ProviderTrapped) if fails else nullcontext():
        owner.erase(SCOPE, "tea-secret.md")
    assert [b"tea-secret" in file.read_bytes() for file in seen.iterdir()] == [False]


def test_a_document_that_loses_a_version_is_still_known(tmp_path: Path, package: Package) -> None:
    """It is there, so there is nothing to index."""
    guest = ScriptedGuest()
    (documents(tmp_path) / "note.md").write_text("tea")
    wiring = wired(tmp_path, guest, package=package)
    search(wiring)
    guest.answers["erase"] = {"document": False, "versions": 1}
    Owner(wiring).erase(SCOPE, "note.md", 1)
    search(wired(tmp_path, guest, package=package))
    assert guest.asked() == ["refresh", "search", "erase", "search"]


def test_a_search_refreshes_first_when_a_person_edited(tmp_path: Path, package: Package) -> None:
    """And only then."""
    guest = ScriptedGuest()
    (documents(tmp_path) / "note.md").write_text("tea")
    search(wired(tmp_path, guest, package=package))
    search(wired(tmp_path, guest, package=package))
    assert guest.asked() == ["refresh", "search", "search"]


def test_a_scope_that_is_not_there_is_searched_without_a_refresh(
    tmp_path: Path, package: Package
) -> None:
    """Nothing is created by looking."""
    guest = ScriptedGuest()
    search(wired(tmp_path, guest, package=package))
    assert guest.asked() == ["search"]
    assert not (tmp_path / "memory").exists()


def test_a_stale_index_is_refreshed_and_asked_again_once(tmp_path: Path, package: Package) -> None:
    """The second stale answer is the caller's to see."""
    guest = ScriptedGuest()
    guest.answers["search"] = Failure(kind="unavailable", code="index-stale")
    with pytest.raises(ProviderUnavailable):
        search(wired(tmp_path, guest, package=package))
    assert guest.asked() == ["search", "refresh", "search"]


def test_a_long_refresh_goes_on_until_nothing_remains_and_tells_how_far_it_is(
    tmp_path: Path, package: Package
) -> None:
    """Each call is bounded; their sum need not be."""
    left = [2, 1, 0]
    guest = ScriptedGuest()

    def step(call: object) -> None:
        if left and guest.asked()[-1] == "refresh":
            guest.answers["refresh"] = {"indexed": 1, "removed": 0, "remaining": left.pop(0)}

    guest.during = step
    told: list[tuple[int, int]] = []
    (documents(tmp_path) / "note.md").write_text("tea")
    search(wired(tmp_path, guest, package=package, progress=lambda *at: told.append(at)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_refresh_that_gets_nowhere_ends(tmp_path: Path, package: Package) -> None:
    """A provider must not hold the host for ever."""
    guest = ScriptedGuest()
    guest.answers["refresh"] = {"indexed": 0, "removed": 0, "remaining": 5}
    (documents(tmp_path) / "note.md").write_text("tea")
    with pytest.raises(ProviderUnavailable):
        search(wired(tmp_path, guest, package=package))


def test_a_refresh_that_always_leaves_one_ends(tmp_path: Path, package: Package) -> None:
    """Neither may one that says each time that it got somewhere."""
    guest = ScriptedGuest()
    guest.answers["refresh"] = {"indexed": 1, "removed": 0, "remaining": 1}
    (documents(tmp_path) / "note.md").write_text("tea")
    with pytest.raises(ProviderUnavailable):
        search(wired(tmp_path, guest, package=package))


def test_every_document_is_named_where_a_guest_cannot_list_them(
    tmp_path: Path, package: Package
) -> None:
    """One name that is not UTF-8 breaks off a guest's listing, not the host's walk."""
    guest = ScriptedGuest()
    directory = documents(tmp_path)
    (directory / "note.md").write_text("tea")
    (directory / os.fsdecode(b"caf\xe9.md")).write_text("tea")
    search(wired(tmp_path, guest, package=package))
    request = guest.calls[0].arguments["request"]
    assert isinstance(request, dict)
    assert (request["paths"], request["everything"]) == (["note.md"], True)


def test_an_index_that_cannot_be_written_is_named_as_the_cause(
    tmp_path: Path, package: Package
) -> None:
    """A search stores no document, so it does not speak of one."""
    guest = ScriptedGuest()
    guest.answers["refresh"] = Failure(kind="operation", code="storage-failed")
    (documents(tmp_path) / "note.md").write_text("tea")
    with pytest.raises(ProviderUnavailable, match=r"search index.*cannot be written") as caught:
        search(wired(tmp_path, guest, package=package))
    assert "read-only" in caught.value.hint


def test_a_long_refresh_is_given_more_and_more_time(tmp_path: Path, package: Package) -> None:
    """A guest lists its scope anew each time, so few long rounds are cheaper than many short."""
    left = [6, 5, 4, 3, 2, 1, 0]
    guest = ScriptedGuest()

    def step(call: object) -> None:
        if left and guest.asked()[-1] == "refresh":
            guest.answers["refresh"] = {"indexed": 1, "removed": 0, "remaining": left.pop(0)}

    guest.during = step
    (documents(tmp_path) / "note.md").write_text("tea")
    search(wired(tmp_path, guest, package=package))
    requests = [call.arguments["request"] for call in guest.calls if call.function == "refresh"]
    assert [r["budget_ms"] for r in requests if isinstance(r, dict)] == [
        *(1_000, 2_000, 4_000, 8_000),
        *(8_000, 8_000, 8_000),
    ]


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
