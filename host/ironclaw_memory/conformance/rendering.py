"""A report as text for people, as JSON, and as JUnit's XML for build servers."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from ironclaw_memory.conformance.report import Outcome, Report, Standing, Verdict


_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_QUIET: Final = frozenset({Standing.ABSENT})


def text(report: Report) -> str:
    """Return the report for people: chapters, capabilities, and every broken rule in full."""
    manifest = report.manifest
    lines = [f"{manifest.name} {manifest.version} ({manifest.id})", ""]
    lines += [_chapter(group.value, outcomes) for group, outcomes in report.groups().items()]
    lines += ["", *_capabilities(report)]
    for outcome in report.broken():
        lines += ["", *_broken(outcome)]
    lines += ["", _summary(report)]
    return "\n".join(lines) + "\n"


def _chapter(name: str, outcomes: tuple[Outcome, ...]) -> str:
    tally = {verdict: sum(o.verdict is verdict for o in outcomes) for verdict in Verdict}
    said = ", ".join(f"{count} {verdict.value}" for verdict, count in tally.items() if count)
    mark = "✗" if tally[Verdict.BROKEN] else "✓" if tally[Verdict.HELD] else "·"
    return f"{mark} {name:<26}{said}"


def _capabilities(report: Report) -> list[str]:
    standings = report.standings()
    absent = [name for name, standing in standings.items() if standing in _QUIET]
    shown = [
        f"  {name:<28}{standing.value}"
        for name, standing in standings.items()
        if standing not in _QUIET
    ]
    return ["Capabilities", *shown, f"  not declared: {', '.join(absent) or 'none'}"]


def _broken(outcome: Outcome) -> list[str]:
    return [
        f"✗ {outcome.rule.id}",
        f"  rule      {outcome.rule.sentence}",
        f"  expected  {outcome.expected}",
        f"  came      {outcome.came}",
    ]


def _summary(report: Report) -> str:
    counts = report.counts()
    said = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)
    verdict = "conforms" if report.passed else "does not conform"
    return f"{report.manifest.id} {verdict}: {said}, in {report.seconds:.1f} s."


def as_object(report: Report) -> dict[str, Any]:
    """Return the report as a JSON-ready object."""
    manifest = report.manifest
    return {
        "provider": {"id": manifest.id, "name": manifest.name, "version": manifest.version},
        "conforms": report.passed,
        "seconds": round(report.seconds, 3),
        "counts": {verdict.value: count for verdict, count in report.counts().items()},
        "capabilities": {name: standing.value for name, standing in report.standings().items()},
        "rules": [_rule(outcome) for outcome in report.outcomes],
    }


def _rule(outcome: Outcome) -> dict[str, Any]:
    rule = outcome.rule
    said = {"expected": outcome.expected, "came": outcome.came}
    return {
        "id": rule.id,
        "group": rule.group.value,
        "sentence": rule.sentence,
        "verdict": outcome.verdict.value,
        "seconds": round(outcome.seconds, 3),
        **(said if outcome.verdict is Verdict.BROKEN else {}),
    }


def as_json(report: Report) -> str:
    """Return the report as a JSON object."""
    return json.dumps(as_object(report), ensure_ascii=False, indent=2) + "\n"


def as_junit(report: Report) -> str:
    """Return the report as a JUnit test suite: a case per rule, skipped where not declared."""
    counts = report.counts()
    skipped = counts[Verdict.NOT_DECLARED] + counts[Verdict.REFUSED]
    head = (
        f"<testsuite name={_quoted(report.manifest.id)} tests={_quoted(len(report.outcomes))} "
        f"failures={_quoted(counts[Verdict.BROKEN])} skipped={_quoted(skipped)} "
        f"time={_quoted(f'{report.seconds:.3f}')}>"
    )
    cases = [_case(outcome) for outcome in report.outcomes]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""])


def _case(outcome: Outcome) -> str:
    rule = outcome.rule
    opening = (
        f"  <testcase classname={_quoted(rule.group.value)} name={_quoted(rule.id)} "
        f"time={_quoted(f'{outcome.seconds:.3f}')}"
    )
    match outcome.verdict:
        case Verdict.HELD:
            return f"{opening}/>"
        case Verdict.BROKEN:
            said = f"{rule.sentence} Expected {outcome.expected}, came {outcome.came}"
            return f"{opening}><failure message={_quoted(said)}/></testcase>"
        case Verdict.REFUSED | Verdict.NOT_DECLARED:
            return f"{opening}><skipped message={_quoted(outcome.verdict.value)}/></testcase>"


def _quoted(value: object) -> str:
    return quoteattr(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", str(value)))


RENDERERS: Final[Mapping[str, Callable[[Report], str]]] = {
    "text": text,
    "json": as_json,
    "junit": as_junit,
}
"""The forms of a report by the names that ``--report`` takes."""
