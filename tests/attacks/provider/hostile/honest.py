"""What every export does when it does not attack: plain files, no index, no versions."""

import json
import os

from wit_world.exports import lifecycle as life
from wit_world.exports import tools as shapes
from wit_world.exports import upkeep as keep
from wit_world.imports import context


ROOT = "/memory"
ALIASES = {"memory": "MEMORY.md", "heartbeat": "HEARTBEAT.md"}


def read(request: shapes.ReadRequest) -> shapes.Document:
    """Return the file."""
    with open(f"{ROOT}/{request.path}", encoding="utf-8") as file:
        content = file.read()
    return shapes.Document(request.path, content, len(content.split()))


def write(request: shapes.WriteRequest) -> shapes.WriteReply:
    """Append a line or replace the file."""
    path = ALIASES.get(request.target, request.target)
    if "/" in path:
        os.makedirs(os.path.dirname(f"{ROOT}/{path}"), exist_ok=True)
    with open(f"{ROOT}/{path}", "a" if request.append else "w", encoding="utf-8") as file:
        file.write(f"{request.content}\n")
    size = len(request.content.encode())
    status = shapes.WriteStatus.WRITTEN
    return shapes.WriteReply(status, path, request.append, size, None, None)


def search(request: shapes.SearchRequest) -> shapes.Hits:
    """Return the documents at the top that hold the query."""
    names = [name for name in sorted(os.listdir(ROOT)) if name.endswith(".md")]
    hits = [shapes.Hit(n, text, 1.0, False) for n in names if request.query in (text := _text(n))]
    return shapes.Hits(hits[: request.limit])


def tree(request: shapes.TreeRequest) -> shapes.Listing:
    """Return the names at the top."""
    return shapes.Listing(json.dumps(sorted(os.listdir(ROOT))))


def profile_set(fields: shapes.ProfileFields) -> shapes.Acknowledgement:
    """Keep the time zone."""
    with open(f"{ROOT}/context/profile.json", "w", encoding="utf-8") as file:
        json.dump({"timezone": fields.timezone}, file)
    return shapes.Acknowledgement(ok=True)


def read_long_term(request: life.LaneRequest) -> life.Lane:
    """Return MEMORY.md."""
    return life.Lane([snippet(_text("MEMORY.md"))] if os.path.exists(f"{ROOT}/MEMORY.md") else [])


def read_short_term(request: life.LaneRequest, thread_id: str | None) -> life.Lane:
    """Recall nothing."""
    return life.Lane([])


def record_interaction(
    messages: list[life.Message], thread_id: str | None, run_id: str | None
) -> life.Recording:
    """Keep nothing."""
    return life.Recording(recorded=False)


def profile_read() -> life.ProfileDocument:
    """Return what was kept."""
    path = f"{ROOT}/context/profile.json"
    return life.ProfileDocument(_text("context/profile.json") if os.path.exists(path) else None)


def history(request: keep.PathRequest) -> keep.VersionList:
    """There are no versions."""
    return keep.VersionList(request.path, [])


def version(request: keep.VersionRequest) -> shapes.Document:
    """Every version is empty."""
    return shapes.Document(request.path, "", 0)


def restore(request: keep.VersionRequest) -> keep.Change:
    """Change nothing."""
    return keep.Change(request.path, 0, None)


def delete(request: keep.PathRequest) -> keep.Change:
    """Remove the file."""
    os.remove(f"{ROOT}/{request.path}")
    return keep.Change(request.path, 0, None)


def deleted(request: keep.DeletedRequest) -> keep.DeletedList:
    """Nothing that is gone was kept."""
    return keep.DeletedList([], more=False)


def rename(request: keep.RenameRequest) -> keep.Change:
    """Give the file another name."""
    os.rename(f"{ROOT}/{request.path}", f"{ROOT}/{request.to}")
    return keep.Change(request.to, 0, None)


def erase(request: keep.EraseRequest) -> keep.Erasure:
    """Remove nothing."""
    return keep.Erasure(document=False, versions=0)


def sweep(request: keep.SweepRequest) -> keep.SweepReport:
    """Remove nothing."""
    return keep.SweepReport([], 0, 0, [], more_left=False)


def refresh(request: keep.RefreshRequest) -> keep.RefreshReport:
    """There is no index."""
    return keep.RefreshReport(0, 0, 0)


def check(request: keep.CheckRequest) -> keep.CheckReport:
    """Find nothing."""
    return keep.CheckReport("{}")


def describe(request: keep.PathRequest) -> keep.Description:
    """Know nothing."""
    return keep.Description("{}")


def adopt(request: keep.AdoptRequest) -> keep.Adoption:
    """Keep nothing."""
    return keep.Adoption(request.path, request.row.number, 0)


def explain(request: keep.ExplainRequest) -> keep.Explanation:
    """Explain nothing."""
    return keep.Explanation("{}")


def snippet(text: str, **other: str | None) -> life.Snippet:
    """Return *text* as a snippet of the bound scope, with *other* fields if given."""
    bound = context.bound_scope()
    fields = {
        "tenant_id": bound.tenant_id,
        "user_id": bound.user_id,
        "agent_id": bound.agent_id,
        "project_id": bound.project_id,
        "path": "MEMORY.md",
        **other,
    }
    return life.Snippet(text=text, **fields)  # type: ignore[arg-type]


def _text(name: str) -> str:
    with open(f"{ROOT}/{name}", encoding="utf-8") as file:
        return file.read()
