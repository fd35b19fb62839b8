"""Versions from elsewhere: what is let in, how it is kept, and what a kill leaves."""

import os
import pathlib
import pickle
from bisect import bisect_left
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.documents.acts import append, bodies, replace
from tests.unit.documents.fakes import NOON, World

from memory_native import strict_json
from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.limits import (
    OWNER_BYTES,
    READ_BYTES,
    TRIM_EVERY,
    UNIX_MS_MAX,
    VERSION_NUMBER_MAX,
    VERSIONS_MAX,
)
from memory_native.upkeep import Adoption, Upkeep, VersionRow
from memory_native.versions import retention, rows
from memory_native.versions.growing import GrowingLog
from memory_native.versions.rows import Row, State


OWNER = "tenant:acme:user:alice:project:_none"
LINES = [
    Row(number=7, hash="0" * 64, size=1, unix_ms=NOON, changed_by=OWNER, base=1, state=state)
    for state in State
]


def row_of(numbered: int, body: str, **changed: Any) -> VersionRow:
    """Return the row of a version, with *changed* fields."""
    facts: dict[str, Any] = {
        "number": numbered,
        "hash": f"sha256:{sha256(body.encode()).hexdigest()}",
        "size": len(body.encode()),
        "unix_ms": NOON,
        "changed_by": OWNER,
        "erased": False,
    }
    return VersionRow(**(facts | changed))


def adopt_all(upkeep: Upkeep, texts: Iterable[str]) -> None:
    """Adopt *texts* as the versions from 1 on."""
    for number, text in enumerate(texts, start=1):
        upkeep.adopt("notes.md", row_of(number, text), text)


def grown(times: int) -> list[str]:
    """Return a text as it grows line by line."""
    return ["".join(f"fact {line}\n" for line in range(count)) for count in range(1, times + 1)]


def store_of(disk: pathlib.Path) -> pathlib.Path:
    """Return the directory of the one history."""
    (directory,) = (disk / ".store/versions").iterdir()
    return directory


