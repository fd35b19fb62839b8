"""A process killed at any instant leaves the old or the new document, and loses nothing."""

import json
import os
import pathlib
import random
import select
import subprocess
import sys
from dataclasses import dataclass, field

from tests.unit.documents import writing_process
from tests.unit.documents.subject import NativeSubject
from tests.unit.documents.writing_process import text_or_nothing


KILLS = 200 if os.environ.get("IRONCLAW_MEMORY_LONG_TESTS") else 20
REPOSITORY = pathlib.Path(__file__).parents[3]


@dataclass
class Ledger:
    """What was acknowledged: the text of each document, and every text that was replaced."""

    texts: dict[str, str] = field(default_factory=dict)
    superseded: dict[str, list[str]] = field(default_factory=dict)
    doubtful: tuple[str, str, str] | None = None

    def read(self, lines: list[str]) -> None:
        """Take in what one process said before it was killed."""
        self.doubtful = None
        for line in lines:
            said = json.loads(line)
            if said["event"] == "begin":
                self.doubtful = said["path"], said["before"], said["after"]
            elif self.doubtful is not None:
                self.settle(self.doubtful[2])

    def settle(self, text: str) -> None:
        """Decide the doubtful write by what the document says now."""
        assert self.doubtful is not None
        path, before, after = self.doubtful
        assert text in {before, after}
        if text == after != before:
            self.texts[path] = after
            if before:
                self.superseded.setdefault(path, []).append(before)
        self.doubtful = None


def test_no_kill_loses_or_tears_anything(tmp_path: pathlib.Path) -> None:
    """Every acknowledged text is there or in the history, in order, after each of many kills."""
    choice = random.Random(7)  # noqa: S311 - when to kill
    ledger = Ledger()

    for kill in range(KILLS):
        ledger.read(_killed(tmp_path, str(kill), choice.uniform(0.01, 0.25)))
        _compare(ledger, NativeSubject(str(tmp_path)))
    assert sum(map(len, ledger.superseded.values())) > KILLS
    memory = NativeSubject(str(tmp_path))
    memory.findings(repair=True)
    assert memory.findings(repair=False) == []
    _compare(ledger, memory)


def _killed(root: pathlib.Path, name: str, seconds: float) -> list[str]:
    """Return the finished lines that a writing process said within *seconds* of its first."""
    with subprocess.Popen(
        [sys.executable, "-m", writing_process.__name__, str(root), name],
        stdout=subprocess.PIPE,
        cwd=REPOSITORY,
        env={"PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])},
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        select.select([], [], [], seconds)
        process.kill()
        rest = process.stdout.read()
    return [line for line in (first + rest).decode().splitlines(keepends=True) if line[-1] == "\n"]


def _compare(ledger: Ledger, memory: NativeSubject) -> None:
    if ledger.doubtful is not None:
        ledger.settle(text_or_nothing(memory, ledger.doubtful[0]))
    for path, text in ledger.texts.items():
        assert memory.read(path) == text
        superseded = ledger.superseded.get(path, [])
        kept = [memory.version(path, number) for number in memory.history(path)]
        assert kept == superseded[len(superseded) - len(kept) :]
        assert len(kept) >= min(50, len(superseded))
