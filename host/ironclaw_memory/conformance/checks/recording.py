"""Transcripts: one document per run, verbatim, in the thread's own place."""

from typing import Final

from ironclaw_memory.conformance.bench import Bench, Seat
from ironclaw_memory.conformance.expect import holds, same
from ironclaw_memory.conformance.rule import Group, rule


_RECORD: Final = "hook.record_interaction"


def _transcripts(seat: Seat) -> dict[str, bytes]:
    return {path: body for path, body in seat.files().items() if path.startswith("threads/")}


@rule("recording.blocks-are-verbatim", Group.RECORDING, _RECORD, "tool.read")
def blocks_are_verbatim(bench: Bench) -> None:
    """A transcript is a block per message: "## role (name)", then the content as it was said."""
    seat = bench.seat()
    recorded = seat.record(
        "t1",
        "r1",
        ("user", "  two  spaces\n\nand a gap "),
        ("assistant", "answer"),
        ("tool", "{}", "search"),
        ("system", "be kind"),
    )
    same("recorded", came=recorded, expected=True)
    expected = (
        "## user\n  two  spaces\n\nand a gap \n"
        "## assistant\nanswer\n## tool (search)\n{}\n## system\nbe kind\n"
    )
    came = seat.read("threads/t1/r1.md")
    same("blocks", came=came.replace("\n\n## ", "\n## ").rstrip(), expected=expected.rstrip())


@rule("recording.is-retrievable-in-its-thread", Group.RECORDING, _RECORD, "hook.read_short_term")
def is_retrievable_in_its_thread(bench: Bench) -> None:
    """A recorded run is recalled in its thread and in no other."""
    seat = bench.seat()
    seat.record("t1", "r1", ("user", "the ferry leaves at seven"))
    texts = [snippet["text"] for snippet in seat.short_term("when does the ferry leave", "t1")]
    holds(
        "the recorded words",
        fact=any("ferry leaves at seven" in text for text in texts),
        came=texts,
    )
    same("in another thread", came=seat.short_term("ferry", "t2"), expected=[])


@rule("recording.replay-overwrites", Group.RECORDING, _RECORD)
def replay_overwrites(bench: Bench) -> None:
    """The same run recorded again is one document with the later words."""
    seat = bench.seat()
    seat.record("t1", "r1", ("user", "first words"))
    before = list(_transcripts(seat))
    seat.record("t1", "r1", ("user", "first words"), ("assistant", "later words"))
    after = _transcripts(seat)
    same("documents", came=list(after), expected=before)
    body = b"".join(after.values()).decode()
    same("times the first words stand there", came=body.count("first words"), expected=1)
    holds("the later words", fact="later words" in body, came=body)


@rule("recording.runs-are-documents", Group.RECORDING, _RECORD)
def runs_are_documents(bench: Bench) -> None:
    """Each run of each thread is a document of its own."""
    seat = bench.seat()
    for thread, run in (("t1", "r1"), ("t1", "r2"), ("t2", "r1")):
        seat.record(thread, run, ("user", f"{thread} {run}"))
    paths = sorted(_transcripts(seat))
    same(
        "documents",
        came=paths,
        expected=["threads/t1/r1.md", "threads/t1/r2.md", "threads/t2/r1.md"],
    )


@rule("recording.without-thread-run-or-words-is-no-op", Group.RECORDING, _RECORD)
def without_thread_run_or_words_is_no_op(bench: Bench) -> None:
    """Without a thread, a run id or messages nothing is kept and nothing fails."""
    seat = bench.seat()
    said = ("user", "hello")
    same("without a thread", came=seat.record(None, "r1", said), expected=False)
    same("without a run id", came=seat.record("t1", None, said), expected=False)
    same("without messages", came=seat.record("t1", "r1"), expected=False)
    same("documents", came=seat.files(), expected={})


@rule("recording.odd-ids-stay-apart-and-inside", Group.RECORDING, _RECORD)
def odd_ids_stay_apart_and_inside(bench: Bench) -> None:
    """Ids that are poor file names get a document each, below `threads/` and nowhere else."""
    seat = bench.seat()
    runs = ("r", "R", "r ", "..", "../../r", "a/b", "a_b", "a%2Fb", "r.meta", "日本", "x" * 256)
    for run in runs:
        seat.record("t1", run, ("user", f"words of {run}"))
    paths = sorted(seat.files())
    outside = [path for path in paths if not path.startswith("threads/t1/")]
    same("documents outside the thread", came=outside, expected=[])
    folded = {path.casefold() for path in paths}
    same("documents", came=len(folded), expected=len(runs))


@rule("recording.transcripts-are-contained", Group.RECORDING, _RECORD, "hook.read_short_term")
def transcripts_are_contained(bench: Bench) -> None:
    """Threads whose ids begin alike do not read each other's transcripts."""
    seat = bench.seat()
    seat.record("t1", "r1", ("user", "the lighthouse keeper"))
    seat.record("t11", "r1", ("user", "the lighthouse ferry"))
    for thread in ("t1", "t11"):
        own = f"threads/{thread}/"
        foreign = [
            s["path"]
            for s in seat.short_term("lighthouse", thread)
            if not s["path"].startswith(own)
        ]
        same(f"foreign transcripts in {thread}", came=foreign, expected=[])
