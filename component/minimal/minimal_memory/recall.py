"""MEMORY.md as the beginning of a prompt: packed lines, the newest first to be kept."""

CHUNKS = 4
CHUNK_BYTES = 400
MARK = " (truncated)"
SEPARATOR = "; "
DISABLING = {"memory_disabled", "memory-disabled", "disabled_context", "context_disabled"}


def chunks(text: str, budget: int) -> list[str]:
    """Return the last lines of *text* that fit into *budget* chunks, in their order.

    A line that does not fit into a chunk is cut and marked. If lines are left out, the
    last chunk says so.
    """
    lines = [line.rstrip() for line in text.removeprefix("\ufeff").split("\n") if line.strip()]
    packed: list[str] = []
    room = CHUNK_BYTES - len(MARK)  # the last chunk, filled first, keeps room for the mark
    while lines:
        line = clipped(lines[-1])
        joined = f"{line}{SEPARATOR}{packed[0]}" if packed else line
        if packed and len(joined.encode()) <= room:
            packed[0] = joined
        elif len(packed) < budget:
            room = CHUNK_BYTES if packed else room
            packed.insert(0, line)
        else:
            break
        lines.pop()
    if lines and packed and not packed[-1].endswith(MARK):
        packed[-1] = marked(packed[-1])
    return packed


def clipped(line: str) -> str:
    """Return *line*, cut and marked if it does not fit into a chunk."""
    return line if len(line.encode()) <= CHUNK_BYTES else marked(line)


def marked(text: str) -> str:
    """Return *text* with the mark behind it, cut between two characters so that both fit."""
    return text.encode()[: CHUNK_BYTES - len(MARK)].decode(errors="ignore") + MARK
