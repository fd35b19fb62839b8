"""Search: what is there is found, what is gone is not, and nothing is made up."""

import math
from typing import Final

from ironclaw_memory.conformance.bench import Bench, Reply
from ironclaw_memory.conformance.expect import holds, same
from ironclaw_memory.conformance.rule import Group, rule


_SEARCH: Final = ("tool.search", "flag.full_text_search")
_BOTH: Final = (*_SEARCH, "tool.write")


@rule("search.finds-a-write-at-once", Group.SEARCH, *_BOTH)
def finds_a_write_at_once(bench: Bench) -> None:
    """The search after a write finds it, by any one of its words and in any case of letters."""
    seat = bench.seat()
    seat.append("notes/a.md", "The heron stands in the reeds")
    for query in ("heron", "HERON", "reeds", "a heron of marble", "Where do herons stand?"):
        same(f"found by {query!r}", came=seat.found(query), expected=["notes/a.md"])


@rule("search.finds-nothing-else", Group.SEARCH, *_BOTH)
def finds_nothing_else(bench: Bench) -> None:
    """A query without a word in common finds nothing, and that is an answer."""
    seat = bench.seat()
    seat.append("notes/a.md", "The heron stands in the reeds")
    same("found", came=seat.found("quarterly tax declaration"), expected=[])


@rule("search.replaced-text-is-gone", Group.SEARCH, *_BOTH, may_refuse=True)
def replaced_text_is_gone(bench: Bench) -> None:
    """After a replacement the new text is found and the old is not."""
    seat = bench.seat()
    seat.store("notes/a.md", "the heron stands in the reeds\n")
    seat.store("notes/a.md", "the walrus lies on the ice\n")
    same("found by the old text", came=seat.found("heron"), expected=[])
    same("found by the new text", came=seat.found("walrus"), expected=["notes/a.md"])


@rule("search.patched-text-is-gone", Group.SEARCH, *_BOTH, may_refuse=True)
def patched_text_is_gone(bench: Bench) -> None:
    """After a patch the new text is found and the old is not."""
    seat = bench.seat()
    seat.append("notes/a.md", "the heron stands in the reeds")
    seat.patch("notes/a.md", "heron", "walrus")
    same("found by the old text", came=seat.found("heron"), expected=[])
    same("found by the new text", came=seat.found("walrus"), expected=["notes/a.md"])


@rule("search.sees-edits-by-hand", Group.SEARCH, *_SEARCH)
def sees_edits_by_hand(bench: Bench) -> None:
    """A document that a person saved, changed or removed is found as it is on disk."""
    seat = bench.seat()
    seat.put("notes/a.md", "the heron stands in the reeds\n")
    same("saved", came=seat.found("heron"), expected=["notes/a.md"])
    seat.put("notes/a.md", "the walrus lies on the ice\n")
    same("old text", came=seat.found("heron"), expected=[])
    same("new text", came=seat.found("walrus"), expected=["notes/a.md"])
    (seat.folder / "notes/a.md").unlink()
    seat.notice("notes/a.md")
    same("removed", came=seat.found("walrus"), expected=[])


@rule("search.one-hit-per-document", Group.SEARCH, *_SEARCH)
def one_hit_per_document(bench: Bench) -> None:
    """A document that matches in many places is one hit."""
    seat = bench.seat()
    seat.put("a.md", "\n\n".join(f"the heron, paragraph {n}" for n in range(40)))
    seat.put("b.md", "a heron\n")
    same("found", came=sorted(seat.found("heron")), expected=["a.md", "b.md"])


@rule("search.limit-is-kept", Group.SEARCH, *_SEARCH)
def limit_is_kept(bench: Bench) -> None:
    """Never more hits than asked for, and as many as there are."""
    seat = bench.seat()
    for number in range(8):
        seat.put(f"{number}.md", f"heron number {number}\n")
    for limit, expected in ((1, 1), (5, 5), (20, 8)):
        same(f"hits for limit {limit}", came=len(seat.search("heron", limit)), expected=expected)


@rule("search.scores-fall-from-one", Group.SEARCH, *_SEARCH)
def scores_fall_from_one(bench: Bench) -> None:
    """Scores are finite, the best is 1, none is below 0, they fall, and ties stand by path."""
    seat = bench.seat()
    for name in ("b", "a", "c"):
        seat.put(f"{name}.md", f"the heron of {name}\n")
    seat.put("d.md", "heron heron heron in the reeds\n")
    hits = seat.search("heron reeds", 20)
    scores = [hit["score"] for hit in hits]
    holds("finite scores", fact=all(math.isfinite(score) for score in scores), came=scores)
    holds(
        "from 1 down to 0", fact=bool(scores) and max(scores) == 1 and min(scores) >= 0, came=scores
    )
    keys = [(-hit["score"], hit["path"]) for hit in hits]
    same("order", came=keys, expected=sorted(keys))


