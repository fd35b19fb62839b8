"""How many turns each owner has completed, and who runs the pass that is due.

One SQLite file outside every mount, opened anew for each operation: it survives
restarts, and any number of processes and threads may use it. A claim is a lease
with a token. It says who should be working; whoever holds one asks `holds`
before acting, because a lease that ran out may have been given to another.
"""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ironclaw_memory.errors import HostFault
from ironclaw_memory.private import make_private


BUSY_SECONDS: Final = 5.0  # the deadline of a tool call (design.md section 5)
KEPT_RUNS: Final = 64  # per owner; a replay comes soon after its run or not at all

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS owners (owner TEXT PRIMARY KEY, turns INTEGER NOT NULL) STRICT",
    """CREATE TABLE IF NOT EXISTS runs (
        owner TEXT NOT NULL, run TEXT NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY (owner, run)
    ) STRICT""",
    # covered: turns that a settled pass has seen; the last three are the claim, if there is one
    """CREATE TABLE IF NOT EXISTS passes (
        owner TEXT NOT NULL, name TEXT NOT NULL, covered INTEGER NOT NULL,
        token TEXT, turns INTEGER, until_ms INTEGER, PRIMARY KEY (owner, name)
    ) STRICT""",
)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """The right to run one pass now. ``turns`` is how many turns it will have covered."""

    owner: str
    pass_name: str
    turns: int
    token: str


class TurnLedger:
    """Counts turns and gives out claims. *path* is the file; its directory is made with 0700.

    Every method raises `HostFault`, code ``turns-unusable``, where the file does not hold.
    """

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is opened yet."""
        self._path = path

    def complete(self, owner: str, run_id: str) -> int:
        """Count one completed run of *owner*, once however often it is told; return the turns."""
        with self._transaction() as db:
            if not db.execute(
                "SELECT 1 FROM runs WHERE owner = ? AND run = ?", (owner, run_id)
            ).fetchone():
                _count(db, owner, run_id)
            return _turns(db, owner)

    def claim(
        self, owner: str, pass_name: str, *, interval_turns: int, now_ms: int, lease_ms: int
    ) -> Claim | None:
        """Return the right to run a pass, or ``None`` where it is not due or being run.

        Due means that *interval_turns* have been completed since the last settled pass. A
        claim that nobody settled stands for *lease_ms*, then the pass is due again.
        """
        with self._transaction() as db:
            turns = _turns(db, owner)
            covered, until_ms = _standing(db, owner, pass_name)
            is_run = now_ms < until_ms <= now_ms + lease_ms  # later only if a clock was wrong
            if turns - covered < interval_turns or is_run:
                return None
            token = secrets.token_hex(8)
            db.execute(
                "INSERT INTO passes VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "token = excluded.token, turns = excluded.turns, until_ms = excluded.until_ms",
                (owner, pass_name, covered, token, turns, now_ms + lease_ms),
            )
            return Claim(owner=owner, pass_name=pass_name, turns=turns, token=token)

    def holds(self, claim: Claim, *, now_ms: int) -> bool:
        """Say whether *claim* still stands and has not run out."""
        with self._transaction() as db:
            row = db.execute(
                "SELECT 1 FROM passes WHERE owner = ? AND name = ? AND token = ? AND until_ms > ?",
                (claim.owner, claim.pass_name, claim.token, now_ms),
            ).fetchone()
        return row is not None

    def settle(self, claim: Claim) -> None:
        """Mark the claimed pass as run, whatever came of it; a claim that was lost does nothing."""
        with self._transaction() as db:
            db.execute(
                "UPDATE passes SET covered = turns, token = NULL, turns = NULL, until_ms = NULL "
                "WHERE owner = ? AND name = ? AND token = ?",
                (claim.owner, claim.pass_name, claim.token),
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the body alone among all processes; an error in it changes nothing."""
        try:
            with closing(self._connect()) as db:
                db.execute("BEGIN IMMEDIATE")
                for statement in _SCHEMA:
                    db.execute(statement)
                yield db
                db.execute("COMMIT")
        except (sqlite3.Error, OSError):
            raise HostFault(
                "The turn counter cannot be used; scheduled passes do not run.",
                code="turns-unusable",
                hint="Run `ironclaw-memory doctor` and mend what it names.",
            ) from None

    def _connect(self) -> sqlite3.Connection:
        make_private(self._path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        os.close(os.open(self._path, flags, 0o600))
        return sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)


def _count(db: sqlite3.Connection, owner: str, run_id: str) -> None:
    db.execute(
        "INSERT INTO owners VALUES (?, 1) ON CONFLICT DO UPDATE SET turns = turns + 1", (owner,)
    )
    turns = _turns(db, owner)
    db.execute("INSERT INTO runs VALUES (?, ?, ?)", (owner, run_id, turns))
    db.execute("DELETE FROM runs WHERE owner = ? AND turn <= ?", (owner, turns - KEPT_RUNS))


def _turns(db: sqlite3.Connection, owner: str) -> int:
    row = db.execute("SELECT turns FROM owners WHERE owner = ?", (owner,)).fetchone()
    return int(row[0]) if row else 0


def _standing(db: sqlite3.Connection, owner: str, pass_name: str) -> tuple[int, int]:
    """Return the turns that are covered and when the present claim ends, 0 for none."""
    row = db.execute(
        "SELECT covered, until_ms FROM passes WHERE owner = ? AND name = ?", (owner, pass_name)
    ).fetchone()
    return (int(row[0]), int(row[1] or 0)) if row else (0, 0)
