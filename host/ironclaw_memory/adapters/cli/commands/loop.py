"""``context`` and ``record``: what an agent's loop does before and after a turn."""

from typing import Any

import click

from ironclaw_memory.adapters.cli.failures import BAD_INPUT, Failure
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.reading import STDIN, json_value, text_or_stdin
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.trouble import degraded
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.contract.sentences import SENTENCES
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.recall.transcript import no_thread


_BLANK = "query-blank"
_SHAPE = 'Give [{"role": "user", "content": "…"}].'


@verb(
    "context",
    examples=('ironclaw-memory --thread t1 context "what should I cook tonight?"',),
)
@click.option("--max-snippets", type=click.IntRange(0), default=8, show_default=True)
@click.argument("query", nargs=-1, required=True)
def context(invocation: Invocation, max_snippets: int, query: tuple[str, ...]) -> Answer:
    """Show what memory would add to a prompt for QUERY, and what is missing from it."""
    words = " ".join(query)
    if not words.strip():
        raise _nothing_asked()
    with invocation.host() as host:
        found = host.load_context(invocation.scope, words, max_snippets)
    data = plain(found)
    return Answer(
        data=data,
        text=invocation.terminal.safe(_text(data)),
        trouble=degraded(found.degradations),
    )


@verb(
    "record",
    examples=(
        """echo '[{"role": "user", "content": "Hi"}]' | ironclaw-memory --thread t1 record --run-id r1""",
    ),
)
@click.option(
    "--run-id", required=True, metavar="ID", help="Names the run; a replay overwrites it."
)
def record(invocation: Invocation, run_id: str) -> Answer:
    """Record a transcript: a JSON array of {"role", "content", "name"} on standard input."""
    if invocation.scope.thread is None:
        raise no_thread("Give --thread ID.")
    if not run_id:
        raise InvalidArguments(
            "--run-id is empty.", field="run_id", hint="Give the id that the run has."
        )
    messages = _messages(json_value(text_or_stdin(STDIN, what="messages"), what="messages"))
    with invocation.host() as host:
        recorded = host.record_interaction(invocation.scope, messages, run_id)
        able = host.keeps_transcripts
    trouble = None if recorded else _unrecorded(messages, able=able)
    return Answer(
        data={"recorded": recorded}, text="Recorded." if recorded else "", trouble=trouble
    )


def _nothing_asked() -> InvalidArguments:
    """Say what `search` says: a lane without a question is no fault of the installation."""
    problem, hint = SENTENCES[_BLANK]
    return InvalidArguments(f"query {problem}.", field="query", code=_BLANK, hint=hint)


def _unrecorded(messages: list[dict[str, Any]], *, able: bool) -> Failure:
    """Say why nothing was recorded, of which each reason has its own remedy."""
    if not able:
        reason = "the provider has no hook that records, record_interaction."
        hint = "`ironclaw-memory component info` shows what a provider has; use one that records."
    elif not messages:
        reason, hint = "there is no message in it.", _SHAPE
    else:
        reason, hint = "the provider kept nothing of it, and does not say why.", ""
    return Failure(
        code="not-recorded",
        message=f"Nothing was recorded: {reason}",
        hint=hint,
        exit_code=BAD_INPUT,
    )


def _messages(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(message, dict) for message in value):
        raise InvalidArguments(
            "messages is not an array of objects.",
            field="messages",
            hint=_SHAPE,
        )
    return value


def _text(data: dict[str, Any]) -> str:
    lines = [data["framing"]] if data["framing"] else []
    lines += [snippet["text"] for snippet in data["snippets"]]
    if not data["snippets"] and not data["degradations"]:
        lines.append("Nothing to recall.")
    lines += [f"left out: {count} ({reason})" for reason, count in data["dropped"].items()]
    return "\n".join(lines)


COMMANDS = {"context": context, "record": record}
