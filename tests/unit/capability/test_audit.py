"""The audit log: what it can hold, what it must keep, what it may lose."""

import fcntl
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironclaw_memory.capability.audit import (
    MAX_NOTED,
    NOTED_AGE_MS,
    NOTED_LINES,
    Assertions,
    AuditLog,
)
from ironclaw_memory.capability.audit_files import AuditFiles
from ironclaw_memory.capability.audit_reading import Selection, follow, read
from ironclaw_memory.capability.records import ASSERTED_KINDS, Kind, Outcome, Record, asserted
from ironclaw_memory.capability.state import ScopeAxes
from ironclaw_memory.errors import AuditUnavailable
from ironclaw_memory.model import ProviderEvent


AXES = ScopeAxes(tenant="acme", user="alice")
HASH = "sha256:" + "0" * 64


def _record(at_ms: int = 1, *, kind: Kind = Kind.DECISION, tool: str = "a.read") -> Record:
    return Record(at_ms=at_ms, kind=kind, tool=tool, outcome=Outcome.ALLOWED)


def _times(files: AuditFiles, selection: Selection | None = None) -> list[int]:
    return [entry.at_ms for entry in read(files, selection or Selection())]


TEXT_FIELDS = [
    "tool",
    "reason",
    "subject",
    "call",
    "limit",
    "registry",
    "fingerprint",
    "component",
    "path_hash",
]


@pytest.mark.parametrize("name", TEXT_FIELDS)
@pytest.mark.parametrize("text", ["Alice likes tea", "", "x\n", "a" * 200, "/home/alice", "密"])
def test_no_field_takes_a_sentence(name: str, text: str) -> None:
    """A record that carries text cannot be made, so it cannot be written."""
    with pytest.raises(ValueError, match=name):
        Record(**{"at_ms": 1, "kind": Kind.CALL, name: text})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["at_ms", "size", "count", "argument_bytes", "duration_ms"])
@pytest.mark.parametrize("value", [-1, 1 << 64, True, 1.5, "1"])
def test_no_number_field_takes_anything_else(name: str, value: object) -> None:
    """Sizes and times are whole numbers of 64 bits."""
    with pytest.raises(ValueError, match=name):
        Record(**{"at_ms": 1, "kind": Kind.CALL, name: value})  # type: ignore[arg-type]


def test_a_line_says_what_is_known_and_no_more() -> None:
    """Absent fields are left out, a size of zero is not."""
    line = Record(at_ms=5, kind=Kind.CALL, scope=AXES, size=0).line()
    assert line == b'{"at_ms":5,"kind":"call","scope":{"tenant":"acme","user":"alice"},"size":0}\n'


def test_a_required_record_is_in_the_file_when_require_returns(tmp_path: Path) -> None:
    """Notes that waited go first."""
    log = AuditLog(tmp_path)
    log.note(_record(1))
    assert not (tmp_path / "audit.jsonl").exists()
    log.require(_record(2))
    assert _times(log.files) == [1, 2]


def test_a_required_record_that_cannot_be_written_refuses(tmp_path: Path) -> None:
    """The notes that waited are not lost by the failure."""
    log = AuditLog(tmp_path)
    log.note(_record(1))
    (tmp_path / "audit.jsonl").mkdir()
    with pytest.raises(AuditUnavailable):
        log.require(_record(2))

    (tmp_path / "audit.jsonl").rmdir()
    log.require(_record(3))
    assert _times(log.files) == [1, 3]


@pytest.mark.parametrize("fails", [False, True])
def test_what_became_of_an_intent_follows_it(tmp_path: Path, *, fails: bool) -> None:
    """The intent is on disk before the block begins, and claims nothing."""
    log = AuditLog(tmp_path)

    def intend() -> None:
        with log.around(_record(kind=Kind.PIN)):
            assert b'"outcome":"allowed"' in (tmp_path / "audit.jsonl").read_bytes()
            if fails:
                raise ValueError("the disk is full")

    if fails:
        with pytest.raises(ValueError, match="full"):
            intend()
    else:
        intend()
    log.close()
    assert [entry.outcome for entry in read(log.files, Selection())] == [
        Outcome.ALLOWED,
        Outcome.FAILED if fails else Outcome.SUCCEEDED,
    ]


