"""What counts as too much on disk."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from ironclaw_memory.errors import InvalidOutput, LimitExceeded
from ironclaw_memory.model import Access
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.watch import Watch, crossed
from ironclaw_memory.scopes import Mount, Odd, Usage, usage
from ironclaw_memory.scopes.walk import MAX_DEPTH


LIMITS = Limits(scope_files=10, scope_bytes=1_000, file_bytes=500)


@pytest.mark.parametrize(
    ("now", "limit"),
    [
        (Usage(files=11), "scope_files"),
        (Usage(store_files=11), "scope_files"),
        (Usage(bytes=1_001), "scope_bytes"),
        (Usage(store_bytes=1_001), "scope_bytes"),
        (Usage(largest=501), "file_bytes"),
        (Usage(directories=11), "scope_files"),
        (Usage(odd=[Odd(str(number), "link") for number in range(11)]), "scope_files"),
    ],
)
def test_growing_over_a_limit_is_named(now: Usage, limit: str) -> None:
    """Documents and the provider's own are measured alike and apart."""
    error = crossed(Usage(), now, LIMITS)

    assert error is not None
    assert error.limit == limit


def test_at_the_limit_is_not_over_it() -> None:
    """Limits are inclusive."""
    full = Usage(files=10, store_files=10, bytes=1_000, store_bytes=1_000, largest=500)

    assert crossed(Usage(), full, LIMITS) is None


def test_a_scope_over_quota_may_shrink() -> None:
    """What was too much before is no reason to refuse an erasure."""
    assert crossed(Usage(files=30, bytes=5_000), Usage(files=29, bytes=4_000), LIMITS) is None


def _watch(root: Path) -> Watch:
    mount = Mount(root=root, parts=(), guest_path="/memory", access=Access.READ)
    return Watch(mount=mount, limits=LIMITS, before=usage(mount), due=time.monotonic())


def test_a_look_measures_the_disk(tmp_path: Path) -> None:
    """Files that appear during a call are seen."""
    watch = _watch(tmp_path)
    watch.look()
    (tmp_path / "big").write_bytes(b"x" * 600)

    with pytest.raises(LimitExceeded):
        watch.look()


def test_a_new_link_is_refused(tmp_path: Path) -> None:
    """A link that the call made fails it; one that was there before does not."""
    (tmp_path / "mine").symlink_to("elsewhere")
    watch = _watch(tmp_path)
    watch.settle()
    (tmp_path / "planted").symlink_to("../outside")

    with pytest.raises(InvalidOutput):
        watch.settle()


def test_what_is_too_deep_to_be_measured_is_refused(tmp_path: Path) -> None:
    """Else a flood could hide below what the walk sees."""
    watch = replace(_watch(tmp_path), limits=Limits())
    tmp_path.joinpath(*["d"] * (MAX_DEPTH + 1)).mkdir(parents=True)

    with pytest.raises(InvalidOutput) as caught:
        watch.look()
    assert caught.value.code == "too-deep-in-scope"
