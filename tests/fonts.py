"""Fonts of the tests: charts are drawn with the built-in copy of their font, browsers with the fonts of the machine.

With fonts of the machine the renderer of charts opens the file of one of them thousands of times for each figure, which
takes as long as all else. The figures are the same to the last byte.
"""

from __future__ import annotations

import os
from pathlib import Path

_NAME = "FONTCONFIG_FILE"


def leave_out(folder: Path) -> None:
    """Lets this process, and the processes that it starts, find no font of the machine."""
    (folder / "fonts.conf").write_text(f"<fontconfig><dir>{folder / 'fonts'}</dir></fontconfig>\n")
    os.environ[_NAME] = str(folder / "fonts.conf")


def of_the_machine() -> dict[str, str]:
    """The environment of a program that needs fonts of the machine."""
    return {name: value for name, value in os.environ.items() if name != _NAME}
