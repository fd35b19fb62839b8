"""Paths: what a name may be, and what a name never reaches."""

import os
import unicodedata
from pathlib import Path
from typing import Final

from ironclaw_memory.conformance.bench import Bench
from ironclaw_memory.conformance.expect import failed, holds, same
from ironclaw_memory.conformance.rule import Group, rule


_WRITE: Final = "tool.write"
_READ: Final = "tool.read"

ILLEGAL: Final = (
    "/etc/passwd",
    "/memory/a.md",
    "~/a.md",
    "C:/a.md",
    "..",
    "../a.md",
    "a/../../b.md",
    "a/../b.md",
    "./a.md",
    "a/./b.md",
    "a//b.md",
    "a/",
    "a\\b.md",
    "a\0b.md",
    "a\nb.md",
    "a\x1b[31m.md",
    "",
    "   ",
    ".",
)
"""reference.md section 1: relative paths and the screen of the tools."""


@rule("paths.write-refuses-illegal-targets", Group.PATHS, _WRITE)
def write_refuses_illegal_targets(bench: Bench) -> None:
    """An illegal target is the caller's mistake; nothing is stored anywhere."""
    seat = bench.seat()
    for target in ILLEGAL:
        failed(f"write to {target!r}", seat.try_write(target, "text"), "input")
    same("documents", came=seat.files(), expected={})


@rule("paths.read-refuses-illegal-paths", Group.PATHS, _READ)
def read_refuses_illegal_paths(bench: Bench) -> None:
    """An illegal path is the caller's mistake and reads nothing."""
    seat = bench.seat()
    seat.put("a.md", "text\n")
    seat.put("b.md", "text\n")
    for path in ILLEGAL:
        failed(f"read of {path!r}", seat.try_read(path), "input")


@rule("paths.tree-refuses-illegal-paths", Group.PATHS, "tool.tree")
def tree_refuses_illegal_paths(bench: Bench) -> None:
    """A listing of anything outside the memory is the caller's mistake."""
    seat = bench.seat()
    for path in ("..", "../..", "/", "/memory", "a/../..", "a\\b", "~/a"):
        answer = seat.attempt("tree", request={"path": path, "depth": 2})
        failed(f"tree of {path!r}", answer, "input")


@rule("paths.sidecar-suffixes-are-reserved", Group.PATHS, _WRITE)
def sidecar_suffixes_are_reserved(bench: Bench) -> None:
    """No segment, first, inner or last, may end in .meta, .chunks or .versions."""
    seat = bench.seat()
    for target in ("a.meta", "a.md.versions", "x.chunks/a.md", "a/b.meta/c/d.md"):
        failed(f"write to {target}", seat.try_write(target, "text"), "input")
    same("documents", came=seat.files(), expected={})


@rule("paths.the-store-is-reserved", Group.PATHS, _WRITE)
def the_store_is_reserved(bench: Bench) -> None:
    """The provider's own `.store` is no place for documents, in any case of its letters."""
    seat = bench.seat()
    for target in (".store/a.md", ".store", ".Store/a.md"):
        failed(f"write to {target}", seat.try_write(target, "text"), "input")
    same("documents", came=seat.files(), expected={})


@rule("paths.the-store-is-not-read", Group.PATHS, _READ)
def the_store_is_not_read(bench: Bench) -> None:
    """Nothing below `.store` can be read as a document."""
    seat = bench.seat()
    target = seat.folder / ".store" / "a.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("internal", encoding="utf-8")
    failed("read of .store/a.md", seat.try_read(".store/a.md"), "input")


@rule("paths.odd-but-legal-names-work", Group.PATHS, _WRITE, _READ)
def odd_but_legal_names_work(bench: Bench) -> None:
    """Dots inside names, spaces, CJK, emoji and depth are all legal, and case is kept."""
    seat = bench.seat()
    names = (
        "v1.2.3.notes.md",
        ".hidden.md",
        "meta",
        "a.metadata",
        "My Notes/Week 1.md",
        "日记/十二月.md",
        "🪶/feather.md",
        "a/b/c/d/e/f/g/h.md",
        "-rf",
        "CON",
        "README",
    )
    for number, name in enumerate(names):
        seat.append(name, f"text {number}")
    for number, name in enumerate(names):
        same(f"read of {name}", came=seat.read(name), expected=f"text {number}\n")


@rule("paths.twins-by-case-are-refused", Group.PATHS, _WRITE, _READ)
def twins_by_case_are_refused(bench: Bench) -> None:
    """A new path that differs from an existing one only in case is refused; the first stays."""
    seat = bench.seat()
    seat.append("Notes/Plan.md", "the plan")
    for twin in ("Notes/plan.md", "notes/Plan.md", "NOTES/other.md"):
        failed(f"write to {twin}", seat.try_write(twin, "another"), "input")
    same("the first", came=seat.read("Notes/Plan.md"), expected="the plan\n")
    seat.append("Notes/Plan.md", "goes on")


