"""Export of charts as SVG, PNG or PDF, drawn without a browser, or as a page that needs no network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mesonet.charts.in_page import VL_VERSION, chart_page, renderer
from mesonet.files.reading import printable

FORMS = (".svg", ".png", ".pdf", ".html")


def _definition(chart: Any) -> Any:
    """Return the definition of a chart without NUL, at which the renderer aborts the process, and lone surrogates."""
    definition = chart if isinstance(chart, dict) else chart.to_dict()
    return _fit(definition) if _UNFIT.search(repr(definition)) else definition


_UNFIT = re.compile(r"\\x00|\\ud[89a-f]")
"""NUL and lone surrogates, as Python writes them."""


def _fit(value: Any) -> Any:
    if isinstance(value, dict):
        return {_fit(key): _fit(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_fit(part) for part in value]
    return printable(value).replace("\0", "\ufffd") if isinstance(value, str) else value


def to_svg(chart: Any) -> str:
    """Return a chart as an SVG document.

    Parameters
    ----------
    chart
        The chart, or its Vega-Lite definition as a dictionary.

    Returns
    -------
    The document.
    """
    definition = _definition(chart)
    return str(renderer().vegalite_to_svg(definition, vl_version=VL_VERSION))


def to_png(chart: Any, *, scale: float = 2.0) -> bytes:
    """Return a chart as a PNG picture.

    Parameters
    ----------
    chart
        The chart, or its Vega-Lite definition as a dictionary.
    scale
        Pixels of the picture per px of the chart.

    Returns
    -------
    The content of the file.
    """
    definition = _definition(chart)
    return bytes(renderer().vegalite_to_png(definition, vl_version=VL_VERSION, scale=scale))


def to_pdf(chart: Any) -> bytes:
    """Return a chart as a one-page PDF with its fonts inside.

    Parameters
    ----------
    chart
        The chart; a dictionary is not accepted.

    Returns
    -------
    The content of the file.
    """
    return bytes(renderer().vegalite_to_pdf(_definition(chart), vl_version=VL_VERSION))


def to_html(chart: Any) -> str:
    """Return a chart as a page that needs no other file and no network.

    Parameters
    ----------
    chart
        The chart. Names in it are text on the page, and no script but the page's own runs.

    Returns
    -------
    The document.
    """
    return chart_page(chart.to_dict())


def save(chart: Any, path: Path | str) -> Path:
    """Write a chart in the form that the suffix of the file selects.

    Parameters
    ----------
    chart
        The chart.
    path
        Path of the file, with a suffix of `FORMS`.

    Returns
    -------
    The path.

    Raises
    ------
    ValueError
        For another suffix.
    """
    path = Path(path)
    if path.suffix == ".svg":
        path.write_text(to_svg(chart), encoding="utf-8")
    elif path.suffix == ".png":
        path.write_bytes(to_png(chart))
    elif path.suffix == ".pdf":
        path.write_bytes(to_pdf(chart))
    elif path.suffix == ".html":
        path.write_text(to_html(chart), encoding="utf-8")
    else:
        raise ValueError(f"{path}: a figure is written as {', '.join(FORMS[:-1])} or {FORMS[-1]}")
    return path
