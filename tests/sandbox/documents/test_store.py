"""A search where something else stands in place of the provider's own directory."""

from pathlib import Path
from typing import Literal

import pytest
from tests.sandbox.documents.subject import SCOPE, documents_of

from ironclaw_memory import MemoryHost, Origin
from ironclaw_memory.errors import RootUnusable


pytestmark = pytest.mark.sandbox


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_a_search_says_what_stands_in_its_way(
    tmp_path: Path, isolation: Literal["thread", "process"]
) -> None:
    """It blames neither the machine nor the provider, whichever way the guest runs."""
    place = documents_of(tmp_path)
    place.mkdir(parents=True)
    (place / "a.md").write_text("zebra")
    (place / ".store").write_text("x")
    with (
        MemoryHost.open(root=tmp_path, isolation=isolation) as host,
        pytest.raises(RootUnusable, match=r"The \.store of the scope cannot be opened"),
    ):
        host.call("ironclaw.memory.search", {"query": "zebra"}, scope=SCOPE, origin=Origin.LOOP_RUN)
