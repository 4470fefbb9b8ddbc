"""Block plot: the effect of a factor in every block of settings of the others.

One panel per target factor; one box per combination of the robustness factors, from the mean response at one setting of
the target to that at the other, with its sign at each end. Where all boxes stand the same way up the factor matters
everywhere. (Step 5 of the ten-step analysis; NIST/SEMATECH e-Handbook, section 5.5.9.5.)
"""

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis.blocks import Blocks
from mesonet.plots import theme
from mesonet.words import number

DATA = "blocks"
STEP, HEIGHT, BELOW, PAGE = 17, 150, 12, 1000  # px


def can_be_significant(result: Blocks) -> bool:
    """Return True if the sign test of so many blocks that differ can have p < .05."""
    return bool(result.p == result.p) and 2.0 ** (1 - result.higher_plus - result.higher_minus) < 0.05


def table(results: Mapping[str, Blocks]) -> pl.DataFrame:
    """Return a row per target factor and block."""
    rows = []
    for target, result in results.items():
        more = max(result.higher_plus, result.higher_minus)
        split = f"{more} of {len(result.levels)} alike" + (
            f", p {number(result.p, 2)}" if can_be_significant(result) else ""
        )
        panel = f"{target}: {split}"
        for place, levels in enumerate(result.levels, start=1):
            minus, plus = float(result.mean_minus[place - 1]), float(result.mean_plus[place - 1])
            if minus != minus or plus != plus:
                continue
            rows.append(
                {
                    "panel": panel, "target": target, "block": place, "minus": minus, "plus": plus,
                    "up": plus > minus, "settings": "\n".join("+" if level > 0 else "−" for level in levels),
                    "robustness": ", ".join(
                        f"{name} at {'+' if level > 0 else '−'}"
                        for name, level in zip(result.robustness, levels, strict=True)
                    ),
                    "factors": " ".join(result.robustness),
                }
            )  # fmt: skip
    schema = {
        "panel": pl.String, "target": pl.String, "block": pl.Int64, "minus": pl.Float64, "plus": pl.Float64,
        "up": pl.Boolean, "settings": pl.String, "robustness": pl.String, "factors": pl.String,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema)


def blocks(results: Mapping[str, Blocks], *, title: str = "", response: str = "") -> alt.FacetChart:
    """Return the panels of all target factors; `response` is the title of the vertical axes."""
    rows = table(results)
    count = max((len(result.levels) for result in results.values()), default=1)
    scale = alt.Scale(zero=False, nice=True, padding=14)
    across = alt.Scale(domain=[0.3, count + 0.7], nice=False, zero=False)
    base = alt.Chart(width=STEP * count + 14, height=HEIGHT)
    tooltip = [
        alt.Tooltip("target:N"), alt.Tooltip("robustness:N", title="block"),
        alt.Tooltip("minus:Q", title="mean at −", format=".4~g"),
        alt.Tooltip("plus:Q", title="mean at +", format=".4~g"),
    ]  # fmt: skip
    colour = alt.when("datum.up").then(alt.value(theme.BLUE)).otherwise(alt.value(theme.VERMILLION))
    edges = base.transform_calculate(left="datum.block - 0.4", right="datum.block + 0.4")
    boxes = edges.mark_rect(fill="white", strokeWidth=1.4).encode(
        x=alt.X("left:Q", scale=across, axis=None), x2="right:Q",
        y=alt.Y("minus:Q", scale=scale, title=None), y2="plus:Q", stroke=colour, tooltip=tooltip,
    )  # fmt: skip
    middle = alt.X("block:Q", scale=across, axis=None)
    # The sign stands outside the box, so that it can be read where the box is flat.
    sides: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
        ("plus", "+", "true", {"baseline": "bottom", "dy": -1}),
        ("plus", "+", "false", {"baseline": "top", "dy": 1}),
        ("minus", "−", "true", {"baseline": "top", "dy": 1}),
        ("minus", "−", "false", {"baseline": "bottom", "dy": -1}),
    )
    ends = [
        base.transform_filter(f"datum.up === {up}")
        .mark_text(text=sign, fontSize=11, **place)
        .encode(x=middle, y=alt.Y(f"{field}:Q", scale=scale), tooltip=tooltip)
        for field, sign, up, place in sides
    ]
    style: dict[str, Any] = {"lineBreak": "\n", "lineHeight": 10, "fontSize": 10, "baseline": "top"}
    style["color"] = theme.MUTED
    below = base.mark_text(**style).encode(x=middle, y=alt.value(HEIGHT + BELOW), text="settings:N")
    names = (
        base.transform_filter(alt.datum.block == 1)
        .transform_calculate(names="replace(datum.factors, / /g, '\\n')")
        .mark_text(align="right", **style)
        .encode(x=alt.value(-4), y=alt.value(HEIGHT + BELOW), text="names:N")
    )
    columns = max(1, PAGE // (STEP * count + 80))
    chart = alt.layer(boxes, *ends, below, names, data=alt.NamedData(name=DATA)).facet(
        facet=alt.Facet(
            "panel:N", sort=list(dict.fromkeys(rows["panel"])), title=None,
            header=alt.Header(labelFontSize=11, labelPadding=4),
        ),
        columns=columns,
        spacing={"row": 12, "column": 26},
    )  # fmt: skip
    says = "Blue: + gives more; orange: − gives more. Below each box the settings of its block."
    says += " p: sign test." if any(map(can_be_significant, results.values())) else ""
    drawn = set(rows["target"])
    if absent := [name for name in results if name not in drawn]:
        says += f" Not drawn, because no block has both settings: {', '.join(absent)}."
    return theme.finish(chart, {DATA: rows}, title=title, subtitle=[*([response] if response else []), says])
