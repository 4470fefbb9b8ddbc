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

from mesonet.files import reading
from mesonet.scoring import elf

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2
_X86_64 = 0xC000003E
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _EQUAL, _SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16
"""Places in the record of a system call that a filter reads."""
_CLONE, _CLONE3, _CLONE_THREAD = 56, 435, 0x00010000
_OPEN, _OPENAT, _MMAP, _MPROTECT, _MREMAP, _TGKILL = 2, 257, 9, 10, 25, 234
_TO_WRITE = 0x3 | 0x40 | 0x200 | 0x400000
"""Flags of open: access to write, O_CREAT, O_TRUNC, O_TMPFILE."""
_EXECUTE, _FIXED = 4, 2
_RUNNING = {
    "read": 0, "write": 1, "close": 3, "fstat": 5, "lseek": 8, "munmap": 11, "brk": 12, "rt_sigaction": 13,
    "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "madvise": 28, "getpid": 39, "exit": 60,
    "sigaltstack": 131, "gettid": 186, "futex": 202, "sched_getaffinity": 204, "exit_group": 231,
    "set_robust_list": 273, "rseq": 334,
}  # fmt: skip
"""System calls that Python and the simulator need while runs are made."""
_LOADING = {
    "stat": 4, "lstat": 6, "ioctl": 16, "pread64": 17, "access": 21, "mremap": 25, "uname": 63, "fcntl": 72,
    "getcwd": 79, "readlink": 89, "getrusage": 98, "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104,
    "geteuid": 107, "getegid": 108, "prctl": 157, "arch_prctl": 158, "getdents64": 217, "set_tid_address": 218,
    "newfstatat": 262, "readlinkat": 267, "faccessat": 269, "prlimit64": 302, "getrandom": 318, "membarrier": 324,
    "statx": 332, "faccessat2": 439, "clock_gettime": 228, "nanosleep": 35, "clock_nanosleep": 230, "poll": 7,
}  # fmt: skip
"""System calls that loading needs beside, where files can be read."""
_Instruction = tuple[int, int, int, int]


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


def close_to_load() -> None:
    """Let this process read files and write none; end it at calls for networks, programs and other processes.

    Does nothing where that is not implemented.
    """
    _install([
        *_simple([*_RUNNING.values(), *_LOADING.values(), _MMAP, _MPROTECT]),
        *_unless(_OPEN, 1, _TO_WRITE, errno.EROFS),
        *_unless(_OPENAT, 2, _TO_WRITE, errno.EROFS),
        *_threads(),
        *_own_signal(),
    ])  # fmt: skip


def close_to_run(*, has_threads: bool) -> None:
    """End this process at any system call that runs do not need; nothing where that is not implemented.

    `has_threads`: True if the process may start threads.
    """
    _install([
        *_simple([*_RUNNING.values()]),
        *_anywhere(),
        *_unless(_MPROTECT, 2, _EXECUTE, errno.EPERM),
        *_unless(_MREMAP, 3, _FIXED, errno.EPERM),
        *(_threads() if has_threads else ()),
        *_own_signal(),
    ])  # fmt: skip


def _install(rules: Sequence[_Instruction]) -> None:
    """Install a filter of system calls. What no rule allows ends the process."""
    if not closes_system():
        return
    program = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    program += [*rules, (_RETURN, 0, 0, _KILL)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(_PR_SET_SECCOMP, _FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls")


def _simple(calls: Sequence[int]) -> list[_Instruction]:
    """Return rules that allow system calls with any arguments."""
    return [each for call in calls for each in ((_EQUAL, 0, 1, call), (_RETURN, 0, 0, _ALLOW))]


def _argument(number: int) -> _Instruction:
    """Return the instruction that reads the lower half of an argument, from 0."""
    return _LOAD, 0, 0, _ARGUMENTS + 8 * number


def _unless(call: int, argument: int, bits: int, error: int) -> list[_Instruction]:
    """Return rules that allow a system call, but with some bits in an argument let it fail with an error."""
    inside = [_argument(argument), (_SET, 1, 0, bits), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | error)]
    return [(_EQUAL, 0, len(inside), call), *inside]


def _anywhere() -> list[_Instruction]:
    """Return rules that allow new memory at an address that the system chooses, for no code."""
    _, _, _, low = _argument(0)
    inside = [
        (_LOAD, 0, 0, low), (_EQUAL, 0, 5, 0), (_LOAD, 0, 0, low + 4), (_EQUAL, 0, 3, 0),
        _argument(2), (_SET, 1, 0, _EXECUTE), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ERRNO | errno.EPERM),
    ]  # fmt: skip
    return [(_EQUAL, 0, len(inside), _MMAP), *inside]


def _threads() -> list[_Instruction]:
    """Return rules that allow threads and no processes; the C library tries `clone` if `clone3` is missing."""
    inside = [_argument(0), (_SET, 0, 1, _CLONE_THREAD), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _KILL)]
    absent = [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    return [*absent, (_EQUAL, 0, len(inside), _CLONE), *inside]


def _own_signal() -> list[_Instruction]:
    """Return rules that allow signals to this process alone."""
    inside = [_argument(0), (_EQUAL, 0, 1, os.getpid()), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _KILL)]
    return [(_EQUAL, 0, len(inside), _TGKILL), *inside]


def closes_system() -> bool:
    """Return True if system calls can be closed here."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def open_ways() -> tuple[str, ...]:
    """Return sentences on the ways that stay open to a candidate here."""
    found = [
        "Compiled libraries, and libraries from Zig, are not searched for functions that no control needs.",
        "While a library is loaded, it can read files, including clocks. It cannot send their content.",
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
    maps = (line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text().splitlines())
    base = next((int(span.partition("-")[0], 16) for span, _, _, _, _, *name in maps if name == [library]), None)
    if base is None:
        return []
    content = reading.read_bytes(Path(library))
    return [(base + each.address, each.size) for each in elf.segments(content) if each.is_loaded and each.is_written]


def contents(parts: Sequence[tuple[int, int]]) -> list[bytes]:
    """Return the contents of parts of memory, each an address and a size."""
    return [ctypes.string_at(*each) for each in parts]


def _without_network() -> None:
    """Leave the network, where the system lets this user do so."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_user, new_network = 0x10000000, 0x40000000
    libc.unshare((new_network | new_user) if os.getuid() else new_network)
