"""Effects of a deployment by point of presence, on the map."""

from __future__ import annotations

import json
from collections.abc import Mapping

import altair as alt
import polars as pl

from mesonet import core
from mesonet.charts import theme
from mesonet.maps.flowers import HEIGHT, WIDTH, FlowerMap, flower_map
from mesonet.reporting.campaign_view.deployment import Choice, choices
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import deploy_groups
from mesonet.reporting.figures.deploy_groups import EFFECTS, TOTAL
from mesonet.reporting.figures.deploy_shares import controls
from mesonet.reporting.figures.figure import Control, Drawing, Figure, drawing
from mesonet.reporting.text.deployment_text import TITLES
from mesonet.words import capitalised, change, counted

DATA, LINKS, NAMES = "deploy_map", "deploy_links", "deploy_names"
PLACE = "pop"
"""Group whose levels are routers."""
RISE, FALL = "rise", "fall"
WIDEST = 330  # px², area of the largest mark


def figure(view: CampaignView) -> Figure | None:
    """Return the effects by point of presence; None without such groups, or without a map of their routers."""
    if PLACE not in view.campaign.experiment.get("deploy", {}).get("by", ()):
        return None
    if len({json.dumps(each["topology"]) for each in view.networks}) > 1:
        return None
    drawn = flower_map(view.networks[0]["topology"], core.describe(json.dumps(view.networks[0])))
    whole = dict.fromkeys((each.algorithm, each.outcome) for each in choices(view))
    tables = {
        (*key, effect): rows
        for key in whole
        for effect in EFFECTS
        if not (rows := table(view, drawn, Choice(*key), effect)).is_empty()
    }
    if not drawn.on_map or not tables:
        return None
    network = {LINKS: _links(drawn), NAMES: _names(drawn)}

    def draw(deployed: str, outcome: str, effect: str) -> Drawing:
        rows = tables[deployed, outcome, effect]
        heading = f"{capitalised(TITLES[outcome])}: the effect of {deployed} by place ({EFFECTS[effect]})"
        return drawing(deploy_map(rows, network, title=heading), caption(rows))

    return Figure(
        id="deploy-map",
        short_title="Who pays, on the map",
        title="Where do users gain, and where do they pay?",
        reading=(
            "A triangle for each point of presence: up for a rise, down for a fall. Its area is the effect. Hollow: "
            "the 95 % interval includes 0. Names are backbone routers, with their points of presence around them."
        ),
        draw=draw,
        selections=[dict(zip(("deployed", "outcome", "effect"), key, strict=True)) for key in tables],
        height=int(HEIGHT) + 60,
        own_tables=True,
        fixed=(LINKS, NAMES),
        controls=[
            *controls(view, where=False),
            Control("effect", "Effect on", [(name, text) for name, text in EFFECTS.items()], TOTAL),
        ],
        file="deployment/map/{outcome}/{deployed}/{effect}",
    )


def table(view: CampaignView, drawn: FlowerMap, choice: Choice, effect: str) -> pl.DataFrame:
    """Return a row per point of presence: place, value, low, high, share (%), x, y (px), size, way and known."""
    rows = deploy_groups.table(view, choice)
    if rows.is_empty():
        return rows
    at = pl.DataFrame([{"place": each.name, "x": each.x, "y": each.y} for each in drawn.places])
    rows = rows.filter((pl.col("group") == PLACE) & (pl.col("effect") == effect))
    return at.join(rows, left_on="place", right_on="level", maintain_order="left").select(
        "place",
        "value",
        "low",
        "high",
        "share",
        "x",
        "y",
        size=pl.col("value").abs(),
        way=pl.when(pl.col("value") > 0).then(pl.lit(RISE)).otherwise(pl.lit(FALL)),
        known=((pl.col("low") > 0) | (pl.col("high") < 0)).fill_null(False),
    )


def _links(drawn: FlowerMap) -> pl.DataFrame:
    """Return the links between backbone routers: x, y, x2 and y2, px."""
    ends = [(drawn.places[a], drawn.places[b]) for a, b in drawn.links]
    return pl.DataFrame([{"x": a.x, "y": a.y, "x2": b.x, "y2": b.y} for a, b in ends if a.head and b.head])


def _names(drawn: FlowerMap) -> pl.DataFrame:
    """Return the names of backbone routers: x, y, their text and its alignment."""
    return pl.DataFrame(
        [
            {"x": each.x + each.name_at[0], "y": each.y + each.name_at[1], "text": each.label, "align": each.name_at[2]}
            for each in drawn.places
            if each.head
        ]
    )


def deploy_map(effects: pl.DataFrame, network: Mapping[str, pl.DataFrame], *, title: str = "") -> alt.LayerChart:
    """Return a triangle per point of presence over the links and names of backbone routers.

    `effects`: columns as in `table`. `network`: tables of links and of names, with places in px.
    """
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, WIDTH], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[HEIGHT, 0], nice=False), axis=None)
    ways = [RISE, FALL]
    colours = theme.in_turn(ways, (theme.BLUE, theme.VERMILLION))
    legend = alt.Legend(title=None, orient="bottom")
    size = alt.Scale(range=[0, WIDEST], zero=True, nice=False)
    tips = theme.tooltips("place:N", ("value:Q", "change, %", "+.3~g"), ("low:Q", "from", "+.3~g"),
                          ("high:Q", "to", "+.3~g"), ("share:Q", "share, %", ".3~g"))  # fmt: skip
    links = alt.Chart(alt.NamedData(name=LINKS)).mark_rule(color=theme.HAIRLINE, strokeWidth=1.6)
    marks = alt.Chart(alt.NamedData(name=DATA)).mark_point(strokeWidth=1.8, opacity=1)
    shown = marks.encode(
        x=x,
        y=y,
        size=alt.Size("size:Q", scale=size, legend=alt.Legend(title="change, %", orient="bottom", symbolType="circle")),
        shape=alt.Shape("way:N", scale=theme.in_turn(ways, ("triangle-up", "triangle-down")), legend=legend),
        stroke=alt.Stroke("way:N", scale=colours, legend=legend),
        fill=alt.Fill("way:N", scale=colours, legend=None),
        fillOpacity=alt.FillOpacityValue(**theme.either("datum.known", 0.85, 0)),
        tooltip=tips,
    )
    chart = alt.layer(links.encode(x=x, y=y, x2="x2:Q", y2="y2:Q"), shown, *_texts(x, y))
    chart = chart.properties(width=WIDTH, height=HEIGHT)
    return theme.finish(chart, {DATA: effects, **network}, title=title)


def _texts(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the names, each on the side of its router where the map has room."""
    base = alt.Chart(alt.NamedData(name=NAMES)).encode(x=x, y=y, text="text:N")
    return [
        base.transform_filter(f"datum.align === '{side}'").mark_text(align=side, baseline="middle", aria=False)
        for side in ("left", "center", "right")
    ]


def caption(rows: pl.DataFrame) -> str:
    """Return the places with the smallest and the largest effect, and how many effects are known."""
    ordered = rows.sort("value").to_dicts()
    ends = [f"{row['place']} ({change(row['value'] / 100)})" for row in (ordered[0], ordered[-1])]
    known = rows.filter("known").height
    return (
        f"The effect is smallest at {ends[0]} and largest at {ends[1]}. It can be distinguished from 0 at {known} of "
        f"{counted(rows.height, 'place')}."
    )
