"""What a turn waits for: `before_turn` by the size of the scope, cold and warm."""

from itertools import count

from tests.bench.documents import fill
from tests.bench.measure import Step, Timing, in_turn, table, timed
from tests.bench.subjects import SCOPE, sandboxed

from ironclaw_memory import MemorySession, Scope


RUNS = 20
SCOPES = (10, 1_000, 10_000)
MESSAGES = (
    "Which topic did I file item 12 under?",
    "What do I like to drink in the morning?",
    "Remind me what we said about the weekly review.",
)


def run() -> str:
    """Return the table."""
    rows: list[tuple[str, Timing, float | None]] = []
    base: Timing | None = None
    for documents in SCOPES:
        with sandboxed() as guest:
            fill(guest.host._opened.root, documents)
            guest.write("memory", "The user drinks green tea in the morning.", append=True)
            guest.host.refresh(SCOPE, everything=True)
            thread = Scope(tenant=SCOPE.tenant, user=SCOPE.user, thread="t1")
            turn = _turns(MemorySession(guest.host, thread))
            rows.append((f"{documents} documents, the first turn", Timing.of([timed(turn)]), None))
            taken = in_turn({"turn": turn}, runs=RUNS)["turn"]
            base = base or taken
            rows.append((f"{documents} documents", taken, taken.median / base.median))
    return table("before_turn: both lanes, admission, profile", rows, ratio_to="10 documents")


def _turns(session: MemorySession) -> Step:
    """Return a step that begins another run each time, since a run recalls once."""
    numbers = count()

    def turn() -> object:
        number = next(numbers)
        return session.before_turn(f"{MESSAGES[number % len(MESSAGES)]} ({number})")

    return turn
