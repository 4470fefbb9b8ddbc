"""Parts of pages: text files that lie beside a module, compressed data, and elements that carry data."""

from __future__ import annotations

import base64
import gzip
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def asset(package: str, name: str) -> str:
    """Return a style sheet, a script, a template or another text of the package.

    `package`: the folder, such as ``mesonet.charts``.
    """
    return files(package).joinpath(name).read_text(encoding="utf-8")


@cache
def templates(package: str) -> Environment:
    """Return the templates of a part of the package, which escape all text that is not marked as HTML.

    `package`: the folder above the folder ``templates``, such as ``mesonet.reporting``. A template of another package
    has the name ``mesonet.reporting/page.html``.
    """
    from jinja2 import ChoiceLoader, Environment, FunctionLoader, PackageLoader, StrictUndefined  # only pages need it

    loader = ChoiceLoader([PackageLoader(package, "templates"), FunctionLoader(_of_package)])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _of_package(name: str) -> str | None:
    package, _, file = name.partition("/")
    return asset(package, f"templates/{file}") if file else None


def render(package: str, name: str, /, **values: Any) -> str:
    """Return a template, filled with values."""
    return templates(package).get_template(name).render(values)


def packed(content: bytes) -> str:
    """Return bytes as a page carries them.

    Compressed with gzip, in base64; the DecompressionStream of browsers reads it.
    """
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")


def carrier(name: str, text: str) -> Markup:
    """Return the element of a page that carries a text, which no browser runs."""
    return Markup('<script type="text/plain" id="{}">{}</script>').format(name, text)
