"""What is said of a version that is not there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired

from ironclaw_memory.errors import InvalidArguments, ProviderTrapped, ScopeBusy
from ironclaw_memory.model import Failure, Scope
from ironclaw_memory.owner import Owner


SCOPE = Scope(tenant="acme", user="alice")
NO_VERSION = Failure(kind="input", code="version-missing", field_name="number")
NOTHING = Failure(kind="input", code="document-missing", field_name="path")
ACTS: dict[str, Callable[[Owner], object]] = {
    "version": lambda owner: owner.version(SCOPE, "a.md", 7),
    "diff": lambda owner: owner.diff(SCOPE, "a.md", 7),
    "restore": lambda owner: owner.restore(SCOPE, "a.md", 7),
    "erase": lambda owner: owner.erase(SCOPE, "a.md", 7),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(
    ("history", "advice"),
    [({"path": "a.md", "versions": []}, "history a.md"), (NOTHING, "tree")],
    ids=["known", "erased"],
)
def test_the_hint_about_a_missing_version_leads_to_what_there_is(
    tmp_path: Path, act: str, history: Failure | dict[str, object], advice: str
) -> None:
    """Of a document that was erased there is no history to list."""
    guest = ScriptedGuest()
    guest.answers |= dict.fromkeys(("version", "restore", "erase"), NO_VERSION)
    guest.answers["history"] = history
    with pytest.raises(InvalidArguments) as refused:
        ACTS[act](Owner(wired(tmp_path, guest, package=native_package())))
    assert f"`ironclaw-memory {advice}`" in refused.value.hint


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(
    "failing", [ScopeBusy("busy"), ProviderTrapped("trapped")], ids=["busy", "trapped"]
)
def test_that_a_version_is_missing_is_said_where_its_history_cannot_be_had(
    tmp_path: Path, act: str, failing: Exception
) -> None:
    """The history is asked for a better hint alone; its failure is not what was asked about."""
    guest = ScriptedGuest()
    guest.answers |= dict.fromkeys(("version", "restore", "erase"), NO_VERSION)
    guest.answers["history"] = failing
    with pytest.raises(InvalidArguments) as refused:
        ACTS[act](Owner(wired(tmp_path, guest, package=native_package())))
    assert refused.value.code == "version-missing"
    assert guest.asked()[-1] == "history"
