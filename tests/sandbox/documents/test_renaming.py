"""Renames that the disk does not allow, and renames that a kill left, in the sandbox."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sandbox.documents import shut_process
from tests.sandbox.documents.subject import SandboxedSubject, documents_of

from ironclaw_memory import MemoryHost


pytestmark = pytest.mark.sandbox

REPOSITORY = Path(__file__).parents[3]
BIG = b"x\n" * (5 << 19)


def _without_power_over_modes() -> list[str]:
    """Return what a command begins with for a user whom the modes of files bind, which root is not."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root may change every directory, and there is no setpriv to give that up")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search"]


def test_a_directory_that_may_not_be_changed_keeps_nothing_else_from_being_served(
    tmp_path: Path,
) -> None:
    """A rename into it and out of it fails; writes, searches and repairs go on, with no copy."""
    done = subprocess.run(
        [
            *_without_power_over_modes(),
            sys.executable,
            "-m",
            shut_process.__name__,
            str(tmp_path / "root"),
        ],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])},
        capture_output=True,
        check=True,
    )
    said = json.loads(done.stdout)

    assert said == {
        "said": ["storage-failed"] * 3,
        "found": ["a.md", "shut/b.md"],
        "codes": [],
        "after": ["a.md", "b.md"],
    }


@pytest.fixture(name="memory")
def _memory(tmp_path: Path) -> Iterator[SandboxedSubject]:
    with MemoryHost.open(root=tmp_path / "root") as host:
        memory = SandboxedSubject(host, tmp_path / "root")
        memory.write({"target": "kept.md", "content": "hello"})
        yield memory


@pytest.fixture(name="disk")
def _disk(memory: SandboxedSubject, tmp_path: Path) -> Path:
    return documents_of(tmp_path / "root")


def _journal(disk: Path, path: str, to: str) -> None:
    (disk / ".store/rename.json").write_text(json.dumps({"path": path, "to": to}))


def test_two_names_of_one_large_file_are_told_from_two_files(
    memory: SandboxedSubject, disk: Path
) -> None:
    """The guest sees which file it is: the first rename is finished, the second is given up."""
    (disk / "big.md").write_bytes(BIG)
    (disk / "new.md").hardlink_to(disk / "big.md")
    _journal(disk, "big.md", "new.md")
    memory.write({"target": "kept.md", "content": "more"})
    assert not (disk / "big.md").exists()

    (disk / "copy.md").write_bytes(BIG)
    _journal(disk, "copy.md", "new.md")
    memory.write({"target": "kept.md", "content": "and more"})
    assert (disk / "copy.md").read_bytes() == (disk / "new.md").read_bytes() == BIG
    assert not (disk / ".store/rename.json").exists()


@pytest.mark.parametrize("to", ["dir", "link", "absent/x.md", "link/x.md", "../x.md", "kept.md"])
def test_a_rename_that_cannot_be_finished_is_given_up(
    memory: SandboxedSubject, disk: Path, to: str
) -> None:
    """The document stays, everything is served, and the journal is gone."""
    memory.write({"target": "a.md", "content": "hello from elsewhere"})
    (disk / "dir").mkdir()
    (disk / "link").symlink_to("/")
    _journal(disk, "a.md", to)

    assert "rename-unfinished" in memory.findings(repair=False)
    assert memory.found("hello") == {"a.md", "kept.md"}
    assert not (disk / ".store/rename.json").exists()
    assert memory.read("a.md") == "hello from elsewhere\n"


def test_a_document_moves_into_a_decomposed_directory(memory: SandboxedSubject, disk: Path) -> None:
    """What lies there is found as before."""
    (disk / "Cafe\u0301").mkdir()
    (disk / "Cafe\u0301/menu.md").write_text("espresso")
    memory.rename("kept.md", "Caf\u00e9/kept.md")

    assert memory.read("Caf\u00e9/menu.md") == "espresso"
    assert memory.found("hello") == {"Caf\u00e9/kept.md"}
    assert (disk / "Cafe\u0301/kept.md").exists()
    assert not (disk / "Caf\u00e9").exists()
