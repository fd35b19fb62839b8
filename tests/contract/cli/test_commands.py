"""Every command once on the real component: what it does, says, and leaves behind."""

import json
import os
import re
import shlex
import stat
from pathlib import Path

import pytest
from tests.contract.cli.conftest import CommandLine


pytestmark = pytest.mark.sandbox
WRITE = "ironclaw.memory.write"
FACT = json.dumps({"target": "memory", "content": "Prefers tea."})


def test_a_document_goes_through_its_whole_life(run: CommandLine) -> None:
    """Written, read, found, patched, compared, restored, renamed, deleted, erased."""
    assert run("write", "--target", "notes/a.md", "--replace", "Prefers tea.").code == 0
    assert run("read", "notes/a.md").out == "Prefers tea."
    assert run.json("search", "tea").data["results"][0]["path"] == "notes/a.md"
    run("patch", "--target", "notes/a.md", "--old", "tea", "--new", "coffee")
    assert "-Prefers tea." in run("diff", "notes/a.md").out
    assert run.json("search", "tea").data["results"] == []
    assert run.json("restore", "notes/a.md", "1").data["kept_as"] == 2
    assert run("read", "notes/a.md").out == "Prefers tea."
    assert [row["number"] for row in run.json("history", "notes/a.md").data] == [1, 2]
    assert run("rename", "notes/a.md", "notes/b.md").code == 0
    assert run.json("tree", "--depth", "2").data == [{"notes/": ["b.md"]}]
    assert run.json("delete", "notes/b.md").data["kept_as"] == 3
    assert run("read", "notes/b.md", "--version", "LATEST").out == "Prefers tea."
    gone = run("diff", "notes/b.md", "3").out
    assert "+++ notes/b.md (deleted)\n" in gone
    assert "-Prefers tea.\n" in gone
    assert run("diff", "notes/b.md").out == gone
    assert run("restore", "notes/b.md", "3").code == 0
    assert run.json("erase", "--yes", "notes/b.md").data == {"document": True, "versions": 3}
    assert run.json("read", "notes/b.md").error == "document-missing"


def test_a_tree_of_a_document_says_to_read_it(run: CommandLine) -> None:
    """The tool answers with nothing, as it does for what is not there; a model gets that."""
    run("write", "--target", "notes/a.md", "x")
    ran = run("tree", "notes/a.md/")
    assert (ran.code, "`ironclaw-memory read notes/a.md`" in ran.err) == (2, True)
    called = run.json("call", "ironclaw.memory.tree", '{"path": "notes/a.md"}')
    assert called.data == run.json("tree", "nope").data == []
    assert run("tree", "nope").out == "Nothing is stored below nope.\n"


def test_json_data_is_the_tools_own_output(run: CommandLine) -> None:
    """What the command prints is what a model would get."""
    run("write", "--target", "memory", "Prefers tea.")
    for verb, name, arguments in (
        (("read", "MEMORY.md"), "read", {"path": "MEMORY.md"}),
        (("search", "tea"), "search", {"query": "tea"}),
        (("tree",), "tree", {}),
    ):
        called = run.json("call", f"ironclaw.memory.{name}", json.dumps(arguments))
        assert run.json(*verb).data == called.data


def test_an_agent_may_save_once_it_was_approved(run: CommandLine) -> None:
    """Refused, listed, approved once, used up."""
    assert run.json("call", WRITE, FACT).error == "approval-required"
    (waiting,) = run.json("pending").data
    assert (waiting["tool"], waiting["target"]) == (WRITE, "memory")
    shown = run("pending").out
    assert "loop_run" in shown
    assert "append 12 B" in shown
    assert f"`ironclaw-memory approve {waiting['id']}`" in shown
    assert "tea" not in shown
    assert run("approve", waiting["id"], "--once").code == 0
    assert run.json("call", WRITE, FACT).data["status"] == "written"
    assert run("call", WRITE, FACT).code == 3


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ((), "the very same call can be repeated now, once"),
        (("--for", "1h"), "the call can be repeated now, and others like it"),
        (("--always",), "the call can be repeated now, and others like it"),
    ],
)
def test_who_approves_a_call_is_told_that_it_can_be_repeated(
    run: CommandLine, how: tuple[str, ...], said: str
) -> None:
    """An approval runs nothing, and holds for what it says."""
    run("call", WRITE, FACT)
    (waiting,) = run.json("pending").data
    assert said in run("approve", waiting["id"], *how).out
    codes = [run("call", WRITE, FACT).code for _ in range(2)]
    assert codes == [0, 0 if how else 3]


