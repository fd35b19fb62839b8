"""One rule of the contract: an id that stays, a sentence, what it depends on, its check."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Final

from ironclaw_memory.assets import TOOL_NAMES
from ironclaw_memory.conformance.bench import Bench
from ironclaw_memory.declared import Hook, Package
from ironclaw_memory.manifest import UPKEEP_FUNCTIONS


Check = Callable[[Bench], None]

FLAGS: Final = (
    "file_documents",
    "metadata",
    "versioning",
    "prompt_write_safety",
    "full_text_search",
    "vector_search",
    "embeddings",
    "graph_memory",
    "delete",
    "transactions",
)  # reference.md section 4

CAPABILITIES: Final = (
    *(f"tool.{name}" for name in TOOL_NAMES),
    *(f"hook.{hook.value}" for hook in Hook),
    *(f"upkeep.{name}" for name in sorted(UPKEEP_FUNCTIONS)),
    *(f"flag.{name}" for name in FLAGS),
)
"""Everything that a provider of this contract can declare, by the names used in rules."""


class Group(Enum):
    """The chapters of the suite; the value is the heading in a report."""

    CONTRACT = "contract and errors"
    ABSENCE = "what is not declared"
    ISOLATION = "scope isolation"
    WRITING = "write modes"
    PATHS = "path hygiene"
    READING = "reading and listing"
    SEARCH = "search"
    LANES = "recall lanes"
    RECORDING = "recording"
    PROFILE = "profile"
    METADATA = "metadata"
    UPKEEP = "upkeep"
    CONCURRENCY = "concurrency"
    SAFETY = "prompt-write safety"
    RESOURCES = "resource behaviour"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule and the check that proves it.

    It applies to a provider that declares all of *needs* and none of *without*. Where
    *may_refuse* is true, a provider may answer ``operation`` with the code
    ``unsupported`` instead: refusing a mode is honest, pretending is not.
    """

    id: str
    group: Group
    sentence: str
    check: Check
    needs: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    may_refuse: bool = False

    def applies(self, declared: frozenset[str]) -> bool:
        """Say whether the rule can be held against a provider that declares this."""
        return declared.issuperset(self.needs) and declared.isdisjoint(self.without)


def rule(
    rule_id: str,
    group: Group,
    *needs: str,
    without: tuple[str, ...] = (),
    may_refuse: bool = False,
) -> Callable[[Check], Rule]:
    """Make a rule of a check; the check's docstring is the rule's sentence."""

    def made(check: Check) -> Rule:
        return Rule(
            id=rule_id,
            group=group,
            sentence=" ".join((check.__doc__ or "").split()),
            check=check,
            needs=needs,
            without=without,
            may_refuse=may_refuse,
        )

    return made


def rules_of(modules: Iterable[ModuleType]) -> tuple[Rule, ...]:
    """Return the rules defined in *modules*, in the order in which they stand there."""
    return tuple(
        value
        for module in modules
        for item in vars(module).values()
        for value in (item if isinstance(item, tuple) else (item,))
        if isinstance(value, Rule)
    )


def declared(package: Package) -> frozenset[str]:
    """Return what *package* declares, by the names used in rules."""
    memory = package.manifest.memory
    return frozenset(
        [
            *(f"tool.{tool.name}" for tool in package.manifest.tools),
            *(f"hook.{hook.value}" for hook in memory.lifecycle),
            *(f"upkeep.{name}" for name in memory.upkeep),
            *(f"flag.{name}" for name, on in memory.capabilities.items() if on),
        ]
    )
