"""Laws of the gate that hold for every case, found or not found by the walk."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.unit.capability.walk import NOW, READ, WRITE, lease

from ironclaw_memory.capability.decide import Allow, Deny, decide
from ironclaw_memory.capability.fingerprint import fingerprint
from ironclaw_memory.capability.question import Permission, Question, ToolRules
from ironclaw_memory.capability.state import Settings
from ironclaw_memory.model import Cell, Effect, Grant, Origin, Scope


TOOLS = st.sampled_from([READ, WRITE, "other.tool"])
EFFECTS = st.frozensets(st.sampled_from(list(Effect)))
IDS = st.sampled_from(["a", "b"])
AXES = st.sampled_from(["a", "b", "*"])
SCOPES = st.builds(
    Scope, tenant=IDS, user=IDS, agent=st.none() | IDS, project=st.none() | IDS, thread=st.none()
)
GRANTS = st.builds(
    Grant,
    tool=TOOLS,
    tenant=AXES,
    user=AXES,
    agent=st.none() | AXES,
    project=st.none() | AXES,
    origin=st.sampled_from(Origin),
    effects=EFFECTS,
    expires_ms=st.none() | st.integers(NOW - 2, NOW + 2),
    uses_left=st.none() | st.integers(0, 2),
    id=st.just("g"),
)
RULES = st.builds(
    ToolRules,
    tool=TOOLS,
    matrix=st.none() | st.dictionaries(st.sampled_from(Origin), st.sampled_from(Cell)),
    effects=EFFECTS,
    permission=st.sampled_from(Permission),
)
SETTINGS = st.builds(
    Settings,
    disabled=st.frozensets(TOOLS),
    ask_each_time=st.frozensets(TOOLS),
    auto_approve=st.booleans(),
)
QUESTIONS = st.builds(
    Question,
    rules=RULES,
    origin=st.none() | st.sampled_from(Origin),
    scope=SCOPES,
    settings=SETTINGS,
    now_ms=st.just(NOW),
    fingerprint=st.just(lease().fingerprint),
    grants=st.lists(GRANTS, max_size=4).map(tuple),
    leases=st.just(()) | st.just((lease(),)),
)
_RANK = {Deny: 0, Allow: 2}


def _rank(question: Question) -> int:
    return _RANK.get(type(decide(question)), 1)


@given(QUESTIONS, GRANTS)
def test_one_more_grant_never_refuses_more(question: Question, more: Grant) -> None:
    """Whatever was allowed stays allowed when a grant is added."""
    wider = replace(question, grants=(*question.grants, more))
    assert _rank(wider) >= _rank(question)


@given(QUESTIONS, GRANTS, EFFECTS)
def test_a_wider_grant_never_refuses_more(
    question: Question, one: Grant, more: frozenset[Effect]
) -> None:
    """More effects, any scope, no end and no count allow at least as much."""
    wide = replace(
        one,
        effects=one.effects | more,
        tenant="*",
        user="*",
        agent=one.agent and "*",
        project=one.project and "*",
        expires_ms=None,
        uses_left=None,
    )
    narrow_answer = _rank(replace(question, grants=(one,)))
    assert _rank(replace(question, grants=(wide,))) >= narrow_answer


@given(QUESTIONS, st.lists(GRANTS, max_size=8), SETTINGS)
def test_nothing_reaches_a_forbidden_cell(
    question: Question, grants: list[Grant], settings: Settings
) -> None:
    """No grants, no lease and no settings allow what the table forbids."""
    forbidden = replace(question.rules, matrix=dict.fromkeys(Origin, Cell.FORBIDDEN))
    asked = replace(question, rules=forbidden, grants=tuple(grants), settings=settings)
    assert isinstance(decide(asked), Deny)


@given(QUESTIONS, st.integers(0, 5))
def test_expiry_is_monotone(question: Question, later_ms: int) -> None:
    """What is not allowed now is not allowed later: waiting never helps."""
    later = replace(question, now_ms=question.now_ms + later_ms)
    assert _rank(later) <= _rank(question)


@given(QUESTIONS)
def test_a_grant_for_another_scope_changes_nothing(question: Question) -> None:
    """A grant reaches its own scope and no other."""
    elsewhere = tuple(replace(grant, tenant="elsewhere") for grant in question.grants)
    assert _rank(replace(question, grants=elsewhere)) == _rank(replace(question, grants=()))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.text(max_size=4), JSON, max_size=3)


def _typed(value: object) -> object:
    """Return *value* so that 1, 1.0 and True differ, as they do in JSON."""
    match value:
        case dict():
            return {key: _typed(item) for key, item in value.items()}
        case list():
            return [_typed(item) for item in value]
        case _:
            return (type(value), repr(value))


@given(ARGUMENTS, ARGUMENTS, SCOPES, SCOPES, TOOLS, TOOLS)
def test_fingerprints_are_equal_exactly_where_the_calls_are(
    one: dict[str, object],
    two: dict[str, object],
    here: Scope,
    there: Scope,
    tool: str,
    other: str,
) -> None:
    """Any difference in tool, axes or arguments gives another fingerprint."""
    same = (_typed(one), here.axes(), tool) == (_typed(two), there.axes(), other)
    assert (fingerprint(tool, here, one) == fingerprint(other, there, two)) == same


@given(ARGUMENTS)
def test_the_order_of_keys_does_not_matter(arguments: dict[str, object]) -> None:
    """Two spellings of one call are one call."""
    assume(len(arguments) > 1)
    scope = Scope(tenant="a", user="b")
    backwards = dict(reversed(arguments.items()))
    assert fingerprint(READ, scope, arguments) == fingerprint(READ, scope, backwards)
