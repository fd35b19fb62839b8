"""Edits by hand: noticed by the host's own walk, indexed by the provider before a search."""

import os
import unicodedata
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, wired
from tests.unit.calls.looking import FIRST, SCOPE, Clock, documents, search

from ironclaw_memory import freshness as freshness_module
from ironclaw_memory.declared import Package
from ironclaw_memory.errors import ProviderTrapped, ProviderUnavailable
from ironclaw_memory.freshness import LOOK_EVERY_MS, Freshness
from ironclaw_memory.model import Failure, Scope
from ironclaw_memory.owner import Owner


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
