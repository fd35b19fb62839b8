"""Text for eyes: trees, matches, dates, tables, and no power for content over a terminal."""

from typing import Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.cli.conftest import CommandLine

from ironclaw_memory.adapters.cli.render import (
    dates,
    examination,
    explanation,
    listing,
    matches,
    table,
)
from ironclaw_memory.adapters.cli.terminal import Progress, Terminal, announce, visible
from ironclaw_memory.doctor.examination import Examination
from ironclaw_memory.doctor.findings import Finding
from ironclaw_memory.doctor.scope import ScopeReport


PIPE = Terminal(eyes=False, colour=False)
EYES = Terminal(eyes=True, colour=False)
BRIGHT = Terminal(eyes=True, colour=True)
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def test_a_tree_is_drawn_with_lines() -> None:
    """Directories hold their entries; dates stand behind documents."""
    entries = [{"notes/": [{"trips/": ["rome.md"]}, "todo.md"]}, "empty/", "MEMORY.md"]
    drawn = listing.drawn(entries, EYES, root="", dates={"notes/todo.md": "2 days ago"})
    assert drawn == (
        "├── notes/\n"
        "│   ├── trips/\n"
        "│   │   └── rome.md\n"
        "│   └── todo.md  2 days ago\n"
        "├── empty/\n"
        "└── MEMORY.md\n"
    )


def test_dates_below_a_listed_directory_are_found() -> None:
    """The listing's names are relative to the path that was asked for."""
    assert "today" in listing.drawn(["a.md"], EYES, root="/notes/", dates={"notes/a.md": "today"})


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Likes teas and tea.", "tea", f"Likes {BOLD}teas{PLAIN} and {BOLD}tea{PLAIN}."),
        ("The team met.", "tea", "The team met."),
        ("She walked home.", "walking", f"She {BOLD}walked{PLAIN} home."),
        ("她喜欢绿茶", "绿茶", f"她喜欢{BOLD}绿茶{PLAIN}"),
        ("nothing", "", "nothing"),
    ],
)
def test_matched_words_are_bold(text: str, query: str, marked: str) -> None:
    """Other forms of a word too, other words not."""
    assert matches.marked(text, query, BRIGHT) == marked


@given(st.text(), st.text())
def test_marking_adds_nothing_but_styles(text: str, query: str) -> None:
    """Without the styles the text is what it was."""
    clean = text.replace("\x1b", "")
    marked = matches.marked(clean, query, BRIGHT)
    assert marked.replace(BOLD, "").replace(PLAIN, "") == clean


def test_results_show_path_score_and_passages() -> None:
    """A block a document, indented."""
    hit = {"path": "a.md", "score": 0.5, "content": "one\ntwo"}
    assert matches.drawn([hit, hit], "x", PIPE, dates={}) == (
        "a.md  0.50\n    one\n    two\n\na.md  0.50\n    one\n    two\n"
    )
    assert matches.drawn([], "x", PIPE, dates={}) == "Nothing found.\n"


@given(st.text())
def test_content_has_no_power_over_a_terminal(text: str) -> None:
    """No control character and no change of direction is left but line ends and tabs."""
    shown = visible(text)
    assert not any(c in shown for c in "\x1b\x07\x00\x7f\x9b\u202e\u2066\r")
    assert PIPE.safe(text) == text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (5, "just now"),
        (600, "10 minutes ago"),
        (7200, "2 hours ago"),
        (172_800, "2 days ago"),
        (31_536_000, "1999-01-01"),
        (-3600, "2000-01-01 01:00:00Z"),
    ],
)
def test_times_are_said_as_people_say_them(seconds: int, words: str) -> None:
    """Close ones relative, far ones by date."""
    now_ms = 946_684_800_000  # 2000-01-01
    assert dates.ago(now_ms - seconds * 1000, now_ms=now_ms) == words


@pytest.mark.parametrize(
    ("left_ms", "words"),
    [(None, "no end"), (3_599_000, "1 h left"), (90_000, "2 min left"), (5_000, "5 s left")],
)
def test_what_is_left_is_rounded(left_ms: int | None, words: str) -> None:
    """An hour that has just begun is an hour."""
    assert dates.until(None if left_ms is None else left_ms + 7, now_ms=7) == words


def test_columns_reckon_with_wide_characters() -> None:
    """A Han character takes two columns."""
    assert table.columns([("ab", "x"), ("茶", "y"), ("", "z")]) == "ab  x\n茶  y\n    z\n"


def test_an_explanation_takes_what_a_provider_gives() -> None:
    """Terms may be words or objects; a path that did not match says why."""
    drawn = explanation.drawn(
        {
            "terms": [{"term": "tea", "passages": 2, "idf": 0.5, "replaced_by": []}, "cup"],
            "hits": [
                {
                    "path": "a.md",
                    "line": 3,
                    "score": 1.5,
                    "matched": ["tea"],
                    "parts": {"base": 1.25},
                }
            ],
            "path": {"path": "b.md", "absence": "no-term", "hits": []},
        },
        PIPE,
    )
    assert drawn.splitlines() == [
        "terms    tea (passages=2, idf=0.500), cup",
        "scores   as ranked; a search divides them by the best",
        "",
        "a.md:3  1.50",
        "  matched  tea",
        "  parts    base=1.250",
        "",
        "asked    b.md: absence=no-term",
    ]


