"""The words for documents of another name, in host and provider."""

from ironclaw_memory.contract.targets import ALIASES, DAILY_LOG
from memory_native import paths


def test_the_provider_takes_the_same_words_for_the_same_documents() -> None:
    """The guest has a table of its own, because nothing of the host is in it."""
    assert {**paths.ALIASES, paths.DAILY_LOG: None} == ALIASES
    assert paths.DAILY_LOG == DAILY_LOG
