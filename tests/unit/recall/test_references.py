"""The stable name of a snippet (reference.md section 6)."""

from dataclasses import replace

from ironclaw_memory.recall import RawSnippet, snippet_reference


GOLDEN = RawSnippet(
    tenant="tenant-native-memory",
    user="user-native-memory",
    agent=None,
    project=None,
    path="allowed.md",
    text="whatever",
)


def test_the_golden_value_holds() -> None:
    """The one value that the reference pins (statement 173)."""
    assert snippet_reference(GOLDEN) == "memory-snippet:cb96ed00b13e6ae4"


def test_the_text_does_not_change_the_reference() -> None:
    """A reference names a place, not a wording."""
    assert snippet_reference(GOLDEN) == snippet_reference(replace(GOLDEN, text="other", agent=""))


def test_neighbouring_parts_do_not_run_together() -> None:
    """Moving a letter from one axis to the next gives another reference."""
    moved = replace(GOLDEN, tenant="tenant-native-memoryu", user="ser-native-memory")

    assert snippet_reference(GOLDEN) != snippet_reference(moved)


def test_a_path_that_is_no_text_still_has_a_reference() -> None:
    """A hostile path must not stop a turn."""
    assert snippet_reference(replace(GOLDEN, path="\ud800")).startswith("memory-snippet:")
