"""The tables that the README prints are those that decide."""

from tests.readme import matrix_of, rules
from tests.unit.capability.manifests import manifest, tool

from ironclaw_memory.capability.clamp import Policy, clamp
from ironclaw_memory.capability.table import RULES
from ironclaw_memory.model import Cell, Origin


def test_every_rule_is_a_row_in_order() -> None:
    """Number, condition, verdict, code and remedy of each rule, and no cell breaks the table."""
    rows = rules().splitlines()
    assert len(rows) == len(RULES) + 2
    assert len({row.count("|") for row in rows}) == 1
    for number, (rule, row) in enumerate(zip(RULES, rows[2:], strict=True), start=1):
        assert row.startswith(f"| {number} | {rule.when} |")
        assert f"`{rule.reason.value}`" in row


def test_the_matrix_shows_what_is_in_force() -> None:
    """Clamped cells, omitted ones as forbidden."""
    asked = tool("ironclaw.memory.write", matrix={Origin.LOOP_RUN: Cell.UNGATED})
    effective = clamp(manifest(asked), Policy(bundled=False))
    assert matrix_of(effective.tools.values()).splitlines()[2] == (
        "| `ironclaw.memory.write` | gated_unless_granted | forbidden | forbidden |"
    )
