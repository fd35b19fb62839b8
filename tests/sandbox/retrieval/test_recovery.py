"""Searching goes on, and finds what there is, whatever became of the index."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ironclaw_memory import MemoryHost, Origin, Scope


pytestmark = pytest.mark.sandbox

SCOPE = Scope(tenant="acme", user="ann")
TEXT = "\n".join(f"- remark {number} about tea and station{number}" for number in range(300))
PAGE_BYTES = 8_192


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data directory whose scope has an index, in step and closed."""
    with MemoryHost.open(root=tmp_path) as host:
        write(host, "notes/a.md", TEXT)
        assert found(host, "station7") == ["notes/a.md"]
    return tmp_path


def write(host: MemoryHost, path: str, content: str) -> None:
    """Make *content* the document."""
    fields = {"target": path, "content": content, "append": False}
    host.call_as_operator("ironclaw.memory.write", fields, scope=SCOPE)


def found(host: MemoryHost, query: str) -> list[str]:
    """Return the paths of a search."""
    output: Any = host.call(
        "ironclaw.memory.search", {"query": query}, scope=SCOPE, origin=Origin.LOOP_RUN
    )
    return [result["path"] for result in output["results"]]


def place(root: Path) -> Path:
    """Return the directory of the scope's documents."""
    (home,) = (root / "memory").rglob(".store")
    return home.parent


def root_page(file: Path, table: str) -> int:
    """Return the number of the first page of *table*, from 0."""
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        number: int = connection.execute(query, (table,)).fetchone()[0]
    return number - 1


def pages(file: Path) -> list[bytes]:
    """Return the pages of *file*."""
    raw = file.read_bytes()
    return [raw[at : at + PAGE_BYTES] for at in range(0, len(raw), PAGE_BYTES)]


@pytest.mark.parametrize("mend", [False, True])
def test_a_page_that_was_lost_costs_one_rebuild(root: Path, *, mend: bool) -> None:
    """By the next search, or by doctor, which says so."""
    file = place(root) / ".store" / "index" / "index.sqlite"
    held = pages(file)
    held[root_page(file, "posting")] = bytes(PAGE_BYTES)
    file.write_bytes(b"".join(held))
    with MemoryHost.open(root=root) as host:
        if mend:
            (finding,) = host.check(SCOPE, repair=True)["findings"]
            assert (finding["code"], finding["repaired"]) == ("index-unusable", True)
        assert found(host, "station7") == ["notes/a.md"]
        assert host.check(SCOPE)["findings"] == []


def test_after_a_restart_of_the_machine_what_was_written_is_found(root: Path) -> None:
    """Of the last write only the document's row reached the disk, and nothing shows it."""
    file = place(root) / ".store" / "index" / "index.sqlite"
    before = pages(file)
    with MemoryHost.open(root=root) as host:
        write(host, "notes/b.md", "The zanzibar ferry leaves at noon.")
    reached = {0, root_page(file, "document"), root_page(file, "sqlite_autoindex_document_1")}
    for number in reached:
        before[number] = pages(file)[number]
    file.write_bytes(b"".join(before))
    for seen in (root / "host" / "seen").glob("*.json"):
        seen.write_text(json.dumps(json.loads(seen.read_text()) | {"boot": "another"}))
    with MemoryHost.open(root=root) as host:
        assert found(host, "zanzibar") == ["notes/b.md"]


def test_a_document_of_the_far_future_is_found_like_any_other(root: Path) -> None:
    """Its time is more nanoseconds than an index keeps; it is not indexed again every time."""
    file = place(root) / "notes" / "later.md"
    file.write_text("The zanzibar ferry leaves at noon.")
    os.utime(file, (10_413_792_000, 10_413_792_000))
    with MemoryHost.open(root=root) as host:
        assert found(host, "zanzibar") == ["notes/later.md"]
        assert host.refresh(SCOPE, everything=True).indexed == 0


def test_a_refresh_takes_in_what_was_edited_by_hand(root: Path) -> None:
    """Added, changed and removed, without being told to look at everything."""
    notes = place(root) / "notes"
    (notes / "new.md").write_text("The zanzibar ferry leaves at noon.")
    (notes / "a.md").unlink()
    with MemoryHost.open(root=root) as host:
        report = host.refresh(SCOPE)
        assert (report.indexed, report.removed) == (1, 1)
        assert host.check(SCOPE)["findings"] == []
        assert host.refresh(SCOPE).indexed == 0


@pytest.mark.parametrize("name", ["index.sqlite", "dirty", "unsynced"])
@pytest.mark.parametrize("first", ["search", "write"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(root: Path, name: str, first: str) -> None:
    """Nobody is at its other end; it gives way, and nothing of the documents is lost."""
    pipe = place(root) / ".store" / "index" / name
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with MemoryHost.open(root=root) as host:
        if first == "write":
            write(host, "notes/b.md", "The zanzibar ferry leaves at noon.")
            assert found(host, "zanzibar") == ["notes/b.md"]
        assert found(host, "station7") == ["notes/a.md"]
