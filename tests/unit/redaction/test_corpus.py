"""How much is found, and how often wrongly, on a corpus of our own."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ironclaw_memory.redaction.detect import find_secrets
from ironclaw_memory.redaction.finding import SecretKind
from ironclaw_memory.redaction.redact import redact_model_input_text


CORPUS = Path(__file__).parents[2] / "corpora" / "secrets"
LEAST_FOUND = 0.97
MOST_FALSE_ALARMS = 0.01


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the corpus; its text was cut up so that no scanner takes it for a leak."""

    kind: str
    text: str
    secret: str


def _lines(name: str) -> list[Line]:
    return [_line(json.loads(line)) for line in (CORPUS / name).read_text("utf-8").splitlines()]


def _line(cut: dict[str, Any]) -> Line:
    parts = ("before", "secret", "after", "parts")
    text = "".join("".join(cut.get(part, ())) for part in parts)
    return Line(kind=cut["kind"], text=text, secret="".join(cut.get("secret", ())))


def _is_found(line: Line) -> bool:
    kinds = {finding.kind.value for finding in find_secrets(line.text)}
    return line.kind in kinds and line.secret not in redact_model_input_text(line.text)


def test_nearly_every_secret_of_the_corpus_is_found_and_gone() -> None:
    """Of all the shapes, labels and dumps at least the floor is found; the rate is printed."""
    lines = _lines("secrets.jsonl")
    missed = [line.kind for line in lines if not _is_found(line)]
    rate = 1 - len(missed) / len(lines)
    print(f"secrets found: {rate:.1%} of {len(lines)}, missed {missed}")  # noqa: T201

    assert len(lines) >= 60
    assert rate >= LEAST_FOUND


def test_hardly_anything_harmless_is_taken_for_a_secret() -> None:
    """Commit ids, hashes, images, codes and sentences about secrets pass; the rate is printed."""
    texts = [line.text for line in _lines("harmless.jsonl")]
    alarms = [text for text in texts if find_secrets(text)]
    rate = len(alarms) / len(texts)
    print(f"false alarms: {rate:.1%} of {len(texts)}: {alarms}")  # noqa: T201

    assert len(texts) >= 120
    assert rate <= MOST_FALSE_ALARMS


def test_every_kind_of_secret_is_in_the_corpus() -> None:
    """A shape without an example would be a shape that nobody measured."""
    assert {line.kind for line in _lines("secrets.jsonl")} == {k.value for k in SecretKind}


@pytest.mark.parametrize("name", ["secrets.jsonl", "harmless.jsonl"])
def test_redaction_of_the_corpus_is_idempotent(name: str) -> None:
    """What was redacted is not redacted again."""
    for line in _lines(name):
        once = redact_model_input_text(line.text)
        assert redact_model_input_text(once) == once
