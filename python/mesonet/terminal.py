"""Text and JSON for the command line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import click

from mesonet.visible import on_one_line


def write_json(value: Any) -> None:
    """Write a JSON document to standard output; NaN becomes null."""
    click.echo(json.dumps(_without_nan(value), indent=1))


def write_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Write rows in aligned columns, numbers to the right."""
    texts = [[shown(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]
    numeric = [all(isinstance(row[place], int | float | None) for row in rows) for place in range(len(header))]
    for line in (header, *texts):
        cells = zip(line, widths, numeric, strict=True)
        click.echo(
            "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells).rstrip()
        )


def shown(value: Any) -> str:
    """Return a cell as text. Floats with four digits, whole from 1000 on; ``-`` for None and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1000 or value == 0 else f"{value:.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value))
    return on_one_line(str(value))


def plural(number: int, noun: str) -> str:
    """Return a number with its noun, such as ``1 run`` or ``2 runs``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and math.isnan(value) else value
