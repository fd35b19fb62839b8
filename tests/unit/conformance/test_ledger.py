"""The ledger, in both directions: statements to rules and tests, and rules to where they come from."""

import ast
from functools import cache
from pathlib import Path

import pytest
from tests.unit.conformance import ledger
from tests.unit.conformance.ledger import Mark, Statement

from ironclaw_memory.conformance.catalogue import BY_ID, RULES
from ironclaw_memory.conformance.rule import CAPABILITIES, Rule


REPOSITORY = Path(__file__).parents[3]
LEDGER = ledger.read()


def test_every_statement_of_the_reference_is_there_once() -> None:
    """Numbers 1 to 238, none missing and none made up."""
    assert list(LEDGER.statements) == list(range(1, ledger.STATEMENTS + 1))


@pytest.mark.parametrize("statement", LEDGER.statements.values(), ids=lambda s: str(s.number))
def test_a_statement_is_proven_or_says_why_not(statement: Statement) -> None:
    """What applies names rules or tests; what does not gives its reason and names neither."""
    proofs = [*statement.rules, *statement.tests]
    if statement.mark is Mark.APPLIES:
        assert proofs
        assert not statement.reason
    else:
        assert not proofs
        assert len(statement.reason.split()) > 3
    assert statement.says.endswith(".")


@pytest.mark.parametrize("statement", LEDGER.statements.values(), ids=lambda s: str(s.number))
def test_what_a_statement_names_exists(statement: Statement) -> None:
    """Rules are rules of the suite, tests are tests of this repository."""
    assert set(statement.rules) <= BY_ID.keys()
    for node in statement.tests:
        path, _, name = node.partition("::")
        assert name in _tests_in(path), node


@cache
def _tests_in(path: str) -> frozenset[str]:
    file = REPOSITORY / path
    tree = ast.parse(file.read_text(encoding="utf-8")) if file.is_file() else ast.Module([], [])
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_comes_from_somewhere(rule: Rule) -> None:
    """A statement of the reference or another sentence asks for it."""
    assert LEDGER.sources_of(rule.id)


def test_other_sentences_name_rules_of_the_suite() -> None:
    """A renamed rule cannot leave its sentence behind."""
    named = {rule for sentence in LEDGER.sentences for rule in sentence.rules}
    assert named <= BY_ID.keys()


def test_no_two_rules_share_an_id() -> None:
    """Ids are stable names: reports, mutants and the ledger use them."""
    assert len(BY_ID) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_is_a_sentence_about_things_that_can_be_declared(rule: Rule) -> None:
    """Its sentence can be read alone; its needs are words of the contract."""
    assert rule.sentence.endswith(".")
    assert {*rule.needs, *rule.without} <= set(CAPABILITIES)
