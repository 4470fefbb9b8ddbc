"""Charts as SVG, PNG or PDF, drawn without a browser, or as a page that needs no network."""

import json
from pathlib import Path
from typing import Any

import vl_convert

#: The Vega-Lite release that draws; it must be the one whose charts Altair writes.
VL_VERSION = "6.4"

FORMS = (".svg", ".png", ".pdf", ".html")


def to_svg(chart: Any) -> str:
    """Return the chart, or its Vega-Lite definition as a dictionary, as an SVG document."""
    definition = chart if isinstance(chart, dict) else chart.to_dict()
    return str(vl_convert.vegalite_to_svg(definition, vl_version=VL_VERSION))


def to_png(chart: Any, *, scale: float = 2.0) -> bytes:
    """Return the chart, or its definition, as a PNG picture; `scale` picture points per px."""
    definition = chart if isinstance(chart, dict) else chart.to_dict()
    return bytes(vl_convert.vegalite_to_png(definition, vl_version=VL_VERSION, scale=scale))


def to_pdf(chart: Any) -> bytes:
    """Return the chart as a one-page PDF with its fonts inside."""
    return bytes(vl_convert.vegalite_to_pdf(chart.to_dict(), vl_version=VL_VERSION))


def to_html(chart: Any) -> str:
    """Return the chart as a page that holds everything that draws it. No name in the chart can end its script."""
    return str(chart.to_html(inline=True, json_kwds={"cls": _InScript}))


class _InScript(json.JSONEncoder):
    """JSON for a script element: ``</script>`` and ``<!--`` become escapes of equal text."""

    def encode(self, value: Any) -> str:
        text = super().encode(value)
        for mark in "<>&":
            text = text.replace(mark, f"\\u{ord(mark):04x}")
        return text


def save(chart: Any, path: Path | str) -> Path:
    """Write the chart in the form its file name ends in, one of `FORMS`. Raises ValueError for another."""
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
