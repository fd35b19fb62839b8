"""A word is found however it is written beside its neighbours, and in both numbers."""

import pytest
from tests.unit.search.scope import IndexedScope

from memory_native.search.analysis import analyse
from memory_native.search.passages import LONGEST_PASSAGE, MOST_LINES, searchable


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        # Plurals of what ends in i or u, and of acronyms
        *(("The APIs, CPUs, VMs, PCs, TVs, UIs and SDKs", word) for word in ("API", "cpu", "VM")),
        *(("The APIs, CPUs, VMs, PCs, TVs, UIs and SDKs", word) for word in ("pc", "tv", "UI")),
        *(("two taxis, kiwis and menus", word) for word in ("taxi", "kiwi", "menu")),
        *(("a taxi, a kiwi and a menu", word) for word in ("taxis", "kiwis", "menus")),
        *(("our apis and vms", word) for word in ("API", "VM")),
        ("the analysis", "analyses"),
        ("the Mrs said", "mrs"),
        ("his status", "statuses"),
        # A word that is no contraction
        ("the user_id is 7", "ID"),
        ("She was ill", "ill"),
        # Punctuation between letters of the script
        ("यह मेरा घर।", "घर"),
        ("मुझे चाय पसंद है।", "है"),
        ("هذا بيت، جميل", "بيت"),
        ("שלום־בית ליל", "בית"),
        # A negation at the end of a joined run
        ("Rule:don't smoke", "rule"),
        ("see src/config.py:don't touch", "config.py"),
        ("met Anna.Don't forget", "Anna"),
        ("allergies/can't eat", "allergies"),
        # Many humps
        ("AbstractSingletonProxyFactoryBeanImplTest", "singleton"),
        ("getUserProfileByIdOrEmailAddress", "email address"),
        # Dates and amounts
        ("Meeting 2026/05/03", "May"),
        ("on 14.05.2027", "May"),
        ("on 2026-05-03", "May"),
        ("cost $1,200,000 in all", "1200000"),
        ("cost 1200000 in all", "1,200,000"),
        ("open ports 80,443", "443"),
        ("ids 101,102,103", "102"),
        # Letters of their own, and one that shows nothing
        ("Kırmızı araba", "kirmizi"),  # noqa: RUF001 - Turkish
        ("Əliyev", "eliyev"),
        ("a hy\u00adphen", "hyphen"),
    ],
)
def test_it_is_found(scope: IndexedScope, said: str, asked: str) -> None:
    """And nothing else stands for it."""
    scope.put_all({"a.md": said, "b.md": "something else"})

    (hit,) = scope.passages(asked)
    assert (hit.path, bool(hit.matched)) == ("a.md", True)


@pytest.mark.parametrize("key", ["3fA85f64a7B2C9d0", "aBcDeFgHiJkLmNoP", "QmYwAPJzv5CZsnAzt8auV"])
def test_the_pieces_of_a_key_mean_nothing(scope: IndexedScope, key: str) -> None:
    """It is found whole."""
    scope.put("a.md", f"token {key}")

    assert scope.lines(key) == [("a.md", 1)]
    assert scope.lines("QmY") == scope.lines("64") == scope.lines("czsn") == []


@pytest.mark.parametrize("word", ["показали", "περίμεναν", "दोस्तों"])
def test_a_long_sentence_is_cut_between_words(word: str) -> None:
    """In every script that has spaces."""
    for padding in range(12):
        line = "я" * padding + f" {word}" * (2 * LONGEST_PASSAGE // len(word))
        pieces = [passage.text.split() for passage in searchable(line)]
        assert {said for piece in pieces for said in piece} <= {word, "я" * padding}


def test_the_lines_after_the_most_are_searched_together(scope: IndexedScope) -> None:
    """A document of very many short lines is searchable to its end."""
    lines = [f"n{number}" for number in range(MOST_LINES + 400)]
    passages = list(searchable("\n".join(lines)))

    assert len(passages) < MOST_LINES + 40
    assert " ".join(passage.text for passage in passages).split() == lines
    assert passages[MOST_LINES].line == MOST_LINES + 1


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        *(("Mr Smith", "mrs"), ("Alex", "Alexis"), ("Dave", "Davis"), ("a red car", "redis")),
        *(("the gp", "GPS"), ("a tl", "TLS"), ("a par", "Paris")),
    ],
)
def test_another_word_is_not_found_for_it(scope: IndexedScope, said: str, asked: str) -> None:
    """An s at the end is not always a plural's."""
    scope.put("a.md", said)

    assert scope.lines(asked) == []


@pytest.mark.parametrize("letters", ["ACGT", "aB", "n't", "N", "As", "1,000,"])
def test_a_run_without_end_takes_no_longer_than_its_length(letters: str) -> None:
    """A pattern that tries every start again would take minutes for these."""
    analyse(letters * (400_000 // len(letters)))


def test_roles_after_the_most_lines_are_in_no_passage() -> None:
    """Nor do they move the line of what comes after them."""
    text = "one\n" * MOST_LINES + "## user\nhello\n## tool\n\nworld\n## user\n## assistant\n"
    (last,) = list(searchable(text, said=True))[MOST_LINES:]

    assert (last.line, last.text) == (MOST_LINES + 2, "hello world")


def test_a_million_spaces_are_cut_in_their_own_time() -> None:
    """What follows them is not looked for at every cut."""
    assert sum(len(p.text) for p in searchable(" " * 1_000_000 + "**x")) == 1_000_003
