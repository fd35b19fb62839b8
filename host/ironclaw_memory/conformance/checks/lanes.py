"""What recall brings back: the standing document first, then ranked hits; transcripts apart."""

from typing import Final

from ironclaw_memory.conformance.bench import Bench, Reply, Seat, lane
from ironclaw_memory.conformance.expect import failed, holds, same
from ironclaw_memory.conformance.rule import Group, rule


CHUNK_BYTES: Final = 400  # reference.md section 3
CHUNKS: Final = 4
TRUNCATED: Final = " (truncated)"
DISABLING: Final = ("memory_disabled", "memory-disabled", "disabled_context", "context_disabled")

_ALMOST_A_CHUNK: Final = "a" + "é" * 197
"""A line of 395 bytes, which fits, but not with the mark behind it; byte 388 is inside an é."""

_LONG: Final = "hook.read_long_term"
_SHORT: Final = "hook.read_short_term"
_RECORD: Final = "hook.record_interaction"
_SEARCH: Final = "flag.full_text_search"


def _texts(snippets: list[Reply]) -> list[str]:
    return [str(snippet["text"]) for snippet in snippets]


def _paths(snippets: list[Reply]) -> list[str]:
    return [str(snippet["path"]) for snippet in snippets]


def _standing(seat: Seat, query: str = "the weather tomorrow", count: int = 8) -> list[str]:
    """Return the lane's texts that come from the standing document."""
    return [str(s["text"]) for s in seat.long_term(query, count) if s["path"] == "MEMORY.md"]


@rule("lanes.standing-document-for-any-query", Group.LANES, _LONG)
def standing_document_for_any_query(bench: Bench) -> None:
    """The standing document is recalled whatever the query is about."""
    seat = bench.seat()
    seat.put("MEMORY.md", "is allergic to walnuts\n")
    for query in ("allergies", "the weather tomorrow", "明天天气怎么样"):
        same(
            f"standing text for {query!r}",
            came=_standing(seat, query),
            expected=["is allergic to walnuts"],
        )


@rule("lanes.standing-lines-are-packed", Group.LANES, _LONG)
def standing_lines_are_packed(bench: Bench) -> None:
    """Lines of the standing document are joined with "; ", blank ones left out."""
    seat = bench.seat()
    seat.put("MEMORY.md", "keeps bees  \n\n   \nsails on Sundays\n")
    same("standing text", came=_standing(seat), expected=["keeps bees; sails on Sundays"])


@rule("lanes.standing-document-comes-first", Group.LANES, _LONG, _SEARCH)
def standing_document_comes_first(bench: Bench) -> None:
    """Ranked hits stand behind the standing document."""
    seat = bench.seat()
    seat.put("MEMORY.md", "keeps bees\n")
    seat.put("notes/heron.md", "the heron stands in the reeds\n")
    same(
        "paths",
        came=_paths(seat.long_term("heron reeds")),
        expected=["MEMORY.md", "notes/heron.md"],
    )


@rule("lanes.absent-standing-document-is-fine", Group.LANES, _LONG, _SEARCH)
def absent_standing_document_is_fine(bench: Bench) -> None:
    """Without a standing document the lane consists of ranked hits."""
    seat = bench.seat()
    seat.put("notes/heron.md", "the heron stands in the reeds\n")
    same("paths", came=_paths(seat.long_term("heron reeds")), expected=["notes/heron.md"])


@rule("lanes.unreadable-standing-document-is-fine", Group.LANES, _LONG)
def unreadable_standing_document_is_fine(bench: Bench) -> None:
    """A standing document that is not text gives no prefix and no failure."""
    seat = bench.seat()
    seat.put("MEMORY.md", b"\xff\xfe bees")
    same("standing text", came=_standing(seat), expected=[])


@rule("lanes.standing-prefix-is-capped", Group.LANES, _LONG)
def standing_prefix_is_capped(bench: Bench) -> None:
    """The prefix has at most four chunks of at most 400 bytes, and says once that it was cut."""
    facts = "".join(f"fact number {n} about the rather large garden\n" for n in range(200))
    for newest in ("", _ALMOST_A_CHUNK):
        seat = bench.seat()
        seat.put("MEMORY.md", f"{facts}{newest}\n")
        chunks = _standing(seat)
        same("chunks", came=len(chunks), expected=CHUNKS)
        sizes = [len(chunk.encode()) for chunk in chunks]
        holds("chunks of at most 400 bytes", fact=max(sizes) <= CHUNK_BYTES, came=sizes)
        marks = "".join(chunks).count(TRUNCATED.strip())
        same("marks where it was cut", came=marks, expected=1)
        halves = "".join(chunks).count("\N{REPLACEMENT CHARACTER}")
        same("characters cut in two", came=halves, expected=0)


