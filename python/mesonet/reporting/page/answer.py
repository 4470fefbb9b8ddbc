"""The first screen of the page: answers in one sentence per discipline and algorithm, and the network and its map."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl
from markupsafe import Markup

from mesonet import core, units
from mesonet.maps.flowers import MapPoint, flower_map
from mesonet.reporting.campaign_view.flow_groups import numbers_of_conditions
from mesonet.reporting.campaign_view.grid import Grid, is_grid
from mesonet.reporting.campaign_view.surface import Surface, is_surface
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html, surface_text
from mesonet.reporting.text.answer_text import in_words
from mesonet.reporting.text.deployment_text import HEAD, deployment_answers
from mesonet.reporting.text.disciplines_text import discipline_answers
from mesonet.reporting.text.grid_text import FIRST, GridAnswer, grid_answers, note
from mesonet.reporting.text.verdict_text import decision_table, no_verdict
from mesonet.reporting.verdicts.comparisons import REPLACEMENT, comparisons
from mesonet.reporting.verdicts.quantities import topics as topics_of
from mesonet.reporting.verdicts.verdict import margin_of
from mesonet.scenarios.parameters import PRESETS
from mesonet.simulation.summary import offered_by_arrivals, rate_text
from mesonet.units import with_bits
from mesonet.words import capitalised, counted, listed, number, percent

#: Most conditions whose networks are described for the ranges of capacity, sources and round trips.
MOST_DESCRIBED = 64
#: Most routers on the map: more would hide each other.
MOST_ON_MAP = 80
#: Height of the letters of the map, px of the drawing.
LETTERS = 17


def answer_html(view: CampaignView, found: str = "") -> Markup:
    """Return the answer, the network that was run, and its map.

    `found`: sentence that replaces the verdicts, for a campaign without them; empty: verdicts.
    """
    topics, rows = decision_table(view) if view.has_results else ([], [])
    scenarios = _scenarios(view)
    described = [core.describe(json.dumps(each)) for each in scenarios]
    return html.render(
        "answer.html",
        question=_question(view),
        disciplines=discipline_answers(view),
        deployments=deployment_answers(view),
        deployment_head=HEAD,
        levels=_levels(view),
        levels_note=_levels_note(view),
        provisional=_provisional(view),
        topics=topics,
        rows=rows,
        several=len({row.against for row in rows}) > 1,
        words=topics_of(view),
        note=_note(view) if rows else "",
        statement="" if rows else found or no_verdict(view),
        finding=found if rows else "",
        network=" ".join(
            [
                network_sentences(scenarios, described),
                _runs_sentence(view, scenarios),
                _carried_sentence(view, scenarios, described),
            ]
        ).strip(),
        varied=_varied_levels(view) if is_grid(view.campaign) else _varied(view) if described or view.is_model else [],
        drawing=_map(scenarios[0], described[0]) if described else None,
    )


def _question(view: CampaignView) -> str:
    found = comparisons(view) if view.has_results else []
    references = {each.against for each in found}
    if len(references) == 1 and {each.question for each in found} == {REPLACEMENT}:
        return f"What happens if {references.pop()} is replaced?"
    return "What is better?" if found else "What came out?"


def _note(view: CampaignView) -> str:
    """Return the meaning of the numbers of the table."""
    conditions = counted(len(numbers_of_conditions(view.campaign)), "condition")
    return (
        f"Each cell has the change that decides: geometric mean over {conditions} of equal weight, its interval of "
        f"95 %, and the mean values. The margin is {percent(margin_of(view))}."
    )


def _provisional(view: CampaignView) -> str:
    counts = view.campaign.counts
    if not (view.has_results and counts["missing"]):
        return ""
    runs = f"{counts['missing']:,} of {counted(sum(counts.values()), 'run')}"
    return f"Provisional: {runs} are missing."


def _scenarios(view: CampaignView) -> list[dict[str, Any]]:
    """Return the scenarios of the conditions with the first algorithm; none for a model."""
    entries = view.campaign.experiment.get("scenarios") or []
    first = [e["scenario"] for e in entries if e.get("algorithm") == view.campaign.algorithms[0] and e.get("scenario")]
    networks = [each for each in first if {"topology", "transport"} <= set(each)]
    return networks[:MOST_DESCRIBED]


def network_sentences(scenarios: Sequence[Mapping[str, Any]], described: Sequence[Mapping[str, Any]]) -> str:
    """Return the network in words: name, routers, capacity, sources and round trips, over all conditions.

    Sentences; empty without a network.
    """
    if not described:
        return ""
    names = dict.fromkeys(capitalised(str(each["topology"])) for each in described)
    size = float(scenarios[0]["transport"]["segment_bytes"])
    head = [each["classes"][0] for each in described]
    kind = str(head[0]["class"])
    kind = "router" if kind == "plain" else f"{kind} router"
    links = [speed for each in described for speed in _link_speeds(each)]
    speeds = links or [float(each["speed"]) for each in head if each.get("speed")]
    first, every = int(head[0]["routers"]), int(described[0]["routers"])
    text = f"{listed(list(names))}: {counted(first, kind)}{f' of {every:,} routers' if every > first else ''}"
    if speeds:
        joined = ", joined by links of" if links else ", each with"
        text += f"{joined} {_range([units.RATE.familiar(v, size) for v in (min(speeds), max(speeds))])}"
    sources = [int(each["sources"]) for each in described]
    if max(sources):
        text += f"; {_range([f'{v:,}' for v in (min(sources), max(sources))])} sources"
    weighted = [each.get("traffic_rtt") for each in described]
    round_trips = [1e3 * float(w or each["mean_rtt"]) for w, each in zip(weighted, described, strict=True)]
    if any(round_trips):
        times = _range([f"{v:.3g} ms" for v in (min(round_trips), max(round_trips))])
        of = "of the traffic" if all(weighted) else "between regions"
        text += f". A round trip {of} takes {times} on average without queues"
    return f"{text}."


def _link_speeds(described: Mapping[str, Any]) -> list[float]:
    """Return the speeds of the ports of links between backbone or plain routers, segments/s; none without ports."""
    kinds = {each["name"]: each["class"] for each in described["map"]["routers"]}
    loads = [each for each in described.get("loads", ()) if each["to"] is not None]
    return [each["speed"] for each in loads if {kinds[each["from"]], kinds[each["to"]]} <= {"backbone", "plain"}]


def _runs_sentence(view: CampaignView, scenarios: Sequence[Mapping[str, Any]]) -> str:
    """Return how many runs there are, how long they are, and which senders they have; empty without a network."""
    if not scenarios:
        return ""
    times = [each["time"] for each in scenarios]
    lengths = [float(each["duration"]) for each in times]
    measured = [float(each["duration"]) - float(each["warmup"]) for each in times]
    long, last = (_range([f"{number(value)} s" for value in (min(of), max(of))]) for of in (lengths, measured))
    presets = {str(each.get("preset")): None for each in scenarios}
    senders = [f"{name} ({PRESETS[name]})" if name in PRESETS else name for name in presets]
    return (
        f"{counted(sum(view.campaign.counts.values()), 'run')} of {long}, of which {last} are measured. "
        f"Senders of the preset {listed(senders)}."
    )


def _carried_sentence(
    view: CampaignView, scenarios: Sequence[Mapping[str, Any]], described: Sequence[Mapping[str, Any]]
) -> str:
    """Return what the traffic offered and what arrived; empty if no flow has a rate, or without results.

    `described`: networks of the conditions, in their order.
    """
    offered = [each["offered"] + offered_by_arrivals(each) for each in described]
    if not view.has_results or not offered or not min(offered) or any(each["flows"] for each in scenarios):
        return ""
    rows = view.campaign.responses.filter(response="segments_leaving", period=view.main_period)
    means = rows.group_by("condition", "algorithm").agg(pl.col("value").mean()).drop_nulls()
    rates = [
        (value / float(scenarios[condition - 1]["measurement"]["interval"]), offered[condition - 1])
        for condition, _, value in means.iter_rows()
        if condition <= len(scenarios)
    ]
    if not rates:
        return ""
    size = float(scenarios[0]["transport"]["segment_bytes"])
    asked = _range([rate_text(rate, size) for rate in (min(offered), max(offered))])
    shares = [100 * rate / each for rate, each in rates]
    got = _range([f"{number(share, 3)} %" for share in (min(shares), max(shares))])
    waits = " where nothing delays it" if described[0]["offered"] else ""
    return f"The traffic offers {asked}{waits}; {got} of it arrived, with retransmissions."


def _range(texts: Sequence[str]) -> str:
    low, high = texts
    if low == high:
        return low
    unit = high[high.rindex(" ") :] if " " in high else ""
    return f"{low.removesuffix(unit) if unit else low} to {high}"


def _varied(view: CampaignView) -> list[tuple[str, str]]:
    """Return the name of each factor with both of its settings, in words."""
    return [
        (capitalised(f.name), f"{in_words(f.minus, view.segment_bytes)} or {in_words(f.plus, view.segment_bytes)}")
        for f in view.campaign.factors
    ]


def _varied_levels(view: CampaignView) -> list[tuple[str, str]]:
    """Return the name of each factor of a grid with all its levels."""
    return [(capitalised(each.factor.name), listed(each.texts)) for each in Grid(view).factors]


def _levels(view: CampaignView) -> list[GridAnswer]:
    """Return what a grid or a response surface shows of its first responses, with rates in bits per second."""
    if not view.has_results:
        return []
    found: list[GridAnswer] = []
    if is_grid(view.campaign):
        grid = Grid(view)
        found = grid_answers(grid, grid.key_responses[:FIRST])
    elif is_surface(view.campaign):
        found = surface_text.surface_answers(Surface(view), view.key_responses[:FIRST])
    return [
        replace(each, sentences=tuple(with_bits(text, view.data_bytes) for text in each.sentences)) for each in found
    ]


def _levels_note(view: CampaignView) -> str:
    """Return how the sentences on levels are made; empty without such sentences."""
    if not view.has_results:
        return ""
    if is_grid(view.campaign):
        return note(Grid(view))
    return surface_text.note(Surface(view)) if is_surface(view.campaign) else ""


def _map(scenario: Mapping[str, Any], described: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the routers that the replay names, their links and the frame of the drawing; None for too many."""
    drawn = flower_map(scenario["topology"], described)
    heads = {place: point for place, point in enumerate(drawn.places) if point.head}
    if not 1 < len(heads) <= MOST_ON_MAP:
        return None
    links = [(heads[a], heads[b]) for a, b in drawn.links if a in heads and b in heads]
    names = _beside(list(heads.values()), links)
    boxes = [_box(*name) for name in names] + [(p.x - 8, p.y - 8, p.x + 8, p.y + 8) for p in heads.values()]
    left, top = min(b[0] for b in boxes) - 4, min(b[1] for b in boxes) - 4
    width, height = max(b[2] for b in boxes) + 4 - left, max(b[3] for b in boxes) + 4 - top
    return {
        "frame": f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}",
        "routers": list(heads.values()), "links": links, "names": names, "size": LETTERS,
        "title": f"Map of {described['topology']}: {counted(len(heads), 'router')} and {counted(len(links), 'link')}",
    }  # fmt: skip


