"""Command lines run in this process, against a host in memory."""

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.fakes import FakeHost, Opener

from ironclaw_memory.adapters.cli.entry import main
from ironclaw_memory.model import Scope


ME = Scope(tenant="local", user="me")


@dataclass(frozen=True)
class Ran:
    """What a command line did: exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        value: dict[str, Any] = json.loads(self.out)
        return value


@dataclass
class CommandLine:
    """Runs command lines and keeps the host between them."""

    opener: Opener
    capture: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    @property
    def host(self) -> FakeHost:
        """The host behind every command."""
        return self.opener.host

    @property
    def documents(self) -> dict[str, str]:
        """The documents of the default scope."""
        return self.host.provider.of(ME)

    def __call__(self, *words: str, stdin: bytes = b"") -> Ran:
        """Run one command line; standard input is a pipe with *stdin*."""
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(list(words), open_host=self.opener)
        captured = self.capture.readouterr()
        return Ran(code, captured.out, captured.err)


@contextmanager
def nobody(monkeypatch: pytest.MonkeyPatch, stream: str) -> Iterator[None]:
    """Have a standard stream lead to a pipe whose reader is gone, for the block."""
    reader, writer = os.pipe()
    os.close(reader)
    file = os.fdopen(writer, "w", encoding="utf-8")
    with monkeypatch.context() as patched:
        for name in ("stdout", "stderr"):  # click leaves both wrapped
            patched.setattr(sys, name, file if name == stream else getattr(sys, name))
        yield
    with suppress(BrokenPipeError):
        file.close()


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> CommandLine:
    """A command line with directories and an environment of its own."""
    for name in [name for name in os.environ if name.startswith("IRONCLAW_MEMORY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("IRONCLAW_MEMORY_HOME", str(tmp_path / "root"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "ed")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return CommandLine(Opener(), capsys, monkeypatch)
