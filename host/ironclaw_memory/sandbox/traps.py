"""From the engine's words for a trap to our errors; the engine's words go no further.

wasmtime-py gives component errors no code, only a text whose last line names the trap
(tech-notes.md section 1.4). Running out of memory has no trap of its own: the guest's
runtime gives up in its own way, so its log is looked at for the usual last words.
"""

from typing import Final

import wasmtime

from ironclaw_memory.errors import (
    LimitExceeded,
    ProviderError,
    ProviderTrapped,
    UnacceptableComponent,
)


_LIMIT_MARKS: Final = (
    ("wasm trap: interrupt", "deadline_ms", "took longer than allowed"),
    ("call stack exhausted", "stack_bytes", "nested calls deeper than allowed"),
    ("hostcalls has been exhausted", "reply_bytes", "handed over more than allowed"),
    ("memory limits", "memory_bytes", "needs more memory than allowed"),
    ("resource limit exceeded", "core_instances", "needs more instances than allowed"),
    ("table minimum size", "table_elements", "needs larger tables than allowed"),
)
_NOT_LINKED: Final = "matching implementation was not found"
_LAST_WORDS: Final = (b"MemoryError", b"memory allocation of", b"out of memory")


def classify(error: wasmtime.WasmtimeError, *, slept: bool, log: bytes) -> ProviderError:
    """Return our error for a trap; *log* is what the guest wrote during the call."""
    if slept:
        return ProviderTrapped(
            "The provider asked to sleep, which is not offered, and was stopped.",
            code="sleep-refused",
            hint="A provider answers or fails; it does not wait.",
        )
    text = str(error)
    if _NOT_LINKED in text:
        return UnacceptableComponent(
            "The component imports something of WASI that this host does not have.",
            hint="Build it with a toolchain for WASI 0.2.",
        )
    for mark, limit, sentence in _LIMIT_MARKS:
        if mark in text:
            return exceeded(limit, sentence)
    if any(words in log for words in _LAST_WORDS):
        return exceeded("memory_bytes", "needs more memory than allowed")
    return ProviderTrapped(
        "The provider was stopped by an error of its own.",
        hint="The documents are as before or fully written. Repeat the call; if it fails again, "
        "report it to the provider's author.",
    )


def too_late() -> LimitExceeded:
    """Return the error for a call whose time is over before the guest is reached."""
    return LimitExceeded(
        "The time of the call was used up before the provider was reached.",
        limit="deadline_ms",
        hint="Repeat the call, or raise the limit deadline_ms.",
    )


def exceeded(limit: str, sentence: str) -> LimitExceeded:
    """Return the error for a limit that the provider crossed."""
    return LimitExceeded(
        f"The provider {sentence} and was stopped.",
        limit=limit,
        hint=f"Ask for less, or raise the limit {limit}.",
    )
