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


def console() -> NoReturn:
    """Run the process's own command line and end the process with its exit code.

    What has to be on disk is there when `main` returns; exit functions do not run.
    """
    gc.set_threshold(COLLECT_AFTER)
    from ironclaw_memory.adapters.cli.entry import main  # noqa: PLC0415 - after the line above

    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or never open
            stream.flush()
    os._exit(code)
