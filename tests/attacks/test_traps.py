"""A provider that fails in whatever it is asked: each export, one typed error, one call."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.attacks.field import (
    HONEST,
    Field,
    list_all,
    read,
    read_profile,
    search,
    set_profile,
    write,
)

from ironclaw_memory import Scope
from ironclaw_memory.errors import ProviderTrapped
from ironclaw_memory.reports import VersionRow


pytestmark = pytest.mark.sandbox

ROW = VersionRow(
    number=1, hash="sha256:" + "0" * 64, size=0, unix_ms=0, changed_by="x", erased=False
)
TURN = [{"role": "user", "content": "Hi"}]

EXPORTS: dict[str, Callable[[Field, Scope], Any]] = {
    "read": read,
    "write": write,
    "search": search,
    "tree": list_all,
    "profile-set": set_profile,
    "profile-read": read_profile,
    "record-interaction": lambda w, s: w.host.record_interaction(s, TURN, "r1"),
    "history": lambda w, s: w.host.history(s, "MEMORY.md"),
    "version": lambda w, s: w.host.version(s, "MEMORY.md", 1),
    "restore": lambda w, s: w.host.restore(s, "MEMORY.md", 1),
    "delete": lambda w, s: w.host.delete(s, "MEMORY.md"),
    "deleted": lambda w, s: w.host.deleted(s),
    "rename": lambda w, s: w.host.rename(s, "MEMORY.md", "b.md"),
    "erase": lambda w, s: w.host.erase(s, "MEMORY.md"),
    "sweep": lambda w, s: w.host.sweep(s, dry_run=False),
    "refresh": lambda w, s: w.host.refresh(s, everything=True),
    "check": lambda w, s: w.host.check(s, repair=True),
    "describe": lambda w, s: w.host.describe(s, "MEMORY.md"),
    "adopt": lambda w, s: w.host.adopt(s, "MEMORY.md", ROW, "x"),
    "explain": lambda w, s: w.host.explain(s, "tea"),
}


@pytest.mark.parametrize("export", EXPORTS)
def test_a_trap_in_any_export_is_one_typed_error(export: str, where: Field) -> None:
    """The instance is gone, the documents are as before, the host goes on serving."""
    scope = Scope(tenant="traps-everywhere", user=export)
    home = where.lay_out(scope)

    with pytest.raises(ProviderTrapped) as caught:
        EXPORTS[export](where, scope)

    assert caught.value.code == "trapped"
    assert (home / "MEMORY.md").read_text() == "- traps-everywhere likes tea\n"
    assert "likes tea" in str(read(where, HONEST))


def test_a_lane_that_traps_is_a_degradation_and_the_turn_goes_on(where: Field) -> None:
    """Recall never fails a turn."""
    scope = Scope(tenant="traps-everywhere", user="recall", thread="t")
    where.lay_out(scope)
    context = where.host.load_context(scope, "tea")

    assert context.snippets == ()
    assert [d.code for d in context.degradations] == ["trapped", "trapped"]
