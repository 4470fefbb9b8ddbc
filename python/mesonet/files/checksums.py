"""Checksums of the files of a campaign: written into its JSON documents, and compared when the files are read.

A document has an entry `ENTRY` with its own SHA-256, which is of its bytes with zeros in the place of that checksum.
The entry of the record of a run, ``run.json``, has the SHA-256 of each file beside it, too. Documents of earlier code
have no such entry; they, and the files beside them, are read as they are.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import InputError
from mesonet.files import reading

ENTRY = "checksums"
RECORD = "run.json"
_ZEROS = "0" * 64
ALLOWED = "the file as it was written; `mesonet experiment run` makes a damaged run of its campaign again"
"""Allowed files, for messages about damage."""


def sha256(path: Path) -> str:
    """Return the SHA-256 of a regular file."""
    with reading.opened(path, ALLOWED) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_record(record: Mapping[str, Any], folder: Path) -> None:
    """Write the record of a run with the checksums of all files in its folder."""
    files = {path.name: sha256(path) for path in sorted(folder.iterdir()) if path.name != RECORD}
    (folder / RECORD).write_bytes(sealed(record, RECORD, files, indent=1))


def sealed(
    content: Mapping[str, Any], name: str, files: Mapping[str, str] | None = None, indent: int | None = None
) -> bytes:
    """Return the bytes of a document with its own checksum. JSON with the entry `ENTRY`, in UTF-8."""
    import msgspec

    about = {**content, ENTRY: {**(files or {}), name: _ZEROS}}
    text = json.dumps(about, sort_keys=True)
    text = (text if indent is None else msgspec.json.format(text, indent=indent)) + "\n"  # json indents in Python: slow
    digest = hashlib.sha256(text.encode()).hexdigest()
    own = f'"{name}": "'
    return text.replace(own + _ZEROS, own + digest).encode()


def claimed(text: bytes, name: str) -> str:
    """Return the checksum of itself that a document has, readable or not.

    64 hexadecimal digits; empty if there are none.
    """
    found = re.search(rb'"%s": "([0-9a-f]{64})"' % re.escape(name.encode()), text)
    return found[1].decode() if found else ""


def of_record(content: Any) -> Mapping[str, str]:
    """Return the checksums in a record. SHA-256 by name of the file; empty for a record of earlier code."""
    return content.get(ENTRY) or {}


def refuse_changed_document(text: bytes, content: Any, file: Path, allowed: str = ALLOWED) -> None:
    """Raise an `InputError` for a document that differs from the document that was written."""
    checksums = of_record(content)
    if not checksums and not claimed(text, file.name):  # a changed bit in the name of the entry leaves the claim
        return
    digest = checksums.get(file.name, "")
    if len(digest) != 64 or hashlib.sha256(text.replace(digest.encode(), _ZEROS.encode())).hexdigest() != digest:
        raise InputError("damaged: its checksum is wrong", file=str(file), allowed=allowed)


def refuse_changed(file: Path, checksums: Mapping[str, str], content: bytes | None = None) -> None:
    """Raise an `InputError` for a file of a run that differs from the file that was written.

    `checksums`: checksums in the record, as `of_record` returns them; empty: any file passes. `content`: of the file,
    if it was read.
    """
    if not checksums:
        return
    try:
        digest = sha256(file) if content is None else hashlib.sha256(content).hexdigest()
    except OSError as error:
        problem = f"damaged: cannot be read ({(error.strerror or str(error)).lower()})"
        raise InputError(problem, file=str(file), allowed=ALLOWED) from None
    if digest != checksums.get(file.name):
        raise InputError("damaged: its checksum is wrong", file=str(file), allowed=ALLOWED)
