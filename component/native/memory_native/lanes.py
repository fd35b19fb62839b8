"""The two lanes of recall (reference.md section 3).

They are disjoint: transcripts below ``threads/`` are short-term, everything else is
long-term. What is returned is raw text of this scope; envelope, redaction and
budgets are the host's.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from memory_native import standing
from memory_native.failures import MemoryFailure
from memory_native.paths import in_threads
from memory_native.ports import Scope
from memory_native.replies import Lane, Snippet
from memory_native.requests import LaneRequest
from memory_native.search.model import PassageHit
from memory_native.threads import is_of_thread


DISABLING_PROFILES: Final = frozenset(
    {"memory_disabled", "memory-disabled", "disabled_context", "context_disabled"}
)
SNIPPET_BYTES: Final = 486
"""One recalled text with its neighbours: 512 (retrieval.md section 1.4) less the host's label of 26."""

_OVERFETCH: Final = 8
_LEAST_FETCHED: Final = 64
_MOST_FETCHED: Final = 1000  # reference.md section 4, search request


class PassageSearch(Protocol):
    """Ranked passages of this scope's documents."""

    def passages(
        self, query: str, *, limit: int, keep: Callable[[str], bool]
    ) -> Sequence[PassageHit]:
        """Return the best passages of documents whose path *keep* accepts, best first.

        Passages that share nothing telling with the query are left out. Raises
        ``index-stale`` if the index cannot answer.
        """
        ...


def long_term(root: str, scope: Scope, search: PassageSearch, request: LaneRequest) -> Lane:
    """Return the standing document's end, then ranked passages without it and without transcripts.

    Raises ``query-blank`` and what the search raises. The prefix never fails, and
    a prefix that fills the lane needs no search.
    """
    if _is_off(request):
        return Lane()
    query = _query(request)
    wanted = request.max_snippets
    prefix = standing.chunks(root, budget=min(wanted, standing.CHUNKS))
    texts = [(standing.PATH, chunk) for chunk in prefix]
    if len(texts) < wanted:
        found = _recall(search, query, wanted, keep=_is_long_term)
        texts += found[: wanted - len(texts)]
    return _lane(scope, texts)


def short_term(
    scope: Scope, search: PassageSearch, request: LaneRequest, thread_id: str | None
) -> Lane:
    """Return ranked passages from the transcripts of *thread_id*; without a thread, none.

    Raises ``query-blank`` and what the search raises.
    """
    if _is_off(request) or not thread_id:
        return Lane()
    query = _query(request)

    def keep(path: str) -> bool:
        return is_of_thread(path, thread_id)

    return _lane(scope, _recall(search, query, request.max_snippets, keep=keep))


@dataclass(frozen=True)
class _Stretch:
    """Neighbouring lines of one document; it ranks as its best passage does."""

    path: str
    first: int
    last: int
    text: str

    def joined(self, hit: PassageHit) -> "_Stretch | None":
        """Return this stretch with *hit* at its end or its beginning, if it is next to it and fits."""
        if hit.path != self.path:
            return None
        if hit.line == self.last + 1:
            longer = replace(self, last=hit.line, text=f"{self.text}\n{hit.text}")
        elif hit.line == self.first - 1:
            longer = replace(self, first=hit.line, text=f"{hit.text}\n{self.text}")
        else:
            return None
        return longer if len(longer.text.encode()) <= SNIPPET_BYTES else None


def _recall(
    search: PassageSearch, query: str, wanted: int, *, keep: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """Return at most *wanted* pairs of path and text."""
    limit = min(max(_OVERFETCH * wanted, _LEAST_FETCHED), _MOST_FETCHED)
    hits = search.passages(query, limit=limit, keep=keep)
    fit = [hit for hit in hits if math.isfinite(hit.score) and keep(hit.path) and _says(hit)]
    fit.sort(key=lambda hit: (-hit.score, hit.path, hit.line))
    return [(s.path, s.text) for s in _merged(fit)[:wanted]]


def _says(hit: PassageHit) -> bool:
    """Tell a line that can be quoted: a heading with none of the words only leads to one."""
    return bool(hit.matched) or not hit.text.lstrip().startswith("#")


def _merged(ranked: Iterable[PassageHit]) -> list[_Stretch]:
    """Join passages that are neighbours in their document, each cut to `SNIPPET_BYTES`."""
    stretches: list[_Stretch] = []
    for hit in ranked:
        cut = replace(hit, text=_cut(hit.text))
        for position, stretch in enumerate(stretches):
            longer = stretch.joined(cut)
            if longer is not None:
                stretches[position] = longer
                break
        else:
            stretches.append(_Stretch(hit.path, hit.line, hit.line, cut.text))
    return stretches


def _lane(scope: Scope, texts: Iterable[tuple[str, str]]) -> Lane:
    return Lane(
        snippets=tuple(
            Snippet(
                tenant_id=scope.tenant_id,
                user_id=scope.user_id,
                agent_id=scope.agent_id,
                project_id=scope.project_id,
                path=path,
                text=text,
            )
            for path, text in texts
        )
    )


def _is_off(request: LaneRequest) -> bool:
    return request.max_snippets == 0 or request.context_profile in DISABLING_PROFILES


def _query(request: LaneRequest) -> str:
    if not request.query.strip():
        raise MemoryFailure("query-blank", field="query")
    return request.query


def _is_long_term(path: str) -> bool:
    return not in_threads(path) and path != standing.PATH


def _cut(text: str) -> str:
    raw = text.encode()
    return text if len(raw) <= SNIPPET_BYTES else raw[:SNIPPET_BYTES].decode(errors="ignore")
