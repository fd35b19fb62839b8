"""What contains a provider whichever way it runs: attacks again, in threads and call by call.

Only the bundled provider may run in threads. Here the hostile one is made to look
bundled, to see what would hold if the bundled one turned.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.attacks.cases import CASES, Case
from tests.attacks.field import HONEST, Act, Field, field, list_all, read, recall, search
from tests.attacks.test_attacks import test_an_attack_is_answered_and_reaches_nothing as attacked

from ironclaw_memory import MemoryHost, Scope, installed, opening


pytestmark = pytest.mark.sandbox

CONTAINED_IN_THREADS = {
    "climbs-out": search,
    "follows-links": search,
    "visits-the-neighbours": search,
    "mutates-while-reading": search,
    "remembers": search,
    "asks-for-a-refresh": search,
    "calls-home": search,
    "looks-around": search,
    "sleeps": search,
    "leaves": read,
    "never-ends": search,
    "recurses-in-c": search,
    "eats-memory": search,
    "floods-the-log": search,
    "answers-hugely": read,
    "hides-an-open-string": list_all,
    "floods-the-audit-log": search,
    "speaks-for-others": recall,
}
"""The attacks that need no process to be contained; the others are why there are processes."""


def _case(name: str, act: Act) -> Case:
    return next(case for case in CASES if (case.name, case.act) == (name, act))


@contextmanager
def taken_for_the_bundled_one(hostile: Path, place: Path, isolation: str) -> Iterator[Field]:
    """Open a host that believes the hostile provider to be its own."""
    found = installed.provider_at
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                opening, "provider_at", lambda path, pins: replace(found(path, pins), bundled=True)
            )
            where = stack.enter_context(field(hostile, place, isolation=isolation))
        yield where


@pytest.fixture(scope="module", params=["thread", "call"])
def inside(
    request: pytest.FixtureRequest, hostile: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Field]:
    """A host that takes the hostile provider for the bundled one."""
    place = tmp_path_factory.mktemp(request.param)
    with taken_for_the_bundled_one(hostile, place, request.param) as where:
        yield where


@pytest.mark.parametrize("name", CONTAINED_IN_THREADS)
def test_threads_contain_what_the_engine_contains(name: str, inside: Field) -> None:
    """The same answer, the same canary, the same honest call afterwards."""
    attacked(_case(name, CONTAINED_IN_THREADS[name]), inside)


def test_nothing_is_remembered_between_calls_of_one_scope(hostile: Path, tmp_path: Path) -> None:
    """With a fresh instance for each call not even the same user's query is left."""
    with taken_for_the_bundled_one(hostile, tmp_path, "call") as where:
        scope = Scope(tenant="remembers", user="alice")
        where.lay_out(scope)
        answers = [where.call("search", scope, query="tea") for _ in range(2)]

    assert [answer["results"][0]["content"] for answer in answers] == ["", ""]


@pytest.mark.parametrize("isolation", ["thread", "process", "call"])
def test_an_unbundled_provider_runs_in_a_process_whatever_is_chosen(
    isolation: str, where: Field, hostile: Path
) -> None:
    """Installing never moves a provider into the host's own process."""
    with MemoryHost.open(
        root=where.root,
        provider=hostile,
        isolation=isolation,  # type: ignore[arg-type]
    ) as host:
        before = _children()
        host.call_as_operator("ironclaw.memory.tree", {}, scope=HONEST)
        assert len(_children()) == len(before) + 1


def _children() -> set[str]:
    lists = [task / "children" for task in Path("/proc/self/task").iterdir()]
    return {word for file in lists for word in file.read_text().split()}