def test_a_grant_that_would_do_nothing_is_not_made(run: CommandLine) -> None:
    """Searching is free for a model, and the command says that rather than `Granted`."""
    said = run("grant", "search")
    assert said.code == 2
    assert "ironclaw.memory.search needs no grant" in said.err
    assert run("grants").out == "No grants are in force.\n"


def test_a_declined_call_waits_no_more(run: CommandLine) -> None:
    """And the log says so. A call that names no document means the daily log."""
    run("call", WRITE, '{"content": "Prefers tea."}')
    (waiting,) = run.json("pending").data
    assert waiting["target"] == "daily_log"
    assert run("decline", waiting["id"]).code == 0
    assert run("pending").out == "Nothing waits for approval.\n"
    assert run("approve", waiting["id"]).code == 2
    (entry,) = run.json("audit", "--kind", "decline").data
    assert entry["subject"] == waiting["id"]


@pytest.mark.parametrize("which", [0, 1], ids=["grant", "approve"])
def test_the_commands_of_a_refusal_can_be_typed_as_they_stand(
    run: CommandLine, tmp_path: Path, which: int
) -> None:
    """Also for a data directory whose name a shell would take apart, and for somebody else."""
    where = ("--root", str(tmp_path / "her own 'memory'"), "--user", "bob")
    refused = run(*where, "call", WRITE, FACT)
    assert refused.code == 3
    commands = re.findall("`([^`]*)`", refused.err)
    name, *words = shlex.split(commands[which])
    assert name == "ironclaw-memory"
    assert run(*words).code == 0
    assert run(*where, "call", WRITE, FACT).code == 0
    assert not run.root.exists()


def test_a_grant_is_in_force_until_it_is_revoked(run: CommandLine) -> None:
    """For its scope and origin alone, and over with the next call."""
    run("grant", WRITE)
    assert [grant["tool"] for grant in run.json("grants").data] == [WRITE]
    assert run("call", WRITE, FACT).code == 0
    assert run("call", WRITE, FACT, "--user", "bob").code == 3
    assert run("call", WRITE, FACT, "--origin", "automation").code == 3
    run("revoke", WRITE)
    assert run("call", WRITE, FACT).code == 3


def test_a_forbidden_cell_cannot_be_granted(run: CommandLine) -> None:
    """A grant that would do nothing is refused, with the reason."""
    ran = run("grant", WRITE, "--origin", "automation")
    assert (ran.code, "no effect" in ran.err) == (3, True)


def test_the_operators_policy_is_stronger_than_a_grant(run: CommandLine) -> None:
    """Asked each time, then refused altogether, then approved without asking."""
    run("grant", WRITE)
    assert run.json("policy", "ask", "write").data["ask_each_time"] == [WRITE]
    assert run.json("call", WRITE, FACT).error == "approval-required"
    run("policy", "disable", WRITE)
    assert run.json("call", WRITE, FACT).error == "tool-disabled"
    assert run("write", "x").code == 3
    run("policy", "enable", WRITE)
    assert run("call", WRITE, FACT).code == 0
    run("revoke", WRITE)
    run("policy", "auto-approve", "on")
    assert run("call", WRITE, FACT).code == 0
    run("policy", "auto-approve", "off")
    assert run("call", WRITE, FACT).code == 3
    settings = run.json("audit", "--kind", "setting").data
    assert [(entry["reason"], entry["outcome"]) for entry in settings[:4]] == [
        ("ask-each-time", "allowed"),
        ("ask-each-time", "succeeded"),
        ("disabled", "allowed"),
        ("disabled", "succeeded"),
    ]
    assert run("policy", "disable", "none").code == 2


