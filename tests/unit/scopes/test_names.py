"""Directory names of ids."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ironclaw_memory.errors import InvalidScope
from ironclaw_memory.model import Scope
from ironclaw_memory.scopes.names import MAX_NAME_BYTES, encode
from ironclaw_memory.scopes.store import directory_of, lock_name


def _is_id(value: str) -> bool:
    try:
        Scope(tenant=value, user="u")
    except InvalidScope:
        return False
    return True


IDS = st.text(min_size=1, max_size=90).filter(_is_id)
NEAR = st.text(alphabet="aA=+#._-é\u0301eßsŝ\u01311i0", min_size=1, max_size=8).filter(_is_id)


def _folded(name: str) -> str:
    """What a file system keeps of a name that folds case and normalises."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


@given(st.one_of(IDS, NEAR), st.one_of(IDS, NEAR))
@example("Alice", "alice")
@example("é", "e\u0301")
@example("ß", "ss")
@example("+a", "=2ba")
def test_different_ids_have_different_names_on_any_file_system(one: str, other: str) -> None:
    """No two ids share a directory, also after case folding and normalisation."""
    assert (one == other) == (_folded(encode(one)) == _folded(encode(other)))


@given(st.text(alphabet="aé.A", min_size=1, max_size=256).filter(_is_id))
def test_names_fit_and_are_lower_case_ascii(value: str) -> None:
    """A name is at most 200 bytes of lower-case ASCII without separators."""
    name = encode(value)

    assert len(name.encode()) <= MAX_NAME_BYTES
    assert name == name.lower()
    assert name.isascii()
    assert "/" not in name


@given(IDS)
def test_no_id_gets_a_name_that_means_something(value: str) -> None:
    """No id is taken for an absent one, for a dot segment or for a hidden directory."""
    assert encode(value) != encode(None) == "_none"
    assert encode(value)[0] not in "._"


@pytest.mark.parametrize("value", ["alice", "acme-2", "a.b_c", "0"])
def test_a_plain_id_is_its_own_name(value: str) -> None:
    """What a person types is what a person finds."""
    assert encode(value) == value


def test_other_ids_stay_recognisable() -> None:
    """An address can still be read, and a long id keeps its beginning."""
    assert encode("alice@example.com") == "+alice=40example.com"
    assert "aaaa" in encode("A" + "a" * 250)


def test_a_scope_has_the_directory_of_the_design() -> None:
    """Absent agent and project have a word of their own."""
    scope = Scope(tenant="acme", user="Bob", project="p")

    assert "/".join(directory_of(scope)) == (
        "memory/tenants/acme/users/+=42ob/agents/_none/projects/p"
    )


@given(IDS, IDS)
def test_different_scopes_have_different_locks(one: str, other: str) -> None:
    """A lock belongs to one scope, and the axes are not mixed up."""
    scopes = {
        Scope(tenant=one, user=other),
        Scope(tenant=other, user=one),
        Scope(tenant=one, user="u", agent=other),
        Scope(tenant=one, user="u", project=other),
    }

    assert len({lock_name(scope) for scope in scopes}) == len(scopes)
