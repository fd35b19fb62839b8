"""Reading and writing documents from the command line."""

import re
import tempfile
from pathlib import Path

import pytest
from tests.unit.cli.conftest import ME, CommandLine

from ironclaw_memory.errors import AccessDenied, InvalidArguments, OperationFailed
from ironclaw_memory.reports import VersionRow
from ironclaw_memory.upkeep.snapshots import Snapshot


SNAPSHOT = Snapshot(id="snapshot-1", taken_ms=0, files=1, bytes=1, skipped=0)


def test_text_is_an_argument_or_standard_input(run: CommandLine) -> None:
    """An argument, a dash and a pipe all give the text."""
    run("write", "--target", "memory", "one")
    run("write", "--target", "memory", "-", stdin=b"two\n")
    run("write", "--target", "memory", stdin="drei ü\n".encode())
    assert run.documents["MEMORY.md"] == "one\ntwo\ndrei ü\n"


@pytest.mark.parametrize("text", ["- green tea", "- a\n- b", "---\ntitle: x\n---", "-- so"])
def test_text_that_begins_with_a_dash_is_text(run: CommandLine, text: str) -> None:
    """A line of a list is what is written most; no option has white space after its dashes."""
    run("write", "--target", "memory", text, "--user", "ann")
    run("patch", "--target", "memory", "--old", text, "--new", "- black tea")
    written, patched = (arguments for _, arguments in run.host.asked)
    assert run.opener.settings[0].user == "ann"
    assert (written["content"], patched["old_string"], patched["new_string"]) == (
        text,
        text,
        "- black tea",
    )


def test_a_mistake_about_such_text_shows_it_as_it_was_typed(run: CommandLine) -> None:
    """What carries it through the parser is seen by nobody."""
    ran = run("write", "one", "- two")
    assert (ran.code, ran.err.splitlines()[0]) == (
        2,
        "error: Got unexpected extra argument (- two)",
    )


@pytest.mark.parametrize(
    "words",
    [
        ("component", "info", "- p.wasm"),
        ("component", "extract", "- p.wasm"),
        ("mcp", "--http", "--token-file", "- t"),
        ("mcp", "--port", "- 1"),
    ],
    ids=" ".join,
)
def test_a_file_or_number_that_begins_like_a_list_is_bad_input(
    run: CommandLine, words: tuple[str, ...]
) -> None:
    """Where there is none of that name; the types of parameters get it as it was typed."""
    ran = run(*words)
    assert (ran.code, "Unexpected" in ran.err, "\0" in ran.err) == (2, False, False)


def test_a_directory_that_begins_like_a_list_is_served(run: CommandLine) -> None:
    """A global option after the command is no other than before it."""
    assert run("tree", "--root", "- d", "--provider", "- p").code == 0
    assert str(run.opener.settings[0].root).endswith("/- d")
    assert str(run.opener.settings[0].provider).endswith("- p")


def test_text_that_is_not_utf8_is_bad_input_and_stores_nothing(run: CommandLine) -> None:
    """Bytes that are no text end with exit code 2 before a host is opened."""
    ran = run("write", "--target", "memory", "-", stdin=b"caf\xe9")
    assert (ran.code, ran.err.splitlines()[0]) == (
        2,
        "error: the text on standard input is not UTF-8.",
    )
    assert run.opener.settings == []


def test_a_word_that_is_not_utf8_is_bad_input(run: CommandLine) -> None:
    """The shell may hand over any bytes as an argument."""
    assert run("write", "caf\udce9").code == 2


def test_replace_sends_append_false(run: CommandLine) -> None:
    """What the options say reaches the tool as its arguments, and nothing else."""
    run("write", "--target", "a.md", "--replace", "--metadata", '{"skip_indexing": true}', "x")
    tool, arguments = run.host.asked[0]
    assert tool == "ironclaw.memory.write"
    assert arguments == {
        "target": "a.md",
        "content": "x",
        "append": False,
        "metadata": {"skip_indexing": True},
    }


def test_the_bootstrap_document_needs_no_text(run: CommandLine) -> None:
    """Emptying it asks for no content."""
    run("write", "--target", "bootstrap")
    assert run.host.asked[0][1]["content"] == ""


def test_metadata_must_be_a_json_object(run: CommandLine) -> None:
    """Anything else is bad input."""
    assert run("write", "--metadata", "[1]", "x").code == 2
    assert run("write", "--metadata", "{", "x").code == 2


