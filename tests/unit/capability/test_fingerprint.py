"""What a fingerprint refuses and what it tells apart."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironclaw_memory.capability.fingerprint import canonical, fingerprint
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Scope


SCOPE = Scope(tenant="acme", user="alice")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"a": 1}, {"a": "1"}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": True}, {"a": 1}),
        ({"a": None}, {}),
        ({"a": "\u00e9"}, {"a": "e\u0301"}),
        ({"a": "b"}, {"ab": ""}),
        ({"a": []}, {"a": {}}),
    ],
)
def test_calls_that_look_alike_are_told_apart(
    one: dict[str, object], two: dict[str, object]
) -> None:
    """A lease for one of them is no lease for the other."""
    assert fingerprint("t", SCOPE, one) != fingerprint("t", SCOPE, two)


def test_the_axes_cannot_be_shifted_into_one_another() -> None:
    """Absent agent and present project differ from the reverse; the thread does not count."""
    agent = Scope(tenant="acme", user="alice", agent="x")
    project = Scope(tenant="acme", user="alice", project="x")
    thread = Scope(tenant="acme", user="alice", thread="x")
    prints = {fingerprint("t", scope, {}) for scope in (SCOPE, agent, project)}
    assert len(prints) == 3
    assert fingerprint("t", thread, {}) == fingerprint("t", SCOPE, {})


@pytest.mark.parametrize(
    "arguments",
    [{1: "x"}, {"a": {2: "x"}}, {"a": float("nan")}, {"a": {1, 2}}, {"a": [b"x"]}],
)
def test_what_is_not_json_has_no_fingerprint(arguments: dict[str, object]) -> None:
    """A key 1 would become the key "1", so it is refused rather than converted."""
    with pytest.raises(InvalidArguments):
        fingerprint("t", SCOPE, arguments)


def test_nesting_without_end_is_refused() -> None:
    """A structure that the encoder cannot walk is an input error, not a crash."""
    deep: object = "x"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidArguments):
        fingerprint("t", SCOPE, {"a": deep})


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.text(), st.dictionaries(st.text(), JSON))
def test_a_fingerprint_is_the_hash_of_one_json_list(
    tool: str, arguments: dict[str, object]
) -> None:
    """Leases and requests on disk hold such hashes, so the bytes that are hashed stay."""
    text = json.dumps(["call/1", tool, SCOPE.axes(), canonical(arguments)])
    expected = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert fingerprint(tool, SCOPE, arguments) == expected
