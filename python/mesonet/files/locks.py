"""Locks of files that one process at a time uses; a lock ends with its process in every case."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mesonet.files.places import ASIDE

if TYPE_CHECKING:
    import filelock

_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)
"""Errors of flock(2) on file systems without locks."""
_WAIT_S = 0.01


def lock_file(path: Path) -> Path:
    """Return the lock file beside a file.

    A file that exists while `path` is in use, and after a process that used `path` was killed.
    """
    return path.with_name(f"{ASIDE}{path.name}.lock")


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Wait for the exclusive use of a file, for a block that takes no time."""
    lock = FileLock(path)
    while not lock.take():
        time.sleep(_WAIT_S)
    try:
        yield
    finally:
        lock.release()


class FileLock:
    """Exclusive use of a file, by one object in one process at a time.

    This is `filelock.FileLock`, with two differences: the lock file is removed when the lock is released, and a file
    system without locks gives no protection instead of an error or of a lock that outlives its process.
    """

    def __init__(self, path: Path) -> None:
        self._place = lock_file(path)
        self._lock: filelock.BaseFileLock | None = None

    def take(self) -> bool:
        """Take the lock if it is free, without waiting.

        True if this object has the lock; False if another object has it, in this process or another.
        """
        import filelock  # only for runs with a checkpoint

        if self._lock is not None:
            return True
        # filelock would make the folder, too, where it is gone.
        flags = os.O_CREAT | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        os.close(os.open(self._place, flags, 0o666))
        # Any thread may release the lock. Soft locks stay behind when a process is killed.
        lock = filelock.FileLock(self._place, thread_local=False, fallback_to_soft=False)
        try:
            lock.acquire(blocking=False)
        except filelock.Timeout:
            return False
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        self._lock = lock
        return True

    def release(self) -> None:
        """Release the lock, if this object has it."""
        if self._lock is not None:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)  # before the release: after it, the file may be another's
            self._lock.release()
            self._lock = None
