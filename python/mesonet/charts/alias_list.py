"""The list of the largest terms next to a figure: number, effect and string of aliases."""

from __future__ import annotations

import altair as alt

from mesonet.charts import theme

LISTED = 16  #: largest terms that the list has
LINE = 17  # px


def alias_list(data: str, height: int) -> alt.Chart:
    """Return a column of text, a line per term.

    Parameters
    ----------
    data
        Name of a table with the columns of `half_normal.table`.
    height
        Height of the column, px.

    Returns
    -------
    The column, without the table.
    """
    return (
        alt.Chart(alt.NamedData(name=data), width=300, height=height)
        .transform_filter(f"datum.rank <= {LISTED}")
        .transform_calculate(
            line=f"(datum.rank - 1) * {LINE} + 6",
            text="datum.rank + '   ' + (isValid(datum.effect) ? format(datum.effect, '+,.3~r') : '–') + '   ' + "
            "datum.strings",
        )
        .mark_text(align="left")
        .encode(
            x=alt.XValue(0),
            y=alt.Y("line:Q", scale=alt.Scale(domain=[height, 0]), axis=None),
            text=alt.Text("text:N"),
            color=alt.ColorValue(**theme.either("datum.active", theme.INK, theme.MUTED)),
        )
    )