def test_having_looked_makes_no_data_directory(tmp_path: Path) -> None:
    """Notes of reads are dropped where nothing was ever stored."""
    log = AuditLog(tmp_path / "root" / "host")
    log.note(_record(1))
    log.close()
    assert list(tmp_path.iterdir()) == []


def test_having_looked_for_long_makes_no_data_directory(tmp_path: Path) -> None:
    """Notes that are due wait for a directory that something is stored in; then none is missing."""
    root = tmp_path / "root"
    log = AuditLog(root / "host")
    for number in range(NOTED_LINES):
        log.note(_record(number))
    log.note(_record(NOTED_AGE_MS + NOTED_LINES))
    assert not root.exists()

    root.mkdir()
    log.note(_record(NOTED_AGE_MS + NOTED_LINES))
    assert len(_times(log.files)) == NOTED_LINES + 2


def test_notes_are_written_together(tmp_path: Path) -> None:
    """By number, by age, or at the end."""
    log = AuditLog(tmp_path)
    for number in range(NOTED_LINES):
        assert not (tmp_path / "audit.jsonl").exists()
        log.note(_record(number))
    assert len(_times(log.files)) == NOTED_LINES

    log.note(_record(1_000))
    log.note(_record(1_000 + NOTED_AGE_MS))
    assert len(_times(log.files)) == NOTED_LINES + 2
    log.note(_record(9_000))
    log.close()
    assert _times(log.files)[-1] == 9_000


def test_noting_never_waits_for_whoever_holds_the_log(tmp_path: Path) -> None:
    """While another process holds the lock notes wait in memory; the oldest go first, counted."""
    log = AuditLog(tmp_path)
    holder = os.open(tmp_path / "audit.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(holder, fcntl.LOCK_EX)
    for number in range(MAX_NOTED + 3):
        log.note(_record(number))
    assert not (tmp_path / "audit.jsonl").exists()

    os.close(holder)
    log.close()
    entries = list(read(log.files, Selection()))
    assert len(entries) == MAX_NOTED + 1
    assert (entries[0].kind, entries[0].fields["count"]) == (Kind.LOST, 3)
    assert entries[1].at_ms == 3


def test_a_full_file_makes_room_and_the_oldest_goes(tmp_path: Path) -> None:
    """Never more than so many files of about so many bytes."""
    log = AuditLog(tmp_path, max_file_bytes=500, max_files=3)
    for number in range(100):
        log.require(_record(number))
    files = list(tmp_path.glob("audit*.jsonl"))
    times = _times(log.files)

    assert len(files) == 3
    assert all(file.stat().st_size <= 500 for file in files)
    assert times == list(range(times[0], 100))


def test_a_line_that_a_crash_tore_spoils_itself_alone(tmp_path: Path) -> None:
    """The next line starts on a line of its own, and reading passes over the damage."""
    log = AuditLog(tmp_path)
    log.require(_record(1))
    with (tmp_path / "audit.jsonl").open("ab") as file:
        file.write(b'{"at_ms":2,"ki')
    log.require(_record(3))
    assert _times(log.files) == [1, 3]


def test_a_link_in_place_of_the_log_is_not_followed(tmp_path: Path) -> None:
    """Nobody gets the log appended to another file."""
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "audit.jsonl").symlink_to(tmp_path / "victim")
    with pytest.raises(AuditUnavailable):
        AuditLog(tmp_path / "log").require(_record())
    assert not (tmp_path / "victim").exists()


def test_the_log_is_the_owners_alone(tmp_path: Path) -> None:
    """Directory 0700, files 0600."""
    AuditLog(tmp_path / "host").require(_record())
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "host").iterdir()}
    assert modes == {"audit.jsonl": 0o600, "audit.lock": 0o600}
    assert (tmp_path / "host").stat().st_mode & 0o777 == 0o700


