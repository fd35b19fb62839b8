"""A process that renames into and out of a directory that it may not change, and says what came of it."""

import json
import sys
from pathlib import Path

from tests.sandbox.documents.subject import SandboxedSubject, documents_of
from tests.unit.documents.subject import RefusedError

from ironclaw_memory import MemoryHost


RENAMES = (("a.md", "shut/a.md"), ("shut/b.md", "b.md"), ("shut/b.md", "new/b.md"))


def main() -> None:
    """Work in the data directory ``argv[1]``."""
    root = Path(sys.argv[1])
    with MemoryHost.open(root=root) as host:
        memory = SandboxedSubject(host, root)
        for path in ("a.md", "shut/b.md"):
            memory.write({"target": path, "content": "hello"})
        shut = documents_of(root) / "shut"
        shut.chmod(0o555)
        try:
            said = [_said(memory, path, to) for path, to in RENAMES]
            found = sorted(memory.found("hello"))
            codes = memory.findings(repair=True)
        finally:
            shut.chmod(0o755)
        memory.rename("shut/b.md", "b.md")
        after = sorted(memory.found("hello"))
    sys.stdout.write(json.dumps({"said": said, "found": found, "codes": codes, "after": after}))


def _said(memory: SandboxedSubject, path: str, to: str) -> str:
    try:
        memory.rename(path, to)
    except RefusedError as refused:
        memory.write({"target": "a.md", "content": "written after"})
        return str(refused)
    return "renamed"


if __name__ == "__main__":
    main()