@rule("paths.names-are-kept-in-form-c", Group.PATHS, _WRITE, _READ)
def names_are_kept_in_form_c(bench: Bench) -> None:
    """A decomposed name is the same document as its composed form."""
    seat = bench.seat()
    decomposed = unicodedata.normalize("NFD", "notes/café.md")
    reply = seat.append(decomposed, "one")
    seat.append("notes/café.md", "two")
    same("path", came=reply["path"], expected="notes/café.md")
    same("document", came=seat.read(decomposed), expected="one\ntwo\n")


@rule("paths.long-names-are-refused-not-fatal", Group.PATHS, _WRITE)
def long_names_are_refused_not_fatal(bench: Bench) -> None:
    """A name or path too long for a file system is refused; the provider goes on."""
    seat = bench.seat()
    for target in ("x" * 300 + ".md", "/".join(["directory"] * 600) + ".md"):
        failed(
            f"write to {len(target)} bytes", seat.try_write(target, "text"), "input", "operation"
        )
    seat.append("a.md", "still serving")


@rule("paths.a-document-and-a-directory-cannot-share-a-name", Group.PATHS, _WRITE, _READ)
def a_document_and_a_directory_cannot_share_a_name(bench: Bench) -> None:
    """No document stands where a directory is, nor below another document."""
    seat = bench.seat()
    seat.append("a/b.md", "text")
    failed("write onto a directory", seat.try_write("a", "text"), "operation")
    failed("write below a document", seat.try_write("a/b.md/c.md", "text"), "operation")
    same("the document", came=seat.read("a/b.md"), expected="text\n")


def _secret(bench: Bench) -> Path:
    """Return a file outside every scope that holds something worth stealing."""
    outside = bench.seat().folder
    secret = outside / "secret.md"
    secret.write_text("the aubergine recipe\n", encoding="utf-8")
    return secret


@rule("paths.links-are-not-followed-out", Group.PATHS, _READ)
def links_are_not_followed_out(bench: Bench) -> None:
    """A link that somebody planted in the scope shows nothing of what lies outside."""
    seat = bench.seat()
    secret = _secret(bench)
    (seat.folder / "link.md").symlink_to(secret)
    (seat.folder / "near.md").symlink_to(os.path.relpath(secret, seat.folder))
    (seat.folder / "folder").symlink_to(secret.parent)
    for path in ("link.md", "near.md", "folder/secret.md"):
        answer = seat.try_read(path)
        failed(f"read through {path}", answer, "input", "operation")


@rule("paths.links-are-not-written-through", Group.PATHS, _WRITE)
def links_are_not_written_through(bench: Bench) -> None:
    """Writing to a planted link changes nothing outside the scope."""
    seat = bench.seat()
    secret = _secret(bench)
    (seat.folder / "link.md").symlink_to(secret)
    (seat.folder / "folder").symlink_to(secret.parent)
    for path in ("link.md", "folder/new.md"):
        seat.try_write(path, "overwritten")
    same(
        "the file outside",
        came=secret.read_text(encoding="utf-8"),
        expected="the aubergine recipe\n",
    )
    same("files beside it", came=[p.name for p in secret.parent.iterdir()], expected=["secret.md"])


@rule("paths.what-is-no-file-is-no-document", Group.PATHS, _READ)
def what_is_no_file_is_no_document(bench: Bench) -> None:
    """A pipe or a directory in a document's place is not opened; the provider goes on."""
    seat = bench.seat()
    os.mkfifo(seat.folder / "pipe.md")
    (seat.folder / "folder.md").mkdir()
    seat.put("a.md", "text\n")
    for path in ("pipe.md", "folder.md"):
        failed(f"read of {path}", seat.try_read(path), "input", "operation")
    same("the next read", came=seat.read("a.md"), expected="text\n")


@rule("paths.a-name-that-is-not-text-harms-nothing", Group.PATHS, _READ, _WRITE)
def a_name_that_is_not_text_harms_nothing(bench: Bench) -> None:
    """A file name that is not UTF-8 leaves every other document readable and writable."""
    seat = bench.seat()
    seat.append("notes/a.md", "one")
    with open(os.path.join(os.fsencode(seat.folder), b"notes", b"\xff\xfe.md"), "wb") as odd:  # noqa: PTH118, PTH123 - a name no Path can spell portably
        odd.write(b"odd")
    seat.append("notes/a.md", "two")
    same("document", came=seat.read("notes/a.md"), expected="one\ntwo\n")
    holds(
        "the odd file still there",
        fact=len(list(os.scandir(seat.folder / "notes"))) > 1,
        came="gone",
    )
