"""Charts in a page: the libraries that draw them, their style sheet, and a policy under which no other script runs."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable
from functools import cache, partial
from typing import Any

from mesonet._version import __version__
from mesonet.assets import asset, render
from mesonet.errors import needs_extra
from mesonet.files.cache import cached_text

#: Release of Vega-Lite that draws the charts. It must be the release that Altair writes charts for.
VL_VERSION = "6.4"
FOLDER = "mesonet.charts"
"""Where the style sheets and scripts of charts are."""
_EMBEDDED = "window.vegaEmbed = vegaEmbed;"
"""Last lines of the bundle of libraries."""
_asset = partial(asset, FOLDER)


def renderer() -> Any:
    """Return the module that draws charts without a browser, and that holds the scripts of pages.

    ``vl_convert``, imported when it is needed: it is large, and not there in a browser.
    """
    try:
        import vl_convert
    except ImportError as error:
        raise needs_extra("a figure or a page", "viz") from error
    return vl_convert


@cache
def libraries() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script, which sets `window.vegaEmbed`.

    The cache of this user keeps the script, because to bundle it takes a second.

    The script. It evaluates no text as code if a chart is embedded with the option ``ast``.
    """
    made_by = renderer()
    releases = (
        __version__,
        made_by.__version__,
        made_by.get_vega_version(),
        VL_VERSION,
        made_by.get_vega_embed_version(),
    )
    name = hashlib.sha256("\n".join((*releases, _EMBEDDED)).encode()).hexdigest()
    return cached_text("pages", f"{name}.js", lambda: str(made_by.javascript_bundle(_EMBEDDED, vl_version=VL_VERSION)))


def content_policy(scripts: Iterable[str], styles: Iterable[str], *, simulator: bool = False) -> str:
    """Return the content security policy of a page that holds everything it needs.

    Attributes with scripts or styles, text evaluated as code, and every request to another place are refused, so that
    no name on the page can run anything.

    The value of the header ``Content-Security-Policy``.

    Source
    ------
    W3C, Content Security Policy Level 3, section 2.3.1: sources by hash.
    """
    wasm = " 'wasm-unsafe-eval'" if simulator else ""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_sources(scripts)}{wasm}",
            f"style-src {_sources(styles)}",
            "img-src data: blob:",
            *(("worker-src blob:",) if simulator else ()),
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _sources(texts: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests) or "'none'"


def chart_page(definition: dict[str, Any]) -> str:
    """Return a chart as a page that needs no other file and no network."""
    title = definition.get("title") or ""
    title = title.get("text", "") if isinstance(title, dict) else title
    start, style = _asset("chart_page.js"), _asset("tooltip.css") + _asset("chart_page.css")
    return render(
        FOLDER,
        "chart_page.html",
        policy=content_policy([libraries(), start], [style]),
        title=title if isinstance(title, str) and title.strip() else "mesonet",
        style=style,
        definition=_in_script(definition),
        libraries=libraries(),
        start=start,
    )


def _in_script(value: Any) -> str:
    """Return JSON for a script element: ``</script>`` and ``<!--`` become escapes of equal text."""
    text = json.dumps(_finite(value), allow_nan=False)
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def _finite(value: Any) -> Any:
    """Return a value in which null stands for numbers that JSON lacks; Vega draws neither."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
