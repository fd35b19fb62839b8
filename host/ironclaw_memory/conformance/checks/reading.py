"""Reading and listing: exact bytes, edits by hand, nested trees."""

import json
from typing import Any, Final

from ironclaw_memory.conformance.bench import Bench, Seat
from ironclaw_memory.conformance.expect import failed, holds, same
from ironclaw_memory.conformance.rule import Group, rule


_READ: Final = "tool.read"
_TREE: Final = "tool.tree"
CUT: Final = "…"
MOST_ENTRIES: Final = 2000  # wit/tools.wit


def _tree(seat: Seat, path: str = "", depth: int = 10) -> Any:
    return json.loads(seat.tree(path, depth))


@rule("read.returns-exact-text", Group.READING, _READ)
def read_returns_exact_text(bench: Bench) -> None:
    """Reading returns the document's text, every character of it."""
    seat = bench.seat()
    for number, text in enumerate(
        ("\ufeffmark\r\n", "no newline", "", "a\u2028b\n\n\n", "🪶" * 1000)
    ):
        seat.put(f"{number}.md", text)
        same(f"document {number}", came=seat.read(f"{number}.md"), expected=text)


@rule("read.sees-edits-by-hand", Group.READING, _READ)
def read_sees_edits_by_hand(bench: Bench) -> None:
    """A document that a person saves, changes or removes is read as it is on disk."""
    seat = bench.seat()
    seat.put("a.md", "first\n")
    same("saved", came=seat.read("a.md"), expected="first\n")
    seat.put("a.md", "other\n")
    same("changed, same size", came=seat.read("a.md"), expected="other\n")
    (seat.folder / "a.md").unlink()
    seat.notice("a.md")
    failed("removed", seat.try_read("a.md"), "input")


@rule("read.changes-nothing-on-disk", Group.READING, "tool.write")
def read_changes_nothing_on_disk(bench: Bench) -> None:
    """No reading tool and no lane leaves a trace in the scope."""
    seat = bench.seat()
    seat.append("notes/a.md", "the heron stands in the reeds")
    before = seat.everything()
    if seat.declares(_READ):
        seat.read("notes/a.md")
    if seat.declares("tool.search") and seat.declares("flag.full_text_search"):
        seat.search("heron")
    if seat.declares(_TREE):
        seat.tree(depth=10)
    if seat.declares("hook.read_long_term"):
        seat.long_term("heron")
    same("files that differ", came=_differing(before, seat.everything()), expected=[])


def _differing(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    names = before.keys() | after.keys()
    return sorted(name for name in names if before.get(name) != after.get(name))


@rule("tree.is-nested", Group.READING, _TREE)
def tree_is_nested(bench: Bench) -> None:
    """Directories come first and hold their entries; files follow; both are sorted."""
    seat = bench.seat()
    for path in ("z.md", "a.md", "projects/beta/b.md", "projects/alpha/notes.md", "daily/1.md"):
        seat.put(path, "x")
    expected = [
        {"daily/": ["1.md"]},
        {"projects/": [{"alpha/": ["notes.md"]}, {"beta/": ["b.md"]}]},
        "a.md",
        "z.md",
    ]
    same("listing", came=_tree(seat), expected=expected)


@rule("tree.depth-counts-levels", Group.READING, _TREE)
def tree_depth_counts_levels(bench: Bench) -> None:
    """At the last level a directory is its name with a slash."""
    seat = bench.seat()
    seat.put("a/b/c.md", "x")
    seat.put("d.md", "x")
    same("depth 1", came=_tree(seat, depth=1), expected=["a/", "d.md"])
    same("depth 2", came=_tree(seat, depth=2), expected=[{"a/": ["b/"]}, "d.md"])


@rule("tree.starts-where-asked", Group.READING, _TREE)
def tree_starts_where_asked(bench: Bench) -> None:
    """A directory can be listed alone; a path that matches nothing is an empty listing."""
    seat = bench.seat()
    seat.put("a/b/c.md", "x")
    same("below a", came=_tree(seat, "a"), expected=[{"b/": ["c.md"]}])
    same("below nothing", came=_tree(seat, "absent"), expected=[])
    same("an empty scope", came=_tree(bench.seat()), expected=[])


@rule("tree.hides-the-store", Group.READING, _TREE, "tool.write")
def tree_hides_the_store(bench: Bench) -> None:
    """The provider's own files are no documents and are not listed."""
    seat = bench.seat()
    seat.store("a.md", "one")
    seat.store("a.md", "two")
    same("listing", came=_tree(seat), expected=["a.md"])


@rule("tree.lists-more-than-one-page", Group.READING, _TREE)
def tree_lists_more_than_one_page(bench: Bench) -> None:
    """A directory of more than a thousand documents is listed whole."""
    seat = bench.seat()
    _fill(seat, 1100)
    same("entries", came=len(_tree(seat, "many")), expected=1100)


@rule("tree.says-where-it-was-cut", Group.READING, _TREE)
def tree_says_where_it_was_cut(bench: Bench) -> None:
    """A listing has at most 2,000 entries and ends in "…" where it was cut."""
    seat = bench.seat()
    _fill(seat, MOST_ENTRIES + 50)
    listing = _tree(seat, "many")
    holds(
        "at most 2,000 entries and a mark", fact=len(listing) <= MOST_ENTRIES + 1, came=len(listing)
    )
    same("last entry", came=listing[-1], expected=CUT)


def _fill(seat: Seat, count: int) -> None:
    folder = seat.folder / "many"
    folder.mkdir()
    for number in range(count):
        (folder / f"{number:05}.md").write_bytes(b"x")
