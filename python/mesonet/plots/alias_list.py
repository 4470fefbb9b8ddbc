"""The list beside a figure of terms: number, effect and string of aliases of the largest."""

import altair as alt

from mesonet.plots import theme

LISTED = 16  #: largest terms that stand in the list
LINE = 17  # px


def alias_list(data: str, height: int) -> alt.Chart:
    """Return a column of text made from the table `data`, which has the columns of `half_normal.table`."""
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
            x=alt.value(0),
            y=alt.Y("line:Q", scale=alt.Scale(domain=[height, 0]), axis=None),
            text="text:N",
            color=alt.when("datum.active").then(alt.value(theme.INK)).otherwise(alt.value(theme.MUTED)),
        )
    )
