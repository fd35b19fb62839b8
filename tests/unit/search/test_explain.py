"""Why something is found, and why not."""

import pytest
from tests.unit.search.scope import IndexedScope

from memory_native.search import Explanation, IndexReader


DOCUMENTS = {
    "a.md": "# Tea\n\n- Ann likes green tea\n- and coffee\n",
    "b.md": "- trains leave at noon\n",
}


def explained(scope: IndexedScope, query: str, path: str | None = None) -> Explanation:
    """Return the explanation of *query* over the two documents."""
    scope.put_all(DOCUMENTS)
    with IndexReader(scope.directory) as reader:
        return reader.explain(query, path)


def test_the_parts_add_up_to_the_score(scope: IndexedScope) -> None:
    """What is shown is all there is."""
    for hit in explained(scope, "green tea with Ann").hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score)


def test_a_hit_names_its_line_and_its_words(scope: IndexedScope) -> None:
    """The line, the text, the matched terms and how much of the query they are."""
    best = explained(scope, "green tea").hits[0]

    assert (best.path, best.line, best.matched) == ("a.md", 3, ("green", "tea"))
    assert best.coverage == 1.0


def test_a_hit_by_its_name_or_heading_names_that_word(scope: IndexedScope) -> None:
    """It is what the hit is there for."""
    scope.put_all({"notes/holiday.md": "# Summer\n\nWe flew to Rome\n"})
    with IndexReader(scope.directory) as reader:
        assert {hit.matched for hit in reader.explain("holiday").hits} == {("holida",)}
        assert {hit.matched for hit in reader.explain("summer").hits} == {("summ",)}


def test_terms_tell_what_is_unknown_and_what_stood_in(scope: IndexedScope) -> None:
    """A mistyped word is listed with its replacement, a strange one with none."""
    terms = {term.term: term for term in explained(scope, "cofee walrus").terms}

    assert terms["cofe"].replaced_by == ("coffe",)
    assert terms["walrus"].passages == 0
    assert terms["walrus"].replaced_by == ()


@pytest.mark.parametrize(
    ("query", "path", "absence"),
    [
        ("the of", "a.md", "no-content-word"),
        ("tea", "c.md", "not-indexed"),
        ("tea", "b.md", "no-shared-word"),
        ("tea", "a.md", None),
        ("tea", None, None),
    ],
)
def test_a_path_without_a_hit_has_a_reason(
    scope: IndexedScope, query: str, path: str | None, absence: str | None
) -> None:
    """One word of a closed list."""
    assert explained(scope, query, path).absence == absence


def test_a_document_that_another_stands_in_for_is_said_to_be_hidden(scope: IndexedScope) -> None:
    """A search shows each text once; of equals the first by path."""
    scope.put_all({"a.md": "- an otter swims\n", "b.md": "- an otter swims\n- an otter sleeps\n"})
    scope.put_all({"c.md": "An otter swims!\n"})
    with IndexReader(scope.directory) as reader:
        hidden = reader.explain("otter", "c.md")
        partly = reader.explain("otter swims", "b.md")
        assert "c.md" not in {hit.path for hit in reader.explain("otter").hits}
        assert reader.explain("otter", "b.md").absence is None

    assert hidden.absence == "same-text"
    assert len(hidden.hits) == 1
    assert hidden.hits[0].same_text_as in {"a.md:1", "b.md:1"}
    assert partly.absence is None
    assert "" in {hit.same_text_as for hit in partly.hits}