def test_a_document_is_printed_byte_for_byte(run: CommandLine) -> None:
    """No line end is added and nothing is replaced where no terminal is."""
    run.documents["a.md"] = "\ufeffone\r\n\x1b[31mtwo"
    assert run("read", "a.md").out == "\ufeffone\r\n\x1b[31mtwo"


def test_a_patch_says_how_often(run: CommandLine) -> None:
    """The sentence for people counts, the data is the tool's own."""
    run.documents["MEMORY.md"] = "tea\n"
    ran = run("patch", "--target", "memory", "--old", "tea", "--new", "coffee")
    assert ran.out == "Replaced 1 occurrence in MEMORY.md.\n"
    assert run.documents["MEMORY.md"] == "coffee\n"


def test_all_patches_every_occurrence(run: CommandLine) -> None:
    """The flag becomes the tool's own argument."""
    run.documents["MEMORY.md"] = "tea\n"
    run("patch", "--target", "memory", "--old", "tea", "--new", "x", "--all")
    assert run.host.asked[0][1]["replace_all"] is True


@pytest.mark.parametrize("words", [("read", "none.md"), ("--json", "read", "none.md")])
def test_a_document_that_is_not_there_is_bad_input(
    run: CommandLine, words: tuple[str, ...]
) -> None:
    """It is the caller's to correct, in either form."""
    assert run(*words).code == 2


def test_what_the_provider_cannot_do_ends_with_four(run: CommandLine) -> None:
    """An operation that failed is not the caller's fault."""
    run.host.failing = OperationFailed("It is full.", code="quota-exceeded", hint="Erase.")
    ran = run("write", "x")
    assert (ran.code, ran.err) == (4, "error: It is full.\nhint: Erase.\n")


