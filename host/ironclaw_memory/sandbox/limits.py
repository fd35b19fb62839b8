"""What one guest may use. Every figure has a source, and every figure can be set."""

from dataclasses import dataclass
from typing import Final


KIB: Final = 1 << 10
MIB: Final = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of a provider; ``LimitExceeded.limit`` is the name of a field here.

    Time is in milliseconds, size in bytes. "design" is design.md section 5, "notes" is
    tech-notes.md; where neither gives a figure the comment says why this one.
    """

    # One call
    deadline_ms: int = 5_000  # design: tools and lanes; waiting for the lock counts
    long_deadline_ms: int = 30_000  # design: recording and upkeep
    refresh_ms: int = 600_000  # calls.guest: all rounds together; a full scope needs minutes
    grace_ms: int = 250  # notes 5: an epoch trap arrives within 6 ms; a busy machine needs more
    reply_bytes: int = 1 * MIB  # design
    document_reply_bytes: int = 8 * MIB  # design: a read reply
    reply_items: int = 60_000  # three times scope_files: a sweep may name every document
    audit_events: int = 32  # design, wit/audit.wit
    stderr_bytes: int = 64 * KIB  # design; counted per call

    # One instance
    memory_bytes: int = 192 * MIB  # design
    stack_bytes: int = 512 * KIB  # design; beyond 2 MiB the engine aborts the process (notes 0.6)
    table_elements: int = 20_000  # notes 5
    core_instances: int = 50  # notes 5
    tables: int = 10  # notes 5
    memories: int = 2  # notes 5

    # One process of the host
    warm_instances: int = 32  # 0.6 MB of private memory each (notes 3)
    live_instances: int = 64  # twice the warm ones; more callers wait for their turn
    workers: int = 8  # one interpreter of about 40 MB each

    # One worker process
    worker_start_ms: int = 10_000  # notes 5 measured 162 ms; a loaded machine needs more
    worker_files: int = 256  # the guest shares the process's descriptors (notes 5)
    file_bytes: int = 64 * MIB  # a quarter of scope_bytes: no honest file comes near

    # One scope on disk, documents and the provider's own .store counted apart
    scope_files: int = 20_000  # design
    scope_bytes: int = 256 * MIB  # design
    watch_after_ms: int = 50  # a short call is not worth watching
    watch_every_ms: int = 20  # notes 5: stopped a flood 2 MB above the cap

    # One foreign file
    component_bytes: int = 64 * MIB  # three times a Python component (notes 7)
    compile_ms: int = 300_000  # notes 6: 60 s on a busy machine, with room for a small one
    compile_memory_bytes: int = 2 << 30  # notes 6: 400 MB on two cores; more threads take more
    compiled_bytes: int = 512 * MIB  # notes 6: 40 MB for a Python component


DEFAULT_LIMITS: Final = Limits()
