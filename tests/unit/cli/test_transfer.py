"""What `import` and `export` say of the files they are given."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.conftest import CommandLine

from ironclaw_memory.adapters.cli.render.transfer import problems
from ironclaw_memory.adapters.cli.sources import new_file
from ironclaw_memory.adapters.cli.terminal import announce
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Scope
from ironclaw_memory.portability import exporting, plans, report
from ironclaw_memory.portability.report import Problem


BOB = Scope(tenant="local", user="bob")


@pytest.mark.parametrize("words", [(), ("--from", "markdown")])
def test_one_markdown_file_is_imported(
    run: CommandLine, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Its suffix says what it is, and its own name is the document's."""
    (tmp_path / "trip.md").write_text("Rome\n")
    assert run("import", *words, str(tmp_path / "trip.md"), "--into", "notes").code == 0
    assert run.documents == {"notes/trip.md": "Rome\n"}


def test_files_of_a_folder_with_one_text_all_come_in(run: CommandLine, tmp_path: Path) -> None:
    """Each under its own path, the standing document among them."""
    for name in ("notes/old.md", "MEMORY.md", "todo.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Tea.\n")
    ran = run("import", str(tmp_path))
    assert (ran.code, set(run.documents)) == (0, {"notes/old.md", "MEMORY.md", "todo.md"})
    assert "Imported 3 documents." in ran.out


def test_a_dry_run_names_what_is_refused_for_its_path(run: CommandLine, tmp_path: Path) -> None:
    """It promises nothing that the import then refuses."""
    for name in ("memory.md", "threads/t.md", "Notes/b.md", "HEARTBEAT.md/x.md", "good.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name}\n")
    for name in ("old/c.md", "daily/2026-01-01.md/x.md"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f"{name}\n")
    run.documents.update({"notes/a.md": "tea\n", "old": "tea\n"})
    data = run("--json", "import", "--dry-run", str(tmp_path)).envelope["data"]
    assert data["written"] == ["good.md"]
    assert {problem["path"]: problem["code"] for problem in data["problems"]} == {
        "HEARTBEAT.md/x.md": "path-kept",
        "daily/2026-01-01.md/x.md": "path-kept",
        "old/c.md": "path-occupied",
        "Notes/b.md": "path-twin",
        "memory.md": "path-kept",
        "threads/t.md": "threads-reserved",
    }


def test_what_an_archive_cannot_bring_back_is_named_at_both_ends(
    run: CommandLine, tmp_path: Path
) -> None:
    """A document that a person made by hand may be larger than a write may store."""
    run.documents.update({"a.md": "tea\n", "big.md": "x" * (2 << 20), "memory.md": "tea\n"})
    archive = str(tmp_path / "x.tar")
    out = run("export", archive)
    dry = run("import", "--dry-run", "--user", "bob", archive)
    assert (out.code, dry.code) == (2, 2)
    assert "2 items will not come back" in out.err
    for said in (out.out, dry.out):
        assert "big.md: is too large to be imported" in said
        assert "memory.md: would take the place" in said
    assert "Would import 1 document" in dry.out


def test_an_export_that_lacks_something_says_that_the_archive_is_written(
    run: CommandLine, tmp_path: Path
) -> None:
    """The exit code is that of an export which wrote none; message, data and file tell them apart."""
    run.documents.update({"a.md": "tea\n", "big.md": "x" * (2 << 20)})
    archive = tmp_path / "x.tar"
    assert "which is written" in run("export", str(archive)).err
    made = run("export", "--json", str(tmp_path / "y.tar"))
    refused = run("export", "--json", str(archive))
    assert (made.code, made.envelope["ok"], made.envelope["data"]["documents"]) == (2, False, 2)
    assert made.envelope["data"]["problems"] == [{"path": "big.md", "code": "document-too-large"}]
    assert (refused.code, refused.envelope["data"]) == (2, None)
    run("import", "--user", "bob", str(archive))
    assert run("read", "--user", "bob", "a.md").out == "tea\n"


