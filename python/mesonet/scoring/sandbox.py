"""Confinement of a process: processor time, memory, network, and system calls of Linux on x86-64."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2
_X86_64 = 0xC000003E
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _EQUAL, _SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_CLONE, _CLONE3, _CLONE_THREAD = 56, 435, 0x00010000
_CALLS = {
    "read": 0, "write": 1, "close": 3, "fstat": 5, "poll": 7, "lseek": 8, "mmap": 9, "mprotect": 10, "munmap": 11,
    "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "mremap": 25,
    "madvise": 28, "nanosleep": 35, "getpid": 39, "exit": 60, "getrusage": 98, "sigaltstack": 131, "gettid": 186,
    "futex": 202, "sched_getaffinity": 204, "clock_gettime": 228, "clock_nanosleep": 230, "exit_group": 231,
    "tgkill": 234, "set_robust_list": 273, "getrandom": 318, "rseq": 334,
}  # fmt: skip
"""System calls that Python and the simulator need while runs are made."""


def limit(cpu_s: float, memory: int) -> None:
    """Set limits of processor time and of further memory of this process; take its network away where that works."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime + cpu_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        _without_network()


def close_system() -> None:
    """End this process at any system call that runs do not need; nothing where that is not implemented."""
    if not closes_system():
        return
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    program += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]  # the C library tries clone next
    for number in _CALLS.values():
        program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    program += [(_EQUAL, 0, 3, _CLONE), (_LOAD, 0, 0, 16), (_SET, 0, 1, _CLONE_THREAD), (_RETURN, 0, 0, _ALLOW)]
    program += [(_RETURN, 0, 0, _KILL)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(_PR_SET_SECCOMP, _FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls")


def closes_system() -> bool:
    """Return True if system calls can be closed here."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def open_ways() -> tuple[str, ...]:
    """Return sentences on the ways that stay open to a candidate here."""
    found = [
        "In the stage contract code can read, create and delete files, because its checks read files.",
        "In the stage contract code has the network if the system refuses to take it away.",
        "A library runs its constructors before system calls are closed.",
        "A library shares its process with the simulator, and can forge numbers there.",
    ]
    if not closes_system():
        found += ["System calls stay open: closing them needs Linux on x86-64. Run it in a container without network."]
    return tuple(found)


def variables(library: str) -> list[tuple[int, int]]:
    """Return address and size of each part of memory with static variables of a library; none if not on Linux.

    `library`: path of the loaded file.
    """
    if sys.platform != "linux":
        return []
    found, before = [], ""
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, _, *name = line.split(maxsplit=5)
        start, _, end = span.partition("-")
        follows = not name and start == before  # variables that begin as zero
        if rights.startswith("rw") and (name == [library] or follows):
            found.append((int(start, 16), int(end, 16) - int(start, 16)))
        before = end if name == [library] else ""
    return found


def contents(parts: Sequence[tuple[int, int]]) -> list[bytes]:
    """Return the contents of parts of memory, each an address and a size."""
    return [ctypes.string_at(*each) for each in parts]


def _without_network() -> None:
    """Leave the network, where the system lets this user do so."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_user, new_network = 0x10000000, 0x40000000
    libc.unshare((new_network | new_user) if os.getuid() else new_network)
