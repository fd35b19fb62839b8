"""Timing for benchmarks: medians, measured in turn so that a drifting machine hits all alike."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


Step = Callable[[], object]


@dataclass(frozen=True, kw_only=True)
class Timing:
    """What one step took, in milliseconds."""

    median: float
    p95: float
    runs: int

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Timing":
        """Summarise *samples*, in milliseconds."""
        ordered = sorted(samples)
        at = min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))
        return cls(median=statistics.median(ordered), p95=ordered[at], runs=len(ordered))


def stay_on_one_core() -> None:
    """Keep this process on one core where that can be asked for (Linux).

    A call hands over between threads; on several cores of a virtual machine the same run takes up to
    1.6 times as long, by where its threads are put.
    """
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def timed(step: Step) -> float:
    """Run *step* once and return its milliseconds."""
    began = time.perf_counter()
    step()
    return (time.perf_counter() - began) * 1000


def in_turn(steps: Mapping[str, Step], *, runs: int, warm_up: int = 3) -> dict[str, Timing]:
    """Time every step *runs* times, one after another in each round: A B C A B C …"""
    samples: dict[str, list[float]] = {name: [] for name in steps}
    for round_number in range(warm_up + runs):
        for name, step in steps.items():
            took = timed(step)
            if round_number >= warm_up:
                samples[name].append(took)
    return {name: Timing.of(taken) for name, taken in samples.items()}


def table(
    title: str, rows: Sequence[tuple[str, Timing, float | None]], *, ratio_to: str = "native"
) -> str:
    """Return rows of (name, timing, ratio) as an aligned table."""
    lines = [f"{title}", f"  {'':44}{'median':>10}{'p95':>10}  x {ratio_to}"]
    for name, timing, ratio in rows:
        shown = "" if ratio is None else f"{ratio:8.2f}"
        lines.append(f"  {name:44}{timing.median:8.2f}ms{timing.p95:8.2f}ms  {shown}")
    return "\n".join(lines)
