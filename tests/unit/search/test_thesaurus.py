"""Words in the place of one that no document has."""

from importlib.resources import files

import pytest
from tests.unit.search.scope import IndexedScope

from memory_native import search
from memory_native.search import IndexReader, thesaurus
from memory_native.search.analysis import analyse


def test_a_paraphrase_finds_what_shares_a_related_word(scope: IndexedScope) -> None:
    """Beside a word that is known, the unknown one stands for the indexed ones like it."""
    scope.put("a.md", "- the automobile is in the garage of Ines\n")
    scope.put("b.md", "- the piano of Ines needs tuning\n")

    assert scope.lines("did Ines lend out the vehicle")[0] == ("a.md", 1)


def test_what_no_document_says_is_not_found_by_what_is_like_it(scope: IndexedScope) -> None:
    """A query of unknown words alone finds nothing: a deleted word leaves no shadow."""
    scope.put("a.md", "- coffee at nine\n")

    assert scope.lines("tea") == []


def test_a_known_word_stands_for_itself(scope: IndexedScope) -> None:
    """Its synonyms are left alone where it is found."""
    scope.put("a.md", "- the vehicle is blue\n")
    scope.put("b.md", "- the automobile is green\n")

    assert scope.lines("vehicle") == [("a.md", 1)]


def test_a_name_is_not_replaced_by_another(scope: IndexedScope) -> None:
    """What is written with a capital inside a sentence is meant as it is."""
    scope.put("a.md", "- Peter likes the opera\n")
    with IndexReader(scope.directory) as reader:
        asked = reader.explain("opera tickets for Paul")

    assert "paul" in {term.term for term in asked.terms}
    assert all(not term.replaced_by for term in asked.terms if term.term == "paul")


@pytest.mark.parametrize("term", ["", "zeppelinx", "2024", "茶", "a b", "\n"])
def test_what_the_table_does_not_list_has_no_relatives(term: str) -> None:
    """Nothing but a listed English term has any."""
    assert thesaurus.related(term) == []


def test_related_terms_are_terms_of_the_index() -> None:
    """They are stems, as documents are indexed, and never the term itself."""
    near = thesaurus.related("purchas")

    assert near[0] == "buy"
    assert "purchas" not in near


def test_every_line_of_the_table_is_found() -> None:
    """The first, the last and all between; the lines are in the order that the search relies on."""
    table = files(search).joinpath("thesaurus.txt").read_text("ascii")
    lines = [line.split(" ") for line in table.splitlines()]

    assert len(lines) > 5_000
    assert all(thesaurus.related(term) == near for term, *near in lines)


@pytest.mark.parametrize("name", ["alice", "john", "nancy", "smith", "london", "tokyo"])
def test_nobody_and_no_place_stands_for_another(name: str) -> None:
    """However it is written: to the model that the table comes from, all of them are alike."""
    (term,) = analyse(name).terms
    assert thesaurus.related(term) == []


def test_a_fact_about_one_person_is_not_told_about_another(scope: IndexedScope) -> None:
    """A question in lower case does not find the code of somebody else's door."""
    scope.put("a.md", "- Carol drinks tea\n- Nancy has a dog\n")

    assert scope.passages("what is the door code of alice", floor=True) == []
    assert scope.lines("alice's door code") == []
