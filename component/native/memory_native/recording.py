"""Keeping the transcript of one run (reference.md section 3).

A transcript is a row of blocks, ``## role`` or ``## role (name)``, a line break, the
content verbatim, a line break. Content may itself hold a line that looks like a
heading; it is not touched. Instead such a transcript ends in a line

    <!-- blocks at 0 57 203 -->

with the byte offset of each heading. A reader therefore looks at the last line
first: if it has this form it says where blocks begin, and nothing else does; if
not, every line that looks like a heading is one.
"""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, Protocol

from memory_native.failures import MemoryFailure
from memory_native.replies import Recording
from memory_native.requests import Message, Role
from memory_native.threads import transcript_path


_NAME_LENGTH: Final = 60
_FORGED: Final = re.compile(
    rf"(?:^|[\n\r])(?:## (?:{'|'.join(role.value for role in Role)})\b|<!-- blocks at )"
)


class TranscriptStore(Protocol):
    """Where transcripts are written; `memory_native.documents.Documents` is one."""

    def put(self, path: str, content: bytes) -> None:
        """Store *content* as the whole document at *path*."""
        ...


def record(
    store: TranscriptStore,
    messages: Sequence[Message],
    *,
    thread_id: str | None,
    run_id: str | None,
) -> Recording:
    """Write the transcript of one run, replacing what an earlier try left.

    Without a thread, a run or messages nothing is written and that is no error.
    Raises a failure of kind ``operation`` if it cannot be stored.
    """
    if not thread_id or not run_id or not messages:
        return Recording(recorded=False)
    try:
        store.put(transcript_path(thread_id, run_id), transcript(messages).encode())
    except UnicodeEncodeError:
        raise MemoryFailure("not-text") from None
    except MemoryFailure as failure:
        if failure.code == "document-too-large":  # the caller's fault in a tool, not in a hook
            raise MemoryFailure("transcript-too-large") from None
        raise
    return Recording(recorded=True)


def transcript(messages: Sequence[Message]) -> str:
    """Return the text of a transcript."""
    blocks = [f"## {_heading(message)}\n{message.content}\n" for message in messages]
    if any(_FORGED.search(message.content) for message in messages):
        sizes = (len(block.encode()) for block in blocks)
        offsets = " ".join(map(str, list(accumulate(sizes, initial=0))[:-1]))
        blocks.append(f"<!-- blocks at {offsets} -->\n")
    return "".join(blocks)


def _heading(message: Message) -> str:
    """Return role and name on one line; a name is a label, so it may be shortened."""
    visible = "".join(c if c.isprintable() else " " for c in message.name or "")
    name = " ".join(visible.split())[:_NAME_LENGTH]
    return f"{message.role.value} ({name})" if name else message.role.value
