"""When a pass runs: after every so many completed turns of an owner, once among all hosts."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ironclaw_memory.model import Scope
from ironclaw_memory.upkeep.conversation import CurationPass
from ironclaw_memory.upkeep.curation import CurationHost, PassRun, curate
from ironclaw_memory.upkeep.dialogue import Model, demand_model
from ironclaw_memory.upkeep.rails import CurationRules
from ironclaw_memory.upkeep.report import CurationReport
from ironclaw_memory.upkeep.turns import Claim, TurnLedger


LEASES_PER_PASS: Final = 2  # a claim lasts twice as long as a pass may: one model call may overrun


@dataclass(frozen=True, kw_only=True)
class CurationSchedule:
    """Counts turns and runs what is due.

    ``host_for`` binds the host to a scope; ``clock`` gives seconds and never goes back,
    ``now_ms`` Unix milliseconds, which are compared between processes.
    """

    ledger: TurnLedger
    passes: Sequence[CurationPass]
    host_for: Callable[[Scope], CurationHost]
    clock: Callable[[], float]
    now_ms: Callable[[], int]
    rules: CurationRules = field(default_factory=CurationRules)

    def complete_turn(self, scope: Scope, run_id: str) -> int:
        """Count a completed run and return how many its owner has. Raises `HostFault`."""
        return self.ledger.complete(scope.owner_key(), run_id)

    def run_due(self, scope: Scope, model: Model, *, run_id: str) -> tuple[CurationReport, ...]:
        """Claim and run each pass that is due; *run_id* is the run that made it so.

        Whatever comes of a pass, the next one is due an interval later. Raises `HostFault`
        where nothing can be claimed, and `InvalidArguments` for what is no model.
        """
        demand_model(model)
        reports = [self._run_due(scope, model, curation, run_id) for curation in self.passes]
        return tuple(report for report in reports if report is not None)

    def run_now(
        self, scope: Scope, model: Model, *, dry_run: bool = False
    ) -> tuple[CurationReport, ...]:
        """Run every pass because a person asked, due or not; the interval is not touched.

        Raises `InvalidArguments` for what is no model.
        """
        demand_model(model)
        run_id = f"asked-{secrets.token_hex(8)}"
        return tuple(
            curate(self._pass_run(scope, model, curation, run_id, dry_run=dry_run))
            for curation in self.passes
        )

    def _run_due(
        self, scope: Scope, model: Model, curation: CurationPass, run_id: str
    ) -> CurationReport | None:
        lease_ms = int(self.rules.max_seconds * 1_000) * LEASES_PER_PASS
        claim = self.ledger.claim(
            scope.owner_key(),
            curation.name,
            interval_turns=curation.interval_turns,
            now_ms=self.now_ms(),
            lease_ms=lease_ms,
        )
        if claim is None:
            return None
        run = self._pass_run(scope, model, curation, run_id)
        report = curate(replace(run, still_held=lambda: self._still_holds(claim)))
        self.ledger.settle(claim)
        return report

    def _still_holds(self, claim: Claim) -> bool:
        return self.ledger.holds(claim, now_ms=self.now_ms())

    def _pass_run(
        self,
        scope: Scope,
        model: Model,
        curation: CurationPass,
        run_id: str,
        *,
        dry_run: bool = False,
    ) -> PassRun:
        return PassRun(
            curation=curation,
            host=self.host_for(scope),
            model=model,
            rules=self.rules,
            clock=self.clock,
            id=f"{curation.name}@{run_id}",  # with the run: the next one is a pass of its own
            dry_run=dry_run,
        )
