"""A hostile provider against an open host: each attack is answered, changes nothing, costs one call."""

import re

import pytest
from tests.attacks.cases import CASES, Answered, Case, Refused, Stopped, attempts
from tests.attacks.field import (
    HONEST,
    ON_THE_PROFILE,
    WRITING,
    Field,
    documents_of,
    list_all,
    read,
    write,
)

from ironclaw_memory import Scope
from ironclaw_memory.capability.records import Outcome
from ironclaw_memory.errors import IronclawMemoryError


_OPTION = re.compile(r" --(?:root|provider) \S+?(?=[ `])")

pytestmark = pytest.mark.sandbox


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.act.__name__}")
def test_an_attack_is_answered_and_reaches_nothing(case: Case, where: Field) -> None:
    """The answer is the row's, everything outside is as before, and honest calls go on."""
    project = None if case.act in ON_THE_PROFILE else case.act.__name__
    scope = Scope(tenant=case.name, user="alice", project=project)
    home = where.lay_out(scope)
    case.prepare(home, where)
    before, inside = where.around(scope), documents_of(home)

    _check_outcome(case, where, scope)

    assert where.around(scope) == before
    if case.act not in WRITING:
        assert documents_of(home) == inside
    _check_honest_calls(case, where, scope)


def _check_outcome(case: Case, where: Field, scope: Scope) -> None:
    match case.outcome:
        case Stopped(error=error, word=word):
            with pytest.raises(IronclawMemoryError) as caught:
                case.act(where, scope)
            stopped = caught.value
            assert (type(stopped), getattr(stopped, "limit", stopped.code)) == (error, word)
            _check_words(stopped, where)
            assert Outcome.FAILED in {entry.outcome for entry in where.log(scope)}
        case Refused(report=report):
            value = case.act(where, scope)
            tried = attempts(value, where.home(scope) / report if report else None)
            assert tried
            assert [t for t in tried if not t[1].startswith("refused: ")] == []
        case Answered(holds=holds):
            assert holds(case.act(where, scope), where, scope)


def _check_words(stopped: IronclawMemoryError, where: Field) -> None:
    """No word of the guest, of the engine, or of this machine reaches the caller.

    But for the options in a command of the hint, which say where the caller's own memory is.
    """
    said = f"{stopped.message} {_OPTION.sub('', stopped.hint)}"
    assert "Ignore previous" not in said
    assert str(where.base) not in said
    assert "wasm" not in said
    assert "Traceback" not in said


def _check_honest_calls(case: Case, where: Field, scope: Scope) -> None:
    same = read if case.act is list_all else list_all
    same(where, scope)
    write(where, HONEST)
    assert "honest likes tea" in str(read(where, HONEST))
    found = where.call("search", HONEST, query="honest likes tea")
    assert found["results"][0]["path"] == "MEMORY.md"
