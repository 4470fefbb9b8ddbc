"""The few HTML elements that the page needs, with their text escaped."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def escape(value: Any) -> str:
    """Return the text that stands for itself in HTML."""
    return html.escape(str(value), quote=True)


def prose(text: str) -> str:
    """Return the text in which backquotes mark code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def strong(value: Any) -> str:
    """Return the value as emphasised text."""
    return f"<strong>{escape(value)}</strong>"


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    classes: str = "",
    attributes: Sequence[str] | None = None,
) -> str:
    """Return a table of cells that are HTML already; the first cell of a row is its heading. It scrolls sideways by
    itself.

    `attributes`: HTML attributes of each row.
    """
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr {extra}><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for (first, *rest), extra in zip(rows, attributes or [""] * len(rows), strict=True)
    )
    label = escape(caption or ", ".join(head))
    words = f"<caption>{escape(caption)}</caption>" if caption else ""
    # The verdicts stand one below the other on a phone.
    hint = "" if classes == "verdicts" else '<p class="hint">Scroll the table sideways to see all of it.</p>'
    return (
        f'{hint}<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table class="{classes}">{words}'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def folded(title: str, content: str) -> str:
    """Return content that opens on request."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def definitions(pairs: Iterable[tuple[str, Any]]) -> str:
    """Return the names and what stands behind them; empty values are left out."""
    items = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(said(value))}</dd>" for name, value in pairs if said(value) != ""
    )
    return f"<dl>{items}</dl>"


def said(value: Any) -> str:
    """Return any JSON value as a line of text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {said(part)}" for name, part in value.items() if said(part) != "")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(said(part) for part in value)
    return str(value)
