"""A component that does what the query of a search tells it to: ``{"do": VERB, ...}``.

Every verb answers one hit whose content is JSON. Functions other than ``search``
answer the plainest value of their type, so that every shape crosses the boundary.
"""

import collections.abc
import encodings.idna  # noqa: F401 - name lookup needs it, and nothing can be imported later
import json
import os
import socket
import sqlite3
import sys
import time

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import lifecycle as life
from wit_world.exports import tools as shapes
from wit_world.exports import upkeep as keep
from wit_world.imports import audit, context, types


ROOT = "/memory"
REMEMBERED: list[str] = []


def loop() -> None:
    """Never return."""
    while True:
        pass


def nap(seconds: float) -> str:
    """Sleep, and say how it went."""
    time.sleep(seconds)
    return "slept"


def grow(mebibytes: int) -> int:
    """Take memory and report what was got."""
    return len(b"x" * (mebibytes << 20))


def deep(levels: int) -> int:
    """Recurse in C, beyond what the wasm stack holds."""
    json.loads("[" * levels + "]" * levels)
    return levels


def fail(kind: str, code: str, field: str | None = None) -> None:
    """Answer with the error side of the result."""
    raise Err(types.Failure(types.FailureKind[kind.upper()], code, field))


def crash() -> None:
    """Let an exception out, which stops the guest."""
    raise ZeroDivisionError


def leave(status: int) -> None:
    """Exit."""
    sys.exit(status)


def log(size: int) -> int:
    """Write to the log in pieces; return how much was accepted."""
    accepted = 0
    try:
        while accepted < size:
            accepted += os.write(2, b"x" * min(4096, size - accepted))
    except OSError:
        pass
    return accepted


