"""Places for results: found unfit before the work, and left as they were if it fails.

Both context managers make missing folders and write at once; if this fails they raise an `InputError` about an option.
When the block fails they remove the folders that they made, unless something was put there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from mesonet.errors import InputError
from mesonet.files.reading import refuse_unprintable

ASIDE = ".mesonet-"
"""Beginning of the names of temporary folders; a process that is killed leaves them behind."""


@contextmanager
def folder(path: str | Path, shown: str | Path | None = None, option: str = "--out") -> Iterator[Path]:
    """Hold a folder, new or not, that can be written to.

    `path`: the folder; it is made if it does not exist, and removed again if the block fails and it is empty.
    """
    refuse_unprintable(path, option)
    place = Path(path)
    made = [each for each in (place, *place.parents) if not os.path.exists(each)]
    try:
        try:
            place.mkdir(parents=True, exist_ok=True)
            with aside(place):
                pass
        except OSError as error:
            raise _unfit(error, shown or path, option) from None
        yield place
    except BaseException:
        with suppress(OSError):  # one that is not empty stays, and with it those above
            for each in made:
                each.rmdir()
        raise


@contextmanager
def file(path: str | Path, option: str = "--out") -> Iterator[Path]:
    """Yield a new file elsewhere; at the end of the block it replaces a file in one step. The new file, empty."""
    refuse_unprintable(path, option)
    place = Path(path).resolve()  # a symbolic link stays; the file that it leads to is replaced
    if os.path.exists(place) and not os.path.isfile(place):
        raise InputError("not a file", path=option, value=str(path), allowed="a new file, or one to replace")
    with folder(place.parent, path, option), aside(place.parent) as beside:
        new = beside / place.name
        try:
            new.touch()
        except OSError as error:
            raise _unfit(error, path, option) from None
        yield new
        new.replace(place)


def inside(folder: str | Path, *parts: str) -> Path:
    """Return a place to write to in a folder that somebody else may have made; refuse links below the folder.

    The folder itself, which the user names, may be a link.
    """
    place = Path(folder)
    for part in Path(*parts).parts:
        place /= part
        if os.path.islink(place):  # False for a name that is too long, which is refused later
            problem = "a link, which may lead out of the folder: nothing is written through it"
            raise InputError(problem, file=str(place), allowed="a file or folder in its place, or another --out")
    return place


def checked(path: str | Path, option: str = "--out") -> None:
    """Raise the error that `file` would raise at once, for work that comes before the file is opened."""
    with suppress(_Enough), file(path, option):
        raise _Enough


class _Enough(Exception):
    """Nothing is to be written."""


@contextmanager
def aside(place: Path) -> Iterator[Path]:
    """Yield a temporary folder in a folder, from where files can be renamed into it."""
    with TemporaryDirectory(prefix=ASIDE, dir=place) as beside:
        yield Path(beside)


def _unfit(error: OSError, path: str | Path, option: str) -> InputError:
    reason = (error.strerror or str(error)).lower()
    problem = "not a folder" if isinstance(error, FileExistsError) else f"cannot be written to ({reason})"
    return InputError(problem, path=option, value=str(path), allowed="a place to write to")
