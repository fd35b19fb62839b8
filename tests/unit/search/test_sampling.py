"""A sample of a data set is the same in every run and leaves its documents whole."""

from tests.bench.retrieval.protocol import Document, Place, Question, Store
from tests.bench.retrieval.quality import sampled


STORES = [
    Store(
        name,
        (Document(f"{name}.md", "- tea\n"),),
        tuple(Question(f"{name} {n}", frozenset({Place(f"{name}.md", 1)})) for n in range(count)),
    )
    for name, count in (("a", 30), ("b", 10))
]


def _asked(count: int | None) -> list[str]:
    return [question.text for store in sampled(STORES, count) for question in store.questions]


def test_a_sample_is_deterministic_and_in_order() -> None:
    """Runs are compared question by question."""
    everything = _asked(None)
    sample = _asked(8)

    assert sample == _asked(8)
    assert len(sample) == 8
    assert sample == sorted(sample, key=everything.index)


def test_a_sample_larger_than_the_set_is_the_set() -> None:
    """Nothing is asked twice."""
    assert _asked(100) == _asked(None)


def test_a_sampled_store_keeps_all_its_documents() -> None:
    """Fewer questions, not an easier store."""
    kept = {store.name: store.documents for store in sampled(STORES, 8)}
    whole = {store.name: store.documents for store in STORES}

    assert kept == {name: whole[name] for name in kept}
    assert kept
