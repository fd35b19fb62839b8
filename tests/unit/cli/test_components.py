"""`component`, `conformance` and `curate` as verbs: parsed, called, printed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import wasmtime
from tests.unit.cli.conftest import CommandLine, nobody

from ironclaw_memory.adapters.cli import inspection
from ironclaw_memory.adapters.cli.entry import main
from ironclaw_memory.adapters.cli.render.inspection import drawn
from ironclaw_memory.build import BuildFailed
from ironclaw_memory.errors import InvalidArguments, InvalidManifest
from ironclaw_memory.installed import BUNDLED
from ironclaw_memory.installing import inspect, is_approved
from ironclaw_memory.package import Carried, embed, extract
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS
from ironclaw_memory.testing import ScriptedModel
from ironclaw_memory.upkeep.report import CurationReport, CurationStatus


@dataclass
class Found:
    """A report of the suite, as the verb needs it."""

    passed: bool
    exit_code: int


@pytest.mark.parametrize(("passed", "code"), [(True, 0), (False, 4)])
def test_conformance_ends_with_the_reports_exit_code(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, passed: bool, code: int
) -> None:
    """The report goes to standard output in the form that was asked for."""
    asked: list[Any] = []

    def conform(path: Path | None, **_: Any) -> Found:
        asked.append(path)
        return Found(passed, code)

    monkeypatch.setattr("ironclaw_memory.conformance.conform", conform)
    renderers = {"junit": lambda _: "<x/>\n", "text": lambda _: "fine\n"}
    monkeypatch.setattr("ironclaw_memory.conformance.RENDERERS", renderers)
    monkeypatch.setattr("ironclaw_memory.conformance.rendering.as_object", lambda _: {"a": 1})
    ran = run("conformance", "mine.wasm", "--report", "junit")
    assert (ran.code, ran.out, asked) == (code, "<x/>\n", [Path("mine.wasm")])
    machine = run("conformance", "--json")
    assert (machine.code, machine.envelope["ok"]) == (code, passed)
    assert machine.envelope["data"] == {"a": 1}


def test_curation_shows_the_difference_and_how_to_take_it_back(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the model says is shown as text, what the host found as a diff."""
    report = CurationReport(
        status=CurationStatus.DONE,
        pass_id="pass-1",  # noqa: S106 - no password
        changed=True,
        merged=2,
        summary="Merged twins.",
        diff="-a\n+b",
        restore="ironclaw-memory restore MEMORY.md 3",
    )
    asked: list[bool] = []

    def curate(scope: object, model: object, *, dry_run: bool) -> tuple[CurationReport, ...]:
        asked.append(dry_run)
        return (report,)

    monkeypatch.setattr(run.host, "curate", curate, raising=False)
    monkeypatch.setattr(
        "ironclaw_memory.adapters.cli.commands.curate._model", lambda *_: ScriptedModel([])
    )
    out = run("curate", "--dry-run", "--api", "anthropic", "--model", "m").out
    assert asked == [True]
    for words in (
        "pass-1: done",
        "Merged twins.",
        "-a\n+b",
        "`ironclaw-memory restore MEMORY.md 3`",
    ):
        assert words in out


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (CurationStatus.DONE, 0),
        (CurationStatus.DRY_RUN, 0),
        (CurationStatus.SKIPPED, 3),
        (CurationStatus.REFUSED, 4),
        (CurationStatus.FAILED, 4),
    ],
)
def test_a_pass_that_did_not_run_to_its_end_is_no_success(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, status: CurationStatus, code: int
) -> None:
    """The report is printed all the same."""
    report = CurationReport(status=status, pass_id="pass-1", reason="So.")  # noqa: S106 - no password
    monkeypatch.setattr(run.host, "curate", lambda *_, **__: (report,), raising=False)
    monkeypatch.setattr(
        "ironclaw_memory.adapters.cli.commands.curate._model", lambda *_: ScriptedModel([])
    )
    ran = run("--json", "curate", "--api", "anthropic", "--model", "m")
    assert (ran.code, ran.envelope["ok"]) == (code, code == 0)
    assert ran.envelope["data"][0]["reason"] == "So."


