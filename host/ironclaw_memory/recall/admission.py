"""What a provider returned becomes what a model may read (reference.md section 6).

`STEPS` is the procedure, one small function per line, in the order in which
they run. Every step takes an `Admission` and returns the next one; whatever a
step takes away it counts. The provider is assumed to be hostile: nothing it
returned is believed, neither whose text it is nor how it is wrapped.
"""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from threading import Thread
from types import MappingProxyType
from typing import Final

from ironclaw_memory.declared import Hook
from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.model import Scope
from ironclaw_memory.recall.envelope import PREFIX, EnvelopeRefused, wrap
from ironclaw_memory.recall.lanes import Degradation, Lane, LaneSource, RawSnippet


MAX_WRAPPED_BYTES: Final = 512  # one snippet with its envelope, reference.md section 6
MAX_BODY_BYTES: Final = MAX_WRAPPED_BYTES - len(PREFIX)
MAX_CONTEXT_BYTES: Final = 4_096  # all snippets of a context, reference.md section 6
MOST_THAT_FIT: Final = MAX_CONTEXT_BYTES // (len(PREFIX) + 1)
MAX_READ_BYTES: Final = 16 << 10  # of one text; masking costs 0.7 ms per KiB, 486 bytes are shown
OVER_DELIVERY: Final = 4  # times what was asked for, of one lane; some of it will be dropped
MIN_CANDIDATES: Final = 32  # of one lane, where less is asked for

_SPACES: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")
_INVISIBLE: Final = frozenset(
    chr(code)
    for span in (range(0x202A, 0x202F), range(0x2066, 0x206A), range(0xE0000, 0xE0080))
    for code in span
)  # text direction and tag characters: they show a person something else than a model reads


class Drop(StrEnum):
    """Why a returned snippet is not in the context."""

    OVER_DELIVERED = "over-delivered"
    FOREIGN_SCOPE = "foreign-scope"
    EMPTY = "empty"
    ENVELOPE = "envelope"
    OVER_COUNT = "over-count"
    OVER_BUDGET = "over-budget"


@dataclass(frozen=True, kw_only=True)
class RecallRules:
    """What a host settles once per provider.

    ``redact`` masks secrets in one text; ``framing`` is the text that stands before
    recalled snippets. No declared hook means that no lane is read.
    """

    declared_hooks: frozenset[Hook]
    redact: Callable[[str], str]
    framing: str


@dataclass(frozen=True, kw_only=True)
class Recall:
    """What is asked, of whom, and under which rules."""

    source: LaneSource
    scope: Scope
    query: str
    max_snippets: int
    context_profile: str
    rules: RecallRules


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A returned snippet on its way; ``text`` is what is left of its text."""

    lane: Lane
    raw: RawSnippet
    text: str


@dataclass(frozen=True, kw_only=True)
class Admission:
    """The state between two steps."""

    recall: Recall
    candidates: tuple[Candidate, ...] = ()
    degradations: tuple[Degradation, ...] = ()
    dropped: Mapping[Drop, int] = field(default_factory=lambda: MappingProxyType({}))
    cut: int = 0

    def keeping(self, kept: Sequence[Candidate], reason: Drop) -> "Admission":
        """Return the state with *kept* only; the rest is counted under *reason*."""
        lost = len(self.candidates) - len(kept)
        dropped = {**self.dropped, reason: self.dropped.get(reason, 0) + lost}
        return replace(
            self,
            candidates=tuple(kept),
            dropped=MappingProxyType(dropped) if lost else self.dropped,
        )

    def rewriting(self, rewrite: Callable[[str], str]) -> "Admission":
        """Return the state with every text rewritten."""
        return replace(
            self, candidates=tuple(replace(c, text=rewrite(c.text)) for c in self.candidates)
        )


Step = Callable[[Admission], Admission]


def fetch_declared_lanes(state: Admission) -> Admission:
    """Ask the declared lanes, under the host's own scope; a lane that fails is a degradation."""
    recall = state.recall
    answers = _read([lane for lane in Lane if lane.hook in recall.rules.declared_hooks], recall)
    found = [
        Candidate(lane=lane, raw=raw, text=raw.text)
        for lane, answer in answers
        if not isinstance(answer, IronclawMemoryError)
        for raw in answer
    ]
    failed = [
        Degradation.of(lane, answer)
        for lane, answer in answers
        if isinstance(answer, IronclawMemoryError)
    ]
    return replace(state, candidates=tuple(found), degradations=tuple(failed))


def bound_work(state: Admission) -> Admission:
    """Look at so many snippets of a lane and so much of each text, whatever was delivered."""
    limit = max(MIN_CANDIDATES, OVER_DELIVERY * state.recall.max_snippets)
    kept = [
        candidate
        for lane in Lane
        for candidate in [c for c in state.candidates if c.lane is lane][:limit]
    ]
    bounded = state.keeping(kept, Drop.OVER_DELIVERED)
    return bounded.rewriting(lambda text: cut_bytes(text, MAX_READ_BYTES))


