"""The write modes: append, replace, patch, clear, and the words that name a document."""

from datetime import UTC, datetime
from typing import Final

from ironclaw_memory.conformance.bench import Bench
from ironclaw_memory.conformance.expect import failed, holds, same
from ironclaw_memory.conformance.rule import Group, rule
from ironclaw_memory.model import Moment


_WRITE: Final = "tool.write"
_READ: Final = "tool.read"
_LATE: Final = int(datetime(2026, 12, 31, 23, 30, tzinfo=UTC).timestamp()) * 1000


@rule("write.append.separates-entries", Group.WRITING, _WRITE, _READ)
def append_separates_entries(bench: Bench) -> None:
    """Entries appended one after the other stay lines of their own."""
    seat = bench.seat()
    seat.append("notes/a.md", "first")
    seat.append("notes/a.md", "second")
    same("document", came=seat.read("notes/a.md"), expected="first\nsecond\n")


@rule("write.append.trims-the-end", Group.WRITING, _WRITE, _READ)
def append_trims_the_end(bench: Bench) -> None:
    """An entry loses white space at its end, keeps it elsewhere, and ends in one newline."""
    seat = bench.seat()
    seat.append("notes/a.md", "  indented  \n\n\n")
    same("document", came=seat.read("notes/a.md"), expected="  indented\n")


@rule("write.append.creates-an-absent-document", Group.WRITING, _WRITE, _READ)
def append_creates_an_absent_document(bench: Bench) -> None:
    """Appending to nothing makes the document and its directories."""
    seat = bench.seat()
    seat.append("a/b/c/d.md", "deep")
    same("document", came=seat.read("a/b/c/d.md"), expected="deep\n")


@rule("write.append.starts-a-line-of-its-own", Group.WRITING, _WRITE, _READ)
def append_starts_a_line_of_its_own(bench: Bench) -> None:
    """An entry never continues a last line that somebody left without a newline."""
    seat = bench.seat()
    seat.put("notes/a.md", "no newline here")
    seat.append("notes/a.md", "an entry")
    same("document", came=seat.read("notes/a.md"), expected="no newline here\nan entry\n")


@rule("write.replace.keeps-exact-bytes", Group.WRITING, _WRITE, _READ, may_refuse=True)
def replace_keeps_exact_bytes(bench: Bench) -> None:
    """Replacing stores the text as it is, white space, line ends and all."""
    seat = bench.seat()
    text = "\ufeff tabs\t\r\n mixed\rends \n\n日本語 🪶 no newline at the end"
    reply = seat.store("notes/a.md", text)
    same("document", came=seat.read("notes/a.md"), expected=text)
    same("content_length", came=reply["content_length"], expected=len(text.encode()))
    same("append", came=reply["append"], expected=False)


@rule("write.replace.drops-the-old-body", Group.WRITING, _WRITE, _READ, may_refuse=True)
def replace_drops_the_old_body(bench: Bench) -> None:
    """After a replacement nothing of the old text is in the document."""
    seat = bench.seat()
    seat.store("notes/a.md", "a long first body that is longer\n")
    seat.store("notes/a.md", "short\n")
    same("document", came=seat.read("notes/a.md"), expected="short\n")


@rule("write.blank-content-is-input", Group.WRITING, _WRITE, may_refuse=True)
def blank_content_is_input(bench: Bench) -> None:
    """Blank text is neither an entry nor a document; nothing is stored."""
    seat = bench.seat()
    for append in (True, False):
        for content in ("", " \n\t "):
            answer = seat.try_write("notes/a.md", content, append=append)
            failed(f"write of {content!r}, append {append}", answer, "input")
    same("documents", came=seat.files(), expected={})


@rule("write.aliases-name-standing-documents", Group.WRITING, _WRITE, _READ)
def aliases_name_standing_documents(bench: Bench) -> None:
    """`memory` and `heartbeat` are written to MEMORY.md and HEARTBEAT.md, and the reply says so."""
    for alias, path in (("memory", "MEMORY.md"), ("heartbeat", "HEARTBEAT.md")):
        seat = bench.seat()
        same(f"path of {alias}", came=seat.append(alias, "a line")["path"], expected=path)
        same("document", came=seat.read(path), expected="a line\n")


@rule("write.daily-log.is-named-by-the-users-day", Group.WRITING, _WRITE)
def daily_log_is_named_by_the_users_day(bench: Bench) -> None:
    """The daily log is of the day in the call's zone, else in the user's; the time is the host's."""
    seat = bench.seat().at(Moment(unix_ms=_LATE, zone="UTC"))
    same("in UTC", came=seat.append("daily_log", "x")["path"], expected="daily/2026-12-31.md")
    east = seat.append("daily_log", "x", timezone="Asia/Tokyo")["path"]
    same("in the call's zone", came=east, expected="daily/2027-01-01.md")
    home = seat.at(Moment(unix_ms=_LATE, zone="Pacific/Auckland"))
    same(
        "in the user's zone",
        came=home.append("daily_log", "x")["path"],
        expected="daily/2027-01-01.md",
    )


@rule("write.daily-log.refuses-an-unknown-zone", Group.WRITING, _WRITE)
def daily_log_refuses_an_unknown_zone(bench: Bench) -> None:
    """A zone that does not exist is the caller's mistake, and nothing is stored."""
    seat = bench.seat()
    failed("write", seat.try_write("daily_log", "x", timezone="Mars/Olympus"), "input")
    same("documents", came=seat.files(), expected={})


