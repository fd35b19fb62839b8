"""Attacks that lie in the binary itself, as WebAssembly text.

Each file under ``cases/`` begins with ``;; expect: ERROR WORD``, where the word is the
limit or the code of the error, then perhaps ``;; says: TEXT`` that the message contains,
then the idea and where it came from. Adding a case needs no code.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import wasmtime

from ironclaw_memory import errors
from ironclaw_memory.model import Access, Moment, Scope
from ironclaw_memory.sandbox.artifact import measured
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.request import GuestCall
from ironclaw_memory.sandbox.runner import ThreadRunner
from ironclaw_memory.scopes import LocalStore, MountKind


CASES = sorted((Path(__file__).parent / "cases").glob("*.wat"))


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThreadRunner]:
    """One host for all attacks, so that each but the first finds it after an attack."""
    place = tmp_path_factory.mktemp("wat")
    runner = ThreadRunner(LocalStore(place / "root"), Cache(place / "cache"))
    yield runner
    runner.close()


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_hostile_binary_gets_a_typed_answer(
    case: Path, runner: ThreadRunner, tmp_path: Path
) -> None:
    """The error is the named one, says why, and names no path of the host."""
    head = dict(line.removeprefix(";; ").split(": ", 1) for line in _head(case) if ": " in line)
    kind, word = head["expect"].split()
    binary = tmp_path / "attack.wasm"
    binary.write_bytes(wasmtime.wat2wasm(case.read_text()))

    with pytest.raises(getattr(errors, kind)) as caught:
        runner.run(_search(binary))

    assert getattr(caught.value, "limit", caught.value.code) == word
    assert head.get("says", "") in caught.value.message
    assert str(tmp_path) not in f"{caught.value.message} {caught.value.hint}"
    assert "wasm trap" not in caught.value.message


def _head(case: Path) -> list[str]:
    return [line for line in case.read_text().splitlines() if line.startswith(";; ")]


def _search(binary: Path) -> GuestCall:
    return GuestCall(
        artifact=measured(binary),
        scope=Scope(tenant="t", user="u"),
        kind=MountKind.DOCUMENTS,
        access=Access.READ,
        interface="tools",
        function="search",
        arguments={"request": {"query": "x", "limit": 1}},
        moment=Moment(unix_ms=0),
        deadline_ms=1_000,
        record=lambda event: True,
    )
