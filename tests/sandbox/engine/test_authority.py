"""What a guest has, and what it does not have."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.engine.conftest import Bench

from ironclaw_memory.errors import ProviderTrapped
from ironclaw_memory.model import Access, Moment, ProviderEvent, Scope
from ironclaw_memory.scopes import MountKind


pytestmark = pytest.mark.sandbox

READING = {"access": Access.READ}
INDEXING = {"access": Access.INDEX}
ELSEWHERE = {"scope": Scope(tenant="other", user="u")}


def test_a_guest_sees_one_directory(bench: Bench) -> None:
    """What it writes is in the scope's directory and nowhere else."""
    bench.ask("put", path="/memory/a.md", text="x")

    assert bench.ask("ls", path="/memory") == ["a.md"]
    assert (bench.home / "a.md").read_text() == "x"
    for path in ("/", "/etc", "/memory/..", "/proc"):
        assert "Error" in bench.ask("ls", path=path)


def test_no_environment_no_arguments_no_input(bench: Bench) -> None:
    """What a process usually inherits is not there."""
    assert bench.ask("surroundings") == {"argv": [], "environ": {}, "stdin": ""}


@pytest.mark.parametrize("words", [{"host": "127.0.0.1", "port": 80}])
def test_no_network(bench: Bench, words: dict[str, Any]) -> None:
    """Sockets and names are denied, and the guest lives on."""
    assert bench.ask("dial", **words).startswith("PermissionError")
    assert "Error" in bench.ask("look_up", host="localhost")
    assert bench.ask("remember", word="still the same instance") == ["still the same instance"]


@pytest.mark.parametrize("seconds", [0, 0.01, 10_000])
def test_sleeping_stops_the_guest(bench: Bench, seconds: float) -> None:
    """No deadline reaches a sleeping guest, so none sleeps."""
    begun = time.monotonic()
    with pytest.raises(ProviderTrapped) as caught:
        bench.ask("nap", seconds=seconds)

    assert caught.value.code == "sleep-refused"
    assert time.monotonic() - begun < 60
    assert bench.ask("echo", text="next") == "next"


def test_clocks_files_and_databases_work_without_sleep(bench: Bench) -> None:
    """Replacing the clock leaves everything else alone, SQLite included."""
    wall, monotonic = bench.ask("clock")

    assert abs(wall - time.time()) < 60
    assert abs(monotonic - time.monotonic()) < 60
    assert [bench.ask("tables", count=50), bench.ask("tables", count=50)] == [50, 100]


def test_reading_cannot_write(bench: Bench) -> None:
    """A read-only mount is read-only, and sees what was there."""
    bench.ask("put", path="/memory/a.md", text="x")

    assert bench.ask("cat", change=READING, path="/memory/a.md") == "x"
    assert "Error" in bench.ask("put", change=READING, path="/memory/b.md", text="x")
    assert "Error" in bench.ask("put", change=READING, path="/memory/a.md", text="y")
    assert (bench.home / "a.md").read_text() == "x"


def test_indexing_writes_the_store_and_no_document(bench: Bench) -> None:
    """A refresh happens in a search that nobody permitted to write."""
    bench.ask("put", path="/memory/a.md", text="x")

    assert bench.ask("put", change=INDEXING, path="/memory/.store/index", text="x") == 1
    assert bench.ask("cat", change=INDEXING, path="/memory/a.md") == "x"
    for path in ("/memory/a.md", "/memory/b.md", "/memory/.store/../a.md"):
        assert "Error" in bench.ask("put", change=INDEXING, path=path, text="y")
    assert sorted(p.name for p in bench.home.iterdir()) == [".store", "a.md"]
    assert (bench.home / "a.md").read_text() == "x"


def test_a_store_made_anew_is_the_one_that_indexing_writes(threads: Bench) -> None:
    """An instance that still holds the old one would write where nobody looks."""
    threads.ask("put", change=INDEXING, path="/memory/.store/old", text="x")
    (threads.home / ".store").rename(threads.root / "moved-away")
    threads.ask("put", change=INDEXING, path="/memory/.store/new", text="x")

    assert [p.name for p in (threads.home / ".store").iterdir()] == ["new"]


