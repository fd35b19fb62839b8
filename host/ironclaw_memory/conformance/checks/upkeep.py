"""What people do to documents: look back, restore, delete, rename, erase, sweep, check."""

import hashlib
import json
import shutil
from typing import Any, Final

from ironclaw_memory.conformance.bench import Bench, Reply, Seat
from ironclaw_memory.conformance.expect import failed, holds, same
from ironclaw_memory.conformance.rule import Group, rule
from ironclaw_memory.model import Moment


_VERSIONS: Final = ("tool.write", "flag.versioning", "upkeep.history", "upkeep.version")
_DAY_MS: Final = 86_400_000
_LARGE: Final = 5 << 20  # of documents a MiB is allowed, and a few may be read
_HYGIENE: Final = '{"hygiene":{"enabled":true,"retention_days":30}}'


def _three(seat: Seat) -> None:
    for body in ("one\n", "two\n", "three\n"):
        seat.store("a.md", body)


def _hash(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


@rule("versions.overwrite-keeps-the-previous-body", Group.UPKEEP, *_VERSIONS)
def overwrite_keeps_the_previous_body(bench: Bench) -> None:
    """Every replaced body is kept, numbered from 1, with its hash, size and author."""
    seat = bench.seat()
    _three(seat)
    same("bodies", came=seat.bodies("a.md"), expected=["one\n", "two\n"])
    rows = seat.versions("a.md")
    same("numbers", came=[row["number"] for row in rows], expected=[1, 2])
    same("hash", came=rows[0]["hash"], expected=_hash("one\n"))
    same("size", came=rows[0]["size"], expected=4)
    holds("an author", fact=seat.scope.user in rows[0]["changed_by"], came=rows[0]["changed_by"])


@rule("versions.append-keeps-the-previous-body", Group.UPKEEP, *_VERSIONS)
def append_keeps_the_previous_body(bench: Bench) -> None:
    """An append keeps the body before it, byte for byte."""
    seat = bench.seat()
    for entry in ("one", "two", "three"):
        seat.append("a.md", entry)
    same("bodies", came=seat.bodies("a.md"), expected=["one\n", "one\ntwo\n"])


@rule("versions.patch-keeps-the-previous-body", Group.UPKEEP, *_VERSIONS, may_refuse=True)
def patch_keeps_the_previous_body(bench: Bench) -> None:
    """A patch keeps the body before it."""
    seat = bench.seat()
    seat.store("a.md", "tea\n")
    seat.patch("a.md", "tea", "maté")
    same("bodies", came=seat.bodies("a.md"), expected=["tea\n"])


@rule("versions.identical-content-keeps-nothing", Group.UPKEEP, *_VERSIONS)
def identical_content_keeps_nothing(bench: Bench) -> None:
    """Writing what already stands there is no version."""
    seat = bench.seat()
    seat.store("a.md", "same\n")
    seat.store("a.md", "same\n")
    same("bodies", came=seat.bodies("a.md"), expected=[])


@rule("versions.skip-versioning-is-honoured", Group.UPKEEP, *_VERSIONS, "flag.metadata")
def skip_versioning_is_honoured(bench: Bench) -> None:
    """A document that opts out of versions has none."""
    seat = bench.seat()
    seat.store("a.md", "one\n", metadata='{"skip_versioning":true}')
    seat.store("a.md", "two\n")
    same("bodies", came=seat.bodies("a.md"), expected=[])


@rule("versions.restore-is-itself-kept", Group.UPKEEP, *_VERSIONS, "upkeep.restore", "tool.read")
def restore_is_itself_kept(bench: Bench) -> None:
    """A restored body is the document, and the one it replaced is a version."""
    seat = bench.seat()
    _three(seat)
    seat.upkeep("restore", path="a.md", number=1)
    same("document", came=seat.read("a.md"), expected="one\n")
    same("bodies", came=seat.bodies("a.md"), expected=["one\n", "two\n", "three\n"])


@rule("versions.unknown-number-is-input", Group.UPKEEP, *_VERSIONS)
def unknown_number_is_input(bench: Bench) -> None:
    """A version or document that was never there is the caller's mistake."""
    seat = bench.seat()
    _three(seat)
    failed("version 9", seat.attempt("version", request={"path": "a.md", "number": 9}), "input")
    failed("history of nothing", seat.attempt("history", request={"path": "b.md"}), "input")


@rule(
    "upkeep.deleted-documents-come-back",
    Group.UPKEEP,
    *_VERSIONS,
    "upkeep.delete",
    "upkeep.restore",
    "tool.read",
)
def deleted_documents_come_back(bench: Bench) -> None:
    """A deleted document is gone from reading and kept in its history."""
    seat = bench.seat()
    seat.store("a.md", "precious\n")
    kept = seat.upkeep("delete", path="a.md")["kept_as"]
    failed("read", seat.try_read("a.md"), "input")
    same("documents", came=seat.files(), expected={})
    seat.upkeep("restore", path="a.md", number=kept)
    same("document", came=seat.read("a.md"), expected="precious\n")


@rule(
    "upkeep.deleted-documents-are-listed",
    Group.UPKEEP,
    *_VERSIONS,
    "upkeep.delete",
    "upkeep.deleted",
    "upkeep.erase",
    "flag.delete",
)
def deleted_documents_are_listed(bench: Bench) -> None:
    """What is gone and has a history is listed, whoever took it away; what was erased is not."""
    seat = bench.seat()
    for path in ("erased.md", "notes/by-hand.md", "deleted.md", "kept.md"):
        seat.store(path, "one\n")
        seat.store(path, "two\n")
    seat.upkeep("delete", path="deleted.md")
    seat.upkeep("erase", path="erased.md", number=None)
    (seat.folder / "notes/by-hand.md").unlink()
    first = seat.upkeep("deleted", after=None)
    same("listed", came=list(first["paths"]), expected=["deleted.md", "notes/by-hand.md"])
    same("more", came=first["more"], expected=False)
    rest = seat.upkeep("deleted", after="deleted.md")
    same("after the first", came=list(rest["paths"]), expected=["notes/by-hand.md"])


@rule(
    "upkeep.deleted-text-is-not-found",
    Group.UPKEEP,
    "tool.write",
    "tool.search",
    "flag.full_text_search",
    "upkeep.delete",
)
def deleted_text_is_not_found(bench: Bench) -> None:
    """A deleted document is gone from search at once."""
    seat = bench.seat()
    seat.store("a.md", "the heron stands\n")
    seat.upkeep("delete", path="a.md")
    same("found", came=seat.found("heron"), expected=[])


@rule("upkeep.rename-moves-everything", Group.UPKEEP, *_VERSIONS, "upkeep.rename", "tool.read")
def rename_moves_everything(bench: Bench) -> None:
    """A renamed document has its text and its versions under the new name and none under the old."""
    seat = bench.seat()
    _three(seat)
    seat.upkeep("rename", path="a.md", to="notes/b.md")
    same("document", came=seat.read("notes/b.md"), expected="three\n")
    same("bodies", came=seat.bodies("notes/b.md")[:2], expected=["one\n", "two\n"])
    failed("the old name", seat.try_read("a.md"), "input")


@rule("upkeep.rename-overwrites-nothing", Group.UPKEEP, "tool.write", "tool.read", "upkeep.rename")
def rename_overwrites_nothing(bench: Bench) -> None:
    """A name that is taken is refused, and both documents stay."""
    seat = bench.seat()
    seat.store("a.md", "a\n")
    seat.store("b.md", "b\n")
    failed("rename", seat.attempt("rename", request={"path": "a.md", "to": "b.md"}), "operation")
    illegal = seat.attempt("rename", request={"path": "a.md", "to": "../b.md"})
    failed("rename out of the memory", illegal, "input")
    same("documents", came=seat.files(), expected={"a.md": b"a\n", "b.md": b"b\n"})


@rule(
    "upkeep.an-erased-version-keeps-its-row",
    Group.UPKEEP,
    *_VERSIONS,
    "upkeep.erase",
    "flag.delete",
)
def an_erased_version_keeps_its_row(bench: Bench) -> None:
    """An erased body is gone from disk; its row stays and says so."""
    seat = bench.seat()
    seat.store("a.md", "the aubergine secret\n")
    seat.store("a.md", "harmless\n")
    seat.upkeep("erase", path="a.md", number=1)
    rows = seat.versions("a.md")
    same("rows", came=[(row["number"], row["erased"]) for row in rows], expected=[(1, True)])
    failed("version 1", seat.attempt("version", request={"path": "a.md", "number": 1}), "operation")
    same("files that hold the text", came=_holding(seat, b"aubergine"), expected=[])


@rule(
    "upkeep.an-erased-document-leaves-nothing",
    Group.UPKEEP,
    "tool.write",
    "tool.read",
    "upkeep.erase",
    "flag.delete",
)
def an_erased_document_leaves_nothing(bench: Bench) -> None:
    """An erased document is gone with its versions, its metadata and its words in the index."""
    seat = bench.seat()
    seat.store("a.md", "the aubergine secret\n")
    seat.store("a.md", "the aubergine again\n")
    seat.upkeep("erase", path="a.md", number=None)
    failed("read", seat.try_read("a.md"), "input")
    if seat.declares("upkeep.history"):
        failed("history", seat.attempt("history", request={"path": "a.md"}), "input")
    same("files that hold the text", came=_holding(seat, b"aubergine"), expected=[])


def _holding(seat: Seat, needle: bytes) -> list[str]:
    return sorted(name for name, content in seat.everything().items() if needle in content)


@rule("upkeep.sweep-applies-hygiene", Group.UPKEEP, "tool.write", "flag.metadata", "upkeep.sweep")
def sweep_applies_hygiene(bench: Bench) -> None:
    """A document past its `hygiene` goes with a sweep, after a dry run that only says so."""
    seat = bench.seat()
    seat.store("old.md", "short-lived\n", metadata=_HYGIENE)
    seat.store("kept.md", "for good\n")
    later = _in_40_days(seat)
    same("now", came=list(seat.upkeep("sweep", dry_run=False)["documents"]), expected=[])
    same("said", came=list(later.upkeep("sweep", dry_run=True)["documents"]), expected=["old.md"])
    same("after the dry run", came=sorted(seat.files()), expected=["kept.md", "old.md"])
    same("swept", came=list(later.upkeep("sweep", dry_run=False)["documents"]), expected=["old.md"])
    same("after the sweep", came=sorted(seat.files()), expected=["kept.md"])


@rule(
    "upkeep.sweep-names-what-it-leaves", Group.UPKEEP, "tool.write", "flag.metadata", "upkeep.sweep"
)
def sweep_names_what_it_leaves(bench: Bench) -> None:
    """What is past its `hygiene` and stays, such as a file too large to be kept, is named."""
    seat = bench.seat()
    seat.store(".config", "{}", metadata=_HYGIENE)
    seat.put("large.md", b"x" * _LARGE)
    report = _in_40_days(seat).upkeep("sweep", dry_run=False)
    there = sorted(seat.files().keys() - {".config"})
    same("left", came=(list(report["left"]), report["more_left"]), expected=(there, False))


def _in_40_days(seat: Seat) -> Seat:
    return seat.at(Moment(unix_ms=seat.moment.unix_ms + 40 * _DAY_MS))


@rule(
    "upkeep.refresh-rebuilds-a-lost-index",
    Group.UPKEEP,
    "tool.write",
    "tool.search",
    "flag.full_text_search",
    "upkeep.refresh",
)
def refresh_rebuilds_a_lost_index(bench: Bench) -> None:
    """Whatever is lost of the provider's own store, a refresh makes the documents findable again."""
    seat = bench.seat()
    seat.append("a.md", "the heron stands")
    shutil.rmtree(seat.folder / ".store", ignore_errors=True)
    seat.notice(everything=True)
    same("found", came=seat.found("heron"), expected=["a.md"])
    same("documents", came=seat.files(), expected={"a.md": b"the heron stands\n"})


@rule("upkeep.check-describes-the-store", Group.UPKEEP, "tool.write", "upkeep.check")
def check_describes_the_store(bench: Bench) -> None:
    """A check counts documents and bytes and finds nothing wrong where nothing is."""
    seat = bench.seat()
    seat.store("a.md", "four")
    report = _check(seat)
    same("documents", came=report["documents"], expected=1)
    same("bytes", came=report["bytes"], expected=4)
    same("findings", came=report["findings"], expected=[])


@rule("upkeep.check-names-what-is-odd", Group.UPKEEP, "upkeep.check")
def check_names_what_is_odd(bench: Bench) -> None:
    """A check names a document that is not text, and repairs leave documents alone."""
    seat = bench.seat()
    seat.put("raw.md", b"\xff\xfe")
    named = [finding["path"] for finding in _check(seat, repair=True)["findings"]]
    holds("the odd document", fact="raw.md" in named, came=named)
    same("documents", came=seat.files(), expected={"raw.md": b"\xff\xfe"})


def _check(seat: Seat, *, repair: bool = False) -> Any:
    return json.loads(seat.upkeep("check", repair=repair)["json"])


@rule("upkeep.describe-says-size-and-hash", Group.UPKEEP, "tool.write", "upkeep.describe")
def describe_says_size_and_hash(bench: Bench) -> None:
    """A description carries the size and hash of the body as it is; absence is input."""
    seat = bench.seat()
    seat.store("a.md", "four")
    said = json.loads(seat.upkeep("describe", path="a.md")["json"])
    same("size and hash", came=(said["size"], said["hash"]), expected=(4, _hash("four")))
    failed("absent", seat.attempt("describe", request={"path": "b.md"}), "input")


@rule("upkeep.adopt-takes-a-version-once", Group.UPKEEP, *_VERSIONS, "upkeep.adopt")
def adopt_takes_a_version_once(bench: Bench) -> None:
    """A version from an archive is taken in once; a wrong hash or a taken number is refused."""
    seat = bench.seat()
    seat.store("a.md", "now\n")
    past = {"path": "a.md", "row": _row("past\n"), "content": "past\n"}
    for time in ("first", "second"):
        came = seat.reply("adopt", request=past)
        same(f"{time} reply", came=came, expected={"path": "a.md", "number": 1, "versions": 1})
    same("bodies", came=seat.bodies("a.md"), expected=["past\n"])
    wrong = {"path": "a.md", "row": {**_row("past\n"), "number": 2}, "content": "forged\n"}
    failed("a body of another hash", seat.attempt("adopt", request=wrong), "input")
    taken = {"path": "a.md", "row": _row("other\n"), "content": "other\n"}
    failed("a taken number", seat.attempt("adopt", request=taken), "operation")


def _row(body: str) -> Reply:
    return {
        "number": 1,
        "hash": _hash(body),
        "size": len(body.encode()),
        "unix_ms": 1_700_000_000_000,
        "changed_by": "tenant:t:user:u:project:_none",
        "erased": False,
    }


@rule("upkeep.explain-gives-reasons", Group.UPKEEP, "tool.write", "upkeep.explain")
def explain_gives_reasons(bench: Bench) -> None:
    """An explanation lists the query's terms, the hits, and why a named document is or is not one."""
    seat = bench.seat()
    seat.append("a.md", "the heron stands")
    seat.append("b.md", "the walrus lies")
    request = {"query": "heron", "limit": 5, "path": "b.md"}
    said = json.loads(seat.reply("explain", request=request)["json"])
    same("hits", came=[hit["path"] for hit in said["hits"]], expected=["a.md"])
    holds("terms", fact=bool(said["terms"]), came=said["terms"])
    holds("a reason for b.md", fact=bool(said["path"]), came=said["path"])
