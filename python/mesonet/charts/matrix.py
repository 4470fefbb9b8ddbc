"""A table with coloured cells, whose content other plots give: signs and stars, Psi, ranks, ranges, buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA, SIDE = "matrix", "matrix_rows"
LETTER = 6.4  # px, mean width in a bold name of 11 px


@dataclass(frozen=True)
class Look:
    """Sizes and colours of a matrix."""

    cell: int = 40  #: width of a cell, px
    row: int = 17  #: height of a cell, px
    colours: Mapping[str, str] | None = None  #: colour of each kind of cells, in the order of the legend; None: shades
    font: int = 10  #: size of the text, px
    unlabelled: Sequence[str] = ()  #: kinds that the legend leaves out


def matrix(
    cells: pl.DataFrame,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    look: Look | None = None,
    row_title: str = "",
    groups: Mapping[str, Sequence[str]] | None = None,
    title: str = "",
    subtitle: Sequence[str] = (),
) -> alt.LayerChart:
    """Return the figure of a table of cells.

    Parameters
    ----------
    cells
        Columns row, column and text; kind (a key of `look.colours`), or without colours shade, from 0 (white) to 1
        (blue). Optionally tip (the text under the pointer), ring (True for a frame around the cell), and condition: the
        condition of the row, so that it can be highlighted or left out.
    rows
        Rows from top to bottom.
    columns
        Columns from left to right.
    look
        Sizes and colours; None: the defaults.
    row_title
        Title of the rows.
    groups
        Columns of each group, by the name above them, in the order of `columns`. Lines separate groups.
    title
        As for every plot, see `mesonet.plots`.
    subtitle
        Lines below the title.

    Returns
    -------
    The chart.
    """
    look = look or Look()
    band = alt.Scale(paddingInner=0, paddingOuter=0)
    # The order is a part of the data, so that charts of one kind differ only in their data.
    for name, place, order in (("column", "across", columns), ("row", "down", rows)):
        places = {each: number for number, each in enumerate(order)}
        cells = cells.with_columns(pl.col(name).replace_strict(places, return_dtype=pl.Int64).alias(place))
    by_condition = "condition" in cells.columns
    if not by_condition:
        cells = cells.with_columns(condition=pl.lit(0))
    if "tip" not in cells.columns:
        cells = cells.with_columns(tip=pl.col("text"))
    top = alt.Axis(orient="top", title=None, labelAngle=-60, ticks=False, domain=False, labelPadding=4, labelLimit=240)
    side = alt.Axis(title=row_title or None, ticks=False, domain=False, labelPadding=6, labelLimit=300)
    base = alt.Chart(alt.NamedData(name=DATA), width=look.cell * len(columns), height=alt.Step(look.row))
    # Rows that are not conditions stay when conditions are left out.
    base = (base.transform_filter(theme.IS_KEPT) if by_condition else base).encode(
        x=alt.X("column:N", sort=alt.EncodingSortField("across", op="min"), axis=top, scale=band),
        y=alt.Y("row:N", sort=alt.EncodingSortField("down", op="min"), axis=side, scale=band),
        tooltip=theme.tooltips(("row:N", row_title or "row"), "column:N", ("tip:N", "is")),
    )  # fmt: skip
    if look.colours:
        shown = [kind for kind in look.colours if kind not in look.unlabelled]
        legend = alt.Legend(
            orient="bottom", title=None, columns=4, labelLimit=320, symbolType="square", values=shown,
            symbolStrokeColor=theme.HAIRLINE,
        )  # fmt: skip
        scale = alt.Scale(domain=list(look.colours), range=list(look.colours.values()))
        fill = alt.Fill("kind:N", scale=scale, legend=legend if shown else None)
        ink = alt.ColorValue(theme.INK)
    else:
        shades = alt.Scale(domain=[0, 1], range=["#ffffff", theme.BLUE], interpolate="rgb")
        fill = alt.Fill("shade:Q", scale=shades, legend=None)
        ink = theme.ink_on_blue("datum.shade")
    layers = [
        base.mark_rect(stroke="white", strokeWidth=1, aria=False).encode(fill=fill),
        base.mark_text(fontSize=look.font).encode(text=alt.Text("text:N"), color=ink),
    ]
    if "ring" in cells.columns:
        ringed = base.transform_filter("datum.ring")
        layers.append(ringed.mark_rect(fill=None, stroke=theme.INK, strokeWidth=1.6))
    if by_condition:
        ring = theme.ring(
            base, ("row", "down"), x=alt.XValue(0), x2=alt.X2Value("width"), tooltip=alt.TooltipValue(None)
        )
        layers.append(ring)
    tables = {DATA: cells}
    if groups:
        order = list(columns)
        marks, begins, end = [], 0, -1e9
        for name, members in groups.items():
            inside = [member for member in members if member in order]
            middle, half = look.cell * (begins + len(inside) / 2), LETTER * len(name) / 2
            # A name that would cover the previous name is a line lower.
            lower = middle - half < end
            marks.append({"edge": look.cell * (begins + len(inside)), "middle": middle,
                          "name": f"\n{name}" if lower else name})  # fmt: skip
            begins += len(inside)
            end = end if lower else middle + half + LETTER
        tables[SIDE] = pl.DataFrame(marks, infer_schema_length=None)
        lines = alt.Chart(alt.NamedData(name=SIDE)).mark_rule(color=theme.INK, strokeWidth=1.2)
        layers.append(lines.encode(x=alt.X("edge:Q", scale=None, axis=None), y=alt.YValue(0), y2=alt.Y2Value("height")))
        names = alt.Chart(alt.NamedData(name=SIDE)).mark_text(
            baseline="top", fontWeight="bold", fontSize=11, lineBreak="\n"
        )
        layers.append(
            names.encode(
                x=alt.X("middle:Q", scale=None, axis=None),
                y=alt.YValue(alt.ExprRef("height + 5")),
                text=alt.Text("name:N"),
            )
        )
    chart = alt.layer(*layers)
    return theme.finish(chart, tables, params=theme.condition_params(), title=title, subtitle=subtitle)
