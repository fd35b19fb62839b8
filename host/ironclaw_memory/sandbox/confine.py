"""What the operating system takes away from a worker before any guest code runs.

Limits of the process for files and descriptors; no core dump; files that nobody else may
open, since a guest cannot say so; death with the parent; and
a system call filter (seccomp) that refuses new processes, new programs, sockets and
looking into other processes. The guest has none of these to begin with; this is for
the day on which the engine has a hole. Elsewhere than on Linux only the limits hold.
"""

import ctypes
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Mapping
from typing import Final

from ironclaw_memory.errors import HostFault
from ironclaw_memory.sandbox.limits import Limits


_MASK: Final = 0o077  # WASI has no modes: what a guest makes has those that the mask leaves
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_SECCOMP: Final = 22
_PR_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_MODE_FILTER: Final = 2

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUALS: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_HAS_BIT: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000 | 1  # SECCOMP_RET_ERRNO, EPERM
_PRETEND_ABSENT: Final = 0x00050000 | 38  # ENOSYS: the C library falls back to clone
_NUMBER_AT: Final = 0  # offsets in struct seccomp_data
_ARCH_AT: Final = 4
_FIRST_ARGUMENT_AT: Final = 16
_CLONE_THREAD: Final = 0x10000
_X32: Final = 0x40000000  # the other numbering of x86-64

_CLONE3: Final = 435
_FORBIDDEN: Final[Mapping[str, tuple[int, int, tuple[int, ...]]]] = {
    # machine: (AUDIT_ARCH, clone, (execve, execveat, socket, ptrace, process_vm_readv,
    # process_vm_writev, io_uring_setup, unshare, setns, mount[, fork, vfork]))
    "x86_64": (0xC000003E, 56, (59, 322, 41, 101, 310, 311, 425, 272, 308, 165, 57, 58)),
    "aarch64": (0xC00000B7, 220, (221, 281, 198, 117, 270, 271, 425, 97, 268, 40)),
}


def confine(parent: int, limits: Limits) -> None:
    """Take away what a worker does not need; *parent* is the process it must not outlive.

    Raises `HostFault` if that cannot be done; a worker then serves nothing.
    """
    os.umask(_MASK)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the host decides when a worker ends
    for what, most in (
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.worker_files),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (allowed, allowed))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        _must(libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
        if os.getppid() != parent:
            os._exit(1)  # it died before the line above
        _filter_calls(libc)


def _filter_calls(libc: ctypes.CDLL) -> None:
    program = _program(platform.machine())
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    _must(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _must(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.c_char_p(head), 0, 0))


def _program(machine: str) -> bytes:
    """Return the filter in the kernel's packet filter code: code, jump true, jump false, value."""
    if machine not in _FORBIDDEN:
        raise _not_confined()
    arch, clone, numbers = _FORBIDDEN[machine]
    steps = [
        (_LOAD, 0, 0, _ARCH_AT),
        (_EQUALS, 1, 0, arch),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
        (_EQUALS, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _PRETEND_ABSENT),
    ]
    for number in numbers:
        steps += [(_EQUALS, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    steps += [
        (_EQUALS, 0, 3, clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (_HAS_BIT, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _must(status: int) -> None:
    if status != 0:
        raise _not_confined()


def _not_confined() -> HostFault:
    return HostFault(
        "The operating system does not let a worker process be confined.",
        code="not-confined",
        hint="Workers need Linux 3.17 or newer on x86-64 or AArch64 with seccomp.",
    )
