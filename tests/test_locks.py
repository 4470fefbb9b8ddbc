"""Locks of files: exclusive, without waiting, ended with the process, and harmless where there are none."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mesonet.files.locks import FileLock, lock_file

HOLD = """
import sys
from pathlib import Path
from mesonet.files.locks import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.take(), flush=True)
sys.stdin.read()
"""


def test_one_object_at_a_time_has_the_lock(tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    first, second = FileLock(file), FileLock(file)
    assert first.take()
    assert first.take(), "it has it already"
    assert not second.take()
    second.release()
    assert lock_file(file).exists(), "only the holder releases"
    first.release()
    assert not list(tmp_path.iterdir())
    assert second.take()
    second.release()


def test_any_thread_may_release(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "snapshot"), FileLock(tmp_path / "snapshot")
    assert first.take()
    releases = threading.Thread(target=first.release)
    releases.start()
    releases.join()
    assert second.take()
    second.release()


@pytest.mark.process
def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    file = tmp_path / "snapshot"
    lock = FileLock(file)
    command = [sys.executable, "-c", HOLD, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert not lock.take()
        holder.kill()
    assert lock_file(file).exists()
    assert lock.take()
    lock.release()
    assert not list(tmp_path.iterdir())


def test_a_lock_file_that_its_holder_removes_guards_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = (FileLock(tmp_path / "snapshot") for _ in range(3))
    assert first.take()
    flock = fcntl.flock

    def released_meanwhile(file: int, operation: int) -> None:
        """Let the holder release between the moments at which another opens the file and locks it."""
        monkeypatch.setattr(fcntl, "flock", flock)
        first.release()
        flock(file, operation)

    monkeypatch.setattr(fcntl, "flock", released_meanwhile)
    has_it = second.take()
    assert [has_it, third.take()].count(True) == 1
    second.release()
    third.release()


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_without_locks_there_is_no_protection(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(file: int, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    first, second = FileLock(tmp_path / "snapshot"), FileLock(tmp_path / "snapshot")
    assert first.take()
    assert second.take()
    assert lock_file(tmp_path / "snapshot").exists()
    first.release()
    second.release()
    assert not list(tmp_path.iterdir())


def test_a_lock_file_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileLock(tmp_path / "gone" / "snapshot").take()
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        FileLock(tmp_path / "file" / "snapshot").take()