def test_a_base_url_is_for_one_interface(run: CommandLine) -> None:
    """An option that would do nothing is refused."""
    words = ("curate", "--api", "anthropic", "--model", "m", "--base-url", "http://x")
    assert run(*words).code == 2


def test_new_writes_a_provider(run: CommandLine, tmp_path: Path) -> None:
    """And says what to do next; a second time nothing is overwritten."""
    target = str(tmp_path / "my-memory")
    ran = run("--json", "component", "new", target)
    assert f"{target}/manifest.toml" in ran.envelope["data"]["written"]
    assert run("component", "new", target).code == 2


def test_build_shows_what_is_wrong_with_a_folder(run: CommandLine, tmp_path: Path) -> None:
    """Before anything is compiled."""
    ran = run("component", "build", str(tmp_path))
    assert (ran.code, "manifest.toml" in ran.err) == (2, True)


def test_unpacking_overwrites_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even a part is written where something stands in the way."""
    carried = Carried(manifest="m", files={"prompts/a.md": "a", "b.md": "b"})
    _carrying(monkeypatch, carried)
    written = inspection.unpack(tmp_path / "x.wasm", tmp_path / "out", limits=DEFAULT_LIMITS)
    assert set(written) == {"manifest.toml", "prompts/a.md", "b.md"}
    assert (tmp_path / "out" / "prompts" / "a.md").read_text() == "a"
    with pytest.raises(InvalidArguments):
        inspection.unpack(tmp_path / "x.wasm", tmp_path / "out", limits=DEFAULT_LIMITS)


@pytest.mark.parametrize(
    "name", ["../x", "/x", "a/../../x", "a\\b", "a\nb", "./a", "a//b", "", "manifest.toml"]
)
def test_no_name_of_a_package_leads_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The whole package is refused."""
    _carrying(monkeypatch, Carried(manifest="m", files={name: "x"}))
    with pytest.raises(InvalidManifest):
        inspection.unpack(tmp_path / "x.wasm", tmp_path / "out", limits=DEFAULT_LIMITS)
    assert not (tmp_path / "out").exists()


def _carrying(monkeypatch: pytest.MonkeyPatch, carried: Carried) -> None:
    monkeypatch.setattr(inspection, "contents", lambda path, limits: b"")
    monkeypatch.setattr(inspection, "extract", lambda component: carried)


def test_a_file_that_is_no_component_is_a_host_fault(run: CommandLine, tmp_path: Path) -> None:
    """It cannot be read, whoever made it."""
    (tmp_path / "x.wasm").write_bytes(b"\0asm\x01\0\0\0")
    assert run("component", "info", str(tmp_path / "x.wasm")).code == 5


@pytest.mark.parametrize("words", [("info",), ("install",), ("extract", "out")])
@pytest.mark.parametrize("name", ["none.wasm", "."])
def test_a_component_that_is_not_there_is_a_slip_of_whoever_named_it(
    run: CommandLine, tmp_path: Path, words: tuple[str, ...], name: str
) -> None:
    """The installation is whole, and nothing there is to be mended."""
    verb, *more = words
    ran = run("component", verb, str(tmp_path / name), *more)
    assert (ran.code, ran.err[:31]) == (2, "error: file: the component file")


@pytest.mark.skipif(not BUNDLED.is_file(), reason="the component is not built")
def test_the_bundled_component_needs_no_approval(run: CommandLine) -> None:
    """Its digest is known."""
    assert "needs no approval" in run("component", "install", str(BUNDLED)).out


