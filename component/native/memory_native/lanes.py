"""The two lanes of recall (reference.md section 3).

They are disjoint: transcripts below ``threads/`` are short-term, everything else is
long-term. What is returned is raw text of this scope; envelope, redaction and
budgets are the host's.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, Protocol, Self

from memory_native import standing
from memory_native.failures import MemoryFailure
from memory_native.paths import in_threads
from memory_native.ports import Scope
from memory_native.replies import Lane, Snippet
from memory_native.requests import LaneRequest
from memory_native.search.model import PassageHit
from memory_native.search.shelves import UNSHELVED
from memory_native.threads import is_of_thread, segment


DISABLING_PROFILES: Final = frozenset(
    {"memory_disabled", "memory-disabled", "disabled_context", "context_disabled"}
)
SNIPPET_BYTES: Final = 486
"""One recalled text with its neighbours: 512 (retrieval.md section 1.4) less the host's label of 26."""

GAP: Final = "\n…\n"
"""Between two lines of one document that are no neighbours."""

_GAP_BYTES: Final = len(GAP.encode())
_CONTEXT_BYTES: Final = 4_096  # what the host shows of all snippets, reference.md section 6
_OVERFETCH: Final = 8
_LEAST_FETCHED: Final = 64
_MOST_FETCHED: Final = 1000  # reference.md section 4, search request


class PassageSearch(Protocol):
    """Ranked passages of this scope's documents."""

    def passages(
        self, query: str, *, limit: int, shelf: str, keep: Callable[[str], bool]
    ) -> Sequence[PassageHit]:
        """Return the best passages of documents on *shelf* whose path *keep* accepts, best first.

        Passages that share nothing telling with the query are left out. Raises
        ``index-stale`` if the index cannot answer.
        """
        ...


def long_term(root: str, scope: Scope, search: PassageSearch, request: LaneRequest) -> Lane:
    """Return the standing document's end, then ranked passages without it and without transcripts.

    Raises ``query-blank`` and what the search raises. A prefix that fills the lane needs no
    search; without a standing document that can be read there is no prefix.
    """
    if _is_off(request):
        return Lane()
    query = _query(request)
    wanted = request.max_snippets
    prefix = standing.chunks(root, budget=min(wanted, standing.CHUNKS))
    texts = [(standing.PATH, chunk) for chunk in prefix]
    if len(texts) < wanted:
        found = _recall(search, query, wanted, shelf=UNSHELVED, keep=_is_long_term)
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

    shelf = segment(thread_id)
    return _lane(scope, _recall(search, query, request.max_snippets, shelf=shelf, keep=keep))


@dataclass
class _Excerpt:
    """Lines of one document, within `SNIPPET_BYTES`; it ranks as the best of them does."""

    path: str
    lines: dict[int, str]  # by number
    size: int  # bytes of UTF-8, every line with a `GAP`

    @classmethod
    def of(cls, hit: PassageHit) -> Self:
        """Return an excerpt of one line, cut to what a snippet holds."""
        text = _cut(hit.text)
        return cls(hit.path, {hit.line: text}, len(text.encode()) + _GAP_BYTES)

    def takes(self, other: Self, *, apart: bool) -> bool:
        """Add the line of *other* if it fits: a neighbour, or any line of the document if *apart*."""
        (line,) = other.lines
        size = self.size + other.size
        if other.path != self.path or line in self.lines or size - _GAP_BYTES > SNIPPET_BYTES:
            return False
        if not apart and self.lines.keys().isdisjoint((line - 1, line + 1)):
            return False
        self.lines |= other.lines
        self.size = size
        return True

    def text(self) -> str:
        """Return the lines in the order of the document."""
        numbers = sorted(self.lines)
        joints = ("\n" if b - a == 1 else GAP for a, b in pairwise(numbers))
        rest = (joint + self.lines[n] for joint, n in zip(joints, numbers[1:], strict=True))
        return self.lines[numbers[0]] + "".join(rest)


def _recall(
    search: PassageSearch, query: str, wanted: int, *, shelf: str, keep: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """Return at most *wanted* pairs of path and text."""
    limit = min(max(_OVERFETCH * wanted, _LEAST_FETCHED), _MOST_FETCHED)
    hits = search.passages(query, limit=limit, shelf=shelf, keep=keep)
    fit = [hit for hit in hits if math.isfinite(hit.score) and keep(hit.path) and _says(hit)]
    fit.sort(key=lambda hit: (-hit.score, hit.path, hit.line))
    return [(excerpt.path, excerpt.text()) for excerpt in _excerpts(fit, wanted)]


def _says(hit: PassageHit) -> bool:
    """Tell a line that can be quoted: a heading with none of the words only leads to one."""
    return bool(hit.matched) or not hit.text.lstrip().startswith("#")


def _excerpts(ranked: Sequence[PassageHit], wanted: int) -> list[_Excerpt]:
    """Return *wanted* snippets at most: what a context can hold is gathered, the rest stands alone.

    Where that is more snippets than are wanted, lines of one document share one even if they are no
    neighbours. Lines that rank too low to be shown are not gathered: they would spend the bytes of
    better ones. Measured on LoCoMo 1-3 / 4-5: 4 KiB of lines then hold the evidence of 3.1 / 1.6
    points more questions, the eight snippets of a turn that of 2.8 / 2.3 points more.
    """
    lines = [_Excerpt.of(hit) for hit in ranked]
    sizes = accumulate(line.size - _GAP_BYTES for line in lines)
    shown = sum(1 for size in sizes if size <= _CONTEXT_BYTES)
    gathered = _gathered(lines[:shown], apart=False)
    if len(gathered) > wanted:
        gathered = _gathered(map(_Excerpt.of, ranked[:shown]), apart=True)
    return [*gathered, *lines[shown:]][:wanted]


def _gathered(lines: Iterable[_Excerpt], *, apart: bool) -> list[_Excerpt]:
    """Put each line, best first, into the first excerpt that takes it."""
    excerpts: list[_Excerpt] = []
    for line in lines:
        if not any(excerpt.takes(line, apart=apart) for excerpt in excerpts):
            excerpts.append(line)
    return excerpts


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
