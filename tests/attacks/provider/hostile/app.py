"""The exports: an attack where the tenant names one for this export, honest work otherwise."""

from typing import Any

from wit_world import exports
from wit_world.exports import lifecycle as life
from wit_world.exports import tools as shapes
from wit_world.exports import upkeep as keep
from wit_world.imports import context

from hostile import (  # noqa: F401 - the modules register their attacks
    exhausting,
    honest,
    lying,
    reaching,
    reporting,
    smuggling,
    surroundings,
    writing,
)
from hostile.registry import attack_of


def _served(export: str, *arguments: Any) -> Any:
    attack = attack_of(context.bound_scope().tenant_id, export)
    return (attack or getattr(honest, export))(*arguments)


class Tools(exports.Tools):
    """The five tools."""

    def read(self, request: shapes.ReadRequest) -> shapes.Document:
        return _served("read", request)  # type: ignore[no-any-return]

    def write(self, request: shapes.WriteRequest) -> shapes.WriteReply:
        return _served("write", request)  # type: ignore[no-any-return]

    def search(self, request: shapes.SearchRequest) -> shapes.Hits:
        return _served("search", request)  # type: ignore[no-any-return]

    def tree(self, request: shapes.TreeRequest) -> shapes.Listing:
        return _served("tree", request)  # type: ignore[no-any-return]

    def profile_set(self, fields: shapes.ProfileFields) -> shapes.Acknowledgement:
        return _served("profile_set", fields)  # type: ignore[no-any-return]


class Lifecycle(exports.Lifecycle):
    """The four hooks."""

    def read_long_term(self, request: life.LaneRequest) -> life.Lane:
        return _served("read_long_term", request)  # type: ignore[no-any-return]

    def read_short_term(self, request: life.LaneRequest, thread_id: str | None) -> life.Lane:
        return _served("read_short_term", request, thread_id)  # type: ignore[no-any-return]

    def record_interaction(
        self, messages: list[life.Message], thread_id: str | None, run_id: str | None
    ) -> life.Recording:
        return _served("record_interaction", messages, thread_id, run_id)  # type: ignore[no-any-return]

    def profile_read(self) -> life.ProfileDocument:
        return _served("profile_read")  # type: ignore[no-any-return]


class Upkeep(exports.Upkeep):
    """What owners do."""

    def history(self, request: keep.PathRequest) -> keep.VersionList:
        return _served("history", request)  # type: ignore[no-any-return]

    def version(self, request: keep.VersionRequest) -> shapes.Document:
        return _served("version", request)  # type: ignore[no-any-return]

    def restore(self, request: keep.VersionRequest) -> keep.Change:
        return _served("restore", request)  # type: ignore[no-any-return]

    def delete(self, request: keep.PathRequest) -> keep.Change:
        return _served("delete", request)  # type: ignore[no-any-return]

    def deleted(self, request: keep.DeletedRequest) -> keep.DeletedList:
        return _served("deleted", request)  # type: ignore[no-any-return]

    def rename(self, request: keep.RenameRequest) -> keep.Change:
        return _served("rename", request)  # type: ignore[no-any-return]

    def erase(self, request: keep.EraseRequest) -> keep.Erasure:
        return _served("erase", request)  # type: ignore[no-any-return]

    def sweep(self, request: keep.SweepRequest) -> keep.SweepReport:
        return _served("sweep", request)  # type: ignore[no-any-return]

    def refresh(self, request: keep.RefreshRequest) -> keep.RefreshReport:
        return _served("refresh", request)  # type: ignore[no-any-return]

    def check(self, request: keep.CheckRequest) -> keep.CheckReport:
        return _served("check", request)  # type: ignore[no-any-return]

    def describe(self, request: keep.PathRequest) -> keep.Description:
        return _served("describe", request)  # type: ignore[no-any-return]

    def adopt(self, request: keep.AdoptRequest) -> keep.Adoption:
        return _served("adopt", request)  # type: ignore[no-any-return]

    def explain(self, request: keep.ExplainRequest) -> keep.Explanation:
        return _served("explain", request)  # type: ignore[no-any-return]
