"""How long memory keeps an event loop waiting: the largest gap between two of its steps.

    python tests/bench/async_loop.py [--scopes 16] [--seconds 10]

Many scopes write, read and search at once on an `AsyncMemoryHost`, while one task does
nothing but step every millisecond and note how late each step is. The same task is measured
on an idle loop first: that gap is the machine's own. Beside the gaps it prints the calls
done per second with one scope at a time and with all of them at once.
"""

import argparse
import asyncio
import gc
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from ironclaw_memory import AsyncMemoryHost, Origin, Scope


STEP_S = 0.001
TOOLS = {
    "ironclaw.memory.write": {"target": "memory", "content": "Prefers green tea without sugar."},
    "ironclaw.memory.read": {"path": "MEMORY.md"},
    "ironclaw.memory.search": {"query": "what tea does the user like?"},
}


async def lateness(until: asyncio.Event) -> list[float]:
    """Step every millisecond; return by how many milliseconds each step came late."""
    late = []
    while not until.is_set():
        began = time.perf_counter()
        await asyncio.sleep(STEP_S)
        late.append((time.perf_counter() - began - STEP_S) * 1000)
    return late


async def gaps(work: Callable[[], Awaitable[object]]) -> list[float]:
    """Return the lateness of a loop's steps while *work* is under way, in order of size."""
    done = asyncio.Event()
    stepping = asyncio.create_task(lateness(done))
    await work()
    done.set()
    return sorted(await stepping)


async def use(host: AsyncMemoryHost, scope: Scope, until: float) -> int:
    """Call the tools in turn until the time *until*; return how many calls that were."""
    calls = 0
    while time.perf_counter() < until:
        for tool, arguments in TOOLS.items():
            await host.call(tool, arguments, scope=scope, origin=Origin.LOOP_RUN)
            calls += 1
    return calls


async def load(host: AsyncMemoryHost, scopes: list[Scope], seconds: float) -> float:
    """Use all *scopes* at once for so many seconds; return the calls per second."""
    until = time.perf_counter() + seconds
    return sum(await asyncio.gather(*(use(host, scope, until) for scope in scopes))) / seconds


def row(name: str, late: list[float]) -> str:
    """Return one line: the median, the 99th percentile and the largest gap."""
    p99 = late[int(0.99 * (len(late) - 1))]
    return (
        f"  {name:34}{late[len(late) // 2]:9.2f}ms{p99:9.2f}ms{late[-1]:9.2f}ms{len(late):9} steps"
    )


async def measure(root: Path, *, scopes: int, seconds: float) -> None:
    """Measure on an empty memory in *root*, and print."""
    users = [Scope(tenant="bench", user=f"user{number}") for number in range(scopes)]
    rates: dict[str, float] = {}
    async with await AsyncMemoryHost.open(root=root) as host:
        for scope in users:
            await host.grant("ironclaw.memory.write", scope=scope)
        await load(host, users, 1)  # compiled, instances warm
        gc.collect()
        idle = await gaps(lambda: asyncio.sleep(seconds))

        async def one() -> None:
            rates["one scope"] = await load(host, users[:1], seconds)

        async def all_of_them() -> None:
            rates[f"{scopes} scopes at once"] = await load(host, users, seconds)

        alone, together = await gaps(one), await gaps(all_of_them)
    print(f"lateness of the event loop, {os.cpu_count()} cores")
    print(f"  {'':34}{'median':>11}{'p99':>11}{'max':>11}")
    for name, late in (("idle", idle), ("one scope", alone), (f"{scopes} scopes", together)):
        print(row(name, late))
    for name, rate in rates.items():
        print(f"  {name:34}{rate:9.0f} calls/s")


def main() -> None:
    """Read the options and measure in a temporary directory."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--scopes", type=int, default=16)
    options.add_argument("--seconds", type=float, default=10)
    said = options.parse_args()
    with tempfile.TemporaryDirectory() as root:
        asyncio.run(measure(Path(root), scopes=said.scopes, seconds=said.seconds))


if __name__ == "__main__":
    main()