@pytest.mark.skipif(not BUNDLED.is_file(), reason="the component is not built")
def test_nothing_is_approved_that_nobody_was_shown(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does the exit code say that it was, with --yes either."""
    found = replace(inspect(BUNDLED, limits=DEFAULT_LIMITS), bundled=False)
    approved = []

    def install(*_: object, agreed: Callable[[object], bool], **__: object) -> None:
        approved.append(agreed(found))

    monkeypatch.setattr("ironclaw_memory.installing.inspect", lambda *_, **__: found)
    monkeypatch.setattr("ironclaw_memory.installing.install", install)
    words = ["component", "install", "mine.wasm", "--yes"]
    with nobody(monkeypatch, "stderr"):
        codes = [main([*words, *more]) for more in ((), ("--json",))]
    assert (codes, approved) == ([130, 0], [True])


@pytest.mark.parametrize(("fails", "code"), [(False, 0), (True, 2)])
def test_a_build_goes_on_where_nobody_reads_how_far_it_is(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, fails: bool, code: int
) -> None:
    """Its exit code is that of the build, also where the errors of it were lost."""

    def build(_: object, target: Path, *, say: Callable[[str], None]) -> object:
        say("Compiling")
        if fails:
            raise BuildFailed("No.", output="a line\n")
        target.write_bytes(b"")
        return SimpleNamespace(manifest=SimpleNamespace(id="my.memory"))

    monkeypatch.setattr("ironclaw_memory.build.build", build)
    with nobody(monkeypatch, "stderr"):
        ended = main(["component", "build", str(tmp_path / "mine")], open_host=run.opener)
    assert (ended, (tmp_path / "mine.wasm").exists()) == (code, not fails)


@pytest.mark.parametrize("verb", ["info", "install", "extract"])
def test_how_large_a_component_may_be_is_configured(
    run: CommandLine, tmp_path: Path, verb: str
) -> None:
    """Lower than the default it refuses what was read before, and higher it reads more."""
    file, out = tmp_path / "x.wasm", (str(tmp_path / "out"),) if verb == "extract" else ()
    for size, limit, refused in (
        (9, 8, True),
        (9, 9, False),
        (DEFAULT_LIMITS.component_bytes + 1, DEFAULT_LIMITS.component_bytes + 1, False),
    ):
        with file.open("wb") as made:
            made.truncate(size)
        _limited(tmp_path, component_bytes=limit)
        said = run("component", verb, str(file), *out).err
        assert ("limits.component_bytes" in said) is refused, said


@pytest.mark.skipif(not BUNDLED.is_file(), reason="the component is not built")
def test_installing_compiles_within_the_configured_limits(run: CommandLine, tmp_path: Path) -> None:
    """What the limits forbid is not compiled; what they allow is, and is then found wanting."""
    file = _without_functions(tmp_path / "mine.wasm")
    run.monkeypatch.setenv("IRONCLAW_MEMORY_CACHE", str(tmp_path / "cache"))
    codes = []
    for limit in (1, DEFAULT_LIMITS.compile_ms):
        _limited(tmp_path, compile_ms=limit)
        ran = run("--json", "component", "install", "--yes", str(file))
        codes.append(ran.envelope["error"]["code"])
    assert codes == ["limit-exceeded", "unacceptable-component"]


def _limited(tmp_path: Path, **limits: int) -> None:
    """Write *limits* into the configuration file of the command line."""
    file = tmp_path / "config" / "ironclaw-memory" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[limits]\n" + "".join(f"{name} = {of}\n" for name, of in limits.items()))


def _without_functions(file: Path) -> Path:
    """Write a component that compiles at once: the bundled one's package, under another id."""
    carried = extract(BUNDLED.read_bytes())
    named = replace(carried, manifest=carried.manifest.replace('"ironclaw.memory"', '"my.memory"'))
    tools = '(instance $none) (export "ironclaw:memory/tools@0.1.0" (instance $none))'
    file.write_bytes(embed(bytes(wasmtime.wat2wasm(f"(component {tools})")), named))
    return file


def test_what_is_shown_of_a_component_says_whether_it_is_approved(tmp_path: Path) -> None:
    """Before and after; what is exported is listed by interface."""
    found = replace(inspect(BUNDLED, limits=DEFAULT_LIMITS), bundled=False)
    found = replace(found, effective=replace(found.effective, refused=False))
    assert not is_approved(found, tmp_path)
    assert "after `component install`" in drawn(found)
    assert "yes, it is approved" in drawn(found, approved=True)
    assert "exports   ironclaw:memory/" in drawn(found)
    assert inspection.as_json(found, approved=True)["approved"] is True
