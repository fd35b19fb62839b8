"""Asking the person at the client whether a call may run, and what their answer means."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

from mcp import types

from ironclaw_memory.host import ToolInfo


class Choice(Enum):
    """How far a person's yes reaches."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"


TITLES: Final = {
    Choice.ONCE: "Only this time",
    Choice.SESSION: "Until this session ends",
    Choice.ALWAYS: "Always, until I revoke it",
}
FIELD: Final = "allow"
SHOWN: Final = 240  # characters of what is saved that a question quotes
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's controls, formats (directions among them), half surrogates and breaks of lines."""
_IGNORABLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U00016fe4\U0001d159\U000e0000-\U000e0fff]"
)
"""What is shown as nothing in other categories: Unicode's default ignorables, fillers and blanks."""
_NEEDED: Final = frozenset("\u200c\u200d\ufe0f")
"""Of all these, what Persian, Indic scripts and emoji are written with."""
_NEEDED_RUN: Final = re.compile("[\u200c\u200d\ufe0f]{2,}")
_IN_EMOJI: Final = "\ufe0f\u200d"  # the one run of them that has a meaning: a heart in a couple


def request(
    tool: ToolInfo, arguments: Mapping[str, Any], choices: Sequence[Choice]
) -> types.ElicitRequestFormParams:
    """Return the question about one call, with the *choices* that would have an effect."""
    return types.ElicitRequestFormParams(
        message=question(tool, arguments), requested_schema=form(choices)
    )


def question(tool: ToolInfo, arguments: Mapping[str, Any]) -> str:
    """Say which tool is asked for and quote what it would be given.

    The quotation is one line of JSON, cut short, so that it can neither pass for words of
    ours nor fill a screen. A person reads it in their own script; what they would not see,
    or what turns text around, is escaped, but for a joiner, a non-joiner or the selector of
    emoji that stands alone, or a joiner after that selector.
    """
    quoted = _NEEDED_RUN.sub(_run_seen, json.dumps(arguments, ensure_ascii=False))
    quoted = "".join(map(_seen, quoted))
    if len(quoted) > SHOWN:
        quoted = f"{quoted[:SHOWN]}… ({len(quoted)} characters)"
    return f"The assistant asks to use {tool.id} on this memory, with: {quoted} Allow it?"


def _seen(character: str) -> str:
    """Return *character*, or its escape where it shows nothing or breaks the line."""
    is_unseen = unicodedata.category(character) in _UNSEEN or _IGNORABLE.match(character)
    return _escaped(character) if is_unseen and character not in _NEEDED else character


def _run_seen(run: re.Match[str]) -> str:
    """Return a *run* of what is kept alone, or its escape where only hidden text has such a run."""
    return run[0] if run[0] == _IN_EMOJI else _escaped(run[0])


def _escaped(text: str) -> str:
    return json.dumps(text)[1:-1]


def form(choices: Sequence[Choice]) -> dict[str, Any]:
    """Return the schema of the answer: one of *choices*, with a title for each."""
    return {
        "type": "object",
        "properties": {
            FIELD: {
                "type": "string",
                "title": "Allow",
                "description": "How long the permission lasts. Decline to refuse.",
                "enum": [choice.value for choice in choices],
                "enumNames": [TITLES[choice] for choice in choices],
            }
        },
        "required": [FIELD],
    }


def choice_of(answer: object, choices: Sequence[Choice]) -> Choice | None:
    """Return what a person chose; anything but one of *choices*, accepted, is a no."""
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept":
        return None
    said = (answer.content or {}).get(FIELD)
    return next((choice for choice in choices if choice.value == said), None)


def can_be_asked(capabilities: types.ClientCapabilities | None) -> bool:
    """Say whether a client shows forms; before there were modes, naming none meant forms."""
    offered = capabilities.elicitation if capabilities else None
    return offered is not None and (offered.form is not None or offered.url is None)
