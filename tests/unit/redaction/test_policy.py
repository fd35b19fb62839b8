"""What a write with a secret in it comes to, by policy."""

import pytest

from ironclaw_memory.redaction.policy import SecretPolicy, refusal, screen


SECRET = "gl" + "pat-" + "a1B2c3D4e5F6g7H8i9J0"
WRITE = {"target": "memory", "content": f"deploy with {SECRET}", "append": True}


def test_reject_refuses_and_names_field_and_kind_only() -> None:
    """The error helps to correct the call and repeats nothing of the secret."""
    screened = screen(WRITE, SecretPolicy.REJECT)
    error = refusal(screened)

    assert screened.refused
    assert (error.field, error.code) == ("content", "secret-found")
    assert "gitlab-token" in error.message
    assert SECRET not in error.message + error.hint + repr(screened.found)


def test_redact_changes_that_argument_alone() -> None:
    """The call goes on with a placeholder; what was found is still known."""
    screened = screen(WRITE, SecretPolicy.REDACT)

    assert not screened.refused
    assert screened.arguments == {**WRITE, "content": "deploy with [REDACTED_SECRET]"}
    assert [found.field for found in screened.found] == ["content"]


def test_allow_looks_at_nothing() -> None:
    """The operator's choice costs no scan and keeps the text."""
    screened = screen(WRITE, SecretPolicy.ALLOW)
    assert (screened.arguments, screened.found, screened.refused) == (WRITE, (), False)


@pytest.mark.parametrize("policy", list(SecretPolicy))
def test_a_call_without_secrets_passes_unchanged(policy: SecretPolicy) -> None:
    """Nothing is copied, reordered or refused without a finding."""
    arguments = {"content": "tea, no sugar", "metadata": {"tags": ["a", 1, None]}}
    screened = screen(arguments, policy)
    assert screened.arguments is arguments
    assert not screened.refused


def test_a_secret_in_nested_metadata_is_found() -> None:
    """A JSON object in an argument is no hiding place."""
    arguments = {"content": "x", "metadata": {"deep": [{"api_key": "plain-words"}]}}
    assert screen(arguments, SecretPolicy.REJECT).refused


def test_an_exempt_argument_may_name_the_secret_to_be_removed() -> None:
    """A patch can take a secret out of a document although its needle is that secret."""
    arguments = {"old_string": SECRET, "new_string": "see the vault"}
    screened = screen(arguments, SecretPolicy.REJECT, exempt=frozenset({"old_string"}))
    assert not screened.refused
