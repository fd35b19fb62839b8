"""A process that keeps writing until it is killed, and says on stdout what it does.

Two lines a write: ``begin`` with the path, the text before and the text to come, then
``done`` once the write was acknowledged. Whatever was begun last may or may not be there.
"""

import json
import random
import sys
from collections.abc import Mapping

from tests.unit.documents.subject import NativeSubject, RefusedError, Subject


PATHS = ("MEMORY.md", "notes.md", "deep/er/log.md")


def main() -> None:
    """Write below ``argv[1]`` in an order that ``argv[2]`` decides."""
    choice = random.Random(sys.argv[2])  # noqa: S311 - which writes to make
    keep_writing(NativeSubject(sys.argv[1]), choice)


def keep_writing(memory: Subject, choice: random.Random) -> None:
    """Write, append and patch for ever."""
    number = 0
    while True:
        number += 1
        path = choice.choice(PATHS)
        before = text_or_nothing(memory, path)
        request, after = _next(choice, path, before, f"{sys.argv[2]}-{number}")
        _say(event="begin", path=path, before=before, after=after)
        memory.write(request)
        _say(event="done")


def _next(
    choice: random.Random, path: str, before: str, mark: str
) -> tuple[Mapping[str, object], str]:
    line = f"{mark} {'x' * choice.choice((5, 500, 9000))}"
    kind = choice.choice(("append", "append", "replace", "patch"))
    if kind == "append" and len(before) < 100_000:
        return {"target": path, "content": line}, f"{before}{line}\n"
    if kind == "patch" and "x" in before:
        return {"target": path, "old_string": "x", "new_string": mark}, before.replace("x", mark, 1)
    return {"target": path, "content": f"{line}\n", "append": False}, f"{line}\n"


def text_or_nothing(memory: Subject, path: str) -> str:
    """Return a document's text, which for an absent one is nothing."""
    try:
        return memory.read(path)
    except RefusedError:
        return ""


def _say(**facts: str) -> None:
    sys.stdout.write(f"{json.dumps(facts)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
