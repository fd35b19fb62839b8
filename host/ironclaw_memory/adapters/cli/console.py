"""The installed command ``ironclaw-memory``: one process, one command line.

Most commands last a fraction of a second, of which a fifth would go into freeing what the
system frees at once when a process ends, and into looking for garbage while modules load.
"""

import gc
import os
import sys
from contextlib import suppress
from typing import Final, NoReturn


COLLECT_AFTER: Final = 100_000
"""New objects between two collections: more than the 60,000 that starting makes."""

_STREAMS: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def console() -> NoReturn:
    """Run the process's own command line and end the process with its exit code.

    What has to be on disk is there when `main` returns; exit functions do not run.
    """
    gc.set_threshold(COLLECT_AFTER)
    _open_streams()
    from ironclaw_memory.adapters.cli.entry import main  # noqa: PLC0415 - after the line above

    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # full, or closed meanwhile
            stream.flush()
    os._exit(code)


def _open_streams() -> None:
    """Put nothing in the place of each standard stream that the process was started without.

    In their order, so that each gets its own number back: else the next file that is opened has
    the number of standard output, and whoever writes there writes into it.
    """
    for name, mode in _STREAMS:
        if getattr(sys, name) is None:
            nothing = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115 - for good
            setattr(sys, name, nothing)
