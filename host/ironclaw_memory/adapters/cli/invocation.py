"""What one command line works with, and what a command gives back."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ironclaw_memory import config
from ironclaw_memory.adapters.cli.failures import Failure
from ironclaw_memory.adapters.cli.terminal import Progress, Terminal, announce
from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.model import Scope


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost

Steps = Callable[[int, int], None]
"""Told what is done and what there is in all."""


class Answer(NamedTuple):
    """What a command found out: ``data`` for programs, ``text`` for people.

    ``data`` is JSON-ready. ``exact`` text is printed as it is, without a line break of
    ours. ``trouble`` is set where the command ran to its end and found something wrong.
    """

    data: object
    text: str = ""
    exact: bool = False
    trouble: Failure | None = None


class OpenHost(Protocol):
    """Opens the memory host that a command line asked for."""

    def __call__(self, settings: config.Config, progress: Steps) -> "MemoryHost":
        """Return a host that is closed at the end of a ``with`` block.

        *progress* gets the documents done and in all while an index is brought in step.
        """
        ...


def open_memory_host(settings: config.Config, progress: Steps) -> "MemoryHost":
    """Open the host as *settings* say; the sandbox is loaded with its first guest call."""
    from ironclaw_memory.configured import limits_of  # noqa: PLC0415 - see below
    from ironclaw_memory.host import MemoryHost  # noqa: PLC0415 - help and settings need none

    return MemoryHost.open(
        root=settings.root,
        provider=settings.provider,
        isolation=settings.isolation,
        limits=limits_of(settings),
        secrets=settings.secrets,
        transcript_secrets=settings.transcript_secrets,
        say=announce,
        progress=progress,
    )


@dataclass(kw_only=True)
class Invocation:
    """One command line: the flags it gave, and what follows from them, on demand.

    ``command`` is the verb once it is known. ``began`` is a reading of
    `time.perf_counter`, in seconds.
    """

    open_host: OpenHost = open_memory_host
    flags: dict[str, config.Value] = field(default_factory=dict)
    command: str | None = None
    began: float = field(default_factory=time.perf_counter)

    @cached_property
    def config(self) -> config.Config:
        """Every setting, resolved; asked for only after all flags were read."""
        loaded = config.load(flags=self.flags)
        if loaded.limits:
            from ironclaw_memory.configured import limits_of  # noqa: PLC0415 - few set any

            limits_of(loaded)  # a misspelt one would be listed as if it held
        return loaded

    @property
    def wants_json(self) -> bool:
        """Whether to answer in JSON; settings that do not hold ask for nothing."""
        if self.flags.get("json"):
            return True
        try:
            return self.config.json
        except IronclawMemoryError:
            return False

    @cached_property
    def scope(self) -> Scope:
        """Whose memory the command is about; raises `InvalidScope`."""
        said = self.config
        return Scope(
            tenant=said.tenant,
            user=said.user,
            agent=said.agent,
            project=said.project,
            thread=said.thread,
        )

    @cached_property
    def terminal(self) -> Terminal:
        """How to show text on standard output."""
        return Terminal.of_stdout(no_colour=config.forbids_colour(), json=self.config.json)

    @contextmanager
    def host(self) -> "Iterator[MemoryHost]":
        """Open the host for a block; a long indexing shows its progress."""
        with (
            Progress("Indexing") as progress,
            self.open_host(self.config, progress.step) as host,
        ):
            yield host

    def now_ms(self) -> int:
        """Return the time in Unix milliseconds."""
        return time.time_ns() // 1_000_000

    def elapsed_ms(self) -> int:
        """Return the milliseconds since the command line began."""
        return round((time.perf_counter() - self.began) * 1000)
