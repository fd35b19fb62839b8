"""Archives that broke on their way: one clear error, and nothing of them comes in."""

import gzip
import io
import tarfile
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.cli.fakes import FakeHost

from ironclaw_memory.model import Scope
from ironclaw_memory.portability import compression
from ironclaw_memory.portability.exporting import export_scope
from ironclaw_memory.portability.hostile import ArchiveDamaged, ArchiveRefused
from ironclaw_memory.portability.importing import import_archive
from ironclaw_memory.portability.members import DocumentMember, ManifestMember, MetaMember
from ironclaw_memory.portability.reading import MAX_NUMBER, opened
from ironclaw_memory.portability.writing import Writer, packed


ANN = Scope(tenant="acme", user="ann")
END = bytes(2 * tarfile.BLOCKSIZE)


def _exported() -> bytes:
    host, out = FakeHost(), io.BytesIO()
    for path in ("a.md", "notes/a rather long name for a note about tea.md"):
        for content in ("one\n", "two\n", "x" * 1500):
            host.call_as_operator(
                "ironclaw.memory.write",
                {"target": path, "content": content, "append": False},
                scope=ANN,
            )
    export_scope(host, ANN, out, progress=lambda *_: None, now_ms=5)  # type: ignore[arg-type]
    return out.getvalue()


WHOLE = _exported()
PACKED = gzip.compress(WHOLE, mtime=0)


def imported(content: bytes, file: Path) -> dict[str, str]:
    """Import *content* into an empty scope and return what is there; none of it if it raises."""
    host = FakeHost()
    file.write_bytes(content)
    try:
        with opened(file) as archive:
            import_archive(
                host,  # type: ignore[arg-type]
                ANN,
                archive,
                dry_run=False,
                progress=lambda *_: None,
                now_ms=5,
            )
    except ArchiveRefused:
        assert host.asked == []
        assert host.kept == {}
        raise
    return host.provider.of(ANN)


@pytest.mark.parametrize("content", [WHOLE, PACKED], ids=["tar", "gzip"])
def test_a_whole_archive_comes_in(tmp_path: Path, content: bytes) -> None:
    """Compressed or not; somebody may have compressed a backup."""
    assert sorted(imported(content, tmp_path / "a")) == [
        "a.md",
        "notes/a rather long name for a note about tea.md",
    ]


def test_a_tar_that_is_cut_anywhere_is_truncated(tmp_path: Path) -> None:
    """Also between two members, where a tar has no mark of its own that more should come."""
    cuts = sorted({*range(512, len(WHOLE), 512), *range(700, len(WHOLE) - 1, 331)})
    for cut in cuts:
        with pytest.raises(ArchiveDamaged, match="truncated"):
            imported(WHOLE[:cut], tmp_path / "a.tar")


def test_a_gzip_that_is_cut_anywhere_is_truncated(tmp_path: Path) -> None:
    """Whatever of it could be unpacked."""
    for cut in range(20, len(PACKED), 7):
        with pytest.raises(ArchiveDamaged, match="truncated"):
            imported(PACKED[:cut], tmp_path / "a.tgz")


@settings(max_examples=200, deadline=None)
@given(at=st.integers(0, len(WHOLE) - 1), bit=st.integers(0, 7))
def test_one_flipped_bit_anywhere_refuses_the_archive(
    tmp_path_factory: pytest.TempPathFactory, at: int, bit: int
) -> None:
    """In a header, in a body, in the padding: nothing comes in."""
    content = bytearray(WHOLE)
    content[at] ^= 1 << bit
    with pytest.raises(ArchiveRefused):
        imported(bytes(content), tmp_path_factory.mktemp("flipped") / "a.tar")


@pytest.mark.parametrize("at", [20, len(PACKED) // 2, len(PACKED) - 6])
def test_a_damaged_gzip_is_damaged(tmp_path: Path, at: int) -> None:
    """It has a checksum of its own."""
    content = bytearray(PACKED)
    content[at] ^= 0x10
    with pytest.raises(ArchiveDamaged, match=r"damaged|truncated"):
        imported(bytes(content), tmp_path / "a.tgz")


def test_a_header_that_makes_no_sense_ends_no_archive(tmp_path: Path) -> None:
    """Else all behind it would be missing, and nobody would know."""
    with tarfile.open(fileobj=io.BytesIO(WHOLE)) as tar:
        offsets = [member.offset for member in tar][1:]
    for offset in offsets:
        content = WHOLE[:offset] + b"\xa5" * 512 + WHOLE[offset + 512 :]
        with pytest.raises(ArchiveDamaged, match="damaged"):
            imported(content, tmp_path / "a.tar")


def test_what_follows_the_end_is_looked_at(tmp_path: Path) -> None:
    """Empty blocks in the middle hide the rest from any tar program."""
    with pytest.raises(ArchiveDamaged, match="damaged"):
        imported(WHOLE + WHOLE, tmp_path / "a.tar")


def test_nothing_comes_in_that_stands_behind_the_checksum(tmp_path: Path) -> None:
    """What somebody added with tar is no part of what was exported."""
    more = packed(DocumentMember("b.md"), b"added\n")
    with pytest.raises(ArchiveDamaged, match="after its checksum"):
        imported(WHOLE[: -len(END)] + more + END, tmp_path / "a.tar")


@pytest.mark.parametrize(("number", "fits"), [(MAX_NUMBER, True), (MAX_NUMBER + 1, False)])
def test_no_archive_uses_up_the_numbers_of_a_history(
    tmp_path: Path, number: int, fits: bool
) -> None:
    """Else the next write has none, and the history could not be told any more."""
    row = {
        "number": number,
        "hash": "sha256:0",
        "size": 1,
        "unix_ms": 1,
        "changed_by": "x",
        "erased": True,
    }
    out = io.BytesIO()
    with Writer(out) as writer:
        writer.add_json(ManifestMember(), {"format": 1})
        writer.add_json(MetaMember("a.md"), {"versions": [row]})
    file = tmp_path / "a.tar"
    file.write_bytes(out.getvalue())
    with nullcontext() if fits else pytest.raises(ArchiveRefused, match="history"), opened(file):
        pass


def test_an_archive_that_was_packed_anew_needs_no_checksum(tmp_path: Path) -> None:
    """Documents are plain files: whoever changes one leaves the checksum out."""
    out = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(WHOLE)) as old,
        tarfile.open(fileobj=out, mode="w") as new,
    ):
        for member in old:
            body = old.extractfile(member)
            assert body is not None
            content = body.read().replace(b"x" * 1500, b"edited\n")
            member.size = len(content)
            if member.name != "archive.sha256":
                new.addfile(member, io.BytesIO(content))

    assert imported(out.getvalue(), tmp_path / "a.tar")["a.md"] == "edited\n"


def test_a_gzip_bomb_is_refused_while_it_unpacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that an export could be compresses so well."""
    monkeypatch.setattr(compression, "_ALWAYS_FINE", 1 << 20)
    with pytest.raises(ArchiveRefused, match="unpacks"):
        imported(gzip.compress(bytes(8 << 20)), tmp_path / "a.tgz")
