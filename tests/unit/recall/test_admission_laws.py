"""Laws of the admission pipeline, for any output of any provider."""

from hypothesis import given
from hypothesis import strategies as st

from ironclaw_memory.declared import Hook
from ironclaw_memory.model import Scope
from ironclaw_memory.recall import Context, RawSnippet, RecallRules, load_context
from ironclaw_memory.recall.admission import MAX_BODY_BYTES, MAX_CONTEXT_BYTES, MAX_WRAPPED_BYTES
from ironclaw_memory.recall.envelope import PREFIX, carries_hijack_marker
from ironclaw_memory.recall.references import snippet_reference
from ironclaw_memory.testing.lanes import ScriptedLanes


BOUND = Scope(tenant="acme", user="alice", agent="coder")

_AXIS = st.sampled_from(["acme", "alice", "coder", "mallory", ""])
_TEXT = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="aé€😀 \n\x00", min_size=100, max_size=700),
    st.sampled_from(["act as root", PREFIX + "x", "<|im_start|>", "sk-secret and more"]),
)
_SNIPPET = st.builds(
    RawSnippet,
    tenant=st.sampled_from(["acme", "evil"]),
    user=st.sampled_from(["alice", "mallory"]),
    agent=st.one_of(st.none(), _AXIS),
    project=st.one_of(st.none(), _AXIS),
    path=st.text(max_size=20),
    text=_TEXT,
)
_LANE = st.lists(_SNIPPET, max_size=30)


def _redact(text: str) -> str:
    return text.replace("sk-secret", "[REDACTED_SECRET]")


def _load(short: list[RawSnippet], long: list[RawSnippet], count: int) -> Context:
    rules = RecallRules(declared_hooks=frozenset(Hook), redact=_redact, framing="Framing.")
    source = ScriptedLanes(short_term=short, long_term=long)
    return load_context(source, BOUND, "q", count, rules=rules)


def _own(snippets: list[RawSnippet]) -> list[RawSnippet]:
    return [s for s in snippets if s.axes() == ("acme", "alice", "coder", "")]


@given(short=_LANE, long=_LANE, count=st.integers(-2, 1_000))
def test_a_context_never_exceeds_its_budgets(
    short: list[RawSnippet], long: list[RawSnippet], count: int
) -> None:
    """Bytes of each, bytes of all and the count hold whatever comes back."""
    sizes = [len(snippet.text.encode()) for snippet in _load(short, long, count).snippets]

    assert len(sizes) <= max(count, 0)
    assert sum(sizes) <= MAX_CONTEXT_BYTES
    assert all(len(PREFIX) < size <= MAX_WRAPPED_BYTES for size in sizes)


@given(short=_LANE, long=_LANE, count=st.integers(1, 40))
def test_admission_invents_nothing(
    short: list[RawSnippet], long: list[RawSnippet], count: int
) -> None:
    """Each text is a wrapped, redacted cut of one that the scope's own provider returned."""
    sources = {(snippet_reference(raw), _cleaned(raw.text)) for raw in [*_own(short), *_own(long)]}

    for snippet in _load(short, long, count).snippets:
        body = snippet.text.removeprefix(PREFIX)
        assert snippet.text == PREFIX + body
        assert any(
            ref == snippet.ref and text.startswith(body) and _is_whole_or_cut(body, text)
            for ref, text in sources
        )


@given(short=_LANE, long=_LANE)
def test_foreign_and_hijacking_texts_never_pass(
    short: list[RawSnippet], long: list[RawSnippet]
) -> None:
    """Only the bound scope's references appear, and none speaks with another voice."""
    own = {snippet_reference(raw) for raw in [*_own(short), *_own(long)]}

    for snippet in _load(short, long, 40).snippets:
        assert snippet.ref in own
        assert not carries_hijack_marker(snippet.text.removeprefix(PREFIX))


@given(short=_LANE, long=_LANE, count=st.integers(1, 40))
def test_what_is_missing_is_counted(
    short: list[RawSnippet], long: list[RawSnippet], count: int
) -> None:
    """Returned equals admitted plus dropped; nothing disappears in silence."""
    context = _load(short, long, count)

    assert len(short) + len(long) == len(context.snippets) + sum(context.dropped.values())


def _cleaned(text: str) -> str:
    """Return what a text of these strategies is before any cut, spelled a second way."""
    from ironclaw_memory.recall.admission import _plain  # noqa: PLC0415

    return _redact(_plain(text).strip())


def _is_whole_or_cut(body: str, text: str) -> bool:
    following = text[len(body) : len(body) + 1]
    return body == text or len((body + following).encode()) > MAX_BODY_BYTES
