"""HTML elements of the page, from templates: text is escaped unless it is marked as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from mesonet import assets

_PACKAGE = "mesonet.reporting"


def render(template: str, **values: Any) -> Markup:
    """Return a template of the folder ``templates``, filled with values."""
    return Markup(assets.render(_PACKAGE, template, **values))


def _element(name: str, *arguments: Any) -> Markup:
    elements: Any = assets.templates(_PACKAGE).get_template("elements.html").module
    return Markup(getattr(elements, name)(*arguments))


def condition_button(condition: int) -> Markup:
    """Return the number of a condition as a button that highlights it. `condition`: number of the condition, from 1."""
    return _element("condition_button", condition)


def prose(text: str) -> Markup:
    """Return the text in which backquotes mark code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def strong(value: Any) -> Markup:
    """Return the value as emphasised text."""
    return _element("strong", value)


def code(value: Any) -> Markup:
    """Return the value as code."""
    return _element("code", value)


def heading(text: str, *, level: int = 3, anchor: str = "") -> Markup:
    """Return the heading of a part of a section. `anchor`: value of the attribute ``id``; empty: none."""
    return _element("heading", text, level, anchor)


def section(content: Markup) -> Markup:
    """Return a section of the page."""
    return _element("section", content)


def statement(text: str) -> Markup:
    """Return a paragraph that takes the place of a result."""
    return _element("statement", text)


def reading(text: str) -> Markup:
    """Return a paragraph that explains the table above it."""
    return _element("reading", text)


def signed(sign: str, value: Any) -> Markup:
    """Return the level of a factor after its sign."""
    return _element("signed", sign, value)


def compared(text: str, classes: str, words: str) -> Markup:
    """Return a value over its comparison in small type.

    `classes`: value of the attribute ``class`` of the comparison; may be empty.
    """
    return _element("compared", text, classes, words)


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    caption: str = "",
    classes: str = "",
    attributes: Sequence[Mapping[str, Any]] | None = None,
) -> Markup:
    """Return a table, which scrolls sideways by itself.

    `rows`: cells of each row: text, HTML or numbers. The first cell is the heading of the row. `classes`: value of the
    attribute ``class``; empty: none.
    """
    return _element("table", list(head), rows, caption, classes, attributes or [{}] * len(rows))


def folded(title: str, content: Markup) -> Markup:
    """Return content that opens on request."""
    return _element("folded", title, content)


def definitions(pairs: Iterable[tuple[str, Any]], classes: str = "") -> Markup:
    """Return a list of names with their values.

    `pairs`: names and values; `said` makes text of a value. Pairs whose text is empty are left out. `classes`: value of
    the attribute ``class``; empty: none.
    """
    return _element("definitions", [(name, text) for name, value in pairs if (text := wording(value)) != ""], classes)


def selects(choices: Iterable[tuple[Mapping[str, str], str, Sequence[tuple[str, str]]]]) -> Markup:
    """Return selects for choices."""
    return Markup().join(_element("select", *choice) for choice in choices)


def wording(value: Any) -> str:
    """Return any JSON value as a line of text.

    Lists have commas and mappings semicolons between their parts. Empty for None.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {wording(part)}" for name, part in value.items() if wording(part) != "")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(wording(part) for part in value)
    return str(value)