def test_what_a_person_types_is_recorded_as_theirs(run: CommandLine) -> None:
    """The log says who approved, and holds no text."""
    run("write", "--target", "memory", "Prefers oolong.")
    entries = run.json("audit", "--tool", WRITE, "--kind", "decision", "--since", "1h").data
    assert [(e["outcome"], e["by_operator"]) for e in entries] == [("allowed", True)]
    assert "oolong" not in (run.root / "host" / "audit.jsonl").read_text()


def test_a_transcript_is_recalled_in_its_thread_alone(run: CommandLine) -> None:
    """Recorded from standard input, shown by `context`."""
    messages = json.dumps([{"role": "user", "content": "The gate code is blue heron."}])
    assert run.json("--thread", "t1", "record", "--run-id", "r1", stdin=messages).data == {
        "recorded": True
    }
    asked = ("context", "what", "is", "the", "gate", "code")
    assert "blue heron" in run("--thread", "t1", *asked).out
    assert "blue heron" not in run("--thread", "t2", *asked).out


def test_the_profile_decides_nothing_but_is_kept(run: CommandLine) -> None:
    """Set in parts, read as a whole; a wrong zone is bad input."""
    assert run("profile", "get").out == "No profile is stored.\n"
    run("profile", "set", "--timezone", "Europe/Berlin")
    run("profile", "set", "--locale", "de-DE")
    assert run.json("profile", "get").data == {
        "timezone": "Europe/Berlin",
        "locale": "de-DE",
        "location": None,
    }
    assert run("profile", "set", "--timezone", "Mars/Base").code == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("read", "../secret"), 2),
        (("read", "none.md"), 2),
        (("write", "--target", "/etc/x", "x"), 2),
        (("write", "--target", "memory", "  "), 2),
        (("write", "--target", "threads/t/r.md", "x"), 4),
        (("patch", "--target", "none.md", "--old", "a", "--new", "b"), 4),
        (("search", "   "), 2),
        (("context", "   "), 2),
        (("diff", "none.md"), 2),
        (("diff", "none.md", "1"), 2),
        (("call", "ironclaw.memory.none", "{}"), 2),
        (("call", "ironclaw.memory.read", '{"path": 3}'), 2),
        (("call", "ironclaw.memory.read", '{"path": "x"}', "--origin", "product"), 3),
        (("restore", "none.md", "1"), 2),
        (("history", "none.md"), 2),
        (("--user", "a/b", "tree"), 2),
        (("--provider", "none.wasm", "tree"), 2),
        (("--provider", "/", "tree"), 2),
        (("conformance", "none.wasm"), 2),
        (("conformance", "/"), 2),
        (("revoke", "none"), 2),
        (("approve", "none"), 2),
    ],
)
def test_exit_codes_say_whose_fault_it_is(
    run: CommandLine, words: tuple[str, ...], code: int
) -> None:
    """0 ok, 2 yours, 3 not allowed, 4 the provider's, 5 the installation's; one line, or two."""
    ran = run(*words)
    assert ran.code == code, ran
    assert len(ran.err.splitlines()) <= 2
    assert run.json(*words).err == ""


@pytest.mark.parametrize(
    "words",
    [
        ("read", "none.md"),
        ("tree",),
        ("search", "tea"),
        ("context", "tea"),
        ("profile", "get"),
        ("grants",),
        ("pending",),
        ("audit",),
        ("tools",),
        ("snapshots",),
        ("history", "none.md"),
        ("doctor",),
        ("config", "list"),
        ("component", "info"),
    ],
    ids=" ".join,
)
def test_reading_makes_no_directory(run: CommandLine, words: tuple[str, ...]) -> None:
    """A data directory appears with the first thing that is stored."""
    run(*words)
    assert not run.root.exists()


def test_what_the_host_makes_is_private(run: CommandLine) -> None:
    """Every directory down to the scope's own, which nobody else can enter; a guest has no modes."""
    run("write", "--target", "notes/a.md", "x")
    inside = [path for path in run.root.rglob("*") if run.scope() in path.parents]
    places = [run.root, *(path for path in run.root.rglob("*") if path not in inside)]
    modes = {(path.is_dir(), stat.S_IMODE(path.lstat().st_mode)) for path in places}
    assert modes == {(True, 0o700), (False, 0o600)}


