"""The order, the depth and the laws of redaction (reference.md section 5)."""

import json
import signal
import string
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ironclaw_memory.redaction.detect import find_secrets
from ironclaw_memory.redaction.finding import SecretKind
from ironclaw_memory.redaction.redact import (
    redact_model_input_text,
    redact_secrets,
    redact_value,
)


# Assembled, so that no scanner takes this file for a leak.
GITHUB = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
HARMLESS_WORDS = st.text(alphabet="abcdefghij .,\n", max_size=60)
SNIPPETS = st.sampled_from(
    [
        GITHUB,
        "password: hunter22!",
        "pass" + 'word="a b c d e"',
        "/home/alice/notes.md",
        "[REDACTED_SECRET]",
        "[REDACTED_HOST_PATH]",
        "Authorization: Bearer " + "a1B2" * 8,
        "-----BEGIN " + "PRIVATE KEY-----\nMIIabc0123456789abcdef\n",
        '{"api_key": "0123456789abcdef"}',
        "00000000: 7061 7373 776f 7264 3d68 756e 7465 7232",
        "api key = ",
        '"',
        "{",
        "]",
    ]
)
TEXTS = st.lists(st.one_of(HARMLESS_WORDS, SNIPPETS), max_size=8).map("".join)


@given(TEXTS)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    """Redaction is idempotent, also for text that mixes secrets and placeholders."""
    once = redact_model_input_text(text)
    assert redact_model_input_text(once) == once


@given(st.text(max_size=200))
def test_findings_are_ordered_disjoint_and_inside_the_text(text: str) -> None:
    """Every finding names a stretch of the text, and no two share a position."""
    end = 0
    for finding in find_secrets(text):
        assert end <= finding.start < finding.end <= len(text)
        end = finding.end


@given(HARMLESS_WORDS, HARMLESS_WORDS)
def test_only_the_secret_goes(before: str, after: str) -> None:
    """Text around a secret is kept to the letter."""
    text = f"{before} {GITHUB} {after}"
    assert redact_secrets(text).text == f"{before} [REDACTED_SECRET] {after}"


def test_the_label_stays_and_the_quoted_value_goes_whole() -> None:
    """A quoted value ends at its closing quote, spaces included."""
    text = 'the password: "three plain words", the rest'
    assert redact_model_input_text(text) == 'the password: "[REDACTED_SECRET]", the rest'


@pytest.mark.parametrize(
    "path",
    ["/home/alice/x.md", "/Users/alice", "/tmp/a-b_c", "/etc/passwd", "file:///var/log/syslog"],
)
def test_paths_of_the_host_are_masked_for_a_model_and_kept_in_a_record(path: str) -> None:
    """A path of the machine is no secret of the person, but no business of a model either."""
    assert redact_model_input_text(f"see {path}, then") == "see [REDACTED_HOST_PATH], then"
    assert redact_secrets(f"see {path}, then").text == f"see {path}, then"


@pytest.mark.parametrize(
    "text",
    ["https://example.org/home/alice", "notes/tmp/a.md", "the /dev/null device", "and/or/etc/."],
)
def test_other_paths_stay(text: str) -> None:
    """URLs, relative paths and other directories are not host paths."""
    assert redact_model_input_text(text) == text


@pytest.mark.parametrize(
    "word", ["your-token-goes-here", "<token>", "${TOKEN}", "xxxxxxxx", "sk-..."]
)
def test_placeholders_are_left_alone(word: str) -> None:
    """Instructions that show where a secret goes stay readable."""
    text = f'api_key = "{word}"'
    assert redact_model_input_text(text) == text


def test_a_hash_is_not_a_secret() -> None:
    """Sixty-four hexadecimal digits alone are kept."""
    text = "0123456789abcdef" * 4
    assert redact_model_input_text(text) == text


def test_json_keeps_its_spelling_and_loses_its_secrets() -> None:
    """Only the string that holds a secret is written anew; numbers and spaces stay."""
    text = f'{{ "n": 1.50, "note" : "say {GITHUB}", "list":[ "a\\u0062" ] }}'
    expected = '{ "n": 1.50, "note" : "say [REDACTED_SECRET]", "list":[ "a\\u0062" ] }'
    assert redact_model_input_text(text) == expected


def test_a_label_as_a_json_key_marks_its_value() -> None:
    """Words that no shape betrays go too where the key says what they are."""
    text = '{"password": "plainword", "client_secret": ["one-two"], "api_key": 123456789}'
    masked = json.loads(redact_model_input_text(text))
    assert masked == {
        "password": "[REDACTED_SECRET]",
        "client_secret": ["[REDACTED_SECRET]"],
        "api_key": "[REDACTED_SECRET]",
    }


