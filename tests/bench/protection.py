"""What each protection costs: the same step with it and without it, in turn.

Taking one away is done here by hand, on hosts of their own; no setting of the host does it.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import wasmtime
from tests.bench.measure import Step, Timing, in_turn, table
from tests.bench.subjects import Sandboxed, sandboxed

from ironclaw_memory.model import Access
from ironclaw_memory.sandbox.engine import SETTINGS
from ironclaw_memory.scopes import Mount, usage


RUNS = 40
LINE = "The user prefers green tea without sugar and works from Berlin on Mondays.\n"
KB = LINE * 14
HUNDRED_KB = LINE * 1_400
STEPS_OF_THE_LOOP = 10_000_000
WATCHED_FILES = 1_000
NEVER = 1 << 40  # ticks of the epoch
LOOP = """
(module (memory 1) (func (export "run") (param $n i32) (result i32) (local $sum i32)
  (loop $again
    (local.set $sum (i32.add (local.get $sum) (i32.load (i32.and (local.get $n) (i32.const 4092)))))
    (local.set $n (i32.sub (local.get $n) (i32.const 1)))
    (br_if $again (local.get $n)))
  (local.get $sum)))
"""

Pair = tuple[str, Step, Step]


def run() -> str:
    """Return a table of pairs: without the protection, with it, and the ratio of the two."""
    with ExitStack() as stack:
        pairs = [
            ("deadline checking, a tight loop at worst", _loop(checked=False), _loop(checked=True)),
            *_pairs_of_calls(stack),
        ]
        rows = [row for pair in pairs for row in _measured(*pair)]
        look = in_turn({"look": stack.enter_context(_look())}, runs=RUNS)["look"]
    rows.append((f"disk watch, one look at {WATCHED_FILES:,} files", look, None))
    return table("Protections", rows, ratio_to="off")


def _measured(name: str, off: Step, on: Step) -> list[tuple[str, Timing, float | None]]:
    """Return the rows of a pair; pairs do not take turns with others, whose traces would tell."""
    taken = in_turn({"off": off, "on": on}, runs=RUNS)
    ratio = taken["on"].median / taken["off"].median
    return [(f"{name}, off", taken["off"], None), ("  on", taken["on"], ratio)]


def _pairs_of_calls(stack: ExitStack) -> Iterator[Pair]:
    """Yield pairs of calls on hosts that are open until *stack* ends."""

    def opened(**choices: Any) -> Sandboxed:
        host = stack.enter_context(sandboxed(**choices))
        host.write("notes/a.md", HUNDRED_KB[:4_096], append=False)
        return host

    def reading(host: Sandboxed) -> Step:
        return lambda: host.read("notes/a.md")

    def writing(host: Sandboxed, text: str = KB) -> Step:
        # A document for each size: the body that a write replaces is compressed.
        return lambda: host.write(f"notes/{len(text)}.md", text, append=False)

    read = opened()
    yield ("fresh instance, read 4 KB", reading(read), reading(opened(isolation="call")))
    yield ("worker process, read 4 KB", reading(read), reading(opened(isolation="process")))
    yield ("scope lock, read 4 KB", reading(_without_locks(opened())), reading(read))
    yield ("audit log, read 4 KB", reading(_without_audit(opened())), reading(read))
    written, careless = opened(), opened(secrets="allow")
    yield ("audit log, write 1 KB", writing(_without_audit(opened())), writing(written))
    yield ("secret scan, write 1 KB", writing(careless), writing(written))
    large = (writing(careless, HUNDRED_KB), writing(written, HUNDRED_KB))
    yield ("secret scan, write 100 KB", *large)


def _without_locks(host: Sandboxed) -> Sandboxed:
    store: Any = host.host._wiring.store
    store.lock = lambda *_scope, **_how: nullcontext()
    return host


def _without_audit(host: Sandboxed) -> Sandboxed:
    audit: Any = host.host._wiring.audit
    audit.require = audit.note = lambda record: None
    return host


def _loop(*, checked: bool) -> Callable[[], int]:
    """Return a loop in the engine, compiled with the host's settings or without deadlines."""
    config = wasmtime.Config()
    for name, value in SETTINGS.items():
        setattr(config, name, value and checked)
    store = wasmtime.Store(wasmtime.Engine(config))
    if checked:
        store.set_epoch_deadline(NEVER)
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, LOOP), [])
    exported: Any = instance.exports(store)["run"]
    return lambda: int(exported(store, STEPS_OF_THE_LOOP))


@contextmanager
def _look() -> Iterator[Step]:
    """Yield one measuring of a scope, which happens during a foreign provider's write."""
    with TemporaryDirectory() as place:
        for number in range(WATCHED_FILES):
            Path(place, f"{number}.md").write_text(LINE)
        mount = Mount(root=Path(place), parts=(), guest_path="/memory", access=Access.READ)
        yield lambda: usage(mount)