@rule("write.bootstrap.clears", Group.WRITING, _WRITE, may_refuse=True)
def bootstrap_clears(bench: Bench) -> None:
    """Writing `bootstrap` empties BOOTSTRAP.md, whatever the content, and says so."""
    seat = bench.seat()
    seat.put("BOOTSTRAP.md", "first steps\n")
    reply = seat.write("bootstrap", "ignored")
    same("status", came=reply["status"], expected="cleared")
    same("path", came=reply["path"], expected="BOOTSTRAP.md")
    holds("a message", fact=bool(reply["message"]), came=reply["message"])
    same("document", came=seat.files()["BOOTSTRAP.md"], expected=b"")


@rule("write.threads-are-reserved", Group.WRITING, _WRITE)
def threads_are_reserved(bench: Bench) -> None:
    """No tool writes below `threads/`, in any case of its letters; nothing is stored."""
    seat = bench.seat()
    for target in ("threads/t1/r1.md", "Threads/t1/r1.md", "THREADS/x.md", "threads/x.md"):
        failed(f"write to {target}", seat.try_write(target, "a forged transcript"), "operation")
    same("documents", came=seat.files(), expected={})


@rule("write.success-is-on-disk", Group.WRITING, _WRITE, "flag.file_documents")
def success_is_on_disk(bench: Bench) -> None:
    """A document is a file of that name and those bytes, with no litter beside it."""
    seat = bench.seat()
    seat.append("notes/a.md", "one")
    seat.append("notes/a.md", "two")
    seat.append("b.md", "three")
    expected = {"notes/a.md": b"one\ntwo\n", "b.md": b"three\n"}
    same("files", came=seat.files(), expected=expected)


@rule("patch.replaces-the-first", Group.WRITING, _WRITE, _READ, may_refuse=True)
def patch_replaces_the_first(bench: Bench) -> None:
    """A patch replaces the first occurrence and reports one replacement and the new size."""
    seat = bench.seat()
    seat.put("a.md", "tea, tea and tea\n")
    reply = seat.patch("a.md", "tea", "maté")
    same("document", came=seat.read("a.md"), expected="maté, tea and tea\n")
    same("status", came=reply["status"], expected="patched")
    same("replacements", came=reply["replacements"], expected=1)
    same(
        "content_length", came=reply["content_length"], expected=len("maté, tea and tea\n".encode())
    )


@rule("patch.replaces-all-if-asked", Group.WRITING, _WRITE, _READ, may_refuse=True)
def patch_replaces_all_if_asked(bench: Bench) -> None:
    """With `replace_all` every occurrence is replaced, and counted."""
    seat = bench.seat()
    seat.put("a.md", "tea, tea and tea\n")
    reply = seat.patch("a.md", "tea", "coffee", replace_all=True)
    same("document", came=seat.read("a.md"), expected="coffee, coffee and coffee\n")
    same("replacements", came=reply["replacements"], expected=3)


@rule("patch.absent-needle-is-input", Group.WRITING, _WRITE, _READ, may_refuse=True)
def patch_absent_needle_is_input(bench: Bench) -> None:
    """Text that does not occur cannot be patched; the document stays."""
    seat = bench.seat()
    seat.put("a.md", "tea\n")
    failed("patch", seat.try_patch("a.md", "coffee", "water"), "input")
    same("document", came=seat.read("a.md"), expected="tea\n")


@rule("patch.empty-strings-are-input", Group.WRITING, _WRITE, _READ, may_refuse=True)
def patch_empty_strings_are_input(bench: Bench) -> None:
    """A patch needs text to find and text to put there: it cannot delete by omission."""
    seat = bench.seat()
    seat.put("a.md", "tea\n")
    for old, new in (("", "x"), ("tea", ""), ("tea", None)):
        failed(f"patch {old!r} by {new!r}", seat.try_patch("a.md", old, new), "input")
    same("document", came=seat.read("a.md"), expected="tea\n")


@rule("patch.absent-document-is-operation", Group.WRITING, _WRITE, may_refuse=True)
def patch_absent_document_is_operation(bench: Bench) -> None:
    """A document that is not there cannot be patched, and is not made."""
    seat = bench.seat()
    failed("patch", seat.try_patch("absent.md", "a", "b"), "operation")
    same("documents", came=seat.files(), expected={})


@rule("patch.is-all-or-nothing", Group.WRITING, _WRITE, _READ, may_refuse=True)
def patch_is_all_or_nothing(bench: Bench) -> None:
    """A patch whose result is refused changes nothing, not even its first occurrence."""
    seat = bench.seat()
    body = "x\n" * 2000
    seat.put("a.md", body)
    answer = seat.try_patch("a.md", "x", "y" * 1000, replace_all=True)
    failed("patch beyond 1 MiB", answer, "input", "operation")
    same("document unchanged", came=seat.read("a.md") == body, expected=True)


@rule("patch.keeps-line-ends", Group.WRITING, _WRITE, _READ, may_refuse=True)
def patch_keeps_line_ends(bench: Bench) -> None:
    """A needle with LF matches a document with CRLF, which keeps its line ends."""
    seat = bench.seat()
    seat.put("a.md", "one\r\ntwo\r\nthree\r\n")
    seat.patch("a.md", "one\ntwo", "1\n2")
    same("document", came=seat.read("a.md"), expected="1\r\n2\r\nthree\r\n")


@rule(
    "patch.keeps-a-byte-order-mark", Group.WRITING, _WRITE, "flag.file_documents", may_refuse=True
)
def patch_keeps_a_byte_order_mark(bench: Bench) -> None:
    """A byte order mark stays and hides nothing of the first line."""
    seat = bench.seat()
    seat.put("a.md", "\ufefffirst line\n")
    seat.patch("a.md", "first line", "another line")
    same("document", came=seat.files()["a.md"].decode(), expected="\ufeffanother line\n")
