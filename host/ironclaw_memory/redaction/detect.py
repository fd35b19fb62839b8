"""Finding secrets in a text."""

from collections.abc import Iterator

from ironclaw_memory.redaction.dumps import dumped
from ironclaw_memory.redaction.finding import Finding, disjoint
from ironclaw_memory.redaction.labels import labelled, lower_aligned
from ironclaw_memory.redaction.private_keys import private_keys
from ironclaw_memory.redaction.shapes import SHAPES, is_placeholder


def find_secrets(text: str) -> tuple[Finding, ...]:
    """Return the secrets of *text* in order, without overlaps.

    Looks at dumps, labels and shapes; placeholders such as ``your-token`` are none.
    Takes time linear in the length of *text*.
    """
    return disjoint((*find_told(text), *find_shaped(text)))


def find_told(text: str) -> tuple[Finding, ...]:
    """Return the secrets that a dump hides or a label gives away."""
    return disjoint((*dumped(text, _in_decoded), *labelled(text, lower_aligned(text))))


def find_shaped(text: str) -> tuple[Finding, ...]:
    """Return the secrets that their own shape gives away."""
    return disjoint((*private_keys(text), *_shaped(text, lower_aligned(text))))


def _in_decoded(text: str) -> Iterator[Finding]:
    yield from labelled(text, lower_aligned(text))
    yield from find_shaped(text)


def _shaped(text: str, lowered: str) -> Iterator[Finding]:
    for shape in SHAPES:
        if shape.hints and not any(hint in lowered for hint in shape.hints):
            continue
        for match in shape.pattern.finditer(text):
            if shape.holds(match[0]) and not is_placeholder(match[0]):
                yield Finding(start=match.start(), end=match.end(), kind=shape.kind)