def test_an_explanation_says_in_words_why_a_document_is_not_found() -> None:
    """And names the one that is shown in its place."""
    hit = {"path": "b.md", "line": 1, "score": 1.5, "matched": ["tea"], "parts": {"base": 1.5}}
    asked = {"path": "b.md", "absence": "same-text", "hits": [{**hit, "same_text_as": "a.md:1"}]}
    drawn = explanation.drawn({"terms": ["tea"], "hits": [], "path": asked}, PIPE)
    assert "asked    b.md: not found: what it says another document says too" in drawn
    assert "same_text_as=a.md:1" in drawn


def test_progress_waits_for_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is quick shows no bar; without a person there is none either."""
    times = iter([10.0, 10.5, 11.5])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    shown: list[tuple[str, int]] = []

    class Bar:
        length = 0

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            shown.append(("end", self.length))

        def update(self, steps: int) -> None:
            shown.append(("step", steps))

    monkeypatch.setattr("click.progressbar", lambda **_: Bar())
    with Progress("Indexing", clock=lambda: next(times)) as bar:
        bar.step(1, 10)
        assert shown == []
        bar.step(4, 10)
        bar.step(5, 10)
    assert shown == [("step", 4), ("step", 1), ("end", 10)]


def test_progress_in_a_log_is_a_line_every_few_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe is not silent for half a minute, nor flooded."""
    times = iter([0.0, 0.0, 2.0, 3.5, 5.0, 7.0])
    with Progress("Rules", clock=lambda: next(times)) as bar:
        for done in range(1, 6):
            bar.step(done, 9)
    assert capsys.readouterr() == ("", "Rules: 3 of 9\nRules: 5 of 9\n")


def test_search_passes_the_words_as_one_query(run: CommandLine) -> None:
    """Quotes are not needed."""
    run.documents["a.md"] = "green tea\n"
    assert run("search", "green", "tea", "--limit", "3").out == "a.md  1.00\n    green tea\n"
    assert run.host.asked[0][1] == {"query": "green tea", "limit": 3}


def test_a_slow_start_is_announced_also_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever waits half a minute learns why, on standard error alone."""
    announce("Compiling.")
    assert capsys.readouterr() == ("", "Compiling.\n")


def test_a_time_beyond_every_calendar_is_its_end() -> None:
    """An archive may say any time; the history that has it is still listed."""
    assert dates.ago(2**63 - 1, now_ms=0) == "9999-12-31 23:59:59Z"
    assert dates.ago(0, now_ms=2**63 - 1) == "1970-01-01"


def examined(*findings: Finding) -> str:
    """Return how an examination of one scope is shown."""
    scope = ScopeReport(place="x", documents=3, bytes=9, store_bytes=0, findings=findings)
    return examination.drawn(Examination(installation=(), scopes=(scope,)), PIPE)


def changed(path: str, *, repaired: bool = False) -> Finding:
    """Return what is found of a document that a person changed."""
    return Finding(code="index-out-of-step", place="x", path=path, repaired=repaired)


def test_documents_that_the_next_search_takes_in_are_one_line() -> None:
    """A folder dropped in is no list of complaints, and hides none; one document is named."""
    many = examined(*(changed(f"{n}.md") for n in range(200)), Finding(code="twin", place="x"))
    assert "200 documents" in many
    assert "differs from another name" in many
    assert len(many.splitlines()) == 4
    assert "a.md" in examined(changed("a.md"))


@pytest.mark.parametrize(
    ("codes", "end"),
    [
        ((), "Everything is in order.\n"),
        (("index-unfinished",), "Everything is in order.\n"),
        (("index-unfinished", "index-out-of-step"), "Everything is in order.\n"),
        (("index-unusable",), "Nothing has to be done.\n"),
        (("index-unfinished", "link"), "Nothing has to be done.\n"),
        (("index-unfinished", "unreadable"), "give it back to this user\n"),
    ],
)
def test_an_examination_ends_with_what_its_findings_ask_for(
    codes: tuple[str, ...], end: str
) -> None:
    """An index that waits for the next search is no reason to worry; a notice asks for nothing."""
    assert examined(*(Finding(code=code, place="x") for code in codes)).endswith(end)


def test_an_index_whose_writer_was_stopped_is_not_called_damaged_first() -> None:
    """An interrupted import leaves one; what happened to most is said before what may have."""
    shown = examined(Finding(code="index-unusable", place="x"))
    assert shown.index("was stopped before its end") < shown.index("damaged")
    assert "no document is affected" in shown


def test_what_is_mended_needs_no_advice() -> None:
    """What would have helped is said of the rest alone."""
    shown = examined(changed("a.md", repaired=True), changed("b.md"))
    mended, waiting = sorted(line for line in shown.splitlines() if "changed since" in line)
    assert "next" not in mended
    assert "next" in waiting


@pytest.mark.parametrize("terminal", [PIPE, EYES], ids=["pipe", "eyes"])
def test_a_name_that_doctor_shows_stays_one_line(terminal: Terminal) -> None:
    """Whoever reads it: a log of it is looked at on a terminal some day."""
    named = Finding(code="link", place="acme/ann", path="a\n\x1b[31m.md")
    report = ScopeReport(place="acme/ann", documents=1, bytes=1, store_bytes=0, findings=(named,))
    shown = examination.drawn(Examination(installation=(), scopes=(report,)), terminal)
    assert "\x1b" not in shown
    assert len(shown.splitlines()) == 3