def keep_bound_scope(state: Admission) -> Admission:
    """Keep what says it belongs to exactly the scope that was asked."""
    bound = tuple(axis or "" for axis in state.recall.scope.axes())
    kept = [c for c in state.candidates if c.raw.axes() == bound]
    return state.keeping(kept, Drop.FOREIGN_SCOPE)


def remove_control_characters(state: Admission) -> Admission:
    """Take out what is not text; a line break becomes a space, so that words stay apart."""
    return state.rewriting(_plain)


def trim(state: Admission) -> Admission:
    """Take off the white space around each text and drop what is empty then."""
    trimmed = state.rewriting(str.strip)
    return trimmed.keeping([c for c in trimmed.candidates if c.text], Drop.EMPTY)


def redact(state: Admission) -> Admission:
    """Mask secrets, before any cut could leave half of one unrecognised."""
    return state.rewriting(state.recall.rules.redact)


def cut_to_fit(state: Admission) -> Admission:
    """Cut each text so that it fits its envelope, between two characters."""
    shortened = state.rewriting(lambda text: cut_bytes(text, MAX_BODY_BYTES))
    pairs = zip(state.candidates, shortened.candidates, strict=True)
    return replace(shortened, cut=sum(before.text != after.text for before, after in pairs))


def wrap_untrusted(state: Admission) -> Admission:
    """Put each text into the envelope; one that is refused there is dropped."""
    wrapped = [(c, _wrapped(c.text)) for c in state.candidates]
    kept = [replace(c, text=text) for c, text in wrapped if text is not None]
    return state.keeping(kept, Drop.ENVELOPE)


def put_short_term_first(state: Admission) -> Admission:
    """Order by lane; inside a lane the provider's order stands."""
    order = list(Lane)
    ranked = sorted(state.candidates, key=lambda c: order.index(c.lane))
    return replace(state, candidates=tuple(ranked))


def keep_max_snippets(state: Admission) -> Admission:
    """Keep as many as were asked for, whatever the provider delivered."""
    return state.keeping(state.candidates[: state.recall.max_snippets], Drop.OVER_COUNT)


def keep_within_budget(state: Admission) -> Admission:
    """Stop before the snippet with which all of them would pass `MAX_CONTEXT_BYTES`."""
    total = 0
    for index, candidate in enumerate(state.candidates):
        total += len(candidate.text.encode())
        if total > MAX_CONTEXT_BYTES:
            return state.keeping(state.candidates[:index], Drop.OVER_BUDGET)
    return state


STEPS: Final[tuple[Step, ...]] = (
    fetch_declared_lanes,
    bound_work,
    keep_bound_scope,
    remove_control_characters,
    trim,
    redact,
    cut_to_fit,
    wrap_untrusted,
    put_short_term_first,
    keep_max_snippets,
    keep_within_budget,
)


def admit(recall: Recall) -> Admission:
    """Run all `STEPS`. Raises nothing that a lane raised as `IronclawMemoryError`."""
    state = Admission(recall=recall)
    for step in STEPS:
        state = step(state)
    return state


def cut_bytes(text: str, limit: int) -> str:
    """Return the longest prefix of *text* of at most *limit* bytes of UTF-8."""
    encoded = text.encode(errors="surrogatepass")
    return text if len(encoded) <= limit else encoded[:limit].decode(errors="ignore")


def _wrapped(text: str) -> str | None:
    try:
        return wrap(text, budget=MAX_WRAPPED_BYTES)
    except EnvelopeRefused:
        return None


def _plain(text: str) -> str:
    if text.isprintable() and text.isascii():
        return text
    return "".join(" " if c in _SPACES else c for c in text if c in _SPACES or _is_text(c))


def _is_text(character: str) -> bool:
    return unicodedata.category(character) not in {"Cc", "Cs"} and character not in _INVISIBLE


_Answer = Sequence[RawSnippet] | IronclawMemoryError


def _read(lanes: list[Lane], recall: Recall) -> list[tuple[Lane, _Answer]]:
    """Read *lanes*, all but the last on a thread of its own where the source allows it."""
    readings = [_Reading(lane, recall) for lane in lanes]
    beside = readings[:-1] if recall.source.reads_lanes_at_once else []
    for reading in beside:
        reading.start()
    for reading in readings[len(beside) :]:
        reading.run()
    for reading in beside:
        reading.join()
    return [(reading.lane, reading.answer()) for reading in readings]


class _Reading(Thread):
    """One lane being read; what the source raised comes out again in `answer`."""

    def __init__(self, lane: Lane, recall: Recall) -> None:
        super().__init__(name=f"recall-{lane.value}", daemon=True)
        self.lane = lane
        self._recall = recall
        self._snippets: Sequence[RawSnippet] = ()
        self._error: Exception | None = None

    def run(self) -> None:
        """Read the lane."""
        recall = self._recall
        try:
            self._snippets = recall.source.read_lane(
                self.lane, recall.scope, recall.query, recall.max_snippets, recall.context_profile
            )
        except Exception as error:  # noqa: BLE001 - raised again on the caller's thread
            self._error = error

    def answer(self) -> _Answer:
        """Return the snippets or our own error; a bug of the source is raised as it is."""
        if self._error is None or isinstance(self._error, IronclawMemoryError):
            return self._error or self._snippets
        raise self._error