def cat(path: str) -> str:
    """Read a file by its whole path."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def put(path: str, text: str) -> int:
    """Write a file by its whole path."""
    with open(path, "w", encoding="utf-8") as file:
        return file.write(text)


def flood(mebibytes: int) -> int:
    """Fill one file."""
    with open(f"{ROOT}/flood", "wb") as file:
        file.writelines(b"x" * (1 << 20) for _ in range(mebibytes))
    return mebibytes


def sprinkle(count: int) -> int:
    """Create many empty files."""
    for number in range(count):
        with open(f"{ROOT}/f{number}", "wb"):
            pass
    return count


def hole(size: int) -> int:
    """Make a file that looks larger than it is."""
    with open(f"{ROOT}/hole", "wb") as file:
        file.truncate(size)
    return size


def hoard(count: int) -> int:
    """Open the same file over and over and keep it open."""
    put(f"{ROOT}/hoard", "")
    kept: list[int] = []
    try:
        kept.extend(os.open(f"{ROOT}/hoard", os.O_RDONLY) for _ in range(count))
    except OSError:
        return -1
    return len(kept)


def link(source: str, target: str) -> None:
    """Make a symbolic link inside the mount."""
    os.symlink(source, f"{ROOT}/{target}")


def tables(count: int) -> int:
    """Let SQLite create a database, fill it and count."""
    database = sqlite3.connect(f"{ROOT}/probe.sqlite")
    database.execute("create table if not exists t (n integer)")
    database.executemany("insert into t values (?)", [(n,) for n in range(count)])
    database.commit()
    total: int = database.execute("select count(*) from t").fetchone()[0]
    database.close()
    return total


def seize() -> None:
    """Lock a database, as SQLite does here, and be stopped meanwhile."""
    database = sqlite3.connect(f"{ROOT}/probe.sqlite")
    database.execute("create table if not exists t (n integer)")
    database.execute("begin exclusive")
    loop()


def dial(host: str, port: int) -> str:
    """Try to reach the network."""
    with socket.socket() as line:
        line.connect((host, port))
    return "connected"


def look_up(host: str) -> str:
    """Try to resolve a name."""
    return str(socket.getaddrinfo(host, 80))


def surroundings() -> dict[str, object]:
    """What a process usually inherits."""
    return {"argv": sys.argv[1:], "environ": dict(os.environ), "stdin": sys.stdin.read()}


def scope() -> dict[str, object]:
    """What the host says this instance is bound to, and when it is."""
    bound, moment = context.bound_scope(), context.now()
    return {
        "tenant": bound.tenant_id,
        "user": bound.user_id,
        "agent": bound.agent_id,
        "project": bound.project_id,
        "unix_ms": moment.unix_ms,
        "zone": moment.zone,
    }


def tell(count: int, reason: str | None = None) -> int:
    """Offer events; return how many were taken."""
    event = audit.Event(audit.EventKind.SEARCH_PERFORMED, None, reason, None, 1)
    return sum(audit.emit(event) for _ in range(count))


def remember(word: str) -> list[str]:
    """Keep a word in this instance and return all it has kept."""
    REMEMBERED.append(word)
    return REMEMBERED


VERBS: dict[str, collections.abc.Callable[..., object]] = {
    "echo": lambda text: text,
    "clock": lambda: [time.time(), time.monotonic()],
    "ls": lambda path: sorted(os.listdir(path)),
    "loop": loop,
    "nap": nap,
    "grow": grow,
    "deep": deep,
    "fail": fail,
    "crash": crash,
    "leave": leave,
    "log": log,
    "cat": cat,
    "put": put,
    "flood": flood,
    "sprinkle": sprinkle,
    "hole": hole,
    "hoard": hoard,
    "link": link,
    "tables": tables,
    "seize": seize,
    "dial": dial,
    "look_up": look_up,
    "surroundings": surroundings,
    "scope": scope,
    "tell": tell,
    "remember": remember,
}


def obey(query: str) -> str:
    """Run the verb; an ordinary failure of the system is an answer too."""
    order = json.loads(query)
    try:
        answer = VERBS[order.pop("do")](**order)
    except (OSError, MemoryError, UnicodeError) as problem:
        answer = f"{type(problem).__name__}: {getattr(problem, 'errno', None)}"
    return json.dumps(answer)


class Tools(exports.Tools):
    """Search obeys; the others answer plainly."""

    def read(self, request: shapes.ReadRequest) -> shapes.Document:
        return shapes.Document(request.path, request.path * 2, 2**32 - 1)

    def write(self, request: shapes.WriteRequest) -> shapes.WriteReply:
        status = shapes.WriteStatus.CLEARED if request.replace_all else shapes.WriteStatus.WRITTEN
        size = len(request.content.encode())
        return shapes.WriteReply(
            status, request.target, request.append, size, None, request.metadata
        )

    def search(self, request: shapes.SearchRequest) -> shapes.Hits:
        if request.query.startswith("{"):
            return shapes.Hits([shapes.Hit("probe", obey(request.query), 1.0, False)])
        hit = shapes.Hit(f"{request.query}.md", request.query * 10, 0.5, True)
        return shapes.Hits([hit] * request.limit)

    def tree(self, request: shapes.TreeRequest) -> shapes.Listing:
        return shapes.Listing(json.dumps([request.path] * request.depth))

    def profile_set(self, fields: shapes.ProfileFields) -> shapes.Acknowledgement:
        return shapes.Acknowledgement(fields.timezone is not None)


class Lifecycle(exports.Lifecycle):
    """Answers that show what arrived."""

    def read_long_term(self, request: life.LaneRequest) -> life.Lane:
        return life.Lane([life.Snippet("t", "u", None, "p", "MEMORY.md", request.query)])

    def read_short_term(self, request: life.LaneRequest, thread_id: str | None) -> life.Lane:
        return life.Lane([life.Snippet("t", "u", "a", None, thread_id or "", request.query)])

    def record_interaction(
        self, messages: list[life.Message], thread_id: str | None, run_id: str | None
    ) -> life.Recording:
        return life.Recording(len(messages) == 2 and messages[1].role == life.Role.ASSISTANT)

    def profile_read(self) -> life.ProfileDocument:
        return life.ProfileDocument(None)


class Upkeep(exports.Upkeep):
    """Only what the tests of the boundary need; the rest is not declared anywhere."""

    def history(self, request: keep.PathRequest) -> keep.VersionList:
        row = keep.VersionRow(1, "sha256:" + "0" * 64, 2**64 - 1, 0, "me", False)
        return keep.VersionList(request.path, [row])

    def version(self, request: keep.VersionRequest) -> shapes.Document:
        return shapes.Document(request.path, "", request.number)

    def restore(self, request: keep.VersionRequest) -> keep.Change:
        return keep.Change(request.path, 0, request.number)

    def delete(self, request: keep.PathRequest) -> keep.Change:
        return keep.Change(request.path, 0, None)

    def deleted(self, request: keep.DeletedRequest) -> keep.DeletedList:
        return keep.DeletedList([request.after or ""], more=False)

    def rename(self, request: keep.RenameRequest) -> keep.Change:
        return keep.Change(request.to, 0, None)

    def erase(self, request: keep.EraseRequest) -> keep.Erasure:
        return keep.Erasure(request.number is None, request.number or 0)

    def sweep(self, request: keep.SweepRequest) -> keep.SweepReport:
        return keep.SweepReport(["a", "b"], 0, 0, [], more_left=False)

    def refresh(self, request: keep.RefreshRequest) -> keep.RefreshReport:
        return keep.RefreshReport(len(request.paths), 0, 0)

    def check(self, request: keep.CheckRequest) -> keep.CheckReport:
        return keep.CheckReport("{}")

    def describe(self, request: keep.PathRequest) -> keep.Description:
        return keep.Description("{}")

    def adopt(self, request: keep.AdoptRequest) -> keep.Adoption:
        return keep.Adoption(request.path, request.row.number, 1)

    def explain(self, request: keep.ExplainRequest) -> keep.Explanation:
        return keep.Explanation("{}")