@pytest.mark.parametrize(
    "changed",
    [
        {"number": 0},
        {"number": VERSION_NUMBER_MAX + 1},
        {"hash": "0" * 64},
        {"hash": "sha256:" + "A" * 64},
        {"hash": "sha256:" + "0" * 65},
        {"size": READ_BYTES + 1},
        {"unix_ms": UNIX_MS_MAX + 1},
        {"changed_by": "x" * (OWNER_BYTES + 1)},
        {"changed_by": "\u00e9" * (OWNER_BYTES // 2 + 1)},
    ],
    ids=[
        "zero",
        "number",
        "no-sha256",
        "capitals",
        "long-hash",
        "size",
        "time",
        "owner",
        "accents",
    ],
)
@pytest.mark.parametrize("erased", [False, True])
def test_a_row_out_of_bounds_is_bad_input_naming_the_field(
    documents: Documents,
    upkeep: Upkeep,
    disk: pathlib.Path,
    changed: dict[str, Any],
    erased: bool,
) -> None:
    """It touches nothing: neither the history that is there nor the disk."""
    replace(documents, "one")
    replace(documents, "two")
    before = {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    row = row_of(9, "text", **{"erased": erased, **changed})

    with pytest.raises(MemoryFailure, match="version-invalid") as refused:
        upkeep.adopt("notes.md", row, None if erased else "text")
    assert (refused.value.kind.value, refused.value.field) == ("input", *changed)
    assert {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()} == before


def test_the_largest_of_everything_is_kept(documents: Documents, upkeep: Upkeep) -> None:
    """And versions of our own still follow it."""
    text = "x" * READ_BYTES
    last = {"number": VERSION_NUMBER_MAX, "unix_ms": UNIX_MS_MAX, "changed_by": "x" * OWNER_BYTES}
    row = row_of(1, text, **last)
    came = upkeep.adopt("notes.md", row, text)

    assert came == Adoption(path="notes.md", number=VERSION_NUMBER_MAX, versions=1)
    assert upkeep.history("notes.md").versions == (row,)
    assert upkeep.version("notes.md", VERSION_NUMBER_MAX).content == text
    replace(documents, "one")
    replace(documents, "two")
    assert upkeep.history("notes.md").versions[-1].number == VERSION_NUMBER_MAX + 1


@pytest.mark.parametrize("owner", [OWNER, "x" * OWNER_BYTES], ids=["number", "bytes"])
def test_a_history_that_is_full_takes_no_more(upkeep: Upkeep, owner: str) -> None:
    """By number or by what it takes to list it; one that is there already is no more."""
    rows = [
        Row(number=number, hash="0" * 64, size=1, unix_ms=NOON, changed_by=owner, base=1)
        for number in range(1, VERSIONS_MAX + TRIM_EVERY + 1)
    ]
    counts = range(len(rows) + 1)
    most = bisect_left(counts, True, key=lambda count: not retention.has_room(rows[:count])) - 1
    assert most == len(rows) or owner != OWNER
    listed = sum(71 + len(row.changed_by) for row in rows[:most])
    assert listed <= 1 << 20  # the reply of design.md section 5

    upkeep.adopt("notes.md", row_of(1, "text"), "text")
    history = upkeep._history("notes.md")[1]
    history._rows.rewrite(rows[:most])
    with pytest.raises(MemoryFailure, match="history-full"):
        upkeep.adopt("notes.md", row_of(most + 1, "more", changed_by=owner), "more")
    again = row_of(1, "", hash="sha256:" + "0" * 64, size=1, erased=True)
    assert upkeep.adopt("notes.md", again, None).versions == most


def test_a_version_behind_the_others_rewrites_none_of_them(
    upkeep: Upkeep, disk: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is written for one does not grow with those that are there."""
    adopt_all(upkeep, ["first"])
    rows = store_of(disk) / "rows"
    inode = rows.stat().st_ino
    costs: list[int] = []
    real = os.write

    def counting(descriptor: int, content: bytes) -> int:
        costs[-1] += len(content)
        return real(descriptor, content)

    monkeypatch.setattr(os, "write", counting)
    for number in range(100, 200):
        costs.append(0)
        upkeep.adopt("notes.md", row_of(number, f"text {number}"), f"text {number}")
    assert rows.stat().st_ino == inode
    assert max(costs) - min(costs) < 16
    assert bodies(upkeep) == ["first", *(f"text {number}" for number in range(100, 200))]


def test_of_a_history_that_grew_only_the_new_rows_are_parsed(
    upkeep: Upkeep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the last of many versions costs what the first one did."""
    costs: list[int] = []
    real = strict_json.parse

    def counting(text: str, **named: Any) -> Any:
        costs[-1] += 1
        return real(text, **named)

    monkeypatch.setattr(strict_json, "parse", counting)
    for number in range(1, 60):
        costs.append(0)
        upkeep.adopt("notes.md", row_of(number, f"text {number}"), f"text {number}")
    assert len(set(costs[3:])) == 1
    assert len(upkeep.history("notes.md").versions) == 59


def test_what_is_erased_does_not_stay_in_memory(upkeep: Upkeep) -> None:
    """A warm instance may live long after an import."""
    adopt_all(upkeep, [fact := "a fact\n", f"{fact}a mistake\n", f"{fact}a mistake\nmore\n"])
    assert b"mistake" in pickle.dumps(upkeep._log)
    upkeep.erase("notes.md", 2)
    assert b"mistake" not in pickle.dumps(upkeep._log)


def test_what_changed_behind_an_import_is_seen(upkeep: Upkeep, disk: pathlib.Path) -> None:
    """Nothing is taken from memory that is not on disk: not a row, not its state, not its hash."""
    adopt_all(upkeep, ["one", "two", "three"])
    rows = store_of(disk) / "rows"
    status = rows.stat()
    rows.write_bytes(rows.read_bytes().replace(sha256(b"two").hexdigest().encode(), b"0" * 64))
    os.utime(rows, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert rows.stat().st_size == status.st_size
    with pytest.raises(MemoryFailure, match="version-taken"):
        upkeep.adopt("notes.md", row_of(2, "two"), "two")

    rows.write_bytes(b"".join(rows.read_bytes().splitlines(keepends=True)[:2]))
    assert upkeep.adopt("notes.md", row_of(2, "two"), "two").versions == 2
    upkeep.erase("notes.md", 1)
    assert upkeep.adopt("notes.md", row_of(1, "one"), "one").versions == 2
    assert [row.erased for row in upkeep.history("notes.md").versions] == [True, False]
    upkeep.erase("notes.md")
    assert upkeep.adopt("notes.md", row_of(9, "nine"), "nine").versions == 1


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["grow", "mark", "cut", "other"]),
            st.sampled_from([*map(rows.line, LINES), b"\n", b"+[1\r\n", b"?[", b"no row\n"]),
        )
    ),
    most_bytes=st.sampled_from([0, 400, 1 << 20]),
)
def test_a_log_parsed_as_it_grows_is_the_log_parsed_as_a_whole(
    steps: list[tuple[str, bytes]], most_bytes: int
) -> None:
    """Whatever is added, overwritten or cut, and if another log is read in between."""
    growing = GrowingLog(most_bytes=most_bytes)
    content = rows.header("notes.md")
    for step, text in steps:
        match step:
            case "grow":
                content += text
            case "mark":
                content = content[: -len(text)] + text
            case "cut":
                content = content[: -len(text)]
            case _:
                growing.parse(rows.header("other.md") + text)
        came, whole = growing.parse(content), rows.parse(content)
        assert came == whole
        assert [row.offset for row in came.rows] == [row.offset for row in whole.rows]


def test_what_grew_is_kept_as_what_was_added(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """A history that is carried elsewhere takes no more there than it took here."""
    for line in range(201):
        append(documents, f"fact {line}")
    there = tmp_path / "there"
    there.mkdir()
    target = Upkeep(World(str(there)).documents())
    adopt_all(target, grown(200))

    assert bodies(target) == bodies(upkeep) == grown(200)
    names = [{file.name for file in store_of(root).iterdir()} for root in (disk, there)]
    assert names[0] == names[1]
    assert len(names[0]) < 20
    target.erase("notes.md", 100)
    assert bodies(target) == [*grown(99), *grown(200)[100:]]
    assert target.check(repair=False).endswith('"findings":[]}')


class Killed(BaseException):
    """The process ended; nothing of ours gets to run after it but closing files."""


def killing(monkeypatch: pytest.MonkeyPatch, calls: tuple[str, ...], at: int) -> None:
    """End the process in the call *at* of those that change the disk, a write half done."""
    count = 0

    def dying(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            if count < at:
                return real(*given, **named)
            if count == at and name == "write":
                real(given[0], given[1][: len(given[1]) // 2])
            raise Killed

        return call

    for name in calls:
        monkeypatch.setattr(os, name, dying(name, getattr(os, name)))


@pytest.mark.parametrize("number", [2, 3, 5, 7], ids=["between", "there", "next", "behind a gap"])
@pytest.mark.parametrize("content", ["a\nb\nc\nd\n", None], ids=["body", "erased"])
@pytest.mark.parametrize("at", range(1, 14))
def test_a_kill_leaves_the_old_history_or_the_new_one(
    world: World, monkeypatch: pytest.MonkeyPatch, at: int, number: int, content: str | None
) -> None:
    """And the same import, made again, finishes it."""
    upkeep = Upkeep(world.documents())
    before = {1: "a\n", 3: "a\nb\n", 4: "a\nb\nc\n"}
    for known, text in before.items():
        upkeep.adopt("notes.md", row_of(known, text), text)
    row = row_of(number, content or "", erased=content is None)
    if number in before:
        row, content = row_of(number, before[number]), before[number]
    with monkeypatch.context() as patched:
        killing(patched, ("write", "fsync", "replace", "ftruncate", "unlink", "mkdir"), at)
        with suppress(Killed):
            upkeep.adopt("notes.md", row, content)

    after = Upkeep(world.documents())
    came = {} if content is None else {number: content}
    assert _kept(after) in (before, before | came)
    numbers = sorted({*before, number})
    again = after.adopt("notes.md", row, content)
    assert again == Adoption(path="notes.md", number=number, versions=len(numbers))
    assert [one.number for one in after.history("notes.md").versions] == numbers
    assert _kept(after) == dict(sorted((before | came).items()))
    after.check(repair=True)
    assert after.check(repair=False).endswith('"findings":[]}')


def _kept(upkeep: Upkeep) -> dict[int, str]:
    rows = upkeep.history("notes.md").versions
    return {
        row.number: upkeep.version("notes.md", row.number).content for row in rows if not row.erased
    }