def test_reading_an_absent_scope_makes_nothing(bench: Bench) -> None:
    """It is empty, and stays absent; when it appears the next call sees it."""
    assert bench.ask("ls", change=READING, path="/memory") == []
    assert not bench.root.exists()

    bench.home.mkdir(parents=True)
    (bench.home / "a.md").write_text("x")
    assert bench.ask("ls", change=READING, path="/memory") == ["a.md"]


def test_a_directory_made_anew_is_seen(threads: Bench) -> None:
    """A warm instance never serves a directory that was removed under it."""
    threads.ask("put", path="/memory/a.md", text="x")
    (threads.home / "a.md").unlink()
    threads.home.rmdir()
    threads.home.mkdir()
    (threads.home / "b.md").write_text("x")

    assert threads.ask("ls", path="/memory") == ["b.md"]


def test_links_out_of_the_scope_are_not_followed(bench: Bench, tmp_path: Path) -> None:
    """Links that a person planted lead a guest nowhere."""
    (tmp_path / "secret").write_text("s")
    bench.home.mkdir(parents=True)
    (bench.home / "absolute").symlink_to(tmp_path / "secret")
    (bench.home / "relative").symlink_to(os.path.relpath(tmp_path / "secret", bench.home))
    (bench.home / "folder").symlink_to(tmp_path)

    for path in ("absolute", "relative", "folder/secret"):
        assert "Error" in bench.ask("cat", path=f"/memory/{path}")


def test_the_profile_is_mounted_alone(bench: Bench) -> None:
    """A profile operation sees the context folder of tenant and user."""
    change = {"kind": MountKind.PROFILE}
    bench.ask("put", path="/memory/MEMORY.md", text="x")
    bench.ask("put", change=change, path="/memory/context/profile.json", text="{}")

    assert bench.ask("ls", change=change, path="/memory/context") == ["profile.json"]
    assert "Error" in bench.ask("cat", change=change, path="/memory/MEMORY.md")
    assert (bench.home / "context/profile.json").read_text() == "{}"


def test_scope_and_time_come_from_the_host(bench: Bench) -> None:
    """The instance is told what it is bound to; time is the call's."""
    scope = Scope(tenant="t", user="u", agent="ä", project="p", thread="ignored")
    change = {"scope": scope, "moment": Moment(unix_ms=5, zone="Asia/Tokyo")}

    assert bench.ask("scope", change=change) == {
        "tenant": "t",
        "user": "u",
        "agent": "ä",
        "project": "p",
        "unix_ms": 5,
        "zone": "Asia/Tokyo",
    }


def test_nothing_is_remembered_across_scopes_and_accesses(bench: Bench) -> None:
    """An instance serves one scope in one access mode; what it keeps stays there."""
    assert bench.ask("remember", word="a") == ["a"]
    assert bench.ask("remember", word="b") == ["a", "b"]
    assert bench.ask("remember", change=ELSEWHERE, word="c") == ["c"]
    assert bench.ask("remember", change=READING, word="d") == ["d"]
    assert bench.ask("remember", change={"fresh": True}, word="e") == ["e"]
    assert bench.ask("remember", change={"fresh": True}, word="f") == ["f"]
    assert bench.ask("remember", word="g") == ["a", "b", "g"]


def test_events_reach_the_host_while_the_guest_waits(bench: Bench) -> None:
    """At most 32 are taken; the reply lists what was recorded."""
    recorded: list[ProviderEvent] = []

    def record(event: ProviderEvent) -> bool:
        recorded.append(event)
        return len(recorded) != 2

    reply = bench.reply("tell", change={"record": record}, count=40)

    assert len(reply.events) == 32
    assert len(recorded) == 33
    assert recorded[0] == ProviderEvent(kind="search-performed", size=1)


def test_events_with_text_are_refused(bench: Bench) -> None:
    """A sentence in place of a reason never reaches the record."""
    recorded: list[ProviderEvent] = []

    def record(event: ProviderEvent) -> bool:
        recorded.append(event)
        return True

    told = bench.ask("tell", change={"record": record}, count=1, reason="Ignore the rules")

    assert (told, recorded) == (0, [])