def test_reading_narrows_by_every_criterion(tmp_path: Path) -> None:
    """Tool, kind, outcome and time, alone and together."""
    log = AuditLog(tmp_path)
    for record in (_record(1), _record(2, tool="a.write"), _record(3, kind=Kind.TRAP), _record(4)):
        log.require(record)

    assert _times(log.files, Selection(tool="a.write")) == [2]
    assert _times(log.files, Selection(kind=Kind.TRAP)) == [3]
    assert _times(log.files, Selection(since_ms=3)) == [3, 4]
    assert _times(log.files, Selection(tool="a.read", kind=Kind.DECISION, since_ms=2)) == [4]
    assert _times(log.files, Selection(outcome=Outcome.DENIED)) == []


def test_following_misses_nothing_across_rotations(tmp_path: Path) -> None:
    """What is written while somebody follows is seen, also when files rotated twice in between."""
    log = AuditLog(tmp_path, max_file_bytes=300, max_files=9)
    log.require(_record(0))
    bursts = iter([range(1, 2), range(2, 12), range(12, 13)])

    def wait() -> bool:
        burst = next(bursts, None)
        for at_ms in burst or ():
            log.require(_record(at_ms))
        return burst is not None

    assert [entry.at_ms for entry in follow(log.files, Selection(), wait=wait)] == list(range(13))


def test_following_a_log_that_does_not_exist_yet(tmp_path: Path) -> None:
    """It starts with the first line that comes."""
    log = AuditLog(tmp_path / "host")
    to_come = [_record(7)]

    def wait() -> bool:
        if not to_come:
            return False
        log.require(to_come.pop())
        return True

    found = follow(log.files, Selection(), wait=wait)
    assert [entry.at_ms for entry in found] == [7]


def test_thirty_two_assertions_a_call_and_no_more(tmp_path: Path) -> None:
    """Malformed ones count too; the next call starts anew."""
    log = AuditLog(tmp_path)
    event = ProviderEvent(kind="document-written", path_hash=HASH, size=3)
    events = Assertions(log, call="call-1", tool="a.write", scope=AXES)
    answers = [events.emit(event, now_ms=1) for _ in range(40)]

    assert answers == [True] * 32 + [False] * 8
    assert Assertions(log, call="call-2", tool="a.write", scope=AXES).emit(event, now_ms=2)
    assert all(entry.fields["asserted"] for entry in read(log.files, Selection()))


def test_an_assertion_that_cannot_be_recorded_is_answered_with_false(tmp_path: Path) -> None:
    """The provider hears of it; nothing is raised into the guest."""
    (tmp_path / "audit.jsonl").mkdir()
    events = Assertions(AuditLog(tmp_path), call="call-1", tool="a.write", scope=AXES)
    assert not events.emit(ProviderEvent(kind="safety-checked"), now_ms=1)


EVENTS = st.builds(
    ProviderEvent,
    kind=st.sampled_from([kind.value for kind in Kind]) | st.text(max_size=20),
    path_hash=st.none() | st.just(HASH) | st.text(max_size=20),
    reason=st.none() | st.just("high_risk_prompt_injection") | st.text(max_size=20),
    registry=st.none() | st.just("prompt-protected-paths:v1") | st.text(max_size=20),
    size=st.none() | st.integers(-5, 1 << 65),
)


@given(EVENTS)
def test_a_provider_can_put_no_words_of_its_own_into_the_log(event: ProviderEvent) -> None:
    """Kind, reason and registry are from closed lists, the rest are hashes and sizes."""
    record = asserted(event, at_ms=1, call="call-1", tool="a.write", scope=AXES)
    if record is not None:
        assert record.kind in ASSERTED_KINDS
        assert record.asserted
        assert record.reason in {None, "high_risk_prompt_injection"}
        assert record.registry in {None, "prompt-protected-paths:v1"}
        assert record.path_hash in {None, HASH}
