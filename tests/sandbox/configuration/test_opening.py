"""A host opened from Python is as configured where its caller gives nothing."""

from pathlib import Path
from typing import Any

import pytest

from ironclaw_memory import MemoryHost, Scope
from ironclaw_memory.doctor.examination import scope_reports
from ironclaw_memory.errors import InvalidArguments, LimitExceeded
from ironclaw_memory.installed import BUNDLED
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS


pytestmark = pytest.mark.sandbox

SCOPE = Scope(tenant="acme", user="alice")
SECRET = {"content": "The key is " + "AK" + "IAIOSFODNN7ABCDEFG."}  # assembled: no leak


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration file that is named in the environment."""
    file = tmp_path / "config.toml"
    monkeypatch.setenv("IRONCLAW_MEMORY_CONFIG", str(file))
    return file


def save(host: MemoryHost, arguments: dict[str, str]) -> object:
    """Save something as a person would."""
    return host.call_as_operator("ironclaw.memory.write", arguments, scope=SCOPE)


def test_limits_of_the_file_hold(file: Path, tmp_path: Path) -> None:
    """As for the command line; limits that are given take the place of all of them."""
    file.write_text("[limits]\nscope_files = 1\n")
    first, second = {"target": "a.md", "content": "x"}, {"target": "b.md", "content": "x"}
    with MemoryHost.open(root=tmp_path / "root") as host:
        save(host, first)
        with pytest.raises(LimitExceeded) as refused:
            save(host, second)
        assert refused.value.limit == "scope_files"
        (report,) = scope_reports(
            host, tmp_path / "root", repair=False, progress=lambda done, total: None
        )
        assert [finding.code for finding in report.findings] == ["quota-near"]
    with MemoryHost.open(root=tmp_path / "root", limits=DEFAULT_LIMITS) as host:
        save(host, second)


def test_commands_name_what_was_chosen_and_is_not_configured(file: Path, tmp_path: Path) -> None:
    """Directory and provider, each where a command line would use another."""
    root, component = tmp_path / "root", tmp_path / "other.wasm"
    file.write_text(f"root = '{root}'\n")
    with MemoryHost.open() as host:
        assert host.command_line("pending") == "ironclaw-memory pending"
    with MemoryHost.open(root=tmp_path, provider=BUNDLED) as host:
        assert host.command_line("pending") == f"ironclaw-memory pending --root {tmp_path}"
    file.write_text(f"root = '{root}'\nprovider = '{component}'\n")
    with MemoryHost.open() as host:  # never takes a provider from there
        assert host.command_line("pending") == f"ironclaw-memory pending --provider {BUNDLED}"


def test_a_limit_of_the_file_that_is_none_opens_no_host(file: Path, tmp_path: Path) -> None:
    """A typing error must not silently leave the default in force."""
    file.write_text("[limits]\nscope_file = 1\n")
    with pytest.raises(InvalidArguments, match=r"limits\.scope_file"):
        MemoryHost.open(root=tmp_path / "root")


def test_what_the_hint_about_a_secret_advises_helps(file: Path, tmp_path: Path) -> None:
    """Unconfigured it is refused; configured it is masked; what the caller gives wins."""
    file.write_text("")
    with MemoryHost.open(root=tmp_path / "root") as host, pytest.raises(InvalidArguments) as told:
        save(host, SECRET)
    assert "`secrets` in config.toml" in told.value.hint
    file.write_text('secrets = "redact"\n')
    with MemoryHost.open(root=tmp_path / "root") as host:
        save(host, SECRET)
        (path,) = host.documents(SCOPE)
        assert "AKIA" not in host.current(SCOPE, path)
    with (
        MemoryHost.open(root=tmp_path / "root", secrets="reject") as host,
        pytest.raises(InvalidArguments, match="secret"),
    ):
        save(host, SECRET)


@pytest.mark.parametrize("place", [3, b"/tmp/x", "", "a\0b"])
@pytest.mark.parametrize("name", ["root", "provider"])
def test_a_place_that_is_no_path_is_refused_by_its_name(name: str, place: Any) -> None:
    """Its text would be a directory somewhere."""
    with pytest.raises(InvalidArguments) as refused:
        MemoryHost.open(**{name: place})
    assert refused.value.field == name


def test_no_document_is_renamed_to_a_word_for_another(tmp_path: Path) -> None:
    """Nothing could be written to it afterwards."""
    with (
        MemoryHost.open(root=tmp_path / "root") as host,
        pytest.raises(InvalidArguments) as refused,
    ):
        host.rename(Scope(tenant="t", user="u"), "a.md", "Memory")
    assert refused.value.field == "to"
