"""The provider's own code keeps the laws of a memory."""

import os

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from tests.unit.documents.laws import MemoryLaws
from tests.unit.documents.subject import NativeSubject, Subject


class _NativeLaws(MemoryLaws):
    def open(self, directory: str) -> Subject:
        return NativeSubject(directory)


def test_the_provider_agrees_with_a_dictionary() -> None:
    """Whatever is written, patched, restored, renamed, erased or edited by hand."""
    examples = 300 if os.environ.get("IRONCLAW_MEMORY_LONG_TESTS") else 15
    run_state_machine_as_test(
        _NativeLaws,
        settings=settings(max_examples=examples, stateful_step_count=20, deadline=None),
    )
