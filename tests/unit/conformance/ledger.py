"""Where each rule comes from: the ledger between the reference's statements and the rules.

``ledger.toml`` holds it. `read` returns it; ``test_ledger.py`` checks it in both directions.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Final


STATEMENTS: Final = 238  # reference.md section 10

_FILE: Final = Path(__file__).with_name("ledger.toml")


class Mark(Enum):
    """What becomes of a statement here."""

    APPLIES = "applies"
    SUPERSEDED = "superseded by section 0"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One statement: proven by *rules* of the suite and *tests* of this repository, or not here.

    *tests* are pytest node ids; *reason* says why it does not apply.
    """

    number: int
    says: str
    mark: Mark
    rules: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """What else the suite holds a provider to, and where that is written."""

    source: str
    says: str
    rules: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """The statements by number, and the other sentences."""

    statements: Mapping[int, Statement]
    sentences: tuple[Sentence, ...]

    def sources_of(self, rule_id: str) -> tuple[str, ...]:
        """Return where the rule *rule_id* comes from, for instance ``statement 36``."""
        numbered = [f"statement {s.number}" for s in self.statements.values() if rule_id in s.rules]
        return (*numbered, *(s.source for s in self.sentences if rule_id in s.rules))


@cache
def read() -> Ledger:
    """Return the ledger of the suite in this repository."""
    value = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return Ledger(
        statements={
            int(number): _statement(int(number), entry)
            for number, entry in value["statement"].items()
        },
        sentences=tuple(
            Sentence(source=entry["source"], says=entry["says"], rules=tuple(entry["rules"]))
            for entry in value["sentence"]
        ),
    )


def _statement(number: int, entry: Mapping[str, Any]) -> Statement:
    kinds = {"superseded": Mark.SUPERSEDED, "not_applicable": Mark.NOT_APPLICABLE}
    mark = next((kinds[key] for key in kinds if key in entry), Mark.APPLIES)
    return Statement(
        number=number,
        says=entry["says"],
        mark=mark,
        rules=tuple(entry.get("rules", ())),
        tests=tuple(entry.get("tests", ())),
        reason=entry.get("superseded", entry.get("not_applicable", "")),
    )
