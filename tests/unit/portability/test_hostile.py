"""What no archive may be: refused whole, before anything is written."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.portability.archives import archive, entry

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.portability import hostile, reading
from ironclaw_memory.portability.hostile import ArchiveRefused, BoundedFile
from ironclaw_memory.portability.members import member_of


Entry = tuple[tarfile.TarInfo, bytes]

HOSTILE: dict[str, list[Entry]] = {
    "absolute name": [entry("/etc/cron.d/x", b"x")],
    "home directory": [entry("~/x", b"x")],
    "dot dot": [entry("documents/../../x", b"x")],
    "dot dot at the end": [entry("documents/a/..", b"x")],
    "symbolic link": [entry("documents/a.md", type=tarfile.SYMTYPE, linkname="/etc/passwd")],
    "hard link": [entry("documents/a.md", type=tarfile.LNKTYPE, linkname="manifest.json")],
    "character device": [entry("documents/a.md", type=tarfile.CHRTYPE)],
    "block device": [entry("documents/a.md", type=tarfile.BLKTYPE)],
    "pipe": [entry("documents/a.md", type=tarfile.FIFOTYPE)],
    "contiguous file": [entry("documents/a.md", type=tarfile.CONTTYPE)],
    "old GNU sparse file": [entry("documents/a.md", type=tarfile.GNUTYPE_SPARSE)],
    "sparse file by extended header": [
        entry(
            "documents/a.md",
            b"0\n",
            pax_headers={
                "GNU.sparse.major": "1",
                "GNU.sparse.minor": "0",
                "GNU.sparse.realsize": "9",
            },
        )
    ],
    "unknown type": [entry("documents/a.md", type=b"Z")],
    "twice": [entry("documents/a.md", b"x"), entry("documents/a.md", b"y")],
    "foreign name": [entry("a.md", b"x")],
    "reserved suffix": [entry("documents/a.meta", b"x")],
    "the provider's store": [entry("documents/.store/format", b"1")],
    "its store of profiles": [entry("documents/context/.store/format", b"1")],
    "backslash": [entry("documents/a\\b.md", b"x")],
    "control character": [entry("documents/a\nb.md", b"x")],
    "empty segment": [entry("documents/a//b.md", b"x")],
    "decomposed name": [entry("documents/e\u0301.md", b"x")],
    "version number zero": [entry("versions/a.md.versions/0", b"x")],
    "history that is no JSON": [entry("documents/a.md", b"x"), entry("versions/a.md.meta", b"{")],
    "history that is deep": [
        entry("documents/a.md", b"x"),
        entry("versions/a.md.meta", b'{"metadata":' + b"[" * 5000 + b"]" * 5000 + b"}"),
    ],
    "history with a text for a number": [
        entry("documents/a.md", b"x"),
        entry("versions/a.md.meta", b'{"versions": [{"number": "1"}]}'),
    ],
    "over-long name": [entry("documents/" + "a/" * 3000 + "b.md", b"x")],
}


@pytest.mark.parametrize("entries", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_archive_is_refused(tmp_path: Path, entries: list[Entry]) -> None:
    """The whole of it, whatever else it holds."""
    honest = entry("documents/honest.md", b"x")
    file = archive(tmp_path / "a.tar", [honest, *entries])
    with pytest.raises(ArchiveRefused), reading.opened(file):
        pass


def test_an_archive_needs_a_manifest_of_a_known_format(tmp_path: Path) -> None:
    """A tar of something else is none of ours."""
    without = archive(tmp_path / "a.tar", [entry("documents/a.md", b"x")], manifest=False)
    newer = archive(tmp_path / "b.tar", [entry("manifest.json", b'{"format": 2}')], manifest=False)
    for file in (without, newer):
        with pytest.raises(ArchiveRefused), reading.opened(file):
            pass


def test_a_name_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """Whatever an extended header says about it."""
    file = tmp_path / "a.tar"
    with tarfile.open(file, "w", format=tarfile.GNU_FORMAT, errors="surrogateescape") as tar:
        tar.addfile(entry("documents/\udcff.md", b"")[0])
    with pytest.raises(ArchiveRefused), reading.opened(file):
        pass


@pytest.mark.parametrize(
    ("limit", "value"),
    [("MAX_MEMBER_BYTES", 3), ("MAX_ARCHIVE_BYTES", 1000), ("MAX_NAME_BYTES", 9)],
)
def test_every_size_has_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    """Crossing one refuses the archive."""
    file = archive(tmp_path / "a.tar", [entry("documents/a.md", b"four")])
    monkeypatch.setattr(hostile, limit, value)
    with pytest.raises(ArchiveRefused), reading.opened(file):
        pass


def test_the_number_of_members_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million tiny members are refused while they are counted."""
    file = archive(tmp_path / "a.tar", [entry(f"documents/{n}.md", b"x") for n in range(5)])
    monkeypatch.setattr(reading, "MAX_MEMBERS", 5)
    with pytest.raises(ArchiveRefused), reading.opened(file):
        pass


def test_an_extended_header_of_any_size_is_not_read(tmp_path: Path) -> None:
    """A header may claim a gigabyte; no such read is ever made."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 30
    file = tmp_path / "a.tar"
    file.write_bytes(header.tobuf(tarfile.USTAR_FORMAT) + b"\0" * 4096)
    with pytest.raises(ArchiveRefused), reading.opened(file):
        pass


def test_reads_are_bounded_and_positions_positive() -> None:
    """What stands between the parser and the file."""
    file = BoundedFile(io.BufferedReader(io.BytesIO(b"x" * 100)), limit=10)
    assert file.read(10) == b"x" * 10
    for act in (lambda: file.read(11), lambda: file.read(-1), lambda: file.seek(-1)):
        with pytest.raises(ArchiveRefused):
            act()


@pytest.mark.parametrize("cut", [1, 512, 700, 1023, 1536])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, cut: int) -> None:
    """Also where it ends inside a body."""
    whole = archive(tmp_path / "a.tar", [entry("documents/a.md", b"y" * 4000)]).read_bytes()
    file = tmp_path / "b.tar"
    file.write_bytes(whole[:cut])
    with pytest.raises(ArchiveRefused), reading.opened(file):
        pass


@pytest.mark.parametrize("make", [lambda p: p.mkdir(), lambda p: None], ids=["folder", "absent"])
def test_a_file_that_cannot_be_read_is_bad_input(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """It is no archive that somebody made."""
    make(tmp_path / "a.tar")
    with pytest.raises(InvalidArguments), reading.opened(tmp_path / "a.tar"):
        pass


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_bytes_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A damaged archive never raises anything else and never hangs."""
    file = tmp_path_factory.mktemp("any") / "a.tar"
    archive(file, [entry("documents/a.md", b"hello"), entry("documents/b.md", b"x" * 600)])
    content = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, 3000))] = data.draw(st.integers(0, 255))
    file.write_bytes(bytes(content))
    try:
        with reading.opened(file) as opened:
            for path in opened.paths():
                opened.document(path)
    except ArchiveRefused:
        pass


@given(st.text())
def test_a_name_that_means_something_stays_inside(name: str) -> None:
    """Whatever member a name is, its path leads nowhere else."""
    member = member_of(f"documents/{name}")
    if member is not None:
        assert not name.startswith("/")
        assert not {"", ".", ".."} & set(name.split("/"))