@pytest.mark.parametrize("archived", [False, True])
def test_an_import_that_lacks_something_says_what_became_of_the_rest(
    run: CommandLine, tmp_path: Path, archived: bool
) -> None:
    """It is there, and after a dry run nothing is; programs find either in the data."""
    source = _source(run, tmp_path, archived=archived)
    run.documents["b.md"] = "mine\n"
    dry = run("import", "--dry-run", str(source))
    assert (dry.code, run.documents) == (2, {"b.md": "mine\n"})
    assert dry.err.startswith("error: 1 item would not be imported; nothing was written.\n")
    wet = run("import", "--json", str(source))
    assert (wet.code, wet.envelope["error"]["code"]) == (2, "incomplete")
    assert wet.envelope["data"]["written"] == ["a.md"]
    assert "everything else is there" in wet.envelope["error"]["message"]


@pytest.mark.parametrize("command", ["import", "export"])
def test_what_exit_code_2_means_for_what_was_done_is_in_the_help(
    run: CommandLine, command: str
) -> None:
    """The table of exit codes says `bad input`, and no more."""
    assert "Exit code 2 with a report says that" in " ".join(run(command, "--help").out.split())


@pytest.mark.parametrize("archived", [False, True])
def test_an_interrupted_import_says_how_it_is_finished(
    run: CommandLine, tmp_path: Path, archived: bool
) -> None:
    """And so it is."""
    source = _source(run, tmp_path, archived=archived)
    writes = run.host.call_as_operator
    with run.monkeypatch.context() as stopped:
        stopped.setattr(run.host, "call_as_operator", _interrupted_at("b.md", writes))
        ran = run("import", str(source))
    assert (ran.code, ran.out, run.documents) == (130, "", {"a.md": "a.md\n"})
    assert ran.err == (
        "error: Interrupted.\n"
        "hint: What came in stays; the same command again brings in the rest.\n"
    )
    assert run("import", str(source)).code == 0
    assert run.documents == {"a.md": "a.md\n", "b.md": "b.md\n"}


def _source(run: CommandLine, folder: Path, *, archived: bool) -> Path:
    """Return a folder with two documents, or an archive of what somebody else has of them."""
    notes = folder / "notes"
    notes.mkdir()
    for name in ("a.md", "b.md"):
        (notes / name).write_text(f"{name}\n")
        run.host.provider.of(BOB)[name] = f"{name}\n"
    if not archived:
        return notes
    run("export", "--user", "bob", str(folder / "x.tar"))
    return folder / "x.tar"


def _interrupted_at(path: str, writes: Callable[..., object]) -> Callable[..., object]:
    def write(tool_id: str, arguments: dict[str, Any], *, scope: Scope) -> object:
        if arguments["target"] == path:
            raise KeyboardInterrupt
        return writes(tool_id, arguments, scope=scope)

    return write


@pytest.mark.parametrize("said", ["archive", "server-memory"])
def test_a_folder_is_neither_archive_nor_lines(run: CommandLine, tmp_path: Path, said: str) -> None:
    """What was said and what is there must agree."""
    ran = run("import", "--from", said, str(tmp_path))
    assert (ran.code, "is a folder" in ran.err) == (2, True)


def test_markdown_comes_from_something_with_a_name(run: CommandLine) -> None:
    """Standard input has none."""
    assert run("import", "--from", "markdown", "-", stdin=b"x").code == 2


def test_a_file_that_is_not_there_is_named(run: CommandLine, tmp_path: Path) -> None:
    """For what comes in, and for the folder of what goes out."""
    assert "nofile.tar does not exist" in run("import", "nofile.tar").err
    ran = run("export", str(tmp_path / "nodir" / "x.tar"))
    assert (ran.code, "nodir does not exist" in ran.err) == (2, True)


def test_a_file_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    """What a killed export left beside it is no obstacle to the next, and goes."""
    (tmp_path / ".x[1].tar.00.new").write_bytes(b"half")
    with new_file(tmp_path / "x[1].tar") as file:
        file.write(b"who")
        assert not (tmp_path / "x[1].tar").exists()
        file.write(b"le")
    assert {found.name: found.read_bytes() for found in tmp_path.iterdir()} == {
        "x[1].tar": b"whole"
    }


