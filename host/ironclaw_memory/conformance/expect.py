"""What a check says when a rule is broken: what was expected, and what came."""

from collections.abc import Collection
from typing import Final

from ironclaw_memory.conformance.subject import Answer
from ironclaw_memory.model import Failure


UNSUPPORTED: Final = "unsupported"
"""The code with which a provider refuses what it does not do."""

_SHOWN: Final = 400  # characters of a value in a report


class Broken(Exception):
    """A rule does not hold; *expected* and *came* are for the provider's author."""

    def __init__(self, *, expected: str, came: str) -> None:
        """Keep both texts, short enough to read."""
        super().__init__(f"expected {expected}, came {came}")
        self.expected = _short(expected)
        self.came = _short(came)


class Refused(Exception):
    """The provider said ``unsupported`` where the contract lets it."""


def same(what: str, *, came: object, expected: object) -> None:
    """Hold *came* to be equal to *expected*."""
    if came != expected:
        raise Broken(expected=f"{what}: {expected!r}", came=repr(came))


def holds(what: str, *, fact: bool, came: object) -> None:
    """Hold *fact* to be true; *what* is the fact in words."""
    if not fact:
        raise Broken(expected=what, came=repr(came))


def within(what: str, *, came: Collection[object], allowed: Collection[object]) -> None:
    """Hold *came* to have no element outside *allowed*."""
    extra = [item for item in came if item not in allowed]
    if extra:
        raise Broken(expected=f"{what}: only {sorted(map(repr, allowed))}", came=repr(extra))


def failed(what: str, answer: Answer, *kinds: str) -> Failure:
    """Hold *answer* to be a failure of one of *kinds*, and return it."""
    wanted = " or ".join(kinds)
    if answer.failure is None:
        raise Broken(
            expected=f"{what}: a failure of kind {wanted}", came=f"success: {answer.reply!r}"
        )
    if _is_refusal(answer.failure) and "operation" not in kinds:
        raise Refused(what)
    if answer.failure.kind not in kinds:
        raise Broken(
            expected=f"{what}: a failure of kind {wanted}",
            came=f"kind {answer.failure.kind}, code {answer.failure.code}",
        )
    return answer.failure


def _is_refusal(failure: Failure) -> bool:
    return (failure.kind, failure.code) == ("operation", UNSUPPORTED)


def unexpected(what: str, failure: Failure | None) -> Exception:
    """Return the exception for a *failure* where *what* should have succeeded."""
    if failure is None:
        return Broken(expected=f"{what}: an answer", came="nothing")
    if _is_refusal(failure):
        return Refused(what)
    where = f", field {failure.field_name}" if failure.field_name else ""
    return Broken(
        expected=f"{what}: success",
        came=f"a failure of kind {failure.kind}, code {failure.code}{where}",
    )


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