@rule("search.better-matches-come-first", Group.SEARCH, *_SEARCH)
def better_matches_come_first(bench: Bench) -> None:
    """A document with every word of the query stands above one with a single word."""
    seat = bench.seat()
    seat.put("a.md", "the heron, and a lot about something else\n")
    seat.put("b.md", "the marble heron of Lisbon\n")
    same("first", came=seat.found("marble heron Lisbon")[:1], expected=["b.md"])


@rule("search.is-deterministic", Group.SEARCH, *_SEARCH)
def is_deterministic(bench: Bench) -> None:
    """The same question about the same documents gives the same hits in the same order."""
    seat = bench.seat()
    for number in range(12):
        seat.put(f"{number}.md", f"heron and reeds, number {number % 3}\n")
    same("a second time", came=seat.search("heron reeds"), expected=seat.search("heron reeds"))


@rule("search.invents-nothing", Group.SEARCH, *_SEARCH, "tool.read")
def invents_nothing(bench: Bench) -> None:
    """Every line of a hit is a line of the document that it names."""
    seat = bench.seat()
    seat.put("a.md", "# Birds\n\nthe heron stands\n\nthe owl sleeps\n\nanother heron flies\n")
    for hit in seat.search("heron"):
        lines = {line.strip() for line in seat.read(hit["path"]).splitlines()}
        foreign = [part for part in _lines(hit) if part not in lines]
        same("lines of no document", came=foreign, expected=[])


def _lines(hit: Reply) -> list[str]:
    lines = (line.strip() for line in str(hit["content"]).splitlines())
    return [line for line in lines if line and line != "…"]


@rule("search.operators-are-plain-text", Group.SEARCH, *_SEARCH)
def operators_are_plain_text(bench: Bench) -> None:
    """What other engines read as operators is text here and never an error."""
    seat = bench.seat()
    seat.put("a.md", "the heron stands in the reeds\n")
    for query in (
        '"heron',
        "heron AND (",
        "NEAR(heron*",
        "heron:*",
        "'; DROP TABLE x; -- heron",
        "-heron",
        "%heron_",
    ):
        same(f"found by {query}", came=seat.found(query), expected=["a.md"])


@rule("search.empty-questions-find-nothing", Group.SEARCH, *_SEARCH)
def empty_questions_find_nothing(bench: Bench) -> None:
    """Punctuation or stop words alone find nothing, and that is no failure."""
    seat = bench.seat()
    seat.put("a.md", "the heron is in the reeds\n")
    for query in ("?!…", "the is in", "***"):
        same(f"found by {query}", came=seat.found(query), expected=[])


@rule("search.finds-chinese", Group.SEARCH, *_SEARCH)
def finds_chinese(bench: Bench) -> None:
    """Words of a language without spaces are found inside their sentence."""
    seat = bench.seat()
    seat.put("a.md", "我对核桃过敏 不要推荐含核桃的甜点。\n")
    seat.put("b.md", "下周二去里斯本出差。\n")
    same("found by 核桃", came=seat.found("核桃"), expected=["a.md"])
    same("found by 里斯本", came=seat.found("里斯本"), expected=["b.md"])


@rule("search.finds-the-far-end", Group.SEARCH, *_SEARCH)
def finds_the_far_end(bench: Bench) -> None:
    """Text at the end of a large document is found, and shown."""
    seat = bench.seat()
    seat.put("a.md", "a plain line of no interest\n" * 8000 + "the heron at last\n")
    hits = seat.search("heron")
    same("found", came=[hit["path"] for hit in hits], expected=["a.md"])
    holds(
        "the matching line",
        fact="heron at last" in hits[0]["content"],
        came=hits[0]["content"][:200],
    )


@rule("search.no-transcript-is-hidden", Group.SEARCH, *_SEARCH, "hook.record_interaction")
def no_transcript_is_hidden(bench: Bench) -> None:
    """The search tool finds transcripts too; only the long-term lane leaves them out."""
    seat = bench.seat()
    seat.record("t1", "r1", ("user", "where is the heron?"))
    same("found", came=seat.found("heron"), expected=["threads/t1/r1.md"])
