"""Texts from elsewhere: compared first, written second, nothing overwritten."""

import json
import os
from pathlib import Path

import pytest
from tests.unit.cli.fakes import FakeHost

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Scope
from ironclaw_memory.portability import folders, server_memory
from ironclaw_memory.portability.foresight import MAX_DOCUMENT_BYTES
from ironclaw_memory.portability.plans import Duplicate, Plan, Text, carried_out, planned


ANN = Scope(tenant="acme", user="ann")


def silent(done: int, total: int) -> None:
    """Show no progress."""


def plan_of(host: FakeHost, *texts: tuple[str, str]) -> Plan:
    """Compare texts with the scope."""
    wanted = [Text(path=path, content=content) for path, content in texts]
    return planned(host, ANN, wanted, progress=silent)  # type: ignore[arg-type]


def codes(plan: Plan) -> dict[str, str]:
    """Return the problems by path."""
    return {problem.path: problem.code for problem in plan.problems}


def test_a_plan_tells_new_identical_different_and_duplicate_texts() -> None:
    """A text that stands elsewhere too is as new as any; planning writes nothing."""
    host = FakeHost()
    host.provider.of(ANN).update({"same.md": "same\n", "other.md": "mine\n", "old.md": "copied\n"})
    plan = plan_of(
        host,
        ("new.md", "new\n"),
        ("same.md", "same\n"),
        ("other.md", "theirs\n"),
        ("copy.md", "copied\n"),
        ("again.md", "new\n"),
        ("NEW.md", "else\n"),
    )
    assert [text.path for text in plan.new] == ["new.md", "copy.md", "again.md"]
    assert plan.identical == ["same.md"]
    assert plan.duplicates == [
        Duplicate(path="copy.md", same_as="old.md"),
        Duplicate(path="again.md", same_as="new.md"),
    ]
    assert codes(plan) == {"other.md": "differs", "NEW.md": "path-twin"}
    assert host.asked == []


def test_only_new_texts_are_written() -> None:
    """What stood there stands there still."""
    host = FakeHost()
    host.provider.of(ANN)["other.md"] = "mine\n"
    plan = plan_of(host, ("new.md", "new\n"), ("other.md", "theirs\n"))
    report = carried_out(host, ANN, plan, progress=silent)  # type: ignore[arg-type]
    assert host.provider.of(ANN) == {"other.md": "mine\n", "new.md": "new\n"}
    assert report.written == ["new.md"]
    assert [problem.code for problem in report.problems] == ["differs"]


def test_a_folder_gives_its_markdown_files(tmp_path: Path) -> None:
    """By relative path, hidden ones and other kinds left out."""
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    for name in ("a.md", "sub/b.MARKDOWN", "sub/.hidden/c.md", ".d.md", "picture.png"):
        (tmp_path / name).write_text(f"{name}\n")
    texts, problems, _ = folders.texts_of(tmp_path, into="/notes/")
    assert [text.path for text in texts] == ["notes/a.md", "notes/sub/b.MARKDOWN"]
    assert problems == []


def test_links_are_named_and_not_followed(tmp_path: Path) -> None:
    """Neither a linked file nor a linked folder is read."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link.md").symlink_to(outside / "secret.md")
    (folder / "dir").symlink_to(outside)
    texts, problems, _ = folders.texts_of(folder, into="")
    assert texts == []
    assert {problem.path: problem.code for problem in problems} == {
        "dir": "link",
        "link.md": "link",
    }


def test_a_pipe_in_the_folder_does_not_hang(tmp_path: Path) -> None:
    """It is named like everything else that is no text."""
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "bytes.md").write_bytes(b"\xff")
    (tmp_path / "blank.md").write_text(" \n")
    (tmp_path / "large.md").write_bytes(b"x" * (MAX_DOCUMENT_BYTES + 1))
    (tmp_path / "bad\\name.md").write_text("x\n")
    (tmp_path / os.fsdecode(b"latin\xe9.md")).write_text("x\n")
    texts, problems, _ = folders.texts_of(tmp_path, into="")
    assert [text.path for text in texts] == ["latin?.md"]
    assert {problem.path: problem.code for problem in problems} == {
        "bad\\name.md": "path-invalid",
        "blank.md": "content-blank",
        "bytes.md": "not-text",
        "large.md": "document-too-large",
        "pipe.md": "unreadable",
    }


def test_a_folder_of_too_many_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than a scope may hold."""
    monkeypatch.setattr(folders, "MAX_FILES", 2)
    for name in "abc":
        (tmp_path / f"{name}.md").write_text("x\n")
    with pytest.raises(InvalidArguments):
        folders.texts_of(tmp_path, into="")


def graph(tmp_path: Path, *lines: object) -> Path:
    """Write a server-memory file."""
    file = tmp_path / "memory.jsonl"
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text(text, encoding="utf-8")
    return file


def test_an_entity_becomes_a_document_of_facts(tmp_path: Path) -> None:
    """With its observations and what starts from it, one to a line."""
    file = graph(
        tmp_path,
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["Likes\ntea"]},
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["Likes\ntea"]},
        {"type": "relation", "from": "Ada", "to": "Acme", "relationType": "works at"},
    )
    texts, problems = server_memory.texts_of(file, into="knowledge")
    assert problems == []
    assert texts == [
        Text(
            path="knowledge/Ada.md",
            content="# Ada\n\n- Ada is a person.\n- Likes tea\n- Ada works at Acme.\n",
        )
    ]


def test_lines_that_are_neither_are_named(tmp_path: Path) -> None:
    """And the others are taken."""
    file = graph(
        tmp_path,
        "{",
        [1],
        {"type": "entity", "name": 1, "entityType": "x"},
        {"type": "entity", "name": "a", "entityType": "x", "observations": "no list"},
        {"type": "entity", "name": "a", "entityType": "x", "observations": ["\ud800"]},
        "[" * 1000,
        "",
        {"type": "entity", "name": "good", "entityType": "x"},
    )
    texts, problems = server_memory.texts_of(file, into="")
    assert [text.path for text in texts] == ["good.md"]
    assert [problem.path for problem in problems] == [f"line {n}" for n in range(1, 7)]


def test_names_that_would_collide_or_escape_get_files_of_their_own(tmp_path: Path) -> None:
    """No two entities share a file, and no name leads anywhere."""
    names = ["../../etc", "Ada", "ada", "...", "茶" * 100, "a/b", "a b"]
    file = graph(tmp_path, *({"type": "entity", "name": name, "entityType": "x"} for name in names))
    texts, _ = server_memory.texts_of(file, into="k")
    paths = [text.path for text in texts]
    assert len({path.casefold() for path in paths}) == len(names)
    assert all(path.count("/") == 1 and ".." not in path for path in paths)
    assert all(len(path.encode()) <= 200 for path in paths)
