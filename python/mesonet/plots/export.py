"""Export of charts as SVG, PNG or PDF, drawn without a browser, or as a page that needs no network."""

import json
from pathlib import Path
from typing import Any

import vl_convert

#: Release of Vega-Lite that draws the charts. It must be the release that Altair writes charts for.
VL_VERSION = "6.4"

FORMS = (".svg", ".png", ".pdf", ".html")


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
    definition = chart if isinstance(chart, dict) else chart.to_dict()
    return str(vl_convert.vegalite_to_svg(definition, vl_version=VL_VERSION))


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
    definition = chart if isinstance(chart, dict) else chart.to_dict()
    return bytes(vl_convert.vegalite_to_png(definition, vl_version=VL_VERSION, scale=scale))


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
    return bytes(vl_convert.vegalite_to_pdf(chart.to_dict(), vl_version=VL_VERSION))


def to_html(chart: Any) -> str:
    """Return a chart as a page that needs no other file and no network.

    Parameters
    ----------
    chart
        The chart. No name in it can end the script of the page.

    Returns
    -------
    The document.
    """
    return str(chart.to_html(inline=True, json_kwds={"cls": _InScript}))


class _InScript(json.JSONEncoder):
    """JSON for a script element: ``</script>`` and ``<!--`` become escapes of equal text."""

    def encode(self, value: Any) -> str:
        text = super().encode(value)
        for mark in "<>&":
            text = text.replace(mark, f"\\u{ord(mark):04x}")
        return text


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
