"""A process that keeps writing through the sandbox until it is killed; see the native one."""

import random
import sys
from pathlib import Path

from tests.sandbox.documents.subject import SandboxedSubject
from tests.unit.documents.writing_process import keep_writing

from ironclaw_memory import MemoryHost


def main() -> None:
    """Write to the data directory ``argv[1]`` in an order that ``argv[2]`` decides."""
    choice = random.Random(sys.argv[2])  # noqa: S311 - which writes to make
    root = Path(sys.argv[1])
    with MemoryHost.open(root=root) as host:
        keep_writing(SandboxedSubject(host, root), choice)


if __name__ == "__main__":
    main()
