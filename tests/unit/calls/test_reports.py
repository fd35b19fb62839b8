"""What an owner is told is what the contract says, whatever the provider says."""

from typing import Any

import pytest

from ironclaw_memory.errors import InvalidOutput
from ironclaw_memory.model import Scope
from ironclaw_memory.owner import Owner


SCOPE = Scope(tenant="acme", user="alice")
ROW = {"number": 1, "size": 1, "unix_ms": 0, "changed_by": "x", "erased": False}


def owner(monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any]) -> Owner:
    """Return the owner of a memory whose provider answers everything with *reply*."""
    monkeypatch.setattr(Owner, "_upkeep", lambda *_: reply)
    return Owner.__new__(Owner)


@pytest.mark.parametrize("digest", ["", "0" * 64, "sha256:" + "A" * 64, "sha256:\x1b]0;x\x07"])
def test_a_hash_of_another_form_is_refused(monkeypatch: pytest.MonkeyPatch, digest: str) -> None:
    """It could be anything, for instance an order to a terminal."""
    told = owner(monkeypatch, {"versions": [ROW | {"hash": digest}]})
    with pytest.raises(InvalidOutput, match="hash"):
        told.history(SCOPE, "a.md")


@pytest.mark.parametrize("text", ["[]", '{"hits": 1}', '{"hits": [{"score": 1e999}]}'])
def test_an_explanation_of_another_form_is_refused(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """The caller gets no value that it cannot go through, or pass on as JSON."""
    with pytest.raises(InvalidOutput):
        owner(monkeypatch, {"json": text}).explain(SCOPE, "tea")
