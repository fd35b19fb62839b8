"""What the component weighs: growth is a decision, made here."""

import zlib

import pytest

from ironclaw_memory.installed import BUNDLED


MOST = 27_000_000
"""Bytes of the file: 18.6 MB are Python itself (tech-notes section 7), the rest is ours."""

MOST_COMPRESSED = 9_500_000
"""Bytes in the wheel, which has to stay below 10 MB with everything else in it (issue 2)."""


@pytest.mark.sandbox
def test_the_component_stays_small() -> None:
    """Only what is imported is in it: time zones and codecs are, test code and unused libraries are not."""
    component = BUNDLED.read_bytes()

    assert len(component) <= MOST
    assert len(zlib.compress(component, 6)) <= MOST_COMPRESSED