Name = tuple[str, float, float]  # text and centre
Box = tuple[float, float, float, float]  # left, top, right, bottom


def _beside(points: Sequence[MapPoint], links: Sequence[tuple[MapPoint, MapPoint]]) -> list[Name]:
    """Return names at the first place around each router that covers no name, no router and fewest links."""
    taken: list[Box] = [(p.x - 7, p.y - 7, p.x + 7, p.y + 7) for p in points]
    found = []
    for point in points:
        text = point.label
        half = _box(text, 0, 0)[2]
        offsets = [(half + 10, 0), (-half - 10, 0), (0, -17), (0, 17)]
        offsets += [(x * (half + 6), y) for y in (-14, 14, -24, 24) for x in (1, -1)]

        def cost(at: tuple[float, float], text: str = text, point: MapPoint = point) -> float:
            box = _box(text, point.x + at[0], point.y + at[1])
            covered = sum(_overlap(box, other) for other in taken)
            return 10 * covered + sum(_crossed(box, a, b) for a, b in links)

        x, y = min(offsets, key=cost)
        found.append((text, round(point.x + x, 1), round(point.y + y, 1)))
        taken.append(_box(*found[-1]))
    return found


def _box(text: str, x: float, y: float) -> Box:
    half = 0.29 * LETTERS * len(text) + 2
    return (x - half, y - 0.55 * LETTERS, x + half, y + 0.55 * LETTERS)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _crossed(box: Box, a: MapPoint, b: MapPoint) -> bool:
    """Return True if one of 20 places on a link lies in the box."""
    places = ((a.x + (b.x - a.x) * n / 20, a.y + (b.y - a.y) * n / 20) for n in range(1, 20))
    return any(box[0] < x < box[2] and box[1] < y < box[3] for x, y in places)
