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

    Parameters
    ----------
    package
        The folder, such as ``mesonet.charts``.
    name
        Name of a file in it.

    Returns
    -------
    The text of the file.
    """
    return files(package).joinpath(name).read_text(encoding="utf-8")


@cache
def templates(package: str) -> Environment:
    """Return the templates of a part of the package, which escape all text that is not marked as HTML.

    Parameters
    ----------
    package
        The folder above the folder ``templates``, such as ``mesonet.reporting``.

    Returns
    -------
    Templates by the names of their files.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined  # only pages need it

    loader = PackageLoader(package, "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def render(package: str, name: str, /, **values: Any) -> str:
    """Return a template, filled with values.

    Parameters
    ----------
    package
        As for `templates`.
    name
        Name of the file.
    **values
        Values of its variables.

    Returns
    -------
    HTML.
    """
    return templates(package).get_template(name).render(values)


def packed(content: bytes) -> str:
    """Return bytes as a page carries them.

    Parameters
    ----------
    content
        The bytes.

    Returns
    -------
    Compressed with gzip, in base64; the DecompressionStream of browsers reads it.
    """
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")


def carrier(name: str, text: str) -> Markup:
    """Return the element of a page that carries a text, which no browser runs.

    Parameters
    ----------
    name
        Identifier of the element.
    text
        The text.

    Returns
    -------
    HTML.
    """
    return Markup('<script type="text/plain" id="{}">{}</script>').format(name, text)
