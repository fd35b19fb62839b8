"""Taking secrets, and paths of the host, out of a text (reference.md section 5)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ironclaw_memory.redaction.detect import find_shaped, find_told
from ironclaw_memory.redaction.finding import (
    REDACTED_HOST_PATH,
    REDACTED_SECRET,
    Finding,
    SecretKind,
    replaced,
)
from ironclaw_memory.redaction.host_paths import host_paths
from ironclaw_memory.redaction.json_text import (
    MAX_DEPTH,
    Scalar,
    is_json_document,
    with_scalars,
)
from ironclaw_memory.redaction.labels import is_labelled


MAX_VALUE_DEPTH: Final = 64
"""The nesting of a value that was checked on its way in (design.md section 5), not of a text."""


@dataclass(frozen=True, kw_only=True)
class Redacted:
    """A text without its secrets, and of what sort they were, in order."""

    text: str
    kinds: tuple[SecretKind, ...]


@dataclass(frozen=True, kw_only=True)
class RedactedValue:
    """A JSON value without its secrets, and of what sort they were, in order."""

    value: object
    kinds: tuple[SecretKind, ...]


def redact_model_input_text(text: str) -> str:
    """Return *text* as a model may see it: secrets and host paths replaced.

    In the order of reference.md section 5: a JSON document string by string, to a
    depth of 16; then dumps, labels, paths, shapes. Idempotent; placeholders stay.
    """
    return _Redaction(with_paths=True).text(text, depth=0)


def redact_secrets(text: str) -> Redacted:
    """Return *text* as it may be stored: secrets replaced, paths kept."""
    redaction = _Redaction(with_paths=False)
    return Redacted(text=redaction.text(text, depth=0), kinds=tuple(redaction.kinds))


def redact_value(value: object, *, key: str | None = None) -> RedactedValue:
    """Do the same for every text in a JSON value, which may stand under *key*."""
    redaction = _Redaction(with_paths=False)
    return RedactedValue(
        value=redaction.value(value, key=key, depth=0), kinds=tuple(redaction.kinds)
    )


@dataclass(kw_only=True)
class _Redaction:
    """One pass; ``kinds`` collects what was taken out."""

    with_paths: bool
    kinds: list[SecretKind] = field(default_factory=list)

    def text(self, text: str, *, depth: int) -> str:
        if depth > MAX_DEPTH:
            return self._whole()
        if is_json_document(text):
            return with_scalars(
                text, lambda scalar: self._scalar(scalar, depth), too_deep=REDACTED_SECRET
            )
        text = self._without(text, find_told(text))
        text = self._without_paths(text)
        # Once more, since a path may have stood right behind what is gone now.
        return self._without_paths(self._without(text, find_shaped(text)))

    def value(self, value: object, *, key: str | None, depth: int) -> object:
        if depth > MAX_VALUE_DEPTH:
            return self._whole()
        match value:
            case str():
                return self._scalar(Scalar(text=value, key=key, depth=1), 0)
            case int() | float() if key is not None and is_labelled(key, str(value)):
                return self._whole()
            case Mapping():
                return {
                    self.text(str(name), depth=0): self.value(item, key=name, depth=depth + 1)
                    for name, item in value.items()
                }
            case list() | tuple():
                return [self.value(item, key=key, depth=depth + 1) for item in value]
            case _:
                return value

    def _scalar(self, scalar: Scalar, depth: int) -> str:
        if scalar.key is not None and is_labelled(scalar.key, scalar.text):
            return self._whole()
        return self.text(scalar.text, depth=depth + scalar.depth)

    def _whole(self) -> str:
        self.kinds.append(SecretKind.LABELLED)
        return REDACTED_SECRET

    def _without_paths(self, text: str) -> str:
        return replaced(text, host_paths(text), REDACTED_HOST_PATH) if self.with_paths else text

    def _without(self, text: str, findings: Iterable[Finding]) -> str:
        found = tuple(findings)
        self.kinds += [finding.kind for finding in found]
        return replaced(text, ((f.start, f.end) for f in found), REDACTED_SECRET)