def test_an_edit_by_hand_is_found_by_the_next_command(run: CommandLine) -> None:
    """The new text, and not the old one."""
    run("write", "--target", "a.md", "--replace", "walnut")
    (run.scope() / "a.md").write_text("chestnut\n")
    assert run.json("search", "chestnut").data["result_count"] == 1
    assert run.json("search", "walnut").data["result_count"] == 0


def test_explain_names_terms_and_lines(run: CommandLine) -> None:
    """And says of a named document why it did not match."""
    run("write", "--target", "a.md", "--replace", "one\nPrefers green tea.\n")
    run("write", "--target", "b.md", "--replace", "nothing here\n")
    data = run.json("search", "--explain", "--path", "b.md", "tea").data
    assert [data["hits"][0][key] for key in ("path", "line")] == ["a.md", 2]
    assert data["path"]["path"] == "b.md"
    assert run("search", "--explain", "tea").out.startswith("terms    tea")


def test_a_scope_moves_to_another_person(run: CommandLine, tmp_path: Path) -> None:
    """Documents, metadata, versions, transcripts and empty documents."""
    run("write", "--target", "a.md", "--replace", "one\n")
    run("write", "--target", "a.md", "--replace", "--metadata", '{"mine": 1}', "two\r\n")
    run("write", "--target", "bootstrap")
    messages = json.dumps([{"role": "user", "content": "Hello"}])
    run("--thread", "t1", "record", "--run-id", "r1", stdin=messages)
    (run.scope() / "by hand.md").write_bytes("\ufeffübung\n".encode())
    archive = str(tmp_path / "a.tar")
    assert run.json("export", archive).data["problems"] == []
    came = run.json("import", archive, "--user", "bob").data
    assert came["problems"] == []
    files = {
        scope: {
            path.relative_to(run.scope(scope)).as_posix(): path.read_bytes()
            for path in run.scope(scope).rglob("*")
            if path.is_file() and ".store" not in path.parts
        }
        for scope in ("me", "bob")
    }
    assert files["bob"] == files["me"]
    assert files["bob"]["a.md"] == b"two\r\n"
    row = run.json("history", "a.md").data
    assert run.json("history", "a.md", "--user", "bob").data == row
    again = run.json("import", archive, "--user", "bob").data
    assert (again["written"], again["versions"]) == ([], 0)


def test_a_hostile_archive_changes_nothing(run: CommandLine, tmp_path: Path) -> None:
    """Refused before the scope is even made."""
    hostile = tmp_path / "x.tar"
    hostile.write_bytes(b"\0" * 10_240)
    assert run.json("import", str(hostile)).error == "archive-refused"
    assert not run.scope().exists()


