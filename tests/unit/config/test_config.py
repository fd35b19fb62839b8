"""What the environment says; the command line's tests cover flags and the file."""

from pathlib import Path

import pytest

from ironclaw_memory.config import DEFAULT_TENANT, load, loader_environment


def test_directories_can_be_named(tmp_path: Path) -> None:
    """Both directories follow their variables."""
    config = load({"IRONCLAW_MEMORY_HOME": str(tmp_path), "IRONCLAW_MEMORY_CACHE": "/cache"})

    assert (config.root, config.cache) == (tmp_path, Path("/cache"))


def test_the_data_directory_has_a_variable_of_the_flags_name_too() -> None:
    """It counts where the other one is not set, or empty."""
    root, home = {"IRONCLAW_MEMORY_ROOT": "/root"}, {"IRONCLAW_MEMORY_HOME": "/home"}
    assert load(root).root == Path("/root")
    assert load(root | home).root == Path("/home")
    assert load(root | {"IRONCLAW_MEMORY_HOME": ""}).root == Path("/root")


def test_without_variables_the_platform_decides() -> None:
    """Both directories are absolute and named after the application."""
    config = load({})

    assert config.root.is_absolute()
    assert config.root.name == config.cache.name == "ironclaw-memory"
    assert config.root != config.cache


def test_an_empty_variable_counts_as_absent(tmp_path: Path) -> None:
    """An exported but empty variable names no tenant."""
    config = load({"IRONCLAW_MEMORY_HOME": str(tmp_path), "IRONCLAW_MEMORY_TENANT": ""})

    assert config.tenant == DEFAULT_TENANT


def test_the_scope_can_be_named(tmp_path: Path) -> None:
    """Each axis has a variable; other programs' variables are ignored."""
    said = {
        "IRONCLAW_MEMORY_HOME": str(tmp_path),
        "IRONCLAW_MEMORY_TENANT": "acme",
        "IRONCLAW_MEMORY_AGENT": "helper",
        "TENANT": "x",
        "USER": "root",
    }
    config = load(said)

    assert (config.tenant, config.user, config.agent) == ("acme", "me", "helper")


def test_children_learn_where_libraries_are_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An interpreter with a shared library of its own does not start without."""
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/python/lib")
    monkeypatch.setenv("A_KEY", "secret")
    monkeypatch.delenv("DYLD_LIBRARY_PATH", raising=False)
    assert loader_environment() == {"LD_LIBRARY_PATH": "/opt/python/lib"}


def test_the_configuration_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    """Some editors write one; it is no part of the TOML."""
    file = tmp_path / "config.toml"
    file.write_text('tenant = "acme"\n', encoding="utf-8-sig")

    assert load({"IRONCLAW_MEMORY_CONFIG": str(file)}).tenant == "acme"