@pytest.mark.parametrize("name", ["x" * 255, "\u00fc" * 127])
def test_an_archive_may_have_the_longest_name_there_is(
    run: CommandLine, tmp_path: Path, name: str
) -> None:
    """What stands for it until it is whole is named shorter, and is found again after a kill."""
    file = tmp_path / "out" / name
    file.parent.mkdir()
    with run.monkeypatch.context() as killed:
        killed.setattr(Path, "unlink", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt), new_file(file):
            raise KeyboardInterrupt
    assert len(list(file.parent.iterdir())) == 1
    assert run("export", str(file)).code == 0
    assert [path.name for path in file.parent.iterdir()] == [name]


@pytest.mark.parametrize(("name", "hinted"), [("x" * 256, False), ("taken", True)])
def test_a_name_that_no_file_can_have_is_not_called_taken(
    run: CommandLine, tmp_path: Path, name: str, *, hinted: bool
) -> None:
    """What would help is said of the other alone."""
    (tmp_path / "taken").write_bytes(b"theirs")
    ran = run("export", str(tmp_path / name))
    assert ran.err.startswith("error: The file cannot be made")
    assert (ran.code, "does not exist yet" in ran.err) == (2, hinted)


def test_no_file_is_overwritten_that_came_meanwhile(tmp_path: Path) -> None:
    """Nor is anything left of the one that was made for its name."""
    with pytest.raises(InvalidArguments), new_file(tmp_path / "x.tar"):
        (tmp_path / "x.tar").write_bytes(b"theirs")
    assert [found.read_bytes() for found in tmp_path.iterdir()] == [b"theirs"]


def test_what_nobody_reads_on_standard_error_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """An export whose progress goes to `head` is finished all the same."""

    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed())
    announce("Exporting: 1 of 2")


@pytest.mark.parametrize("into", ["../x", "a/../b", "a//b"])
def test_a_target_that_is_no_folder_is_one_error(
    run: CommandLine, tmp_path: Path, into: str
) -> None:
    """Not one for each file."""
    (tmp_path / "a.md").write_text("tea\n")
    ran = run("import", str(tmp_path), "--into", into)
    assert (ran.code, run.documents) == (2, {})
    assert ran.err.startswith("error: --into")


def test_names_in_a_report_have_no_power_and_one_line_each(
    run: CommandLine, tmp_path: Path
) -> None:
    """Also in a pipe, where somebody reads the names line by line."""
    (tmp_path / "a\n\x1b[31mb.md").write_text("tea\n")
    out = run("import", str(tmp_path)).out
    assert "\n  a␊␛[31mb.md: " in out


CODES = {
    value
    for room in (exporting, plans, report)
    for name, value in vars(room).items()
    if name.isupper() and isinstance(value, str)
}


@pytest.mark.parametrize("code", sorted({*CODES, *exporting.LEFT_OUT.values()}))
def test_every_reason_of_a_report_is_a_phrase(code: str) -> None:
    """A code is for programs; `--json` has it."""
    (line,) = problems([Problem(path="a.md", code=code)])
    assert " " in line.removeprefix("  a.md: ")


def test_what_was_passed_over_is_counted(run: CommandLine, tmp_path: Path) -> None:
    """Who has notes in other files learns that they stayed behind."""
    for name in ("a.md", "b.txt", ".c.md"):
        (tmp_path / name).write_text(f"{name}\n")
    assert "Passed over, as hidden or no Markdown: 2." in run("import", str(tmp_path)).out


def test_names_that_differ_in_encoding_alone_are_said_to(run: CommandLine, tmp_path: Path) -> None:
    """Their letter case is the same."""
    (tmp_path / "caf\u00e9.md").write_text("one\n")
    (tmp_path / "cafe\u0301.md").write_text("two\n")
    out = run("import", str(tmp_path)).out
    assert "spelt with other characters" in out
    assert "letter case" not in out


@pytest.mark.parametrize("source", ["-", "a.txt"])
def test_what_is_no_archive_may_be_something_else(
    run: CommandLine, tmp_path: Path, source: str
) -> None:
    """The hint names the forms that a source can have, and the one that it has works."""
    lines = b'{"type": "entity", "name": "Ann", "entityType": "person", "observations": ["tall"]}'
    (tmp_path / "a.txt").write_bytes(lines)
    named = source if source == "-" else str(tmp_path / source)
    ran = run("import", named, stdin=lines)
    assert ran.code == 2
    assert "--from server-memory or --from markdown" in ran.err
    assert run("import", "--from", "server-memory", named, stdin=lines).code == 0
