"""Text as the tool shows and changes it. Lines are counted from 1.

The words are those of the SDK's own implementation, which models were trained on.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ironclaw_memory.adapters.anthropic_memory.paths import ROOT
from ironclaw_memory.adapters.anthropic_memory.refusal import Refusal


MAX_LINES: Final = 999_999
WIDTH: Final = len(str(MAX_LINES))
DEPTH: Final = 2  # levels that a listing shows
AROUND: Final = 2  # lines shown before and after a change
KIB: Final = 1024
UNITS: Final = "KMG"


def listing(shown: str, directory: str, sizes: Mapping[str, int]) -> str:
    """Return the documents and directories two levels below *directory*, hidden ones left out.

    *sizes* are bytes by path, of the whole scope. A directory's size is that of what it holds.
    """
    inside = f"{directory}/" if directory else ""
    found: dict[str, int] = {}
    for path, size in sizes.items():
        if not path.startswith(inside):
            continue
        parts = path.removeprefix(inside).split("/")
        if any(part.startswith(".") for part in parts):
            continue
        for level in range(1, min(len(parts), DEPTH) + 1):
            name = "/".join(parts[:level]) + ("/" if level < len(parts) else "")
            found[name] = found.get(name, 0) + size
    whole = sum(size for name, size in found.items() if "/" not in name.rstrip("/"))
    base = shown.rstrip("/") or ROOT
    rows = [(whole, base), *((found[name], f"{base}/{name}") for name in sorted(found))]
    head = (
        f"Here're the files and directories up to 2 levels deep in {base}, excluding hidden items:"
    )
    return "\n".join([head, *(f"{readable(size)}\t{path}" for size, path in rows)])


def readable(size: int) -> str:
    """Return bytes as people read them, for instance ``1.5K``."""
    if size < KIB:
        return f"{size}B"
    power = min((size.bit_length() - 1) // 10, len(UNITS))
    return f"{size / KIB**power:.1f}{UNITS[power - 1]}"


def numbered_view(shown: str, content: str, view_range: Sequence[int] | None) -> str:
    """Return a document with line numbers, or the lines of *view_range*, whose end may be -1."""
    lines = content.split("\n")
    if len(lines) > MAX_LINES:
        raise Refusal(f"File {shown} exceeds maximum line limit of 999,999 lines.")
    first, last = 1, len(lines)
    if view_range is not None:
        first, last = _range(view_range, len(lines))
    head = f"Here's the content of {shown} with line numbers:"
    return "\n".join([head, *numbered(lines, range(first, last + 1))])


def numbered(lines: Sequence[str], numbers: Iterable[int]) -> list[str]:
    """Return the lines with these *numbers*, each behind its own."""
    return [f"{number:>{WIDTH}}\t{lines[number - 1]}" for number in numbers]


def replaced(shown: str, content: str, old: str, new: str) -> str:
    """Return *content* with the one occurrence of *old* replaced. Raises `Refusal`."""
    at = _occurrences(content, old)
    if not at:
        raise Refusal(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
        )
    if len(at) > 1:
        lines = ", ".join(str(content.count("\n", 0, place) + 1) for place in at)
        raise Refusal(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            f"{lines}. Please ensure it is unique"
        )
    return content.replace(old, new)


def changed_view(before: str, after: str) -> str:
    """Return the lines around the first difference, after a change."""
    same = next(
        (at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    lines = after.split("\n")
    line = after.count("\n", 0, same) + 1
    numbers = range(max(1, line - AROUND), min(len(lines), line + AROUND) + 1)
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return "\n".join([head, *numbered(lines, numbers)])


def inserted(content: str, line: int, text: str) -> str:
    """Return *content* with *text* as new lines after *line*; 0 is before the first."""
    lines = content.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        raise Refusal(
            f"Invalid `insert_line` parameter: {line}. It should be within the range "
            f"[0, {len(lines)}]."
        )
    lines.insert(line, text.rstrip("\n"))
    return "\n".join(lines) + "\n"


def _occurrences(content: str, old: str) -> list[int]:
    """Return where *old* stands, overlaps included; nowhere if it is empty."""
    places, at = [], content.find(old) if old else -1
    while at >= 0:
        places.append(at)
        at = content.find(old, at + 1)
    return places


def _range(view_range: Sequence[int], count: int) -> tuple[int, int]:
    if len(view_range) == 2:  # noqa: PLR2004 - a first and a last line
        first, last = view_range
        last = count if last == -1 else min(last, count)
        if 1 <= first <= last:
            return first, last
    raise Refusal(
        f"Invalid `view_range` parameter: {view_range}. It should be two line numbers "
        f"within [1, {count}], the second -1 for the end."
    )
