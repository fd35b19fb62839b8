"""Fusion: statements 63-67 and 74 of reference.md section 10."""

import math

import pytest

from memory_native.search.fusion import Candidate, Limits, Method, fuse, normalised
from memory_native.search.model import DocumentHit


LIMITS = Limits.clamped()
METHODS: list[Method] = ["rrf", "weighted"]


def chunks(*paths: str) -> list[Candidate]:
    """Return one chunk for each path, in rank order."""
    return [Candidate(path, f"chunk {rank}") for rank, path in enumerate(paths)]


@pytest.mark.parametrize("method", METHODS)
def test_ties_are_ordered_by_path_alone(method: Method) -> None:
    """Two documents with equal ranks change places when their paths do."""
    one = fuse(chunks("b", "x"), chunks("a", "x"), LIMITS, method=method)
    other = fuse(chunks("a", "x"), chunks("b", "x"), LIMITS, method=method)

    assert [h.path for h in one if h.path != "x"] == ["a", "b"]
    assert [h.path for h in other if h.path != "x"] == ["a", "b"]


@pytest.mark.parametrize("method", METHODS)
def test_min_score_applies_after_normalisation(method: Method) -> None:
    """The best result has 1 and passes any threshold, however small its raw score is."""
    hits = fuse(chunks("a", "b"), [], LIMITS, method=method, min_score=1.0)

    assert [(hit.path, hit.score) for hit in hits] == [("a", 1.0)]


@pytest.mark.parametrize("least", [0.0, -1.0, math.nan, math.inf])
def test_a_threshold_of_zero_or_none_keeps_everything(least: float) -> None:
    """Nothing is dropped by a threshold that is not one."""
    assert len(fuse(chunks("a", "b", "c"), [], LIMITS, min_score=least)) == 3


@pytest.mark.parametrize("method", METHODS)
def test_chunks_of_one_document_are_one_result(method: Method) -> None:
    """They add up, and the first chunk is what is shown."""
    first, second = fuse(chunks("b", "a", "a"), [], LIMITS, method=method)

    assert {first.path, second.path} == {"a", "b"}
    assert next(h.content for h in (first, second) if h.path == "a") == "chunk 1"


def test_a_result_of_both_channels_is_hybrid() -> None:
    """And it is worth more than one of a single channel."""
    hits = fuse(chunks("a", "b"), chunks("b"), LIMITS)

    assert [(hit.path, hit.is_hybrid_match) for hit in hits] == [("b", True), ("a", False)]


def test_the_constants_are_those_of_the_reference() -> None:
    """RRF with k 60, weights of one half."""
    rrf = fuse(chunks("a", "b"), [], LIMITS)
    weighted = fuse(chunks("a", "b"), [], LIMITS, method="weighted")

    assert rrf[1].score == pytest.approx(61 / 62)
    assert weighted[1].score == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ((20, 50), (20, 50)),
        ((10**9, 10**9), (1_000, 5_000)),
        ((900, 10), (900, 900)),
        ((0, 0), (1, 1)),
    ],
)
def test_limits_are_clamped(asked: tuple[int, int], given: tuple[int, int]) -> None:
    """1 to 1,000 results; pre-fusion from that to 5,000."""
    limits = Limits.clamped(*asked)

    assert (limits.limit, limits.pre_fusion) == given


def test_scores_without_a_best_are_zero() -> None:
    """Nothing to divide by is not an error."""
    assert normalised([DocumentHit("a", "x", 0.0)], LIMITS)[0].score == 0.0
    assert normalised([], LIMITS) == []
