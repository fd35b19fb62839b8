"""Large, deep and many: refused or answered, never fatal."""

from typing import Final

from ironclaw_memory.conformance.bench import Bench
from ironclaw_memory.conformance.expect import failed, holds, same
from ironclaw_memory.conformance.rule import Group, rule
from ironclaw_memory.contract.outputs import RAW_HIT_BYTES, REPLY_BYTES


MIB: Final = 1 << 20
MOST_EVENTS: Final = 32  # wit/audit.wit
_SEARCH: Final = ("tool.search", "flag.full_text_search")
_WRITE: Final = "tool.write"
_READ: Final = "tool.read"


@rule("resources.a-document-may-have-one-mebibyte", Group.RESOURCES, _WRITE, _READ, may_refuse=True)
def a_document_may_have_one_mebibyte(bench: Bench) -> None:
    """A document of exactly 1 MiB is stored; one byte more is the caller's mistake."""
    seat = bench.seat()
    body = ("x" * 63 + "\n") * (MIB // 64)
    seat.store("a.md", body)
    same("the document is whole", came=seat.read("a.md") == body, expected=True)
    failed("one byte more", seat.try_write("b.md", body + "x", append=False), "input")
    same("documents", came=list(seat.files()), expected=["a.md"])


@rule("resources.appends-stop-at-one-mebibyte", Group.RESOURCES, _WRITE)
def appends_stop_at_one_mebibyte(bench: Bench) -> None:
    """An append that would make the document larger than 1 MiB is refused whole."""
    seat = bench.seat()
    seat.put("a.md", ("x" * 63 + "\n") * (MIB // 64))
    failed("append", seat.try_write("a.md", "one more line"), "input")
    same("size", came=len(seat.files()["a.md"]), expected=MIB)


@rule("resources.hits-are-bounded", Group.RESOURCES, *_SEARCH)
def hits_are_bounded(bench: Bench) -> None:
    """A hit carries at most 64 KiB, however much of the document matches."""
    seat = bench.seat()
    seat.put("a.md", "the heron stands in the reeds and waits\n" * 5000)
    seat.put("b.md", "heron " * 100_000)
    sizes = {hit["path"]: len(hit["content"].encode()) for hit in seat.search("heron")}
    same("found", came=sorted(sizes), expected=["a.md", "b.md"])
    holds("at most 64 KiB a hit", fact=max(sizes.values()) <= RAW_HIT_BYTES, came=sizes)


@rule(
    "resources.lanes-are-bounded", Group.RESOURCES, "hook.read_long_term", "flag.full_text_search"
)
def lanes_are_bounded(bench: Bench) -> None:
    """A lane's answer stays below 1 MiB, however large the lines are."""
    seat = bench.seat()
    for number in range(20):
        seat.put(f"{number}.md", f"heron {number} " + "word " * 20_000)
    snippets = seat.long_term("heron", 20)
    size = sum(len(snippet["text"].encode()) for snippet in snippets)
    holds("some snippets within 1 MiB", fact=0 < size <= REPLY_BYTES, came=size)


@rule("resources.a-huge-standing-document-is-served", Group.RESOURCES, "hook.read_long_term")
def a_huge_standing_document_is_served(bench: Bench) -> None:
    """A standing document of 1 MiB costs no more than its prefix."""
    seat = bench.seat()
    seat.put("MEMORY.md", "a fact of the garden\n" * (MIB // 21))
    size = sum(len(snippet["text"].encode()) for snippet in seat.long_term("garden", 4))
    holds("between one byte and 1,600", fact=0 < size <= 1600, came=size)  # noqa: PLR2004 - four chunks of 400


@rule("resources.long-queries-are-answered", Group.RESOURCES, *_SEARCH)
def long_queries_are_answered(bench: Bench) -> None:
    """A query of thousands of words is answered like any other."""
    seat = bench.seat()
    seat.put("a.md", "the heron stands\n")
    query = "heron " + " ".join(f"word{n}" for n in range(3000))
    same("found", came=seat.found(query), expected=["a.md"])


@rule("resources.deep-metadata-is-not-fatal", Group.RESOURCES, _WRITE, "flag.metadata")
def deep_metadata_is_not_fatal(bench: Bench) -> None:
    """Metadata that nests deeply is stored or refused, and the next call is served."""
    seat = bench.seat()
    for depth in (60, 5000):
        text = '{"a":' * depth + "1" + "}" * depth
        answer = seat.try_write("a.md", "text", metadata=text)
        if answer.failure is not None:
            failed(f"metadata of depth {depth}", answer, "input")
    seat.append("b.md", "still serving")


@rule("resources.deep-documents-are-not-fatal", Group.RESOURCES, _WRITE, "flag.metadata")
def deep_documents_are_not_fatal(bench: Bench) -> None:
    """A document under a schema that nests deeply is refused, and the next call is served."""
    seat = bench.seat()
    seat.store("a.json", "[1]", metadata='{"schema":{"type":"array"}}')
    answer = seat.try_write("a.json", "[" * 5000 + "]" * 5000, append=False)
    failed("a document nested 5,000 deep", answer, "input", "operation")
    seat.append("b.md", "still serving")


@rule("resources.events-are-few", Group.RESOURCES, _WRITE)
def events_are_few(bench: Bench) -> None:
    """No call offers more than 32 events."""
    seat = bench.seat().unrecorded()  # an unrecorded event does not use up the host's allowance
    answers = [seat.try_write("memory", f"fact {n}") for n in range(3)]
    most = max(len(answer.events) for answer in answers)
    holds("at most 32 events a call", fact=most <= MOST_EVENTS, came=most)


@rule("resources.many-calls-on-one-scope", Group.RESOURCES, _WRITE, _READ)
def many_calls_on_one_scope(bench: Bench) -> None:
    """A hundred writes in a row are a hundred lines."""
    seat = bench.seat()
    for number in range(100):
        seat.append("a.md", f"line {number}")
    same("lines", came=seat.read("a.md").count("\n"), expected=100)