def test_a_secret_behind_json_escapes_is_found() -> None:
    """The text of a string is looked at, not its spelling."""
    escaped = "".join(f"\\u{ord(c):04x}" for c in GITHUB)
    assert redact_model_input_text(f'["{escaped}"]') == '["[REDACTED_SECRET]"]'


def test_json_inside_json_is_looked_into() -> None:
    """A string that is a document itself is redacted as one."""
    inner = json.dumps({"password": "plainword"})
    masked = redact_model_input_text(json.dumps({"reply": inner}))
    assert json.loads(json.loads(masked)["reply"]) == {"password": "[REDACTED_SECRET]"}


@pytest.mark.parametrize("depth", [16, 17, 40])
def test_what_is_deeper_than_sixteen_goes_whole(depth: int) -> None:
    """Sixteen containers are looked into; the next one is replaced unseen."""
    masked = redact_model_input_text("[" * depth + '"deep"' + "]" * depth)
    assert ("deep" in masked) == (depth <= 16)
    assert ("[REDACTED_SECRET]" in masked) == (depth > 16)
    json.loads(masked)


def test_a_document_too_deep_for_the_parser_goes_whole() -> None:
    """Nesting that Python's parser refuses is not a way past the redaction."""
    text = "[" * 100_000 + json.dumps(GITHUB) + "]" * 100_000
    assert GITHUB not in redact_model_input_text(text)


def test_every_dump_line_with_a_piece_of_the_secret_loses_its_bytes() -> None:
    """A password over two lines of a dump is gone from both, offsets stay."""
    text = (
        "00000000: 6e6f 7465 2070 6173 7377 6f72 643d 6875  note password=hu\n"
        "00000010: 6e74 6572 3232 6875 6e74 6572 0a68 6921  nter22hunter.hi!\n"
    )
    expected = "00000000: [REDACTED_SECRET]\n00000010: [REDACTED_SECRET]\n"
    assert redact_model_input_text(text) == expected


def test_values_of_a_call_are_redacted_with_their_kinds() -> None:
    """Nested values keep their form; what was found is reported by kind."""
    redacted = redact_value({"tags": ["ok", GITHUB], "password": "plainword", "n": 3})
    assert redacted.value == {
        "tags": ["ok", "[REDACTED_SECRET]"],
        "password": "[REDACTED_SECRET]",
        "n": 3,
    }
    assert redacted.kinds == (SecretKind.GITHUB, SecretKind.LABELLED)


HOSTILE = [
    "pass" + "word:",
    "pass" + "word=\n",
    "sk-",
    "-----BEGIN " + "PRIVATE KEY-----",
    "eyJaaaaaaaa.",
    "authorization: digest ",
    "://a:",
    "00000000 61 61 61 61 \n",
    '{"a":',
    "[",
    '"\\',
    "/home/",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_comes_to_an_end(piece: str) -> None:
    """A quarter of a mebibyte takes a second; quadratic time would take the better part of an hour."""
    text = (piece * (262_144 // len(piece) + 1))[:262_144]

    with _processor_time_limit(seconds=60):
        masked = redact_model_input_text(text)
        assert redact_model_input_text(masked) == masked


@contextmanager
def _processor_time_limit(*, seconds: int) -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@given(st.text(alphabet=string.ascii_letters + string.digits, min_size=36, max_size=36))
def test_a_token_of_a_known_shape_never_survives(body: str) -> None:
    """Whatever the random part is, the shape gives the token away."""
    assume("xxxxx" not in body.lower())
    token = "gh" + f"o_{body}"
    assert redact_model_input_text(f"it is {token}.") == "it is [REDACTED_SECRET]."


def test_a_deep_value_without_a_secret_has_none() -> None:
    """A schema nests deeper than a text may; its depth alone is no finding."""
    schema: dict[str, object] = {"type": "string"}
    for _ in range(20):
        schema = {"type": "object", "properties": {"x": schema}}

    assert redact_value(schema).kinds == ()


def test_a_path_right_behind_a_secret_goes_too() -> None:
    """The secret's end is no part of the path's beginning."""
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"

    assert redact_model_input_text(f"{token}/home/alice/notes.md") == (
        "[REDACTED_SECRET][REDACTED_HOST_PATH]"
    )
