"""Which ids a scope takes: none that could be taken for another in a key or a path."""

import pytest

from ironclaw_memory.errors import InvalidScope
from ironclaw_memory.model import Scope


AXES = ("tenant", "user", "agent", "project")


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(
    "value",
    ["", "  ", ".", "..", "a:b", "a/b", "a\\b", "a\0b", "a\nb", "_none", "__ironclaw_x", "x" * 257],
)
def test_an_id_that_could_be_taken_for_another_is_refused(axis: str, value: str) -> None:
    """Colons, separators, dot segments, control characters and the word for absence."""
    ids = {"tenant": "acme", "user": "alice", axis: value}

    with pytest.raises(InvalidScope) as caught:
        Scope(**ids)

    assert caught.value.field == axis


@pytest.mark.parametrize("value", ["a b", "日本", "A.b-c_d", "x" * 256, "none"])
def test_any_other_id_is_taken(value: str) -> None:
    """People have names of all kinds."""
    scope = Scope(tenant=value, user=value, agent=value, project=value)

    assert scope.axes() == (value, value, value, value)


def test_the_owners_key_tells_absent_axes_from_present_ones() -> None:
    """No two scopes share a key."""
    keys = {
        Scope(tenant="t", user="u").owner_key(),
        Scope(tenant="t", user="u", agent="a").owner_key(),
        Scope(tenant="t", user="u", project="a").owner_key(),
        Scope(tenant="t", user="u", agent="a", project="a").owner_key(),
    }

    assert len(keys) == 4
