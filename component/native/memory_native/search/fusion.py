"""One result per document from one or two ranked channels (reference.md section 4).

The index here is one channel, and its scores say more than its ranks, so it is only normalised. RRF
and weighted fusion are the seam for a second channel, such as vectors of another provider.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memory_native.search.model import DocumentHit


Method = Literal["rrf", "weighted"]

DEFAULT_LIMIT, MOST_RESULTS = 20, 1_000
DEFAULT_PRE_FUSION, MOST_PRE_FUSION = 50, 5_000
RRF_K = 60
FULL_TEXT_WEIGHT = VECTOR_WEIGHT = 0.5


@dataclass(frozen=True)
class Limits:
    """How many results are returned and how many of each channel are fused, within bounds."""

    limit: int
    pre_fusion: int

    @classmethod
    def clamped(cls, limit: int = DEFAULT_LIMIT, pre_fusion: int = DEFAULT_PRE_FUSION) -> "Limits":
        """Return the nearest permitted limits: 1 to 1,000, and pre-fusion from that to 5,000."""
        limit = min(max(limit, 1), MOST_RESULTS)
        return cls(limit, min(max(pre_fusion, limit), MOST_PRE_FUSION))


@dataclass(frozen=True)
class Candidate:
    """One chunk of a document, at its place in a channel."""

    path: str
    content: str


@dataclass
class _Fused:
    content: str
    score: float
    channels: int  # bit set: 1 full text, 2 vector


def fuse(
    full_text: Sequence[Candidate],
    vector: Sequence[Candidate],
    limits: Limits,
    *,
    method: Method = "rrf",
    min_score: float = 0.0,
) -> list[DocumentHit]:
    """Return the documents of both channels: every chunk adds, the first content seen stays."""
    fused: dict[str, _Fused] = {}
    channels = ((1, FULL_TEXT_WEIGHT, full_text), (2, VECTOR_WEIGHT, vector))
    for channel, weight, candidates in channels:
        worth = _worth(method, weight)
        for rank, candidate in enumerate(candidates[: limits.pre_fusion], 1):
            document = fused.setdefault(candidate.path, _Fused(candidate.content, 0.0, 0))
            document.score += worth(rank)
            document.channels |= channel
    hits = [
        DocumentHit(path, found.content, found.score, found.channels == 3)  # noqa: PLR2004 - both bits
        for path, found in fused.items()
    ]
    return normalised(hits, limits, min_score=min_score)


def normalised(
    hits: Iterable[DocumentHit], limits: Limits, *, min_score: float = 0.0
) -> list[DocumentHit]:
    """Return *hits* with the best at 1, then without those under *min_score*; ties by path.

    A *min_score* that is not finite is ignored, as the reference does.
    """
    found = list(hits)
    best = max((hit.score for hit in found), default=0.0)
    least = min(max(min_score, 0.0), 1.0) if math.isfinite(min_score) else 0.0
    scaled = [
        DocumentHit(
            hit.path, hit.content, hit.score / best if best > 0 else 0.0, hit.is_hybrid_match
        )
        for hit in found
    ]
    kept = [hit for hit in scaled if hit.score >= least]
    kept.sort(key=lambda hit: (-hit.score, hit.path))
    return kept[: limits.limit]


def _worth(method: Method, weight: float) -> Callable[[int], float]:
    match method:
        case "rrf":
            return lambda rank: 1.0 / (RRF_K + rank)
        case "weighted":
            return lambda rank: weight / rank