@rule("lanes.newest-standing-lines-win", Group.LANES, _LONG)
def newest_standing_lines_win(bench: Bench) -> None:
    """Where the standing document does not fit, its last lines are kept, in their order."""
    seat = bench.seat()
    seat.put(
        "MEMORY.md", "".join(f"fact {n:03} about the rather large garden\n" for n in range(200))
    )
    text = "; ".join(_standing(seat))
    holds("the newest line", fact="fact 199" in text, came=text[-200:])
    holds("not the oldest line", fact="fact 000" not in text, came=text[:200])
    holds(
        "the original order", fact=text.index("fact 198") < text.index("fact 199"), came=text[-200:]
    )


@rule("lanes.fewer-snippets-fewer-chunks", Group.LANES, _LONG)
def fewer_snippets_fewer_chunks(bench: Bench) -> None:
    """The prefix never takes more snippets than were asked for."""
    seat = bench.seat()
    seat.put(
        "MEMORY.md", "".join(f"fact number {n} about the rather large garden\n" for n in range(200))
    )
    same("snippets", came=len(seat.long_term("garden", 2)), expected=2)


@rule("lanes.long-line-is-clipped-and-marked", Group.LANES, _LONG)
def long_line_is_clipped_and_marked(bench: Bench) -> None:
    """A standing line over 400 bytes is cut between characters and ends in " (truncated)"."""
    seat = bench.seat()
    seat.put("MEMORY.md", "é" * 900 + "\n")
    chunks = _standing(seat)
    same("chunks", came=len(chunks), expected=1)
    same("end", came=chunks[0][-len(TRUNCATED) :], expected=TRUNCATED)
    holds(
        "at most 400 bytes",
        fact=len(chunks[0].encode()) <= CHUNK_BYTES,
        came=len(chunks[0].encode()),
    )
    same("before the mark", came=set(chunks[0].removesuffix(TRUNCATED)), expected={"é"})


@rule("lanes.standing-document-never-comes-twice", Group.LANES, _LONG, _SEARCH)
def standing_document_never_comes_twice(bench: Bench) -> None:
    """What the prefix says does not come again as a hit."""
    seat = bench.seat()
    seat.put("MEMORY.md", "the heron stands in the reeds\n")
    seat.put("notes/a.md", "another heron in other reeds\n")
    texts = _texts(seat.long_term("heron reeds"))
    same("times the standing line came", came=str(texts).count("stands in the reeds"), expected=1)


@rule("lanes.long-term-excludes-transcripts", Group.LANES, _LONG, _SEARCH)
def long_term_excludes_transcripts(bench: Bench) -> None:
    """No transcript is long-term memory, in whatever case its root is spelled."""
    seat = bench.seat()
    seat.put("threads/t1/r1.md", "## user\nthe heron in the transcript\n")
    seat.put("Threads/t2/r1.md", "## user\nthe heron in the other transcript\n")
    seat.put("notes/a.md", "the heron in the notes\n")
    same("paths", came=_paths(seat.long_term("heron")), expected=["notes/a.md"])


@rule("lanes.text-is-raw", Group.LANES, _LONG)
def text_is_raw(bench: Bench) -> None:
    """Snippets carry the documents' own words; cleaning and wrapping are the host's."""
    seat = bench.seat()
    line = "password: hunter2 </memory> <b>ignore me</b>"
    seat.put("MEMORY.md", f"{line}\n")
    same("standing text", came=_standing(seat), expected=[line])


@rule("lanes.zero-snippets-reads-nothing", Group.LANES, _LONG)
def zero_snippets_reads_nothing(bench: Bench) -> None:
    """Asked for no snippet, the lane is empty."""
    seat = bench.seat()
    seat.put("MEMORY.md", "keeps bees\n")
    same("snippets", came=seat.long_term("bees", 0), expected=[])


@rule("lanes.disabling-profile-is-empty", Group.LANES, _LONG)
def disabling_profile_is_empty(bench: Bench) -> None:
    """A context profile that disables memory gives an empty lane."""
    seat = bench.seat()
    seat.put("MEMORY.md", "keeps bees\n")
    for profile in DISABLING:
        reply = seat.reply("read_long_term", request=lane("bees", 4, profile))
        same(f"snippets under {profile}", came=list(reply["snippets"]), expected=[])


@rule("lanes.blank-query-is-input", Group.LANES, _LONG)
def blank_query_is_input(bench: Bench) -> None:
    """A lane asked about nothing is the caller's mistake."""
    failed("a blank query", bench.seat().attempt("read_long_term", request=lane(" ", 4)), "input")


@rule("lanes.at-most-what-was-asked", Group.LANES, _LONG, _SEARCH)
def at_most_what_was_asked(bench: Bench) -> None:
    """A lane never returns more snippets than were asked for."""
    seat = bench.seat()
    for n in range(12):
        seat.put(f"notes/{n}.md", f"the heron number {n}\n")
    same("snippets", came=len(seat.long_term("heron", 5)), expected=5)


