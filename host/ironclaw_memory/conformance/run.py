"""Hold a subject to rules, one after the other, and say what came of each."""

import secrets
import time
from collections.abc import Callable, Sequence
from typing import Final

from ironclaw_memory.conformance.bench import Bench
from ironclaw_memory.conformance.catalogue import RULES
from ironclaw_memory.conformance.expect import Broken, Refused
from ironclaw_memory.conformance.report import Outcome, Report, Verdict
from ironclaw_memory.conformance.rule import Rule, declared
from ironclaw_memory.conformance.subject import Subject
from ironclaw_memory.errors import HostFault, IronclawMemoryError


TENANT: Final = "conformance"

Progress = Callable[[Outcome, int, int], None]
"""Told each outcome, with how many rules are done and how many there are."""


def silent(outcome: Outcome, done: int, total: int) -> None:
    """Tell nobody."""


def run(
    subject: Subject,
    rules: Sequence[Rule] = RULES,
    progress: Progress = silent,
    *,
    tenant: str = TENANT,
) -> Report:
    """Hold *subject* to *rules* and return the report.

    Every check works in scopes of its own under ids that begin with *tenant*, so a run
    leaves other documents alone. Raises `HostFault` only: whatever the provider does is
    an outcome.
    """
    can = declared(subject.package)
    outcomes: list[Outcome] = []
    for number, rule in enumerate(rules, start=1):
        outcomes.append(held(subject, rule, can, tenant=tenant))
        progress(outcomes[-1], number, len(rules))
    return Report(manifest=subject.package.manifest, declared=can, outcomes=tuple(outcomes))


def held(subject: Subject, rule: Rule, can: frozenset[str], *, tenant: str = TENANT) -> Outcome:
    """Hold *subject*, which declares *can*, to one rule."""
    if not rule.applies(can):
        return Outcome(rule=rule, verdict=Verdict.NOT_DECLARED)
    began = time.perf_counter()
    verdict, expected, came = _judge(rule, Bench(subject, tenant=tenant, run=secrets.token_hex(4)))
    return Outcome(
        rule=rule,
        verdict=verdict,
        expected=expected,
        came=came,
        seconds=time.perf_counter() - began,
    )


def _judge(rule: Rule, bench: Bench) -> tuple[Verdict, str, str]:
    try:
        rule.check(bench)
    except Broken as broken:
        return Verdict.BROKEN, broken.expected, broken.came
    except Refused as refused:
        if rule.may_refuse:
            return Verdict.REFUSED, "", ""
        return Verdict.BROKEN, f"{refused}: served, since it is declared", "unsupported"
    except HostFault:
        raise
    except IronclawMemoryError as error:
        return Verdict.BROKEN, "an answer of the provider", f"{error.code}: {error}"
    except (KeyError, TypeError, ValueError, LookupError, OSError) as error:
        return (
            Verdict.BROKEN,
            "an answer in the form of the contract",
            f"{type(error).__name__}: {error}",
        )
    return Verdict.HELD, "", ""