def test_markdown_is_planned_before_it_is_written(run: CommandLine, tmp_path: Path) -> None:
    """A dry run writes nothing; the import leaves what is there alone."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "tea.md").write_text("Green tea.\n")
    (folder / "mine.md").write_text("theirs\n")
    run("write", "--target", "n/mine.md", "--replace", "mine\n")
    words = ("import", str(folder), "--into", "n")
    assert json.loads(run.json(*words, "--dry-run").out)["data"]["written"] == ["n/tea.md"]
    assert run("read", "n/tea.md").code == 2
    ran = run(*words)
    assert (ran.code, "left alone" in ran.out) == (2, True)
    assert run("read", "n/mine.md").out == "mine\n"
    assert run.json("search", "green").data["result_count"] == 1


def test_a_restore_says_that_it_kept_nothing_of_what_stood_there(run: CommandLine) -> None:
    """Where the metadata keep no versions; of an empty document there is nothing to keep."""
    for text, metadata in (
        ("one\n", "{}"),
        ("two\n", "{}"),
        ("three\n", '{"skip_versioning": true}'),
    ):
        run("write", "--target", "a.md", "--replace", "--metadata", metadata, text)
    assert "no version is kept of what stood there" in run("restore", "a.md", "1").out
    assert run("read", "a.md").out == "one\n"
    (run.scope() / "a.md").write_text("")
    assert "no version" not in run("restore", "a.md", "1").out


def test_the_doctor_names_what_is_no_document(run: CommandLine) -> None:
    """Links, pipes and names that are not UTF-8; everything else is served all the same."""
    run("write", "--target", "a.md", "x")
    (run.scope() / "link.md").symlink_to("/etc/hostname")
    os.mkfifo(run.scope() / "pipe")
    (run.scope() / os.fsdecode(b"bad\xff.md")).write_text("x")
    ran = run("doctor")
    assert all(word in ran.out for word in ("link.md", "pipe", "bad\ufffd.md", "1 file"))
    assert run("read", "link.md").code == 4
    assert run("read", "a.md").out == "x\n"


def test_the_doctor_calls_no_index_damaged_that_is_yet_to_be_built(
    run: CommandLine, tmp_path: Path
) -> None:
    """An import with versions leaves the rest of it to the next search."""
    for text in ("walnut", "chestnut"):
        run("write", "--target", "a.md", "--replace", text)
    run("export", str(tmp_path / "a.tar"))
    run("import", str(tmp_path / "a.tar"), "--user", "bob")
    found = run("doctor", "--user", "bob")
    assert (found.code, "not built yet, or not to its end" in found.out) == (0, True)
    assert "damaged" not in found.out
    assert found.out.endswith("Everything is in order.\n")
    assert run.json("search", "chestnut", "--user", "bob").data["result_count"] == 1
    assert run("doctor", "--user", "bob").out.endswith("Everything is in order.\n")


def test_the_doctor_mends_an_index_and_no_document(run: CommandLine) -> None:
    """What is derived is made anew."""
    run("write", "--target", "a.md", "walnut")
    for file in (run.scope() / ".store").rglob("*.sqlite"):
        file.write_bytes(b"broken")
    assert run("doctor", "--fix").code == 0
    assert run.json("search", "walnut").data["result_count"] == 1


def test_a_snapshot_brings_a_scope_back(run: CommandLine) -> None:
    """And what it replaced becomes a snapshot itself."""
    run("write", "--target", "a.md", "--replace", "before\n")
    (taken,) = run.json("snapshots", "--take").data
    run("write", "--target", "a.md", "--replace", "after\n")
    restored = run.json("restore-snapshot", "LATEST").data
    assert restored["restored"] == taken["id"]
    assert run("read", "a.md").out == "before\n"
    assert restored["before"]["id"] in {row["id"] for row in run.json("snapshots").data}


def test_component_info_shows_the_bundled_provider(run: CommandLine, tmp_path: Path) -> None:
    """Requested beside effective; `extract` writes what it carries."""
    data = run.json("component", "info").data
    assert (data["id"], data["bundled"]) == ("ironclaw.memory", True)
    assert {tool["id"] for tool in data["tools"]} >= {WRITE}
    assert "prompts" in {path.name for path in _extracted(run, tmp_path).iterdir()}


def _extracted(run: CommandLine, tmp_path: Path) -> Path:
    from ironclaw_memory.installed import BUNDLED  # noqa: PLC0415 - where the wheel carries it

    target = tmp_path / "out"
    assert run("component", "extract", str(BUNDLED), str(target)).code == 0
    return target


def test_a_person_sees_dates_and_matches_and_no_escapes(run: CommandLine) -> None:
    """On a terminal: bold words, relative dates, control characters as pictures."""
    run("write", "--target", "notes/a.md", "--replace", "Green tea \x1b]0;owned\x07 \u202eabc.\n")
    found = run.for_eyes("search", "tea")
    assert "\x1b[1mtea\x1b[0m" in found
    assert "just now" in found
    assert "\x1b]0;" not in found
    assert "\u202e" not in found
    assert "\x1b" not in run.for_eyes("search", "tea", NO_COLOR="1")
    assert "└── a.md" in run.for_eyes("tree")
    assert run.for_eyes("read", "notes/a.md").startswith("Green tea \u241b]0;owned\u2407")
