"""Killing a writing process at random moments, and comparing what is left with what it said."""

import json
import os
import pathlib
import random
import select
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType

from tests.unit.documents.subject import Subject
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


def survive(
    process: ModuleType,
    root: pathlib.Path,
    look: Callable[[], Subject],
    *,
    seconds: tuple[float, float] = (0.01, 0.25),
    kills: int = KILLS,
) -> None:
    """Kill *process* again and again, each time within *seconds* of its first word.

    After each kill *look* opens the memory: every acknowledged text is there or in the
    history, in order, and what was being written is the old text or the new one.
    """
    choice = random.Random(7)  # noqa: S311 - when to kill
    ledger = Ledger()
    for kill in range(kills):
        ledger.read(_killed(process, root, str(kill), choice.uniform(*seconds)))
        _compare(ledger, look())
    assert sum(map(len, ledger.superseded.values())) > kills
    memory = look()
    memory.findings(repair=True)
    assert memory.findings(repair=False) == []
    _compare(ledger, memory)


def _killed(process: ModuleType, root: pathlib.Path, name: str, seconds: float) -> list[str]:
    """Return the finished lines that a writing process said within *seconds* of its first."""
    with subprocess.Popen(
        [sys.executable, "-m", process.__name__, str(root), name],
        stdout=subprocess.PIPE,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])},
    ) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        select.select([], [], [], seconds)
        child.kill()
        rest = child.stdout.read()
    return [line for line in (first + rest).decode().splitlines(keepends=True) if line[-1] == "\n"]


def _compare(ledger: Ledger, memory: Subject) -> None:
    if ledger.doubtful is not None:
        ledger.settle(text_or_nothing(memory, ledger.doubtful[0]))
    for path, text in ledger.texts.items():
        assert memory.read(path) == text
        superseded = ledger.superseded.get(path, [])
        kept = [memory.version(path, number) for number in memory.history(path)]
        assert kept == superseded[len(superseded) - len(kept) :]
        assert len(kept) >= min(50, len(superseded))