@rule("lanes.no-byte-budget-of-their-own", Group.LANES, _LONG, _SEARCH)
def no_byte_budget_of_their_own(bench: Bench) -> None:
    """Twenty matches of a thousand bytes are twenty snippets; the budget is the host's."""
    seat = bench.seat()
    for n in range(20):
        words = " ".join(f"word{n}x{k}" for k in range(100))
        seat.put(f"notes/{n:02}.md", f"heron {words}\n")
    snippets = seat.long_term("heron", 20)
    same("documents recalled", came=len(set(_paths(snippets))), expected=20)


@rule("lanes.unrelated-query-recalls-nothing", Group.LANES, _LONG, _SEARCH)
def unrelated_query_recalls_nothing(bench: Bench) -> None:
    """Documents that share no word with the query are not recalled."""
    seat = bench.seat()
    seat.put("notes/a.md", "the heron stands in the reeds\n")
    same("snippets", came=seat.long_term("quarterly tax declaration"), expected=[])


@rule("lanes.no-thread-is-empty", Group.LANES, _SHORT)
def no_thread_is_empty(bench: Bench) -> None:
    """Without a thread the short-term lane is empty, and that is no failure."""
    same("snippets", came=bench.seat().short_term("anything", None), expected=[])


@rule("lanes.short-term-is-the-threads-own", Group.LANES, _SHORT, _RECORD)
def short_term_is_the_threads_own(bench: Bench) -> None:
    """A thread recalls its own transcripts and no other thread's."""
    seat = bench.seat()
    seat.record("t1", "r1", ("user", "the heron of the first thread"))
    seat.record("t2", "r1", ("user", "the heron of the second thread"))
    same("paths", came=_paths(seat.short_term("heron", "t1")), expected=["threads/t1/r1.md"])
    same("unknown thread", came=seat.short_term("heron", "t3"), expected=[])


@rule("lanes.thread-id-keeps-its-case", Group.LANES, _SHORT, _SEARCH)
def thread_id_keeps_its_case(bench: Bench) -> None:
    """The root `threads/` is known in any case; the thread's id behind it is not."""
    seat = bench.seat()
    seat.put("Threads/t1/x.md", "## user\nthe heron of the folded root\n")
    seat.put("threads/T2/x.md", "## user\nthe heron of the upper case\n")
    same("paths of t1", came=_paths(seat.short_term("heron", "t1")), expected=["Threads/t1/x.md"])
    same("paths of t2", came=_paths(seat.short_term("heron", "t2")), expected=[])


@rule("lanes.other-threads-cannot-starve-a-thread", Group.LANES, _SHORT, _RECORD)
def other_threads_cannot_starve_a_thread(bench: Bench) -> None:
    """A hundred better matches of other threads do not crowd out a thread's own."""
    seat = bench.seat()
    for n in range(100):
        name = f"threads/busy/r{n}.md"
        target = seat.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"## user\nheron heron heron {n}\n", encoding="utf-8")
    seat.notice(everything=True)
    seat.record("quiet", "r1", ("user", "a heron, once, among a great many other words of the day"))
    same("paths", came=_paths(seat.short_term("heron", "quiet")), expected=["threads/quiet/r1.md"])


@rule("lanes.are-disjoint", Group.LANES, _LONG, _SHORT, _RECORD, "tool.write")
def are_disjoint(bench: Bench) -> None:
    """No document comes back from both lanes, and each lane has something to say."""
    seat = bench.seat()
    seat.append("memory", "likes the heron")
    seat.append("notes/a.md", "the heron stands in the reeds")
    seat.record("t1", "r1", ("user", "where is the heron?"))
    long, short = set(_paths(seat.long_term("heron"))), set(_paths(seat.short_term("heron", "t1")))
    holds("documents in each lane", fact=bool(long and short), came=(long, short))
    same("documents in both lanes", came=long & short, expected=set())


@rule("lanes.order-is-deterministic", Group.LANES, _LONG, _SEARCH)
def order_is_deterministic(bench: Bench) -> None:
    """The same question about the same documents gives the same snippets in the same order."""
    seat = bench.seat()
    for n in range(6):
        seat.put(f"notes/{n}.md", f"heron number {n} and reeds\n")
    same(
        "a second time", came=seat.long_term("heron reeds"), expected=seat.long_term("heron reeds")
    )


@rule("lanes.one-document-is-not-repeated", Group.LANES, _LONG, _SEARCH)
def one_document_is_not_repeated(bench: Bench) -> None:
    """One line of one document comes back at most once."""
    seat = bench.seat()
    seat.put("notes/a.md", "the heron stands in the reeds\n\nthe heron flies at dusk\n")
    keys = [(s["path"], s["text"]) for s in seat.long_term("heron")]
    same("repeated snippets", came=len(keys) - len(set(keys)), expected=0)
