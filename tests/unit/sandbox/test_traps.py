"""From the engine's words to ours."""

import pytest
import wasmtime

from ironclaw_memory.errors import LimitExceeded, ProviderTrapped
from ironclaw_memory.sandbox.traps import classify


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("error while executing\n\nCaused by:\n    wasm trap: interrupt", "deadline_ms"),
        ("wasm trap: call stack exhausted", "stack_bytes"),
        ("fuel allocated for hostcalls has been exhausted", "reply_bytes"),
        ("memory minimum size of 65536 pages exceeds memory limits", "memory_bytes"),
    ],
)
def test_limits_are_named(words: str, limit: str) -> None:
    """The error says which limit, never in the engine's words."""
    error = classify(wasmtime.WasmtimeError(words), slept=False, log=b"")

    assert isinstance(error, LimitExceeded)
    assert error.limit == limit
    assert "wasm" not in error.message


@pytest.mark.parametrize(
    "log", [b"Traceback ...\nMemoryError\n", b"memory allocation of 99 bytes failed"]
)
def test_running_out_of_memory_shows_in_the_last_words(log: bytes) -> None:
    """There is no trap for it: the guest's runtime gives up and says so in its log."""
    error = classify(wasmtime.WasmtimeError("wasm trap: unreachable"), slept=False, log=log)

    assert isinstance(error, LimitExceeded)
    assert error.limit == "memory_bytes"


def test_other_traps_are_the_providers_own() -> None:
    """Nothing of the guest's log or the engine's text is in the error."""
    error = classify(
        wasmtime.WasmtimeError("wasm trap: secret"), slept=False, log=b"the user's secret"
    )

    assert type(error) is ProviderTrapped
    assert "secret" not in f"{error.message}{error.hint}"


def test_sleeping_has_a_code_of_its_own() -> None:
    """An author who sleeps learns that it is not offered."""
    assert classify(wasmtime.WasmtimeError("x"), slept=True, log=b"").code == "sleep-refused"
