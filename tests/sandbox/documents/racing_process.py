"""One of several processes that append to and patch one document through the sandbox.

``argv`` is the data directory, this process's name and how many steps it makes. Each
step prints one line: what it did and whether it was acknowledged.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.sandbox.documents.subject import SandboxedSubject
from tests.unit.documents.subject import RefusedError

from ironclaw_memory import MemoryHost


DOCUMENT = "race.md"


def main() -> None:
    """Append a line, and patch every fifth one."""
    root, name, steps = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with MemoryHost.open(root=root) as host:
        memory = SandboxedSubject(host, root)
        for step in range(steps):
            entry = f"{name}-{step}"
            say(entry, attempted(memory, {"target": DOCUMENT, "content": entry}))
            if step % 5 == 0:
                patch = {
                    "target": DOCUMENT,
                    "old_string": f"{entry}\n",
                    "new_string": f"{entry}!\n",
                }
                say(f"{entry}!", attempted(memory, patch))


def attempted(memory: SandboxedSubject, fields: Mapping[str, object]) -> str:
    """Make a write; return nothing, or the code of its refusal."""
    try:
        memory.write(fields)
    except RefusedError as refused:
        return str(refused)
    return ""


def say(entry: str, refused: str) -> None:
    """Report one step."""
    sys.stdout.write(json.dumps({"entry": entry, "refused": refused}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
