"""Metadata: laid over by a write, inherited from the nearest `.config`, kept beside the text."""

import json
from typing import Any, Final

from ironclaw_memory.conformance.bench import Bench, Seat
from ironclaw_memory.conformance.expect import failed, holds, same
from ironclaw_memory.conformance.rule import Group, rule


_META: Final = ("tool.write", "flag.metadata")
_SEARCH: Final = (*_META, "tool.search", "flag.full_text_search")
_SCHEMA: Final = {
    "schema": {"type": "array", "items": {"type": "integer"}},
}


def _own(seat: Seat, path: str) -> Any:
    return json.loads(seat.upkeep("describe", path=path)["json"])["metadata"]


def _resolved(seat: Seat, path: str) -> Any:
    return json.loads(seat.upkeep("describe", path=path)["json"])["resolved"]


@rule("metadata.overlay-is-kept", Group.METADATA, *_META, "upkeep.describe")
def overlay_is_kept(bench: Bench) -> None:
    """Metadata given with a write is kept and merged, unknown keys included."""
    seat = bench.seat()
    seat.append("a.md", "text", metadata='{"topic":"birds","skip_versioning":true}')
    seat.append("a.md", "more", metadata='{"skip_versioning":false}')
    same("metadata", came=_own(seat, "a.md"), expected={"topic": "birds", "skip_versioning": False})


@rule("metadata.must-be-an-object", Group.METADATA, *_META)
def must_be_an_object(bench: Bench) -> None:
    """Metadata that is no JSON object is the caller's mistake, and nothing is stored."""
    seat = bench.seat()
    for text in ("[]", "5", "not json", '"text"'):
        failed(f"metadata {text}", seat.try_write("a.md", "text", metadata=text), "input")
    same("documents", came=seat.files(), expected={})


@rule("metadata.skip-indexing-hides-at-once", Group.METADATA, *_SEARCH)
def skip_indexing_hides_at_once(bench: Bench) -> None:
    """Opting out takes a document out of search at once, and opting in brings it back."""
    seat = bench.seat()
    seat.append("a.md", "the heron stands in the reeds")
    same("before", came=seat.found("heron"), expected=["a.md"])
    seat.append("a.md", "and waits", metadata='{"skip_indexing":true}')
    same("opted out", came=seat.found("heron waits"), expected=[])
    seat.append("a.md", "all day", metadata='{"skip_indexing":false}')
    same("opted in", came=seat.found("heron"), expected=["a.md"])


@rule("metadata.config-cascades-in-its-subtree", Group.METADATA, *_SEARCH)
def config_cascades_in_its_subtree(bench: Bench) -> None:
    """A `.config` that opts out hides what lies below it and nothing beside it."""
    seat = bench.seat()
    for path in ("private/a.md", "private/deep/b.md", "public/c.md", "private-not.md"):
        seat.append(path, f"the heron of {path}")
    seat.append("private/.config", "settings", metadata='{"skip_indexing":true}')
    same("found", came=sorted(seat.found("heron")), expected=["private-not.md", "public/c.md"])


@rule("metadata.explicit-false-survives-the-cascade", Group.METADATA, *_SEARCH)
def explicit_false_survives_the_cascade(bench: Bench) -> None:
    """A document that says it wants to be found is found in spite of its `.config`."""
    seat = bench.seat()
    seat.append("private/a.md", "the heron", metadata='{"skip_indexing":false}')
    seat.append("private/b.md", "the heron too")
    seat.append("private/.config", "settings", metadata='{"skip_indexing":true}')
    same("found", came=seat.found("heron"), expected=["private/a.md"])


@rule("metadata.nearest-config-alone-counts", Group.METADATA, *_META, "upkeep.describe")
def nearest_config_alone_counts(bench: Bench) -> None:
    """Only the nearest `.config` is inherited from; the document's own word comes first."""
    seat = bench.seat()
    seat.append(".config", "root", metadata='{"topic":"root","owner":"ada"}')
    seat.append("a/.config", "near", metadata='{"topic":"near"}')
    seat.append("a/b.md", "text", metadata='{"colour":"grey"}')
    resolved = _resolved(seat, "a/b.md")
    same("topic", came=resolved.get("topic"), expected="near")
    same("owner", came=resolved.get("owner"), expected=None)
    same("own", came=resolved.get("colour"), expected="grey")


@rule("metadata.a-config-that-is-not-there-counts-for-nothing", Group.METADATA, *_SEARCH)
def a_config_that_is_not_there_counts_for_nothing(bench: Bench) -> None:
    """A refused write to `.config` hides nothing."""
    seat = bench.seat()
    seat.append("a.md", "the heron stands")
    failed(
        "blank .config", seat.try_write(".config", " ", metadata='{"skip_indexing":true}'), "input"
    )
    same("found", came=seat.found("heron"), expected=["a.md"])


@rule("metadata.schema-holds-before-storing", Group.METADATA, *_META, "tool.read")
def schema_holds_before_storing(bench: Bench) -> None:
    """A document with a schema is stored only if it is JSON that satisfies it."""
    seat = bench.seat()
    seat.store("a.json", "[1, 2]", metadata=json.dumps(_SCHEMA))
    for content in ('["one"]', "not json"):
        failed(f"store {content}", seat.try_write("a.json", content, append=False), "operation")
    same("document", came=seat.read("a.json"), expected="[1, 2]")
    seat.store("a.json", "[3]")


@rule("metadata.schema-covers-the-whole-append", Group.METADATA, *_META, "tool.read")
def schema_covers_the_whole_append(bench: Bench) -> None:
    """An append is checked as the document it would make, under an inherited schema too."""
    seat = bench.seat()
    seat.append("data/.config", "settings", metadata=json.dumps(_SCHEMA))
    seat.append("data/a.json", "[1]")
    failed("append that breaks the whole", seat.try_write("data/a.json", "[2]"), "operation")
    same("document", came=seat.read("data/a.json"), expected="[1]\n")


@rule("metadata.refused-write-keeps-the-old-metadata", Group.METADATA, *_META, "upkeep.describe")
def refused_write_keeps_the_old_metadata(bench: Bench) -> None:
    """Metadata that came with a refused write is refused with it."""
    seat = bench.seat()
    seat.append("a.md", "text", metadata='{"topic":"birds"}')
    failed("blank write", seat.try_write("a.md", " ", metadata='{"topic":"fish"}'), "input")
    holds("the old topic", fact=_own(seat, "a.md") == {"topic": "birds"}, came=_own(seat, "a.md"))
