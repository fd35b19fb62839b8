"""The gate between processes: revoking, counting and approving, through calls of the component."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.sandbox.gating.caller import SCOPE, WRITE

from ironclaw_memory import MemoryHost
from ironclaw_memory.capability.pending import Once


pytestmark = pytest.mark.sandbox

CALLER = Path(__file__).with_name("caller.py")


class Caller:
    """Another process with a host of its own on the same root."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        """Speak to *process*."""
        assert process.stdin
        assert process.stdout
        self._to, self._from = process.stdin, process.stdout
        assert self._from.readline() == "ready\n"

    def write(self, content: str = "tea") -> str:
        """Have it write; return what became of that."""
        self.begin(content)
        return self.end()

    def begin(self, content: str = "tea") -> None:
        """Have it write, without waiting."""
        self._to.write(f"{content}\n")
        self._to.flush()

    def end(self) -> str:
        """Return what became of the write."""
        return self._from.readline().strip()


@contextmanager
def another(root: Path) -> Iterator[Caller]:
    """Start a process and end it."""
    command = [sys.executable, str(CALLER), str(root)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Caller(process)
        assert process.stdin
        process.stdin.close()


def test_revoking_takes_effect_for_the_next_call_of_another_process(root: Path) -> None:
    """Warm instance, open host, cached state: the next call is refused all the same."""
    with MemoryHost.open(root=root) as host, another(root) as caller:
        assert caller.write() == "approval-required"
        grant = host.grant(WRITE, scope=SCOPE)
        assert caller.write() == "yes"
        assert caller.write() == "yes"
        host.revoke(grant.id)
        assert caller.write() == "approval-required"
        host.set_disabled(WRITE, disabled=True)
        assert caller.write() == "tool-disabled"


def test_what_one_process_asked_another_approves_once(root: Path) -> None:
    """The lease is for that call, whoever makes it, and for one of them."""
    with MemoryHost.open(root=root) as host, another(root) as one, another(root) as two:
        assert one.write("tea") == "approval-required"
        (waiting,) = host.pending()
        host.approve(waiting.id, Once())
        assert two.write("coffee") == "approval-required"
        one.begin("tea")
        two.begin("tea")
        assert sorted([one.end(), two.end()]) == ["approval-required", "yes"]


def test_uses_are_counted_across_processes(root: Path) -> None:
    """Two processes that write at the same time get as many uses as were granted, together."""
    with MemoryHost.open(root=root) as host, another(root) as one, another(root) as two:
        host.grant(WRITE, scope=SCOPE, uses=5)
        said = []
        for _ in range(4):
            one.begin()
            two.begin()
            said += [one.end(), two.end()]

    assert said.count("yes") == 5
    assert said.count("approval-required") == 3
