"""What the table of shapes promises of each of its rows, on the secrets of the corpus."""

import json
from pathlib import Path

import pytest

from ironclaw_memory.redaction.labels import lower_aligned
from ironclaw_memory.redaction.shapes import SHAPES, Shape


CORPUS = Path(__file__).parents[2] / "corpora" / "secrets" / "secrets.jsonl"
WORDS = [shape for shape in SHAPES if "(?<!" in shape.pattern.pattern]


def _name(shape: Shape) -> str:
    return f"{shape.kind.value} {shape.pattern.pattern[:12]}"


def _matches(shape: Shape) -> list[tuple[str, str]]:
    """Return the texts of the corpus that have the shape, and what of them does."""
    cut = map(json.loads, CORPUS.read_text("utf-8").splitlines())
    parts = ("before", "secret", "after", "parts")
    texts = ["".join("".join(line.get(part, ())) for part in parts) for line in cut]
    return [(text, found[0]) for text in texts if (found := shape.pattern.search(text))]


@pytest.mark.parametrize("shape", SHAPES, ids=_name)
def test_whatever_has_the_shape_has_a_hint(shape: Shape) -> None:
    """Otherwise the pattern would not run where it would match."""
    matches = _matches(shape)
    assert matches
    for text, _ in matches:
        assert not shape.hints or any(hint in lower_aligned(text) for hint in shape.hints)


@pytest.mark.parametrize("shape", WORDS, ids=_name)
def test_a_shape_begins_with_the_text_or_a_word(shape: Shape) -> None:
    """The rest of a longer word is no secret, whatever it looks like."""
    for _, secret in _matches(shape):
        assert shape.pattern.match(secret)
        assert shape.pattern.match(f" {secret}", 1)
        assert not shape.pattern.match(f"x{secret}", 1)
