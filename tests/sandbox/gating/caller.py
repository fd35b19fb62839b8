"""One process with an open host: tries a write for every line that comes in, and says how it went.

Run as ``python caller.py ROOT``; see `test_processes`.
"""

import sys
from pathlib import Path

from ironclaw_memory import MemoryHost, Origin, Scope
from ironclaw_memory.errors import AccessRefused


SCOPE = Scope(tenant="acme", user="alice")
WRITE = "ironclaw.memory.write"


def main() -> None:
    """Answer ``yes`` or the code of the refusal."""
    with MemoryHost.open(root=Path(sys.argv[1])) as host:
        print("ready", flush=True)  # noqa: T201
        for line in sys.stdin:
            try:
                host.call(WRITE, {"content": line.strip()}, scope=SCOPE, origin=Origin.LOOP_RUN)
                print("yes", flush=True)  # noqa: T201
            except AccessRefused as refused:
                print(refused.code, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
