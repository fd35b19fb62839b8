"""The component's exports: WIT types in, WIT types out, nothing else.

The only module that imports the generated bindings. The contract is documented in
wit/; what each function does is in `memory_native.provider`.
"""

import memory_native.slim  # noqa: F401, I001 - before whatever might import an HTTP client

# Whatever is not imported now cannot be imported later (tech-notes section 7):
# codecs are looked up by name when they are first used.
import encodings.ascii
import encodings.latin_1
import encodings.unicode_escape
import encodings.utf_8
import encodings.utf_8_sig  # noqa: F401
from typing import Final

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import lifecycle, tools, upkeep
from wit_world.imports import audit, context
from wit_world.imports import types as wit

from memory_native import ports
from memory_native.boundary import answer, converter
from memory_native.documents import WriteRequest
from memory_native.failures import Kind
from memory_native.provider import Provider
from memory_native.replies import Listing
from memory_native.requests import LaneRequest, Message, ProfileFields, SearchRequest, TreeRequest
from memory_native.upkeep import VersionRow


ROOT: Final = "/memory"


class WitHost:
    """The host, as the provider knows it, over the imports of the world."""

    def __init__(self) -> None:
        self._bound: ports.Scope | None = None

    def scope(self) -> ports.Scope:
        if self._bound is None:  # an instance is bound to one scope for its whole life
            self._bound = _scope(context.bound_scope())
        return self._bound

    def now(self) -> ports.Moment:
        return _moment(context.now())

    def emit(self, event: ports.Event) -> bool:
        return audit.emit(
            audit.Event(
                kind=audit.EventKind[event.kind.upper().replace("-", "_")],
                path_hash=event.path_hash,
                reason=event.reason,
                registry=event.registry,
                size=event.size,
            )
        )


_scope = converter(ports.Scope)
_moment = converter(ports.Moment)
_write_request = converter(WriteRequest)
_search_request = converter(SearchRequest)
_tree_request = converter(TreeRequest)
_profile_fields = converter(ProfileFields)
_lane_request = converter(LaneRequest)
_message = converter(Message)
_version_row = converter(VersionRow)

_document = converter(tools.Document)
_write_reply = converter(tools.WriteReply)
_hits = converter(tools.Hits)
_listing = converter(tools.Listing)
_acknowledgement = converter(tools.Acknowledgement)
_lane = converter(lifecycle.Lane)
_recording = converter(lifecycle.Recording)
_profile_document = converter(lifecycle.ProfileDocument)
_version_list = converter(upkeep.VersionList)
_adoption = converter(upkeep.Adoption)
_change = converter(upkeep.Change)
_deleted_list = converter(upkeep.DeletedList)
_erasure = converter(upkeep.Erasure)
_sweep_report = converter(upkeep.SweepReport)
_refresh_report = converter(upkeep.RefreshReport)
_check_report = converter(upkeep.CheckReport)
_description = converter(upkeep.Description)
_explanation = converter(upkeep.Explanation)

_provider: Final = Provider(ROOT, WitHost())


def _failed(kind: Kind, code: str, field: str | None) -> Err[wit.Failure]:
    return Err(wit.Failure(kind=wit.FailureKind[kind.name], code=code, field=field))


class Tools(exports.Tools):
    def read(self, request: tools.ReadRequest) -> tools.Document:
        return answer(_document, _failed, lambda: _provider.read(request.path))

    def write(self, request: tools.WriteRequest) -> tools.WriteReply:
        return answer(_write_reply, _failed, lambda: _provider.write(_write_request(request)))

    def search(self, request: tools.SearchRequest) -> tools.Hits:
        return answer(_hits, _failed, lambda: _provider.search(_search_request(request)))

    def tree(self, request: tools.TreeRequest) -> tools.Listing:
        return answer(_listing, _failed, lambda: _provider.tree(_tree_request(request)))

    def profile_set(self, fields: tools.ProfileFields) -> tools.Acknowledgement:
        return answer(
            _acknowledgement, _failed, lambda: _provider.profile_set(_profile_fields(fields))
        )


class Lifecycle(exports.Lifecycle):
    def read_long_term(self, request: lifecycle.LaneRequest) -> lifecycle.Lane:
        return answer(_lane, _failed, lambda: _provider.read_long_term(_lane_request(request)))

    def read_short_term(
        self, request: lifecycle.LaneRequest, thread_id: str | None
    ) -> lifecycle.Lane:
        return answer(
            _lane, _failed, lambda: _provider.read_short_term(_lane_request(request), thread_id)
        )

    def record_interaction(
        self, messages: list[lifecycle.Message], thread_id: str | None, run_id: str | None
    ) -> lifecycle.Recording:
        return answer(
            _recording,
            _failed,
            lambda: _provider.record_interaction(tuple(map(_message, messages)), thread_id, run_id),
        )

    def profile_read(self) -> lifecycle.ProfileDocument:
        return answer(_profile_document, _failed, _provider.profile_read)


class Upkeep(exports.Upkeep):
    def history(self, request: upkeep.PathRequest) -> upkeep.VersionList:
        return answer(_version_list, _failed, lambda: _provider.upkeep.history(request.path))

    def version(self, request: upkeep.VersionRequest) -> tools.Document:
        return answer(
            _document, _failed, lambda: _provider.upkeep.version(request.path, request.number)
        )

    def restore(self, request: upkeep.VersionRequest) -> upkeep.Change:
        return answer(
            _change, _failed, lambda: _provider.upkeep.restore(request.path, request.number)
        )

    def delete(self, request: upkeep.PathRequest) -> upkeep.Change:
        return answer(_change, _failed, lambda: _provider.upkeep.delete(request.path))

    def deleted(self, request: upkeep.DeletedRequest) -> upkeep.DeletedList:
        return answer(_deleted_list, _failed, lambda: _provider.upkeep.deleted(request.after))

    def rename(self, request: upkeep.RenameRequest) -> upkeep.Change:
        return answer(_change, _failed, lambda: _provider.upkeep.rename(request.path, request.to))

    def erase(self, request: upkeep.EraseRequest) -> upkeep.Erasure:
        return answer(
            _erasure, _failed, lambda: _provider.upkeep.erase(request.path, request.number)
        )

    def sweep(self, request: upkeep.SweepRequest) -> upkeep.SweepReport:
        return answer(
            _sweep_report, _failed, lambda: _provider.upkeep.sweep(dry_run=request.dry_run)
        )

    def refresh(self, request: upkeep.RefreshRequest) -> upkeep.RefreshReport:
        return answer(
            _refresh_report,
            _failed,
            lambda: _provider.upkeep.refresh(
                request.paths, everything=request.everything, budget_ms=request.budget_ms
            ),
        )

    def check(self, request: upkeep.CheckRequest) -> upkeep.CheckReport:
        return answer(
            _check_report,
            _failed,
            lambda: Listing(json=_provider.upkeep.check(repair=request.repair)),
        )

    def describe(self, request: upkeep.PathRequest) -> upkeep.Description:
        return answer(
            _description, _failed, lambda: Listing(json=_provider.upkeep.describe(request.path))
        )

    def adopt(self, request: upkeep.AdoptRequest) -> upkeep.Adoption:
        return answer(
            _adoption,
            _failed,
            lambda: _provider.upkeep.adopt(
                request.path, _version_row(request.row), request.content
            ),
        )

    def explain(self, request: upkeep.ExplainRequest) -> upkeep.Explanation:
        return answer(
            _explanation,
            _failed,
            lambda: Listing(
                json=_provider.explain(request.query, limit=request.limit, path=request.path)
            ),
        )
