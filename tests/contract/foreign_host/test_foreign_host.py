"""The same component on a host that this project did not write: jco's, under Node.js.

Node's files are then read back by our own host, so both have one idea of a memory.
"""

import fcntl
import hashlib
import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import platformdirs
import pytest

from ironclaw_memory.host import MemoryHost
from ironclaw_memory.installed import BUNDLED
from ironclaw_memory.model import Access, Origin, Scope
from ironclaw_memory.scopes import LocalStore, MountKind


HERE: Final = Path(__file__).parent
SCOPE: Final = Scope(tenant="acme", user="alice", thread="t1")
NODE: Final = ("node", "--experimental-wasm-extended-const", "--no-warnings")
"""Node 20 needs the flag for the component's constants; later ones ignore it (tech-notes section 9)."""

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(
        shutil.which("node") is None or shutil.which("npm") is None,
        reason="Node.js with npm is not installed",
    ),
]


@pytest.fixture(scope="module")
def workshop() -> Path:
    """A directory with our scripts, jco's transpiler and the transpiled component, made once."""
    shelf = Path(platformdirs.user_cache_path("ironclaw-memory-tests"))
    shelf.mkdir(parents=True, exist_ok=True)
    place = shelf / f"foreign-host-{_digest()}"
    with (shelf / "foreign-host.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "out" / "memory.js").is_file():
            _prepare(place)
    return place


def _digest() -> str:
    state = hashlib.sha256(BUNDLED.read_bytes())
    for name in ("package-lock.json", "transpile.mjs", "imports.mjs", "host.mjs"):
        state.update((HERE / name).read_bytes())
    return state.hexdigest()[:20]


def _prepare(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for source in (*HERE.glob("*.json"), *HERE.glob("*.mjs")):
        shutil.copy(source, place)
    fetched = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund", "--silent"],
        cwd=place,
        capture_output=True,
        check=False,
        text=True,
    )
    if fetched.returncode:
        pytest.skip(f"npm cannot fetch the pinned packages: {fetched.stderr.strip()[-200:]}")
    command = [*NODE, "transpile.mjs", str(BUNDLED), str(place / "out")]
    subprocess.run(command, cwd=place, check=True, capture_output=True)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory whose one scope the foreign host works in."""
    return tmp_path_factory.mktemp("foreign")


@pytest.fixture(scope="module")
def came(workshop: Path, root: Path) -> Mapping[str, Any]:
    """What the foreign host's calls returned."""
    mount = LocalStore(root).mount(SCOPE, kind=MountKind.DOCUMENTS, access=Access.WRITE)
    with mount.opened():
        directory = mount.root.joinpath(*mount.parts)
    (directory.parents[1] / "secret.md").write_text("outside", encoding="utf-8")
    bound = json.dumps({"tenantId": SCOPE.tenant, "userId": SCOPE.user})
    command = [*NODE, "host.mjs", str(workshop / "out"), str(directory), bound]
    done = subprocess.run(command, cwd=workshop, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    value: Mapping[str, Any] = json.loads(done.stdout)
    return value


def test_the_foreign_host_writes_reads_searches_and_patches(came: Mapping[str, Any]) -> None:
    """The tools answer as they do here."""
    assert [reply["status"] for reply in came["appended"]] == ["written", "written"]
    assert came["read"]["content"] == "prefers tea without sugar\nkeeps bees\n"
    assert came["patched"]["replacements"] == 1
    assert [hit["path"] for hit in came["found"]] == ["notes/heron.md"]
    assert came["tree"] == [{"notes/": ["heron.md"]}, "MEMORY.md"]
    assert came["profile"] == [{"ok": True}, {"timezone": "Europe/Lisbon"}]


def test_both_lanes_answer_and_share_nothing(came: Mapping[str, Any]) -> None:
    """The standing document and notes on one side, the thread's transcript on the other."""
    long = [snippet["path"] for snippet in came["longTerm"]]
    short = {snippet["path"] for snippet in came["shortTerm"]}

    assert long == ["MEMORY.md", "notes/heron.md"]
    assert short == {"threads/t1/r1.md"}
    assert {snippet["tenantId"] for snippet in came["longTerm"]} == {"acme"}


def test_upkeep_works(came: Mapping[str, Any]) -> None:
    """History, an old body, a restore that is itself kept, what is gone, the index, the check."""
    assert [row["number"] for row in came["history"]] == [1]
    assert came["version"] == "the heron stands in the reeds\n"
    assert came["restored"]["keptAs"] == 2
    assert came["deleted"] == {"paths": ["notes/gone.md"], "more": False}
    assert came["refreshed"]["remaining"] == 0
    assert came["checked"]["findings"] == []


def test_failures_have_their_kinds(came: Mapping[str, Any]) -> None:
    """Both kinds of refusal cross this boundary too, and nobody reaches what lies outside."""
    kinds = {name: came[name]["kind"] for name in ("missing", "reserved", "climbing")}

    assert kinds == {"missing": "input", "reserved": "operation", "climbing": "input"}


def test_events_reach_the_foreign_log(came: Mapping[str, Any]) -> None:
    """The import of the world is called with the words of the contract."""
    assert {"document-written", "document-indexed", "search-performed"} <= set(came["events"])


def test_our_host_reads_what_the_foreign_host_left(came: Mapping[str, Any], root: Path) -> None:
    """Documents, search, transcript and history are one memory for both."""
    with MemoryHost.open(root=root) as host:

        def call(tool: str, **arguments: object) -> Any:
            tool_id = f"ironclaw.memory.{tool}"
            return host.call(tool_id, arguments, scope=SCOPE, origin=Origin.LOOP_RUN)

        assert call("read", path="MEMORY.md")["content"] == came["read"]["content"]
        assert call("read", path="notes/heron.md")["content"] == "the heron stands in the reeds\n"
        assert call("search", query="heron reeds")["results"][0]["path"] == "notes/heron.md"
        assert [row.number for row in host.history(SCOPE, "notes/heron.md")] == [1, 2]
        recalled = host.load_context(SCOPE, "where is the heron")
        assert any("sugar" in snippet.text for snippet in recalled.snippets)
        assert recalled.degradations == ()
