"""What a component may import and must export."""

import pytest

from ironclaw_memory.errors import UnacceptableComponent
from ironclaw_memory.sandbox.admission import WASI_IMPORTS, admit


TOOLS = "ironclaw:memory/tools@0.1.0"


@pytest.mark.parametrize("patch", [0, 6, 9, 40])
def test_any_patch_of_wasi_02_is_offered(patch: int) -> None:
    """Components of other toolchains name other versions of the same interfaces."""
    imports = [f"wasi:{name}@0.2.{patch}" for name in WASI_IMPORTS]

    assert admit(imports, [TOOLS]) == {"tools": TOOLS}


@pytest.mark.parametrize(
    "name",
    [
        "wasi:http/types@0.2.0",
        "wasi:cli/command@0.2.0",
        "wasi:io/streams@0.3.0",
        "wasi:io/streams",
        "ironclaw:memory/tools@0.1.0",
        "ironclaw:memory/context@0.2.0",
        "io/streams@0.2.0",
        "evil:io/streams@0.2.0",
        "wasi:io/streams@0.2.0 ",
        "env",
    ],
)
def test_anything_else_is_refused_by_name(name: str) -> None:
    """The message names the import, so that its author knows what to leave out."""
    with pytest.raises(UnacceptableComponent) as caught:
        admit(["wasi:io/poll@0.2.0", name], [TOOLS])
    assert name in caught.value.message


def test_a_name_is_shown_short_and_plain() -> None:
    """A foreign name cannot flood a message or write control characters into a terminal."""
    with pytest.raises(UnacceptableComponent) as caught:
        admit(["\x1b[2J" + "x" * 10_000], [TOOLS])
    assert "\x1b" not in caught.value.message
    assert len(caught.value.message) < 300


def test_later_patches_of_the_world_are_known() -> None:
    """A provider built for 0.1.7 serves a host of 0.1.0; what it adds is not called."""
    later = "ironclaw:memory/lifecycle@0.1.7"

    assert admit([], [later, "ironclaw:memory/extras@0.1.7", "exports"]) == {"lifecycle": later}


@pytest.mark.parametrize("exports", [[], ["wasi:cli/run@0.2.0"], ["ironclaw:memory/tools@0.2.0"]])
def test_a_world_that_is_not_known_is_refused(exports: list[str]) -> None:
    """No interface of ours, or one of a version nobody here has read."""
    with pytest.raises(UnacceptableComponent):
        admit([], exports)
