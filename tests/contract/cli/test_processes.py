"""The command as a process: its streams, its signals, its encodings."""

import os
import signal
import subprocess
import sys
import time

import pytest
from tests.contract.cli.conftest import MAIN, CommandLine


pytestmark = pytest.mark.sandbox


def _unread(*words: str) -> tuple[int, bytes]:
    """Run a command whose standard output nobody reads; return its exit code and its errors."""
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, error = process.communicate(timeout=120)
    return process.returncode, error


@pytest.mark.parametrize("words", [("read", "a.md"), ("--help",)])
def test_a_closed_pipe_ends_quietly(run: CommandLine, words: tuple[str, ...]) -> None:
    """`| head -0` leaves no traceback, and no code that the table lacks."""
    run("write", "--target", "a.md", "--replace", "x" * 900_000)
    assert _unread(*words) == (0, b"")


def test_an_archive_that_nobody_read_to_its_end_is_no_success(run: CommandLine) -> None:
    """It is a backup; half of one is none."""
    run("write", "--target", "a.md", "--replace", "x" * 900_000)
    code, error = _unread("export", "-")
    assert (code, error[:32]) == (130, b"error: The archive is not whole:")


def test_ctrl_c_ends_a_waiting_command_with_130(run: CommandLine) -> None:
    """Following the log ends the way shells expect; a job in the background ignores the key."""
    run("write", "--target", "a.md", "x")
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    with subprocess.Popen(
        [sys.executable, "-c", listening + MAIN, "audit", "--follow"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()  # it follows already
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=120)
    assert (process.returncode, error.strip()) == (130, b"error: Interrupted.")


def test_standard_input_that_is_no_text_stores_nothing(run: CommandLine) -> None:
    """Bytes of another encoding are bad input, as a process too."""
    done = run.process("write", "--target", "a.md", "-", input=b"caf\xe9")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: the text on standard input is not UTF-8.")
    assert not run.root.exists()


def test_output_is_utf8_whatever_the_locale(run: CommandLine) -> None:
    """A document comes out as it is on disk."""
    run("write", "--target", "a.md", "--replace", "茶\n")
    done = run.process("read", "a.md", env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"})
    assert done.stdout == "茶\n".encode()
