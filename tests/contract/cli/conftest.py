"""Command lines on the bundled component, in this process or as processes of their own."""

import io
import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ironclaw_memory.adapters.cli import main


PREFIX = "IRONCLAW_MEMORY_"
MAIN = "import sys; from ironclaw_memory.adapters.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Ran:
    """What a command line did: exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The data of the envelope, which must be one of success."""
        envelope = json.loads(self.out)
        assert envelope["ok"], envelope
        return envelope["data"]

    @property
    def error(self) -> str:
        """The code of the envelope's error."""
        return str(json.loads(self.out)["error"]["code"])


@dataclass
class CommandLine:
    """Runs command lines on one data directory."""

    root: Path
    capture: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *words: str, stdin: str = "") -> Ran:
        """Run a command line in this process, with a pipe as standard input."""
        pipe = io.TextIOWrapper(io.BytesIO(stdin.encode()))
        self.monkeypatch.setattr(sys, "stdin", pipe)
        code = main(list(words))
        captured = self.capture.readouterr()
        return Ran(code, captured.out, captured.err)

    def json(self, *words: str, stdin: str = "") -> Ran:
        """Run a command line with ``--json``."""
        return self(*words, "--json", stdin=stdin)

    def process(self, *words: str, **more: Any) -> "subprocess.CompletedProcess[bytes]":
        """Run a command line as a process."""
        command = [sys.executable, "-c", MAIN, *words]
        return subprocess.run(command, capture_output=True, check=False, timeout=300, **more)

    def for_eyes(self, *words: str, **variables: str) -> str:
        """Run a command line with a terminal as standard output, and return what it showed."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *words],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TERM": "xterm", **variables},
        )
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the other end is closed
            while piece := os.read(ours, 4096):
                shown += piece
        os.close(ours)
        assert process.wait(timeout=300) == 0
        return shown.decode()

    def scope(self, user: str = "me") -> Path:
        """Return the directory of a user's scope."""
        return self.root / f"memory/tenants/local/users/{user}/agents/_none/projects/_none"


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> CommandLine:
    """A command line with a data directory and an environment of its own."""
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        if name != f"{PREFIX}CACHE":
            monkeypatch.delenv(name)
    root = tmp_path / "root"
    monkeypatch.setenv(f"{PREFIX}HOME", str(root))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return CommandLine(root, capsys, monkeypatch)
