"""A network as a map: routers with names, sized by the sources or arrivals below; links with their delay in ms."""

from __future__ import annotations

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.maps.layout import FONT_SIZE, Label, MapLayout, layout
from mesonet.maps.network import NetworkMap, has_arrivals
from mesonet.terminal import plural
from mesonet.words import number

ROUTERS, LINKS, NAMES, DELAYS = "routers", "links", "names", "delays"
#: Colour and shape of each class of routers, in the order of the tiers.
CLASSES = {
    "backbone": (theme.BLUE, "circle"),
    "plain": (theme.BLACK, "circle"),
    "pop": (theme.ORANGE, "square"),
    "direct access": (theme.VERMILLION, "diamond"),
    "fast access": (theme.GREEN, "triangle-up"),
    "normal access": (theme.PINK, "triangle-down"),
}


def topology(shown: NetworkMap) -> alt.LayerChart:
    """Return the figure of a map.

    Parameters
    ----------
    shown
        The map, as `mesonet.maps.network.network_map` returns it.

    Returns
    -------
    The chart. Names and delays without room are counted in its subtitle.
    """
    drawn = layout(shown)
    begun = ["sources", "arrivals (flows/s)"] if has_arrivals(shown) else ["sources"]
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, drawn.width], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[drawn.height, 0], nice=False), axis=None)
    classes = [name for name in CLASSES if any(router.router_class == name for router in shown.routers)]
    colours = alt.Scale(domain=classes, range=[CLASSES[name][0] for name in classes])
    shapes = alt.Scale(domain=classes, range=[CLASSES[name][1] for name in classes])
    legend = alt.Legend(title=None, orient="bottom") if len(classes) > 1 else None
    links = (
        _on(LINKS)
        .mark_rule(color=theme.HAIRLINE, strokeWidth=1.6)
        .encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"), tooltip=["from:N", "to:N", "delay (ms):Q", "cost:Q"])
    )
    if any(link.load and max(link.load) > 0 for link in shown.links):
        # From a load of 0 to 1: loads above 1 have the colour of 1.
        colour = alt.Scale(domain=[0, 0.5, 1], range=[theme.HAIRLINE, theme.ORANGE, theme.VERMILLION], clamp=True)
        legend_of_loads = alt.Legend(title="offered load", format=".0%", orient="bottom")
        loads = ["load there:Q", "load back:Q"]
        tooltip = ["from:N", "to:N", "delay (ms):Q", "cost:Q", "cost back:Q", *loads]
        links = links.encode(color=alt.Color("load:Q", scale=colour, legend=legend_of_loads), tooltip=tooltip)
    if any(link.impaired for link in shown.links):
        dashes = alt.Scale(domain=[False, True], range=[[1, 0], [6, 4]])
        links = links.encode(strokeDash=alt.StrokeDash("impaired:N", scale=dashes, legend=None))
    routers = (
        _on(ROUTERS)
        .mark_point(filled=True, opacity=1, stroke="white", strokeWidth=1)
        .encode(
            x=x,
            y=y,
            size=alt.Size("area:Q", scale=None),
            color=alt.Color("class:N", scale=colours, legend=legend),
            shape=alt.Shape("class:N", scale=shapes, legend=legend),
            tooltip=["router:N", "class:N", *(f"{each}:Q" for each in begun), "PoPs:Q", "N:Q", "F:Q", "D:Q"],
        )
    )
    (delay_rims, delays), (name_rims, names) = _texts(DELAYS, theme.MUTED, x, y), _texts(NAMES, theme.INK, x, y)
    chart = alt.layer(links, delay_rims, delays, name_rims, routers, names)
    chart = chart.properties(width=drawn.width, height=drawn.height)
    return theme.finish(chart, _tables(shown, drawn), title=shown.name, subtitle=_subtitle(shown, drawn))


def _on(name: str) -> alt.Chart:
    return alt.Chart(alt.NamedData(name=name))


def _texts(name: str, colour: str, x: alt.X, y: alt.Y) -> tuple[alt.Chart, alt.Chart]:
    """Return texts over a white rim, which keeps them readable where a link passes."""
    rim = _on(name).mark_text(stroke="white", strokeWidth=4, strokeJoin="round", fontSize=FONT_SIZE, aria=False)
    text = _on(name).mark_text(color=colour, fontSize=FONT_SIZE)
    return rim.encode(x=x, y=y, text=alt.Text("text:N")), text.encode(x=x, y=y, text=alt.Text("text:N"))


def _tables(shown: NetworkMap, drawn: MapLayout) -> dict[str, pl.DataFrame]:
    routers = [
        {
            "x": point[0],
            "y": point[1],
            "area": 4 * radius * radius,  # of the square around the mark, as Vega measures
            "router": router.label,
            "class": router.router_class,
            "sources": router.sources,
            **({"arrivals (flows/s)": router.arrivals} if has_arrivals(shown) else {}),
            "PoPs": router.below["pop"],
            "N": router.below["normal access"],
            "F": router.below["fast access"],
            "D": router.below["direct access"],
        }
        for router, point, radius in zip(shown.routers, drawn.points, drawn.radii, strict=True)
    ]
    links = [
        {
            **dict(zip(("x", "y", "x2", "y2"), (*drawn.points[link.a], *drawn.points[link.b]), strict=True)),
            "from": shown.routers[link.a].label,
            "to": shown.routers[link.b].label,
            "delay (ms)": link.delay[0] * 1e3,
            "delay back (ms)": link.delay[1] * 1e3,
            "cost": link.cost,
            "cost back": link.cost_back,
            "impaired": link.impaired,
            **(
                {}
                if link.load is None
                else {"load": max(link.load), "load there": link.load[0], "load back": link.load[1]}
            ),
        }
        for link in shown.links
    ]
    return {
        LINKS: pl.DataFrame(links),
        ROUTERS: pl.DataFrame(routers),
        NAMES: _labels(drawn.router_labels),
        DELAYS: _labels(drawn.link_labels),
    }


def _labels(labels: tuple[Label | None, ...]) -> pl.DataFrame:
    placed = [vars(label) for label in labels if label is not None]
    return pl.DataFrame(placed, schema={"text": pl.String, "x": pl.Float64, "y": pl.Float64, "width": pl.Float64})


def _subtitle(shown: NetworkMap, drawn: MapLayout) -> list[str]:
    sources = sum(router.sources for router in shown.routers)
    about = f"{plural(len(shown.routers), 'router')}, {plural(len(shown.links), 'link')} with one-way delay in ms"
    arrivals = sum(router.arrivals for router in shown.routers)
    whole = f"{sources:,} sources" if sources else f"{number(arrivals, 4)} arrivals per second" if arrivals else ""
    lines = [about + (f"; area: share of the {whole}" if whole else "")]
    names, delays = (sum(label is None for label in labels) for labels in (drawn.router_labels, drawn.link_labels))
    missing = [plural(count, noun) for count, noun in ((names, "name"), (delays, "delay")) if count]
    if any(link.impaired for link in shown.links):
        lines.append("dashed: impaired")
    return lines + ([f"no room for {' and '.join(missing)}"] if missing else [])
