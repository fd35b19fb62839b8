"""What the operating system takes away from a worker."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from ironclaw_memory.errors import HostFault
from ironclaw_memory.sandbox.confine import _program


pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux's")

CONFINED = """
import os, sys
from ironclaw_memory.sandbox.confine import confine
from ironclaw_memory.sandbox.limits import Limits
confine(int(sys.argv[1]), Limits(file_bytes=1000, worker_files=20))
"""


def _confined(attempt: str, parent: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run *attempt* in a process that has confined itself."""
    return subprocess.run(
        [sys.executable, "-c", CONFINED + attempt, str(parent or os.getpid())],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "attempt",
    [
        "os.fork()",
        "os.execv('/bin/sh', ['sh', '-c', 'echo out'])",
        "os.posix_spawn('/bin/sh', ['sh', '-c', 'echo out'], {})",
        "import subprocess; subprocess.run(['/bin/echo', 'out'], check=True)",
        "import socket; socket.socket()",
        "os.unshare(os.CLONE_NEWUSER)" if hasattr(os, "unshare") else "os.fork()",
    ],
)
def test_no_process_no_program_no_socket(attempt: str) -> None:
    """The system refuses, whoever asks."""
    ended = _confined(attempt)

    assert ended.stdout == ""
    assert "PermissionError" in ended.stderr


def test_threads_still_start() -> None:
    """The engine needs threads."""
    ended = _confined(
        "import threading; t = threading.Thread(target=print, args=('ran',)); t.start(); t.join()"
    )

    assert ended.stdout == "ran\n"


def test_files_have_a_largest_size() -> None:
    """Writing past it fails instead of filling the disk."""
    ended = _confined(
        "import tempfile; f = tempfile.TemporaryFile(buffering=0); print(f.write(b'x' * 2000));"
        "f.write(b'x')"
    )

    assert ended.stdout == "1000\n"
    assert "File too large" in ended.stderr


def test_descriptors_run_out_early() -> None:
    """The twentieth file is the last."""
    ended = _confined("files = [os.open('/dev/null', os.O_RDONLY) for _ in range(30)]")

    assert "Too many open files" in ended.stderr


def test_files_are_the_owners_alone(tmp_path: Path) -> None:
    """Also where whoever makes them names no mode, as a guest cannot."""
    ended = _confined(
        f"os.chdir({str(tmp_path)!r}); open('file', 'w').close(); os.mkdir('folder', 0o777);"
        "print(*(oct(os.stat(name).st_mode & 0o777) for name in ('file', 'folder')))"
    )

    assert ended.stdout == "0o600 0o700\n"


def test_a_worker_whose_parent_is_gone_ends() -> None:
    """A parent that died before the worker was confined is noticed."""
    ended = _confined("print('served')", parent=1)

    assert ended.stdout == ""
    assert ended.returncode == 1


def test_an_unknown_machine_is_refused() -> None:
    """Where the filter's numbers are not known, nothing runs unconfined."""
    with pytest.raises(HostFault):
        _program("sparc64")
    assert _program(platform.machine())
