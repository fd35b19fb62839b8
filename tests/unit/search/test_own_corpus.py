"""The retrieval set of our own is what it says it is, and the index finds what it should in it."""

from pathlib import Path

import pytest
from tests.bench.retrieval import datasets, metrics
from tests.bench.retrieval.native import NativeIndex
from tests.bench.retrieval.protocol import Place, Store

from memory_native.search.analysis import analyse, is_cjk_character


OTHER_LANGUAGE = {"chinese", "chinese paraphrase", "mixed"}


@pytest.fixture(scope="module", name="store")
def _store() -> Store:
    return datasets.own()


def test_it_has_the_size_and_the_shares_that_were_asked_for(store: Store) -> None:
    """60 files, 200 questions, a third paraphrases, a fifth Chinese or mixed."""
    kinds = [question.kind for question in store.questions]

    assert len(store.documents) >= 60
    assert len(kinds) >= 200
    assert sum("paraphrase" in kind for kind in kinds) >= len(kinds) / 3
    assert sum(kind in OTHER_LANGUAGE for kind in kinds) >= len(kinds) / 5


def test_no_question_is_asked_twice(store: Store) -> None:
    """Each of them counts once."""
    texts = [question.text for question in store.questions]

    assert len(set(texts)) == len(texts)


def test_paraphrases_share_no_content_word_with_their_line(store: Store) -> None:
    """Single Han characters are not words."""
    lines = {
        Place(document.path, number): line
        for document in store.documents
        for number, line in enumerate(document.text.split("\n"), 1)
    }
    shared = {
        question.text: both
        for question in store.questions
        if "paraphrase" in question.kind
        for place in question.gold
        if (both := _words(question.text) & _words(lines[place]))
    }

    assert shared == {}


def test_what_shares_words_is_found(store: Store) -> None:
    """A floor under the quality, far below what the benchmark measures, for every kind."""
    plain = tuple(q for q in store.questions if "paraphrase" not in q.kind)
    scored = metrics.score(NativeIndex(), [Store("own", store.documents, plain)])

    assert scored.mean("turn R@5") >= 0.9


def test_every_file_is_text_of_ours() -> None:
    """No file is empty, none has trailing white space that would hide a gold line."""
    files = list((Path(datasets.OWN) / "files").rglob("*.md"))

    assert all(file.read_text("utf-8").strip() for file in files)


def _words(text: str) -> set[str]:
    return {term for term in analyse(text).terms if not is_cjk_character(term)}
