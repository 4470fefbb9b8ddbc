"""Checksums of the files of a run: written into its record, and compared when the files are read.

The record, ``run.json``, has an entry `ENTRY`: the SHA-256 of each file beside it, and of the record itself. The
checksum of the record is of its bytes with zeros in the place of that checksum. Records of earlier code have no such
entry; their files are read as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import InputError

ENTRY = "checksums"
RECORD = "run.json"
_ZEROS = "0" * 64
_ALLOWED = "the file as it was written; `mesonet experiment run` makes a damaged run of its campaign again"


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    64 hexadecimal digits.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_record(record: str, folder: Path) -> None:
    """Write the record of a run with the checksums of all files in its folder.

    Parameters
    ----------
    record
        JSON of the record, an object without checksums.
    folder
        Folder of the run, in which all other files are complete.
    """
    files = {path.name: sha256(path) for path in sorted(folder.iterdir()) if path.name != RECORD}
    about = {**json.loads(record), ENTRY: {**files, RECORD: _ZEROS}}
    text = json.dumps(about, indent=1, sort_keys=True) + "\n"
    digest = hashlib.sha256(text.encode()).hexdigest()
    (folder / RECORD).write_bytes(text.replace(_ZEROS, digest).encode())


def of_record(content: Any) -> Mapping[str, str]:
    """Return the checksums in a record.

    Parameters
    ----------
    content
        Content of a record.

    Returns
    -------
    SHA-256 by name of the file; empty for a record of earlier code.
    """
    return content.get(ENTRY) or {}


def refuse_changed_record(text: bytes, content: Any, file: Path) -> None:
    """Raise an `InputError` for a record that differs from the record that was written.

    Parameters
    ----------
    text, content
        Bytes of the record, and its content.
    file
        The file, for the message.

    Raises
    ------
    InputError
        If the checksum of the record is wrong or missing. Records of earlier code pass.
    """
    checksums = of_record(content)
    if not checksums:
        return
    digest = checksums.get(RECORD, "")
    if len(digest) != 64 or hashlib.sha256(text.replace(digest.encode(), _ZEROS.encode())).hexdigest() != digest:
        raise InputError("damaged: its checksum is wrong", file=str(file), allowed=_ALLOWED)


def refuse_changed(file: Path, checksums: Mapping[str, str]) -> None:
    """Raise an `InputError` for a file of a run that differs from the file that was written.

    Parameters
    ----------
    file
        The file, beside the record.
    checksums
        Checksums in the record, as `of_record` returns them; empty: any file passes.

    Raises
    ------
    InputError
        If the file is missing, cannot be read, has no checksum or has another one.
    """
    if not checksums:
        return
    try:
        digest = sha256(file)
    except OSError as error:
        problem = f"damaged: cannot be read ({(error.strerror or str(error)).lower()})"
        raise InputError(problem, file=str(file), allowed=_ALLOWED) from None
    if digest != checksums.get(file.name):
        raise InputError("damaged: its checksum is wrong", file=str(file), allowed=_ALLOWED)
