"""The suite under pytest: ``pytest --memory-provider=FILE --pyargs ironclaw_memory.conformance``.

Without the option the bundled component is tested. Each rule is one test, named by the
rule's id; a rule that the provider does not declare is skipped with that reason.
pytest loads this module into every run of everybody, so the suite is imported late.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest


if TYPE_CHECKING:
    from ironclaw_memory.conformance.sandboxed import SandboxedSubject


OPTION = "--memory-provider"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption(
        OPTION,
        metavar="FILE",
        default=None,
        help="hold the memory provider in FILE to the contract (default: the bundled one)",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of every rule."""
    if "memory_rule" in metafunc.fixturenames:
        from ironclaw_memory.conformance.catalogue import RULES  # noqa: PLC0415 - see above

        metafunc.parametrize("memory_rule", RULES, ids=[rule.id for rule in RULES])


@pytest.fixture(scope="session")
def memory_subject(request: pytest.FixtureRequest) -> "Iterator[SandboxedSubject]":
    """Give the provider under test, running in the sandbox on a directory of its own."""
    from ironclaw_memory.conformance.sandboxed import opened  # noqa: PLC0415 - see above

    chosen = request.config.getoption(OPTION)
    with opened(Path(chosen) if chosen else None, say=lambda line: None) as subject:
        yield subject
