"""The provider as ordinary Python: every function of the contract, over one root directory.

`memory_native.app` binds it to the component's exports; tests call it natively.
Each method does what wit/ says of the function of its name and fails with
`MemoryFailure`.
"""

from collections.abc import Sequence
from typing import Final

from memory_native import explaining, lanes, recording, tree
from memory_native.backend import NATIVE, BackendCapabilities
from memory_native.documents import Document, Documents, WriteReply, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.index import ScopeIndex
from memory_native.ports import Event, Host
from memory_native.profile import Profile
from memory_native.replies import (
    Acknowledgement,
    Hit,
    Hits,
    Lane,
    Listing,
    ProfileDocument,
    Recording,
)
from memory_native.requests import (
    LaneRequest,
    Message,
    ProfileFields,
    SearchRequest,
    TreeRequest,
)
from memory_native.safety import bundled_guard
from memory_native.store import Store
from memory_native.upkeep import Upkeep


SEARCH_LIMIT: Final = 20  # reference.md section 2.1


class Provider:
    """The native memory of the scope whose directory is *root*.

    Nothing is read or written before the first call. ``upkeep`` has the functions
    of that interface, except `explain`.
    """

    def __init__(self, root: str, host: Host, *, backend: BackendCapabilities = NATIVE) -> None:
        """Serve *root*, bound to *host*; *backend* says what is offered."""
        safety = bundled_guard(host)
        self._host = host
        self._index = ScopeIndex(directory=Store(root).index, backend=backend)
        self._documents = Documents(
            root, host=host, index=self._index, safety=safety, backend=backend
        )
        self._profile = Profile(root=root, host=host, safety=safety)
        self.upkeep = Upkeep(self._documents)

    # -- tools ---------------------------------------------------------------

    def read(self, path: str) -> Document:
        """Return one whole document."""
        return self._documents.read(path)

    def write(self, request: WriteRequest) -> WriteReply:
        """Append to, replace, patch or clear one document."""
        return self._documents.write(request)

    def search(self, request: SearchRequest) -> Hits:
        """Return the documents that match, best first, and report how many there were."""
        query = _asked(request.query)
        found = self._index.documents(query, limit=min(max(request.limit, 1), SEARCH_LIMIT))
        self._host.emit(Event(kind="search-performed", size=len(found)))
        return Hits(
            hits=tuple(
                Hit(
                    path=hit.path,
                    content=hit.content,
                    score=hit.score,
                    is_hybrid_match=hit.is_hybrid_match,
                )
                for hit in found
            )
        )

    def tree(self, request: TreeRequest) -> Listing:
        """List documents and directories."""
        self._documents.backend.require("file_documents")
        documents = self._documents
        return Listing(
            json=tree.listing(
                documents.root,
                documents.names,
                request.path,
                request.depth,
                known=documents.indexing.seen,
            )
        )

    def profile_set(self, fields: ProfileFields) -> Acknowledgement:
        """Merge fields into the profile of the user."""
        self._documents.backend.require("file_documents", "prompt_write_safety")
        return self._profile.set(fields)

    # -- hooks ---------------------------------------------------------------

    def read_long_term(self, request: LaneRequest) -> Lane:
        """Recall what holds across conversations."""
        return lanes.long_term(self._documents.root, self._host.scope(), self._index, request)

    def read_short_term(self, request: LaneRequest, thread_id: str | None) -> Lane:
        """Recall what was said earlier in one conversation."""
        return lanes.short_term(self._host.scope(), self._index, request, thread_id)

    def record_interaction(
        self, messages: Sequence[Message], thread_id: str | None, run_id: str | None
    ) -> Recording:
        """Keep the transcript of one run."""
        return recording.record(self._documents, messages, thread_id=thread_id, run_id=run_id)

    def profile_read(self) -> ProfileDocument:
        """Return the profile as it is stored, or none."""
        self._documents.backend.require("file_documents")
        return self._profile.read()

    # -- upkeep --------------------------------------------------------------

    def explain(self, query: str, *, limit: int, path: str | None) -> str:
        """Explain a search, as a JSON object."""
        asked = _asked(query)
        return explaining.explain(self._index, self._documents, asked, limit=limit, path=path)


def _asked(query: str) -> str:
    if not query.strip():
        raise MemoryFailure("query-blank", field="query")
    return query
