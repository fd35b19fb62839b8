"""Every rule of the suite, in the order in which a report shows them."""

from typing import Final

from ironclaw_memory.conformance.checks import (
    absence,
    concurrency,
    contract,
    isolation,
    lanes,
    metadata,
    paths,
    profile,
    reading,
    recording,
    resources,
    safety,
    search,
    upkeep,
    writing,
)
from ironclaw_memory.conformance.rule import Rule, rules_of


RULES: Final[tuple[Rule, ...]] = rules_of(
    (
        contract,
        absence,
        isolation,
        writing,
        paths,
        reading,
        search,
        lanes,
        recording,
        profile,
        metadata,
        upkeep,
        concurrency,
        safety,
        resources,
    )
)

BY_ID: Final = {rule.id: rule for rule in RULES}
