"""What the documents promise, proven through the sandbox: the native tests' own tables and laws."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from tests.sandbox.documents import racing_process, writing_process
from tests.sandbox.documents.subject import SCOPE, SandboxedSubject, documents_of
from tests.unit.documents.bad_inputs import BAD_INPUTS, BadInput
from tests.unit.documents.kills import KILLS, REPOSITORY, survive
from tests.unit.documents.laws import MemoryLaws
from tests.unit.documents.subject import Subject

from ironclaw_memory import MemoryHost
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Access, Failure, Moment
from ironclaw_memory.provider import TOOLS, Function
from ironclaw_memory.sandbox.request import GuestCall
from ironclaw_memory.scopes import MountKind


pytestmark = pytest.mark.sandbox

LONG = bool(os.environ.get("IRONCLAW_MEMORY_LONG_TESTS"))
LAWS = 60 if LONG else 4
PROCESSES = 8
STEPS = 50 if LONG else 12


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryHost]:
    """One host; each test has a scope directory of its own by emptying it."""
    with MemoryHost.open(root=tmp_path_factory.mktemp("root")) as opened:
        yield opened


@pytest.fixture
def disk(host: MemoryHost) -> Iterator[Path]:
    """The scope's directory, empty."""
    path = documents_of(host._opened.root)
    path.mkdir(parents=True, exist_ok=True)
    yield path
    path.rename(path.with_name(f"done-{os.urandom(6).hex()}"))


def answered(host: MemoryHost, row: BadInput) -> dict[str, Any] | Failure:
    """Call the component below the host's own checks, with the row's request."""
    function: Function = TOOLS[row.tool]
    blank = {
        "write": {
            "content": "",
            "append": True,
            "old_string": None,
            "new_string": None,
            "replace_all": False,
            "metadata": None,
            "timezone": None,
        }
    }
    call = GuestCall(
        artifact=host._wiring.artifact,
        scope=SCOPE,
        kind=MountKind.DOCUMENTS,
        access=Access.WRITE if row.tool == "write" else Access.READ,
        interface=function.interface,
        function=function.name,
        arguments={"request": {**blank.get(row.tool, {}), **row.fields}},
        moment=Moment(unix_ms=1_796_000_000_000),
        deadline_ms=20_000,
        record=lambda event: True,
    )
    return host._wiring.runner.run(call).value


def lay_out(disk: Path, given: Mapping[str, bytes]) -> None:
    """Put the row's documents there."""
    for name, content in given.items():
        path = disk / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def on_disk(disk: Path) -> dict[str, bytes | None]:
    """Return every document, without the provider's own files."""
    return {
        str(path.relative_to(disk)): path.read_bytes() if path.is_file() else None
        for path in sorted(disk.rglob("*"))
        if ".store" not in path.parts
    }


@pytest.mark.parametrize("row", BAD_INPUTS, ids=lambda row: row.name)
def test_bad_input_is_refused_by_the_component_and_changes_nothing(
    row: BadInput, host: MemoryHost, disk: Path
) -> None:
    """Each row has its kind and code here too, below everything the host would catch."""
    lay_out(disk, row.given)
    before = on_disk(disk)
    try:
        answer = answered(host, row)
    except InvalidArguments:  # half a surrogate cannot even cross the boundary
        assert row.code == "content-invalid"
    else:
        assert isinstance(answer, Failure)
        assert (answer.kind, answer.code) == (row.kind, row.code)
    assert on_disk(disk) == before


class SandboxedLaws(MemoryLaws):
    """The laws of a memory, against the component."""

    def open(self, directory: str) -> Subject:
        """Open a host on the machine's directory; documents lie below it."""
        root = Path(directory)
        self._host = MemoryHost.open(root=root)
        documents = documents_of(root)
        documents.mkdir(parents=True)
        self.directory = str(documents)
        return SandboxedSubject(self._host, root)

    def teardown(self) -> None:
        """Compare once more, then close."""
        try:
            super().teardown()
        finally:
            self._host.close()


def test_the_component_agrees_with_a_dictionary() -> None:
    """Whatever is written, patched, restored, renamed, erased or edited by hand."""
    run_state_machine_as_test(
        SandboxedLaws,
        settings=settings(max_examples=LAWS, stateful_step_count=12, deadline=None),
    )


def test_no_kill_of_a_writing_host_loses_or_tears_anything(tmp_path: Path) -> None:
    """SIGKILL in the middle of guest code, at random moments."""
    with MemoryHost.open(root=tmp_path) as looking:
        survive(
            writing_process,
            tmp_path,
            lambda: SandboxedSubject(looking, tmp_path),
            seconds=(0.05, 0.5),
            kills=KILLS,
        )


def test_processes_that_race_for_one_document_lose_nothing(tmp_path: Path) -> None:
    """Everything acknowledged is there, each process's entries in its own order."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    racers = [
        subprocess.Popen(
            [sys.executable, "-m", racing_process.__name__, str(tmp_path), f"p{n}", str(STEPS)],
            stdout=subprocess.PIPE,
            env=environment,
            cwd=REPOSITORY,
            text=True,
        )
        for n in range(PROCESSES)
    ]
    said = [[json.loads(line) for line in racer.communicate()[0].splitlines()] for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * PROCESSES
    lines = (documents_of(tmp_path) / racing_process.DOCUMENT).read_text().splitlines()
    place = {line: number for number, line in enumerate(lines)}
    assert len(place) == len(lines)
    for steps in said:
        done = [step["entry"] for step in steps if not step["refused"]]
        patched = {entry.removesuffix("!") for entry in done if entry.endswith("!")}
        entries = [f"{e}!" if e in patched else e for e in done if not e.endswith("!")]
        assert [place[entry] for entry in entries] == sorted(place[entry] for entry in entries)
        assert {step["refused"] for step in steps} <= {"", "conflict", "scope-busy"}
