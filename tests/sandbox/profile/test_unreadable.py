"""What stands where the profile should be is a person's business; their memory goes on."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ironclaw_memory import MemoryHost, Scope
from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.scopes import directory_of


pytestmark = pytest.mark.sandbox

SCOPE = Scope(tenant="acme", user="alice", project="garden", thread="t1")


def _not_text(profile: Path) -> None:
    profile.write_bytes(b'{"timezone":"\xff"}')


def _directory(profile: Path) -> None:
    profile.mkdir()


def _pipe(profile: Path) -> None:
    os.mkfifo(profile)


def _link(profile: Path) -> None:
    profile.symlink_to("/etc/hostname")


def _endless(profile: Path) -> None:
    with profile.open("wb") as sparse:
        sparse.truncate(16 << 20)


def _no_directory(profile: Path) -> None:
    profile.parent.rmdir()
    profile.parent.write_text("x")


@pytest.mark.parametrize(
    "spoil",
    [_not_text, _directory, _pipe, _link, _endless, _no_directory],
    ids=lambda f: f.__name__,
)
def test_a_profile_that_cannot_be_read_stops_nothing_else(
    spoil: Callable[[Path], None], tmp_path: Path
) -> None:
    """Every tool, the lanes and the recorder work; only the profile itself is refused or absent."""
    profile = tmp_path.joinpath(*directory_of(SCOPE.user_level()), "context", "profile.json")
    profile.parent.mkdir(parents=True)
    spoil(profile)

    with MemoryHost.open(root=tmp_path) as host:
        write = {"target": "memory", "content": "Prefers tea."}
        host.call_as_operator("ironclaw.memory.write", write, scope=SCOPE)
        log = {"content": "Bought a kettle."}
        host.call_as_operator("ironclaw.memory.write", log, scope=SCOPE)
        read = host.call_as_operator("ironclaw.memory.read", {"path": "MEMORY.md"}, scope=SCOPE)
        recalled = host.load_context(SCOPE, "tea")
        kept = host.record_interaction(SCOPE, [{"role": "user", "content": "Hi"}], "r1")
        with pytest.raises(IronclawMemoryError):
            host.call_as_operator("ironclaw.memory.profile_set", {"locale": "de"}, scope=SCOPE)

    assert isinstance(read, dict)
    assert read["content"] == "Prefers tea.\n"
    assert recalled.degradations == ()
    assert "Prefers tea." in recalled.snippets[0].text
    assert kept
