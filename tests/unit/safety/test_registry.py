"""Which documents are protected (reference.md sections 5 and 10.1)."""

import pytest

from memory_native.safety import PROTECTED_PATHS, custom_registry


LISTED = [
    "SOUL.md",
    "AGENTS.md",
    "USER.md",
    "IDENTITY.md",
    "SYSTEM.md",
    "MEMORY.md",
    "TOOLS.md",
    "HEARTBEAT.md",
    "BOOTSTRAP.md",
    "context/assistant-directives.md",
    "context/profile.json",
]


def test_the_registry_is_versioned() -> None:
    """An event names this version."""
    assert PROTECTED_PATHS.version == "prompt-protected-paths:v1"


def test_each_listed_path_has_a_class_of_its_own() -> None:
    """Eleven paths, eleven classes, none of them the custom one."""
    classes = [PROTECTED_PATHS.class_of(path) for path in LISTED]

    assert None not in classes
    assert len(set(classes)) == len(LISTED)
    assert "custom_protected_path" not in classes


@pytest.mark.parametrize(
    "path", ["memory.MD", "Memory.md", "CONTEXT/Profile.JSON", "/MEMORY.md", "MEMORY.md/"]
)
def test_other_spellings_of_a_path_are_protected_alike(path: str) -> None:
    """Case, a leading and a trailing slash do not dodge protection."""
    assert PROTECTED_PATHS.class_of(path) is not None


def test_a_name_that_folds_on_disk_to_a_protected_one_is_protected() -> None:
    """On a file system that folds case, a long s is an s."""
    assert PROTECTED_PATHS.class_of("TOOL\u017f.md") == PROTECTED_PATHS.class_of("TOOLS.md")


@pytest.mark.parametrize(
    "path", ["sub/MEMORY.md", "MEMORY.md.bak", "profile.json", "notes/a.md", ""]
)
def test_only_the_whole_path_counts(path: str) -> None:
    """The same name in another directory is free."""
    assert PROTECTED_PATHS.class_of(path) is None


def test_custom_paths_share_one_class() -> None:
    """An operator's own entries are told apart by their path, not by class."""
    registry = custom_registry("ours:v3", ["rules/House.md", "plan.md"])

    assert registry.class_of("RULES/house.md") == "custom_protected_path"
    assert registry.class_of("plan.md") == "custom_protected_path"
    assert registry.class_of("other.md") is None
