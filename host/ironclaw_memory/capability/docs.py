"""The rule table as Markdown, printed from the code that decides."""

from collections.abc import Iterable, Sequence

from ironclaw_memory.capability.question import ToolRules
from ironclaw_memory.capability.table import RULES, Verdict, cell_of_tool
from ironclaw_memory.model import Origin


_WORDS = {Verdict.ALLOW: "allowed", Verdict.DENY: "denied", Verdict.ASK: "needs approval"}


def rules_markdown() -> str:
    """Return the approval order: one row a rule, first match wins."""
    rows = [
        (
            str(number),
            rule.when,
            _WORDS[rule.verdict],
            f"`{rule.reason.value}`",
            rule.remedy.format(tool="TOOL", origin="ORIGIN", scope=""),
        )
        for number, rule in enumerate(RULES, start=1)
    ]
    return _table(("", "when", "the call is", "reason code", "what would allow it"), rows)


def matrix_markdown(tools: Iterable[ToolRules]) -> str:
    """Return the effective cell of every tool for every origin."""
    rows = [
        (f"`{rules.tool}`", *(cell_of_tool(rules, origin).value for origin in Origin))
        for rules in tools
    ]
    return _table(("tool", *(origin.value for origin in Origin)), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
