"""Locks of files that one process at a time uses; a lock ends with its process in every case."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from mesonet.files.places import ASIDE


def lock_file(path: Path) -> Path:
    """Return the path of the lock of a file, which stands beside it.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    The lock. It exists while the file is in use, and after a process that used it was killed.
    """
    return path.with_name(f"{ASIDE}{path.name}.lock")


class FileLock:
    """Lock of a file; a file system without locks gives no protection."""

    def __init__(self, path: Path) -> None:
        self._place = lock_file(path)
        self._file: int | None = None

    def take(self) -> bool:
        """Lock the file, if nobody else has.

        Returns
        -------
        True if this object holds the lock now; False, at once, if another one holds it, even in this process.

        Raises
        ------
        OSError
            If no file can be made there.
        """
        while self._file is None:
            file = os.open(self._place, os.O_CREAT | os.O_RDWR, 0o644)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
                return False
            except OSError:
                pass  # no locks there
            if self._is_there(file):
                self._file = file
            else:  # another process had the lock and removed the file meanwhile
                os.close(file)
        return True

    def release(self) -> None:
        """End the lock, if it was taken."""
        if self._file is not None:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)  # before the lock ends: after it the file may be another's
            os.close(self._file)
            self._file = None

    def _is_there(self, file: int) -> bool:
        with suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(file), Path(self._place).stat())
        return False
