"""A model's write is looked through before a provider sees it."""

import pytest

from ironclaw_memory.calls import SecretPolicy
from ironclaw_memory.calls.screen import screened
from ironclaw_memory.errors import InvalidArguments


# Assembled, so that no scanner takes this file for a leak.
SECRET = "gl" + "pat-" + "a1B2c3D4e5F6g7H8i9J0"
ESCAPED = "".join(f"\\u{ord(c):04x}" for c in SECRET)


def _found_by(policy: SecretPolicy, **request: object) -> tuple[dict[str, object], list[str]]:
    found: list[str] = []
    return screened("write", request, policy, found=found.append), found


@pytest.mark.parametrize(
    "request_of",
    [
        {"content": f"deploy with {SECRET}"},
        {"content": f'{{"note": "{ESCAPED}"}}'},
        {"new_string": SECRET},
        {"target": f"notes/{SECRET}.md"},
        {"metadata": {"tags": ["x", SECRET]}},
        {"metadata": {"deep": [{"api_key": "plain-words"}]}},
    ],
)
def test_a_secret_is_refused_wherever_it_stands(request_of: dict[str, object]) -> None:
    """Escapes, nesting and file names are no hiding places; the error repeats nothing."""
    with pytest.raises(InvalidArguments) as caught:
        _found_by(SecretPolicy.REJECT, **request_of)
    assert caught.value.field == next(iter(request_of))
    assert SECRET not in caught.value.message + caught.value.hint


def test_redacting_keeps_the_rest_of_the_call() -> None:
    """The text goes on with a placeholder, and the kind is told for the audit log."""
    clean, found = _found_by(SecretPolicy.REDACT, content=f"with {SECRET}", append=True)
    assert clean == {"content": "with [REDACTED_SECRET]", "append": True}
    assert found == ["gitlab-token"]


def test_a_patch_may_name_the_secret_that_it_removes() -> None:
    """What is looked for is not stored."""
    request = {"old_string": SECRET, "new_string": "see the vault"}
    assert _found_by(SecretPolicy.REJECT, **request) == (request, [])


def test_allowing_looks_at_nothing() -> None:
    """The operator's choice keeps the text."""
    request = {"content": SECRET}
    assert _found_by(SecretPolicy.ALLOW, **request) == (request, [])
