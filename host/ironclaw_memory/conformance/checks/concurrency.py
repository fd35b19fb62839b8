"""Many callers at once, and a person's editor that holds no lock."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from ironclaw_memory.conformance.bench import Bench
from ironclaw_memory.conformance.expect import holds, same
from ironclaw_memory.conformance.rule import Group, rule
from ironclaw_memory.conformance.subject import Answer


_WRITE: Final = "tool.write"
_READ: Final = "tool.read"
_THREADS: Final = 4


def _at_once(calls: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """Return the answers of *calls* made at once, and hold most of them to be successes.

    A provider that refuses whoever comes second loses nothing, and serves nobody.
    """
    with ThreadPoolExecutor(max_workers=_THREADS) as pool:
        answers = [future.result() for future in [pool.submit(call) for call in calls]]
    _most("calls acknowledged", sum(answer.reply is not None for answer in answers), len(calls))
    return answers


def _most(what: str, count: int, total: int) -> None:
    holds(f"most {what}", fact=count > total // 2, came=f"{count} of {total}")


@rule("concurrency.no-acknowledged-append-is-lost", Group.CONCURRENCY, _WRITE, _READ)
def no_acknowledged_append_is_lost(bench: Bench) -> None:
    """Every append that was acknowledged is a line of the document, once."""
    seat = bench.seat()
    lines = [f"entry {n}" for n in range(20)]
    calls = [partial(seat.try_write, "a.md", line) for line in lines]
    answers = _at_once(calls)
    kept = sorted(line for line, answer in zip(lines, answers, strict=True) if answer.reply)
    same("lines", came=sorted(seat.read("a.md").splitlines()), expected=kept)


@rule(
    "concurrency.no-acknowledged-patch-is-lost", Group.CONCURRENCY, _WRITE, _READ, may_refuse=True
)
def no_acknowledged_patch_is_lost(bench: Bench) -> None:
    """Patches of different lines made at once all hold."""
    seat = bench.seat()
    seat.put("a.md", "".join(f"line {n:02} old\n" for n in range(12)))
    seat.patch("a.md", "line 00 old", "line 00 new")
    calls = [
        partial(seat.try_patch, "a.md", f"line {n:02} old", f"line {n:02} new")
        for n in range(1, 12)
    ]
    patched = 1 + sum(answer.reply is not None for answer in _at_once(calls))
    same("new lines", came=seat.read("a.md").count("new"), expected=patched)


@rule(
    "concurrency.profile-merges-all-hold",
    Group.CONCURRENCY,
    "tool.profile_set",
    "hook.profile_read",
)
def profile_merges_all_hold(bench: Bench) -> None:
    """Fields set at once by several callers are all kept."""
    seat = bench.seat()
    calls: list[Callable[[], Answer]] = [
        partial(seat.try_profile_set, timezone="Asia/Tokyo"),
        partial(seat.try_profile_set, locale="ja-JP"),
        partial(seat.try_profile_set, location="Osaka"),
    ]
    kept = sum(answer.reply is not None for answer in _at_once(calls))
    text = seat.profile() or ""
    found = sum(word in text for word in ("Asia/Tokyo", "ja-JP", "Osaka"))
    same("fields kept", came=found, expected=kept)


@rule("concurrency.an-edit-by-hand-is-not-overwritten", Group.CONCURRENCY, _WRITE, _READ)
def an_edit_by_hand_is_not_overwritten(bench: Bench) -> None:
    """What a person saved between two appends is still there after the second."""
    seat = bench.seat()
    seat.append("a.md", "one")
    path = seat.folder / "a.md"
    path.write_text("one\nby hand\n", encoding="utf-8")
    seat.append("a.md", "two")
    same("document", came=seat.read("a.md"), expected="one\nby hand\ntwo\n")


@rule("concurrency.readers-see-whole-documents", Group.CONCURRENCY, _WRITE, _READ, may_refuse=True)
def readers_see_whole_documents(bench: Bench) -> None:
    """A reader during a replacement sees the old document or the new one, never a mixture."""
    seat = bench.seat()
    bodies = ["a" * 50_000 + "\n", "b" * 50_000 + "\n"]
    seat.store("a.md", bodies[0])
    calls: list[Callable[[], Answer]] = []
    for n in range(12):
        body = bodies[n % 2]
        calls.append(partial(seat.try_write, "a.md", body, append=False))
        calls.append(partial(seat.try_read, "a.md"))
    read = [a.reply["content"] for a in _at_once(calls) if a.reply and "content" in a.reply]
    torn = [text[:20] + text[-20:] for text in read if text not in bodies]
    same("torn readings", came=torn, expected=[])


@rule("concurrency.recordings-all-hold", Group.CONCURRENCY, "hook.record_interaction")
def recordings_all_hold(bench: Bench) -> None:
    """Runs recorded at once are all kept."""
    seat = bench.seat()
    said = [{"role": "user", "content": "hello", "name": None}]
    calls = [
        partial(seat.attempt, "record_interaction", messages=said, thread_id="t1", run_id=f"r{n}")
        for n in range(8)
    ]
    kept = sum(bool(answer.reply and answer.reply["recorded"]) for answer in _at_once(calls))
    _most("runs recorded", kept, len(calls))
    same("transcripts", came=len(seat.files()), expected=kept)
