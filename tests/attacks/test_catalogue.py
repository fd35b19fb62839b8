"""No attack is forgotten: each has a row, and says where its idea came from."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.attacks.cases import CASES


HOSTILE = Path(__file__).parent / "provider" / "hostile"
ELSEWHERE = {"traps-everywhere"}  # test_traps.py has it once for each export


def _attacks() -> Iterator[ast.FunctionDef]:
    for module in sorted(HOSTILE.glob("*.py")):
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(d, ast.Call) and getattr(d.func, "id", "") == "hidden_in"
                for d in node.decorator_list
            ):
                yield node


def test_every_attack_has_a_row_and_every_row_an_attack() -> None:
    """An attack that nothing calls would prove nothing."""
    names = {attack.name.replace("_", "-") for attack in _attacks()}

    assert names == {case.name for case in CASES} | ELSEWHERE


def test_every_attack_names_its_source() -> None:
    """One line, so that a reader can look further."""
    without = [a.name for a in _attacks() if "Idea: " not in (ast.get_docstring(a) or "")]

    assert without == []


def test_there_are_more_than_thirty_attacks() -> None:
    """The promise of the README."""
    assert len(list(_attacks())) > 30