def test_edit_stores_what_the_editor_left(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The editor gets the exact bytes, and its result replaces the document."""
    run.documents["notes/a.md"] = "one\r\n"

    def editor(*, filename: str) -> None:
        with open(filename, "r+b") as file:  # noqa: PTH123 - what an editor does
            assert file.read() == b"one\r\n"
            file.write(b"two\r\n")

    monkeypatch.setattr("click.edit", editor)
    assert run("edit", "notes/a.md").code == 0
    assert run.documents["notes/a.md"] == "one\r\ntwo\r\n"


@pytest.mark.parametrize("word", ["memory", "Daily_Log"])
def test_edit_takes_no_word_for_a_document(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    """An editor that opens empty would replace what the word stands for."""
    run.documents["MEMORY.md"] = "a fact\n"
    monkeypatch.setattr("click.edit", lambda **_: pytest.fail("opened"))
    ran = run("edit", word)
    assert (ran.code, "MEMORY.md" in ran.err) == (2, True)
    assert run.documents == {"MEMORY.md": "a fact\n"}


def test_edit_never_overwrites_what_came_meanwhile(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else's change wins, and the person's text is kept in a file."""
    run.documents["a.md"] = "one\n"

    def editor(*, filename: str) -> None:
        run.documents["a.md"] = "theirs\n"
        with open(filename, "wb") as file:  # noqa: PTH123 - what an editor does
            file.write(b"mine\n")

    monkeypatch.setattr("click.edit", editor)
    ran = run("edit", "a.md")
    assert (ran.code, run.documents["a.md"]) == (4, "theirs\n")
    kept = ran.err.split("kept in ")[1].strip().rstrip(".")
    with open(kept, encoding="utf-8") as file:  # noqa: PTH123 - the path as it was printed
        assert file.read() == "mine\n"


@pytest.mark.parametrize(
    "problem",
    [
        InvalidArguments("content: looks like it contains a secret.", hint="Leave it out."),
        InvalidArguments("content is blank."),
        AccessDenied("The operator disabled it."),
        OSError(28, "full"),
        KeyboardInterrupt(),
    ],
    ids=repr,
)
def test_edit_says_where_a_text_is_kept_that_could_not_be_stored(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, problem: BaseException
) -> None:
    """Whoever refuses it: what a person typed is nobody's to lose."""
    run.documents["a.md"] = "one\n"
    run.host.failing = problem
    monkeypatch.setattr("click.edit", lambda *, filename: Path(filename).write_bytes(b"mine\n"))
    ran = run("edit", "a.md")
    assert (ran.code != 0, run.documents["a.md"]) == (True, "one\n")
    kept = re.search(r"Your text is kept in (\S+/a\.md)\.", ran.err)
    assert kept is not None
    assert Path(kept[1]).read_bytes() == b"mine\n"


@pytest.mark.parametrize("words", [("write", "--target", "a.md"), ("profile", "set", "--location")])
def test_secrets_that_were_replaced_are_counted(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Under `redact` another text is stored than was given, and who gave it learns that."""
    secret = "AKIA" + "Q3EGWTQLJ7PZ4XNB"
    monkeypatch.setenv("IRONCLAW_MEMORY_SECRETS", "redact")
    assert "Secrets replaced in it, as the setting `secrets` says: 1." in run(*words, secret).out
    assert run("--json", *words, secret).envelope["data"]["secrets_replaced"] == 1
    monkeypatch.setenv("IRONCLAW_MEMORY_SECRETS", "allow")
    assert "secrets_replaced" not in run("--json", *words, secret).envelope["data"]


@pytest.mark.parametrize("beside", [(), ("other.md",)])
def test_an_editor_that_leaves_no_file_changed_nothing(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, beside: tuple[str, ...]
) -> None:
    """The system is whole; a text under another name is kept, and said to be."""
    run.documents["a.md"] = "mine\n"

    def editor(*, filename: str) -> None:
        Path(filename).unlink()
        for name in beside:
            Path(filename).with_name(name).write_text("theirs\n")

    monkeypatch.setattr("click.edit", editor)
    ran = run("edit", "a.md")
    assert (ran.code, run.documents["a.md"]) == (2, "mine\n")
    assert ran.err.startswith("error: The editor left no file")
    assert all(name in ran.err for name in beside)
    assert "`ironclaw-memory delete a.md`" in ran.err
    assert ("is kept in" in ran.err) is bool(beside)


def test_an_edited_text_that_is_not_utf8_is_written_to_its_document(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that does so names it."""
    monkeypatch.setattr("click.edit", lambda *, filename: Path(filename).write_bytes(b"caf\xe9"))
    ran = run("edit", "my notes.md")
    assert (ran.code, run.documents) == (2, {})
    assert "`ironclaw-memory write --replace --target 'my notes.md'`" in ran.err


def test_edit_leaves_no_copy_of_what_was_stored_or_never_changed(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second edit here makes the same text again."""
    run.documents["a.md"] = "one\n"
    monkeypatch.setattr("click.edit", lambda *, filename: Path(filename).write_bytes(b"two\n"))
    assert [run("edit", "a.md").out for _ in range(2)] == ["Wrote a.md.\n", "Nothing changed.\n"]
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_edit_without_a_change_writes_nothing(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing the editor leaves no version behind."""
    run.documents["a.md"] = "one\n"
    monkeypatch.setattr("click.edit", lambda *, filename: None)
    ran = run("edit", "a.md")
    assert (ran.out, run.host.asked) == ("Nothing changed.\n", [])


def test_erasing_waits_for_somebody_to_say_yes(run: CommandLine) -> None:
    """Without a terminal and without --yes nothing goes."""
    run.documents["a.md"] = "one"
    ran = run("erase", "a.md")
    assert ran.code == 3
    assert "--yes" in ran.err
    assert run.documents == {"a.md": "one"}
    assert run("erase", "--yes", "a.md").code == 0


def test_an_erasure_says_what_is_gone(run: CommandLine) -> None:
    """Also where no text was left to erase."""
    run.documents["a.md"] = "one"
    assert run("erase", "--yes", "a.md").out == "Erased the document.\n"
    run("write", "--target", "a.md", "--replace", "one")
    run("write", "--target", "a.md", "--replace", "two")
    assert run("erase", "--yes", "a.md").out == "Erased the document and 1 version.\n"
    assert run("erase", "--yes", "a.md").out.startswith(
        "Erased what was left of it beside the text"
    )
    run.host.taken.append(SNAPSHOT)
    assert run("erase", "--yes", "a.md").out.endswith(" and 1 snapshot of this scope.\n")


def test_a_version_that_was_erased_already_is_said_to_be(run: CommandLine) -> None:
    """Nothing beside its text is taken for it; snapshots go again."""
    for text in ("one", "two"):
        run("write", "--target", "a.md", "--replace", text)
    words = ("erase", "a.md", "--version", "1", "--yes")
    assert [run(*words).out for _ in range(2)] == [
        "Erased 1 version.\n",
        "Version 1 was erased already.\n",
    ]
    run.host.taken.append(SNAPSHOT)
    assert run(*words).out == ("Version 1 was erased already. Erased 1 snapshot of this scope.\n")


def test_a_profile_that_does_not_hold_is_named(run: CommandLine) -> None:
    """A damaged one is not the same as none, and one without a usable field is neither."""
    assert run("profile", "get").out == "No profile is stored.\n"
    run.documents["context/profile.json"] = '{"locale": '
    ran = run("--json", "profile", "get")
    assert (ran.code, ran.envelope["error"]["code"]) == (4, "profile-corrupt")
    assert "context/profile.json" in ran.envelope["error"]["message"]
    run.documents["context/profile.json"] = '{"locale": 7}'
    assert run("profile", "get").out == "No field of context/profile.json holds.\n"


@pytest.mark.parametrize("variable", ["VISUAL", "EDITOR"])
@pytest.mark.parametrize("editor", ["no-such-editor-here --wait", "false", "'ed"])
def test_an_editor_that_does_not_run_is_named_with_its_variable(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, variable: str, editor: str
) -> None:
    """Nothing is stored, and no copy of the text stays behind."""
    monkeypatch.setenv(variable, editor)
    run.documents["a.md"] = "one"
    ran = run("edit", "a.md")
    assert ran.code == 2
    assert ran.err.startswith(f"error: The editor {editor}, which ${variable} names, could not be")
    assert "kept in" not in ran.err
    assert run.documents == {"a.md": "one"}


def test_without_an_editor_and_a_terminal_none_is_started(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a usual one draws would be in the output; another way to the document is named."""
    monkeypatch.delenv("EDITOR")
    monkeypatch.setattr("click.edit", lambda **_: pytest.fail("opened"))
    ran = run("edit", "my notes.md")
    assert (ran.code, ran.out) == (2, "")
    assert "No editor is set in $VISUAL or $EDITOR" in ran.err
    assert "`ironclaw-memory write --replace --target 'my notes.md'`" in ran.err


def test_a_usual_editor_that_does_not_run_is_not_said_to_be_set(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On a terminal one is tried where no variable names any."""
    monkeypatch.delenv("EDITOR")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ironclaw_memory.adapters.cli.commands.edit._demand_editor", lambda _: None)
    ran = run("edit", "a.md")
    assert (ran.code, run.documents) == (2, {})
    assert ran.err.startswith("error: No editor is set in $VISUAL or $EDITOR, and a usual one")


def test_a_dry_run_names_what_an_import_would_refuse(run: CommandLine, tmp_path: Path) -> None:
    """A text with a secret is a problem already, in words, unless policy lets it in."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "tea.md").write_text("Prefers tea.\n")
    (folder / "key.md").write_text("The key is AKIA" + "Q3EGWTQLJ7PZ4XNB" + "\n")
    words = ("import", "--dry-run", str(folder))
    ran = run(*words)
    assert "key.md: looks like it contains a secret" in ran.out
    assert "checked again as it comes in" in ran.out
    data = run("--json", *words).envelope["data"]
    assert data["written"] == ["tea.md"]
    assert data["problems"] == [{"path": "key.md", "code": "secret-detected"}]
    run.monkeypatch.setenv("IRONCLAW_MEMORY_SECRETS", "allow")
    assert run(*words).code == 0


def test_more_hits_or_levels_than_there_can_be_are_bad_input(run: CommandLine) -> None:
    """Nothing is cut down in silence."""
    for words in (("search", "tea", "--limit", "21"), ("tree", "--depth", "11")):
        ran = run(*words)
        assert (ran.code, "not in the range" in ran.err) == (2, True)


def test_the_latest_version_can_be_restored_without_its_number(run: CommandLine) -> None:
    """As the report of a curation says to."""
    for text in ("one", "two", "three"):
        run("write", "--target", "a.md", "--replace", text)
    assert run("restore", "a.md", "LATEST").code == 0
    assert run.documents["a.md"] == "two"
    run("write", "--target", "new.md", "--replace", "one")
    assert run("restore", "new.md", "LATEST").code == 2
    assert run("restore", "a.md", "last").code == 2


def test_history_names_a_person_and_programs_get_the_key(run: CommandLine) -> None:
    """The owner key is for programs."""
    for text in ("one", "two"):
        run("write", "--target", "a.md", "--replace", text)
    row = run("history", "a.md").out.splitlines()[1]
    assert "  me  " in row
    (found,) = run("history", "a.md", "--json").envelope["data"]
    assert found["changed_by"] == "tenant:local:user:me:project:_none"


def test_a_history_has_no_power_over_a_terminal(run: CommandLine) -> None:
    """Nor can one of its rows look like two."""
    hostile = "sha256:\x1b]0;x\x07"
    row = VersionRow(
        number=1, hash=hostile, size=1, unix_ms=0, changed_by="\x9b2J\n2  now", erased=False
    )
    run.host.adopt(ME, "a.md", row, "x")
    assert run("history", "a.md").out.removesuffix("\n").split("\n")[1].isprintable()


def test_a_sweep_names_what_it_had_to_leave(run: CommandLine) -> None:
    """And who may know why; nothing is said of it where everything went."""
    assert run("sweep").out == "Removed 1 document and 2 versions, 1.2 kB.\n  old.md\n"
    run.host.left = ("a.md", "\x1b[2J\n.md")
    *_, left, first, second = run("sweep", "--dry-run").out.splitlines()
    assert left == (
        "Would leave 2 documents that cannot be removed, or whose metadata cannot be read; "
        "`ironclaw-memory doctor` may say why."
    )
    assert (first, second.isprintable()) == ("  a.md", True)
    assert run("sweep", "--json").envelope["data"]["left"] == list(run.host.left)


def test_an_earlier_version_can_be_read(run: CommandLine) -> None:
    """By its number or as the latest, byte for byte, also of a document that is gone."""
    for text in ("one", "two\n", "three"):
        run("write", "--target", "a.md", "--replace", text)
    assert run("read", "a.md", "--version", "1").out == "one"
    assert run("read", "a.md", "--version", "LATEST").out == "two\n"
    run("delete", "a.md")
    assert run("read", "a.md", "--version", "LATEST", "--json").envelope["data"] == {
        "path": "a.md",
        "version": 3,
        "content": "three",
    }
    assert run("read", "a.md", "--version", "9").code == 2


def test_a_diff_takes_the_latest_version_by_its_word(run: CommandLine) -> None:
    """On either side; programs are told its number."""
    for text in ("one", "two", "three"):
        run("write", "--target", "a.md", "--replace", text)
    data = run("diff", "a.md", "1", "LATEST", "--json").envelope["data"]
    assert (data["a"], data["b"]) == (1, 2)
    assert run("diff", "a.md", "LATEST", "--json").envelope["data"]["a"] == 2
    run("write", "--target", "new.md", "one")
    assert run("diff", "new.md", "LATEST").code == 2


@pytest.mark.parametrize("target", [(), ("--target", "daily_log")])
def test_a_log_cannot_be_replaced(run: CommandLine, target: tuple[str, ...]) -> None:
    """The tool would add the text in silence, which is not what was typed."""
    ran = run("write", *target, "--replace", "x")
    assert (ran.code, "--replace has no effect on daily_log" in ran.err) == (2, True)
    assert run.host.asked == []


def test_a_tree_of_nothing_says_so_and_is_no_error(run: CommandLine) -> None:
    """A program gets an empty list."""
    assert run("tree").out == "Nothing is stored yet.\n"
    assert run("tree", "nope").out == "Nothing is stored below nope.\n"
    assert run("tree", "nope", "--json").envelope["data"] == []


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("grant", "write", "--for", "soon"), "--for"),
        (("grant", "write", "--for", "0h0m"), "--for"),
        (("approve", "request-1", "--for", "0s"), "--for"),
        (("audit", "--since", "yesterday"), "--since"),
    ],
    ids=" ".join,
)
def test_a_length_of_time_that_is_none_is_refused_by_its_option(
    run: CommandLine, words: tuple[str, ...], option: str
) -> None:
    """With the form that it takes, before anything is granted."""
    ran = run(*words)
    assert (ran.code, ran.err.startswith(f"error: {option} must be ")) == (2, True)
    assert "1h" in ran.err
    assert run.host.standing == []
