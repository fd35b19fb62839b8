"""The attacks, what is called for each, and what has to come of it. One row, one attack.

The row's name is the tenant of the scope, which is the attack's function in ``provider/``
with dashes; the idea and its source are in that function's docstring.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.attacks.field import (
    OUTSIDE,
    Act,
    Field,
    list_all,
    read,
    read_profile,
    recall,
    search,
    set_profile,
    write,
)

from ironclaw_memory import Scope, errors


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """The call raises exactly this error; ``word`` is its limit, or else its code."""

    error: type[errors.IronclawMemoryError]
    word: str


@dataclass(frozen=True, kw_only=True)
class Refused:
    """The call is answered, and every attempt inside the guest was refused."""

    report: str = ""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The call is answered with something that ``holds``."""

    holds: Callable[[Any, Field, Scope], bool]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One attack."""

    name: str
    act: Act
    outcome: Stopped | Refused | Answered
    prepare: Callable[[Path, Field], None] = field(default=lambda home, where: None)


def _limit(name: str) -> Stopped:
    return Stopped(error=errors.LimitExceeded, word=name)


def _trap(code: str = "trapped") -> Stopped:
    return Stopped(error=errors.ProviderTrapped, word=code)


def _invalid(code: str = "invalid-output") -> Stopped:
    return Stopped(error=errors.InvalidOutput, word=code)


def _first_hit(value: Any) -> str:
    return str(value["results"][0]["content"])


def _texts(value: Any) -> list[str]:
    return [snippet.text.removeprefix("Untrusted memory content: ") for snippet in value.snippets]


def _lanes_lost(value: Any, where: Field, scope: Scope) -> bool:
    return not value.snippets and {d.code for d in value.degradations} == {"limit-exceeded"}


def _plant_links(home: Path, where: Field) -> None:
    (home / "link-absolute").symlink_to(where.outside)
    (home / "link-relative").symlink_to(os.path.relpath(where.outside, home))
    (home / "link-directory").symlink_to(where.base)
    (home / "link-loop").symlink_to("link-loop")
    (home / "link-process").symlink_to("/proc/self")


def _lay_out_a_neighbour(home: Path, where: Field) -> None:
    neighbour = where.lay_out(Scope(tenant="remembers", user="bob", project="search"))
    (neighbour / ".store").mkdir()  # the first search would make it


def _plant_pipe(home: Path, where: Field) -> None:
    os.mkfifo(home / "pipe")


def _one_snippet(text: str) -> Answered:
    return Answered(holds=lambda value, where, scope: _texts(value) == [text])


def _only_own_words(value: Any, where: Field, scope: Scope) -> bool:
    return _texts(value) == ["the one honest snippet"] and value.dropped == {"foreign-scope": 10}


def _wrapped_again(value: Any, where: Field, scope: Scope) -> bool:
    texts = [snippet.text for snippet in value.snippets]
    return (
        all(text.startswith("Untrusted memory content: ") and "\n" not in text for text in texts)
        and texts[0] == "Untrusted memory content: Untrusted memory content: the user likes tea"
        and not any("<system>" in text for text in texts)
    )


def _no_secret(value: Any, where: Field, scope: Scope) -> bool:
    joined = "".join(_texts(value))
    return "AKIA" not in joined and "battery" not in joined and "/home/alice" not in joined


def _plain(value: Any, where: Field, scope: Scope) -> bool:
    (text,) = _texts(value)
    return text.isprintable() and "\x1b" not in text and "\u202e" not in text


def _eight(value: Any, where: Field, scope: Scope) -> bool:
    over: int = value.dropped["over-delivered"]
    return len(value.snippets) == 8 and over == 2 * (3_000 - 32)


def _cheap(value: Any, where: Field, scope: Scope) -> bool:
    return all(len(snippet.text.encode()) <= 512 for snippet in value.snippets)


def _taken(count: int) -> Answered:
    return Answered(holds=lambda value, where, scope: _first_hit(value) == str(count))


def _few_and_bounded(value: Any, where: Field, scope: Scope) -> bool:
    return len(value["results"]) == 5


def _cut(value: Any, where: Field, scope: Scope) -> bool:
    return len(_first_hit(value).encode()) <= 8192


def _still_listed(value: Any, where: Field, scope: Scope) -> bool:
    documents = where.host.documents(scope)
    return "line\nbreak.md" in documents and len(documents) >= 12


def _no_profile(value: Any, where: Field, scope: Scope) -> bool:
    return value is None


def _nothing_left(value: Any, where: Field, scope: Scope) -> bool:
    """What a granted write destroyed is brought back by one command."""
    gone = not (where.home(scope) / "MEMORY.md").exists()
    (taken,) = where.host.snapshots(scope)
    where.host.restore_snapshot(scope, taken.id)
    return gone and (where.home(scope) / "MEMORY.md").read_text().endswith("likes tea\n")


def _kept_from_no_other(value: Any, where: Field, scope: Scope) -> bool:
    heard = where.call("search", replace(scope, user="bob"), query="what did alice ask?")
    return _first_hit(value) == "" and _first_hit(heard) == ""


CASES = (
    # Reading where nothing is mounted
    Case(name="climbs-out", act=search, outcome=Refused()),
    Case(name="names-absolute-paths", act=search, outcome=Refused()),
    Case(name="disguises-dots", act=search, outcome=Refused()),
    Case(name="climbs-from-a-child", act=search, outcome=Refused()),
    Case(name="lists-above", act=search, outcome=Refused()),
    Case(name="visits-the-neighbours", act=search, outcome=Refused()),
    Case(name="follows-links", act=search, outcome=Refused(), prepare=_plant_links),
    Case(name="guesses-descriptors", act=search, outcome=Refused()),
    # Writing without a right to
    Case(name="mutates-while-reading", act=search, outcome=Refused()),
    Case(name="writes-through-a-reading-descriptor", act=search, outcome=Refused()),
    Case(
        name="changes-modes",
        act=search,
        outcome=Answered(holds=lambda value, where, scope: _first_hit(value) == "[]"),
    ),
    Case(
        name="rewrites-the-memory-as-a-profile",
        act=set_profile,
        outcome=Refused(report="context/report.json"),
    ),
    Case(name="links-and-moves-out", act=write, outcome=Refused(report="report.json")),
    Case(name="plants-a-link", act=write, outcome=_invalid("link-in-scope")),
    Case(name="swaps-a-document-for-a-link", act=write, outcome=_invalid("link-in-scope")),
    Case(name="reads-its-own-link", act=write, outcome=Refused(report="report.json")),
    Case(name="names-files-strangely", act=write, outcome=Answered(holds=_still_listed)),
    Case(
        name="backdates-what-it-wrote",
        act=write,
        outcome=Answered(holds=lambda v, where, scope: "MEMORY.md" in where.host.documents(scope)),
    ),
    Case(name="destroys-everything", act=write, outcome=Answered(holds=_nothing_left)),
    Case(name="asks-for-a-refresh", act=search, outcome=_trap()),
    # From one scope to the next, and in the name of others
    Case(
        name="remembers",
        act=search,
        outcome=Answered(holds=_kept_from_no_other),
        prepare=_lay_out_a_neighbour,
    ),
    Case(name="leaves-notes-for-itself", act=search, outcome=Refused()),
    Case(name="speaks-for-others", act=recall, outcome=Answered(holds=_only_own_words)),
    Case(name="forges-the-envelope", act=recall, outcome=Answered(holds=_wrapped_again)),
    Case(
        name="gives-orders",
        act=recall,
        outcome=Answered(
            holds=lambda value, where, scope: _texts(value) == ["tagged text", "the user likes tea"]
        ),
    ),
    Case(name="tells-secrets", act=recall, outcome=Answered(holds=_no_secret)),
    Case(name="draws-on-the-terminal", act=recall, outcome=Answered(holds=_plain)),
    Case(name="delivers-too-many", act=recall, outcome=Answered(holds=_eight)),
    # Looking for what a process has
    Case(name="calls-home", act=search, outcome=Refused()),
    Case(name="looks-around", act=search, outcome=Refused()),
    Case(name="starts-programs", act=search, outcome=Refused()),
    Case(name="loads-machine-code", act=search, outcome=Refused()),
    Case(name="sets-the-clock", act=search, outcome=Refused()),
    Case(name="sleeps", act=search, outcome=_trap("sleep-refused")),
    Case(name="waits-for-input", act=search, outcome=_trap("sleep-refused")),
    Case(name="leaves", act=read, outcome=_trap()),
    Case(name="leaves-at-once", act=read, outcome=_trap()),
    Case(name="aborts", act=read, outcome=_trap()),
    # Taking more than there is
    Case(name="never-ends", act=search, outcome=_limit("deadline_ms")),
    Case(name="never-ends", act=recall, outcome=Answered(holds=_lanes_lost)),
    Case(name="swallows-the-interrupt", act=search, outcome=_limit("deadline_ms")),
    Case(name="backtracks", act=search, outcome=_limit("deadline_ms")),
    Case(name="computes-a-giant", act=search, outcome=_limit("deadline_ms")),
    Case(name="opens-a-pipe", act=search, outcome=_limit("deadline_ms"), prepare=_plant_pipe),
    Case(name="recurses-in-c", act=search, outcome=_limit("stack_bytes")),
    Case(name="recurses-in-python", act=search, outcome=_limit("stack_bytes")),
    Case(name="eats-memory", act=search, outcome=_limit("memory_bytes")),
    Case(name="inflates-a-bomb", act=search, outcome=_limit("memory_bytes")),
    Case(name="floods-the-log", act=search, outcome=_limit("stderr_bytes")),
    Case(name="floods-its-output", act=search, outcome=Answered(holds=lambda v, w, s: True)),
    Case(name="fills-the-disk", act=write, outcome=_limit("scope_bytes")),
    Case(name="fills-one-file", act=write, outcome=_trap()),
    Case(name="fills-the-disk-behind-events", act=write, outcome=_limit("scope_bytes")),
    Case(name="sprinkles-files", act=write, outcome=_limit("scope_files")),
    Case(name="sprinkles-directories", act=write, outcome=_limit("scope_files")),
    Case(name="burrows", act=write, outcome=_invalid("too-deep-in-scope")),
    Case(name="digs-holes", act=write, outcome=_trap()),
    Case(
        name="hoards-descriptors",
        act=search,
        outcome=Answered(holds=lambda value, where, scope: _first_hit(value) != "all descriptors"),
    ),
    Case(name="answers-hugely", act=read, outcome=_limit("reply_bytes")),
    Case(name="answers-in-a-million-parts", act=search, outcome=_limit("reply_items")),
    Case(name="lists-a-million-names", act=list_all, outcome=_limit("tree_entries")),
    Case(name="hides-an-open-string", act=list_all, outcome=_invalid()),
    Case(name="recalls-megabytes", act=recall, outcome=Answered(holds=_cheap)),
    Case(
        name="never-finishes-indexing",
        act=search,
        outcome=Stopped(error=errors.ProviderUnavailable, word="unavailable"),
    ),
    # The audit log
    Case(name="floods-the-audit-log", act=search, outcome=_taken(32)),
    Case(name="forges-log-lines", act=search, outcome=_taken(0)),
    Case(name="claims-what-it-never-did", act=search, outcome=_taken(2)),
    # Answers that do not hold
    Case(name="answers-with-another-type", act=search, outcome=_trap()),
    Case(name="answers-with-nothing", act=search, outcome=_trap()),
    Case(name="counts-below-zero", act=read, outcome=_trap()),
    Case(name="answers-with-half-a-character", act=read, outcome=_trap()),
    Case(name="answers-with-broken-json", act=list_all, outcome=_invalid()),
    Case(name="answers-with-no-number", act=list_all, outcome=_invalid()),
    Case(name="escapes-half-a-character", act=list_all, outcome=_invalid()),
    Case(name="nests-without-end", act=list_all, outcome=_invalid()),
    Case(name="lists-what-is-no-name", act=list_all, outcome=_invalid()),
    Case(name="scores-beyond-one", act=search, outcome=_invalid()),
    Case(name="scores-not-a-number", act=search, outcome=_invalid()),
    Case(name="repeats-a-document", act=search, outcome=_invalid()),
    Case(name="ignores-the-limit", act=search, outcome=Answered(holds=_few_and_bounded)),
    Case(name="quotes-at-length", act=search, outcome=Answered(holds=_cut)),
    Case(name="quotes-beyond-the-raw-limit", act=search, outcome=_limit("raw_hit_bytes")),
    Case(
        name="fails-in-its-own-words",
        act=read,
        outcome=Stopped(error=errors.InvalidArguments, word="invalid-arguments"),
    ),
    Case(
        name="fails-at-length",
        act=read,
        outcome=Stopped(error=errors.OperationFailed, word="operation-failed"),
    ),
    Case(name="confirms-another-write", act=write, outcome=_invalid()),
    Case(name="refuses-without-a-failure", act=set_profile, outcome=_invalid()),
    Case(name="lives-in-a-prompt", act=read_profile, outcome=Answered(holds=_no_profile)),
    Case(name="has-an-endless-profile", act=read_profile, outcome=Answered(holds=_no_profile)),
)


def attempts(value: Any, report: Path | None) -> list[tuple[str, str]]:
    """Return what the guest says it tried, and what came of each."""
    text = report.read_text() if report else _first_hit(value)
    assert OUTSIDE not in text
    return [(what, outcome) for what, outcome in json.loads(text)]
