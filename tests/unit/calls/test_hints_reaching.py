"""Commands that a host names reach its own data directory."""

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from pathlib import Path

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired
from tests.unit.calls.scripted_host import ScriptedHost

from ironclaw_memory.capability.pending import Always, Once
from ironclaw_memory.errors import ApprovalRequired, IronclawMemoryError, RootUnusable
from ironclaw_memory.host import MemoryHost
from ironclaw_memory.model import Failure, Scope
from ironclaw_memory.recall import Lane


ELSEWHERE = "/her own memory"
SCOPE = Scope(tenant="acme", user="alice")
READ, WRITE = "ironclaw.memory.read", "ironclaw.memory.write"


@pytest.mark.parametrize("damaged", [False, True])
def test_a_component_is_approved_by_the_command_of_the_hint(tmp_path: Path, damaged: bool) -> None:
    """It names the file, and the directory in which the approval is looked for."""
    file, root = tmp_path / "her own.wasm", tmp_path / "root"
    file.write_bytes(b"x")
    if damaged:
        pin = root / "host" / "pins" / f"{sha256(b'x').hexdigest()}.json"
        pin.parent.mkdir(parents=True)
        pin.write_text("no JSON")
    with pytest.raises(IronclawMemoryError) as refused:
        MemoryHost.open(root=root, provider=file)
    (command,) = re.findall("`([^`]*)`", refused.value.hint)
    words = ["component", "install", str(file), "--root", str(root)]
    assert shlex.split(command)[1:] == words


@pytest.mark.parametrize(
    "act",
    [
        lambda host: host.call(READ, {"path": "a.md"}, scope=SCOPE, origin="loop_run"),
        lambda host: host.history(SCOPE, "a.md"),
        lambda host: host.documents(SCOPE),
        lambda host: host.read_lane(Lane.LONG_TERM, SCOPE, "tea", 8, "default"),
    ],
    ids=["call", "history", "documents", "lane"],
)
def test_a_directory_that_cannot_be_used_is_examined_by_the_command_of_the_hint(
    tmp_path: Path, act: Callable[[MemoryHost], object]
) -> None:
    """A doctor without it would find everything in order."""
    root = tmp_path / "root"
    root.write_text("a file")
    unusable = RootUnusable("It is no directory.", hint="See `ironclaw-memory doctor`.")
    guest = ScriptedGuest(answers=dict.fromkeys(("read", "history", "read-long-term"), unusable))
    wiring = wired(root, guest, package=native_package())
    host = ScriptedHost(replace(wiring, flags_to_reach={"--root": ELSEWHERE}))
    with pytest.raises(IronclawMemoryError) as refused:
        act(host)
    assert f"`ironclaw-memory doctor --root '{ELSEWHERE}'`" in refused.value.hint


@pytest.fixture
def host(tmp_path: Path) -> ScriptedHost:
    """A host that the command line would not find by itself, with two tools restricted."""
    wiring = wired(tmp_path, ScriptedGuest(), package=native_package())
    host = ScriptedHost(replace(wiring, flags_to_reach={"--root": ELSEWHERE}))
    host.set_disabled(READ, disabled=True)
    host.set_ask_each_time(WRITE, ask=True)
    return host


def for_good(host: ScriptedHost) -> None:
    """Approve for good what waits and asks each time."""
    with pytest.raises(ApprovalRequired) as asked:
        host.call(WRITE, {"content": "x"}, scope=SCOPE, origin="loop_run")
    host.approve(asked.value.request_id, Always())


@pytest.mark.parametrize(
    "mistake",
    [
        lambda host: host.grant("nothing", scope=SCOPE),
        lambda host: host.grant(READ, scope=SCOPE),
        lambda host: host.grant(WRITE, scope=SCOPE),
        lambda host: host.approve("request-0", Once()),
        lambda host: host.decline("request-0"),
        lambda host: host.set_disabled("nothing", disabled=True),
        for_good,
    ],
    ids=["unknown", "disabled", "asks", "approve", "decline", "policy", "always"],
)
def test_the_command_in_a_hint_can_be_typed_as_it_stands(
    host: ScriptedHost, mistake: Callable[[ScriptedHost], object]
) -> None:
    """Without the directory it would look for the request or the tool in another memory."""
    with pytest.raises(IronclawMemoryError) as refused:
        mistake(host)
    (command,) = re.findall("`([^`]*)`", refused.value.hint)
    assert shlex.split(command)[-2:] == ["--root", ELSEWHERE]


def test_what_is_not_offered_or_not_there_is_looked_up_in_the_same_memory(tmp_path: Path) -> None:
    """A command of the host's own environment would ask another provider."""
    guest, package = ScriptedGuest(), native_package()
    guest.answers["read"] = Failure(kind="input", code="document-missing", field_name="path")
    guest.answers["history"] = Failure(kind="operation", code="unsupported")
    memory = replace(package.manifest.memory, upkeep=("history",))
    wiring = wired(
        tmp_path,
        guest,
        package=replace(package, manifest=replace(package.manifest, memory=memory)),
    )
    flags = {"--root": ELSEWHERE, "--provider": "/mine.wasm"}
    policy = replace(wiring.effective, tools={READ: wiring.effective.tools[READ]})
    host = ScriptedHost(replace(wiring, flags_to_reach=flags, effective=policy))

    def call(tool: str, **arguments: str) -> object:
        return host.call(tool, arguments, scope=SCOPE, origin="loop_run")

    mistakes: list[tuple[Callable[[], object], list[str]]] = [
        (lambda: host.delete(SCOPE, "a.md"), ["component", "info"]),
        (lambda: host.history(SCOPE, "a.md"), ["component", "info"]),
        (lambda: call(WRITE, content="x"), ["component", "info"]),
        (lambda: call(READ, path="a.md"), ["tree"]),
    ]
    for mistake, words in mistakes:
        with pytest.raises(IronclawMemoryError) as refused:
            mistake()
        (command,) = re.findall("`([^`]*)`", refused.value.hint)
        assert shlex.split(command)[1:] == [*words, *chain.from_iterable(flags.items())]


def test_a_command_keeps_the_options_that_it_is_given(host: ScriptedHost) -> None:
    """Whoever names another directory means it."""
    assert host.command_line("doctor") == f"ironclaw-memory doctor --root '{ELSEWHERE}'"
    assert host.command_line("doctor", "--root", "/x") == "ironclaw-memory doctor --root /x"


def test_a_damaged_gate_is_examined_where_it_is(host: ScriptedHost, tmp_path: Path) -> None:
    """Nothing is allowed then, and nothing is listed."""
    (tmp_path / "host" / "gate" / "gate.json").write_text("no JSON")
    for look in (host.grants, host.pending, host.settings):
        with pytest.raises(IronclawMemoryError) as refused:
            look()
        assert f"doctor --root '{ELSEWHERE}'" in refused.value.hint
