"""The cache of compiled components: trusted or rebuilt."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import wasmtime

from ironclaw_memory.errors import CacheUnusable, ComponentUnreadable, LimitExceeded
from ironclaw_memory.sandbox.artifact import Artifact, measured
from ironclaw_memory.sandbox.cache import MOST_ENTRIES, Cache
from ironclaw_memory.sandbox.engine import Engine
from ironclaw_memory.sandbox.limits import Limits


START = """
import sys, pathlib
from ironclaw_memory.sandbox.artifact import measured
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.engine import Engine
cache = Cache(pathlib.Path(sys.argv[2]), on_compile=lambda sentence: print("compiling"))
cache.load(Engine(), measured(pathlib.Path(sys.argv[1])))
"""


@pytest.fixture
def artifact(tmp_path: Path) -> Artifact:
    """Return the smallest component."""
    path = tmp_path / "c.wasm"
    path.write_bytes(wasmtime.wat2wasm("(component)"))
    return measured(path)


class Shelf:
    """A cache directory and a note of every compilation."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.compiled = 0

    def load(self, artifact: Artifact, limits: Limits | None = None) -> None:
        """Load as a new process would."""
        cache = Cache(self.directory, limits=limits or Limits(), on_compile=self._note)
        try:
            cache.load(Engine(), artifact)
        finally:
            cache.close()

    def entry(self) -> Path:
        """Return the one compiled file."""
        (found,) = self.directory.glob("*.cwasm")
        return found

    def _note(self, sentence: str) -> None:
        self.compiled += sentence.startswith("Compiling")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """Return an empty cache."""
    return Shelf(tmp_path / "cache")


def test_a_component_is_compiled_once(shelf: Shelf, artifact: Artifact) -> None:
    """The second process finds what the first has made, for its owner alone."""
    shelf.load(artifact)
    shelf.load(artifact)

    assert shelf.compiled == 1
    assert shelf.directory.stat().st_mode & 0o777 == 0o700
    assert shelf.entry().stat().st_mode & 0o077 == 0


def _truncate(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[:100])


def _flip(entry: Path) -> None:
    data = bytearray(entry.read_bytes())
    data[len(data) // 2] ^= 1
    entry.write_bytes(data)


def _open_up(entry: Path) -> None:
    entry.chmod(0o666)


def _replace_by_link(entry: Path) -> None:
    entry.rename(entry.with_suffix(".elsewhere"))
    entry.symlink_to(entry.with_suffix(".elsewhere"))


def _forget_note(entry: Path) -> None:
    entry.with_suffix(".note").unlink()


@pytest.mark.parametrize("harm", [_truncate, _flip, _open_up, _replace_by_link, _forget_note])
def test_a_doubtful_entry_is_rebuilt(shelf: Shelf, artifact: Artifact, harm: object) -> None:
    """Damaged, changed, writable by others, a link, of unknown origin: never trusted."""
    shelf.load(artifact)
    harm(shelf.entry())  # type: ignore[operator]

    shelf.load(artifact)

    assert shelf.compiled == 2


def test_a_copied_entry_is_hashed_and_trusted(shelf: Shelf, artifact: Artifact) -> None:
    """A cache that was copied into an image has other times and the same content."""
    shelf.load(artifact)
    os.utime(shelf.entry(), ns=(0, 0))

    shelf.load(artifact)

    assert shelf.compiled == 1


def test_a_directory_of_somebody_else_is_refused(shelf: Shelf, artifact: Artifact) -> None:
    """Machine code from a directory that others can write is not run."""
    shelf.load(artifact)
    shelf.directory.chmod(0o777)

    with pytest.raises(CacheUnusable, match="written by others"):
        shelf.load(artifact)


def test_without_a_directory_a_temporary_one_serves(tmp_path: Path, artifact: Artifact) -> None:
    """Where the directory cannot be made the call works, and a sentence says what it costs."""
    (tmp_path / "file").write_text("")
    said: list[str] = []
    cache = Cache(tmp_path / "file/cache", on_compile=said.append)

    cache.load(Engine(), artifact)

    place = cache.directory_of(artifact)
    assert place.exists()
    assert "IRONCLAW_MEMORY_CACHE" in said[0]
    cache.close()
    assert not place.exists()


def test_parallel_first_starts_compile_once(tmp_path: Path, artifact: Artifact) -> None:
    """Three processes that start together wait for one compilation."""
    command = [sys.executable, "-c", START, str(artifact.path), str(tmp_path / "cache")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]

    said = [process.communicate()[0] for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sum(text.count(b"compiling") for text in said) == 1


def test_a_file_that_is_not_the_named_one_is_refused(shelf: Shelf, artifact: Artifact) -> None:
    """A component that was exchanged after it was approved is not compiled."""
    artifact.path.write_bytes(wasmtime.wat2wasm("(component (type (tuple string)))"))

    with pytest.raises(ComponentUnreadable, match="digest"):
        shelf.load(artifact)


@pytest.mark.parametrize("content", [b"", b"\0asm\x01\0\0\0", b"\0asm\x0d\0\x01\0\xff", b"text"])
def test_what_is_no_component_is_named(shelf: Shelf, tmp_path: Path, content: bytes) -> None:
    """An empty file, a core module, a damaged component, a text."""
    path = tmp_path / "bad.wasm"
    path.write_bytes(content)

    with pytest.raises(ComponentUnreadable):
        shelf.load(measured(path))


def test_old_entries_make_room(shelf: Shelf, tmp_path: Path) -> None:
    """Upgrades do not fill the disk: the entries used last stay."""
    path = tmp_path / "c.wasm"
    for number in range(MOST_ENTRIES + 2):
        path.write_bytes(wasmtime.wat2wasm(f"(component (core module $m{number}))"))
        shelf.load(measured(path))

    assert len(list(shelf.directory.glob("*.cwasm"))) == MOST_ENTRIES
    assert len(list(shelf.directory.glob("*.note"))) == MOST_ENTRIES
    shelf.load(measured(path))
    assert shelf.compiled == MOST_ENTRIES + 2


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The error shows no path."""
    with pytest.raises(ComponentUnreadable) as caught:
        measured(tmp_path / "none.wasm")
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (Limits(component_bytes=3), "component_bytes"),
        (Limits(compile_ms=1), "compile_ms"),
        (Limits(compile_memory_bytes=1), "compile_memory_bytes"),
        (Limits(compiled_bytes=1_000), "compiled_bytes"),
    ],
)
def test_compiling_is_bounded(shelf: Shelf, artifact: Artifact, limits: Limits, limit: str) -> None:
    """A file that is too large is not read, and one that takes too long is given up."""
    with pytest.raises(LimitExceeded) as caught:
        shelf.load(artifact, limits)
    assert caught.value.limit == limit
