"""Text to terms: scripts, identifiers, dates, contractions."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_native.search import analysis
from memory_native.search.analysis import (
    LONGEST_TERM,
    PERSON_CUE,
    QUESTION_CUE,
    TEMPORAL_CUE,
    analyse,
    folded,
    is_date_term,
)


def terms(text: str) -> list[str]:
    """Return the terms of *text*."""
    return analyse(text).terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running", "ran"),
        ("painted", "painting"),
        ("children", "child"),
        ("Caroline's", "Caroline"),
        ("cafés", "cafe"),
        ("ＦＵＬＬ", "full"),  # noqa: RUF001 - full width is the case
        ("parse_config", "parseConfig"),
        ("parse-config", "ParseConfig"),
        ("parse_config", "parseconfig"),
        ("e-mail", "email"),
        ("7th", "7"),
        ("007", "7"),
        ("Sept", "September"),
        ("Ёлка", "елка"),
        ("Straße", "strasse"),
        ("Œuvre", "oeuvres"),
        ("Łódź", "lodz"),
        ("Tromsø", "tromso"),
    ],
)
def test_related_spellings_share_a_term(one: str, other: str) -> None:
    """What a reader takes for the same word meets in at least one term."""
    assert set(terms(one)) & set(terms(other))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("parse_config.py", "config"),
        ("getUserName", "user"),
        ("HTTPServer", "server"),
        ("src/app/main.py", "main"),
        ("ann@example.org", "example"),
        ("v1.12.3", "12"),
        ("asyncio.gather", "gather"),
    ],
)
def test_an_identifier_is_found_by_part(text: str, part: str) -> None:
    """The pieces of a joined name are terms of their own."""
    assert set(terms(part)) <= set(terms(text))


@pytest.mark.parametrize(
    "text",
    ["parse_config.py", "v1.12.3", "ann@example.org", "src/app/main.py", "2026-11-29", "x86_64"],
)
def test_an_identifier_is_one_term_as_a_whole(text: str) -> None:
    """A joined name is also a term, which only that name has."""
    assert len(set(terms(text)) - set(terms(text.translate(str.maketrans("_./@-", "     "))))) >= 1


def test_dates_agree_however_they_are_written() -> None:
    """An ISO date, a written date and a Chinese one share month and day."""
    written, iso, chinese = terms("29 November 2026"), terms("2026-11-29"), terms("11月29日")

    assert set(written) <= set(iso)
    assert {"29", "novemb"} <= set(chinese)
    assert all(is_date_term(term) for term in written)


def test_han_text_yields_characters_and_pairs() -> None:
    """Chinese needs no dictionary; grammar characters appear only in pairs."""
    assert terms("喝绿茶的") == ["喝", "绿", "茶", "喝绿", "绿茶", "茶的"]


def test_thai_yields_triples_and_hindi_keeps_its_marks() -> None:
    """Scripts without spaces are cut in threes; combining marks are letters."""
    assert terms("ภาษาไทย") == ["ภาษ", "าษา", "ษาไ", "าไท", "ไทย"]
    assert terms("हिन्दी में") == ["हिन्द", "में"]


@pytest.mark.parametrize("text", ["", "   ", "the of and", "?!…", "don't won't", "的了吗", "🙂 —"])
def test_grammar_and_punctuation_have_no_terms(text: str) -> None:
    """Nothing to look for is nothing found, not an error."""
    assert [term for term in terms(text) if len(term) == 1 or term.isascii()] == []


def test_cues_are_read_from_the_words() -> None:
    """A time, a question and a first person are noticed, in English and Chinese."""
    assert analyse("I went there yesterday").cues == TEMPORAL_CUE | PERSON_CUE
    assert analyse("你昨天去了吗？").cues == TEMPORAL_CUE | QUESTION_CUE  # noqa: RUF001


def test_a_digest_is_one_term() -> None:
    """The letters and digits of a hash are not words."""
    assert terms("9f86d081884c7d659a2f") == ["9f86d081884c7d659a2f"]


@given(st.text(max_size=200))
def test_terms_are_bounded_and_never_look_like_header_terms(text: str) -> None:
    """No input makes an overlong term, an empty one, or one that begins with the header prefix."""
    assert all(0 < len(term) <= LONGEST_TERM and term[0] != "#" for term in terms(text))


LINE = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\n")),
    st.lists(
        st.sampled_from(["don't", "a.b_C", "2025-11-03", "３月", "茶叶", "x" * 70, "\x1cok"])
    ).map(" ".join),
)


@given(st.lists(LINE, max_size=6))
def test_lines_read_together_have_the_terms_of_each(lines: list[str]) -> None:
    """A section's terms are removed as those of one text, and were added line by line."""
    assert set(analyse("\n".join(lines)).terms) == {
        term for line in lines for term in analyse(line).terms
    }


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1, max_size=12))
def test_upper_and_lower_case_agree(text: str) -> None:
    """A word in capitals has the terms of the word, unless a letter of it has no capital."""
    capitals = folded(text.upper())
    if text.upper().lower() == text == text.lower() and capitals == capitals.upper():
        assert set(terms(text.upper())) == set(terms(text))


def _keys(number: int) -> str:
    """Return a row of sixteen keys without white space, another for each *number*."""
    digest = hashlib.sha512(str(number).encode()).hexdigest()
    return ",".join(digest[at : at + 3] for at in range(0, 48, 3))


def test_what_is_remembered_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables and keys have words that never come again, long ones and ones of many terms."""
    monkeypatch.setattr(analysis, "_MOST_REMEMBERED", 500)
    for number in range(100):
        for text in (_keys(number), f"{number}" * 1_000, f"{number}" * 1_000 + " \u00e9"):
            analyse(text)
    held = analysis._WORDS
    assert max(map(len, held)) <= 64
    assert len(held) + sum(map(len, held.values())) < 600


def test_a_long_word_keeps_its_neighbours_cues() -> None:
    """Whatever stands beside it is read as ever."""
    long = "x1" * 40
    assert analyse(f"{long} yesterday I").cues == analyse("y yesterday I").cues
    assert analyse(f"{long} tea").terms[-1] == "tea"
