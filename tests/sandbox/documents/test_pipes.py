"""A FIFO in the store keeps no call beyond its deadline: the sandbox could only wait for it."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from tests.sandbox.documents.subject import SCOPE, documents_of

from ironclaw_memory import MemoryHost
from ironclaw_memory.errors import OperationFailed, ProviderUnavailable


pytestmark = pytest.mark.sandbox


def _write(host: MemoryHost, text: str) -> None:
    fields = {"target": "notes.md", "content": text, "metadata": {"tag": text}}
    host.call_as_operator("ironclaw.memory.write", fields, scope=SCOPE)


@pytest.mark.parametrize(
    "place", ["format", "versions", "versions/*/rows", "versions/*/1", "meta", "meta/*.json"]
)
def test_a_pipe_in_the_store_is_not_waited_for(tmp_path: Path, place: str) -> None:
    """Written or refused, and checked; in a process, which a call that waits would not outlive."""
    with MemoryHost.open(root=tmp_path, isolation="process") as host:
        for text in ("one", "two"):
            _write(host, text)
        (pipe,) = (documents_of(tmp_path) / ".store").glob(place)
        pipe.rename(pipe.with_name("away"))
        os.mkfifo(pipe)

        with suppress(OperationFailed, ProviderUnavailable):  # what could not be stored
            _write(host, "three")
        assert host.check(SCOPE)["documents"] == 1
        assert host.current(SCOPE, "notes.md").startswith("one\ntwo\n")
