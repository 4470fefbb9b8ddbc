"""Networks of the collection topohub: Topology Zoo, SNDlib, CAIDA and others, by key."""

from __future__ import annotations

import re
from typing import Any

from mesonet.errors import InputError, needs_extra
from mesonet.files.csv_rows import FilePlace
from mesonet.topologies.draft import Draft, refuse_many
from mesonet.topologies.graphs import from_nodes

PREFIX = "topohub:"
_ALLOWED = "topohub:GROUP/NAME, such as topohub:topozoo/Abilene or topohub:sndlib/geant"


def read_hub(text: str) -> Draft:
    """Return a network of the collection topohub. `text`: ``topohub:KEY``."""
    key = text.removeprefix(PREFIX)
    try:
        import topohub
    except ModuleNotFoundError:
        raise needs_extra(text, "topologies") from None
    try:
        if not re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)+", key):
            raise KeyError(key)
        graph = topohub.get(key)
    except KeyError:
        raise InputError("no such network in topohub", value=text, allowed=_ALLOWED) from None
    place = FilePlace(text)
    refuse_many(place, len(graph["nodes"]), len(graph["edges"]))
    on_earth = all(_is_on_earth(node.get("pos")) for node in graph["nodes"])
    nodes = [(node["id"], _attributes(node, on_earth)) for node in graph["nodes"]]
    # Lengths are in km: topohub.get documents `dist` so.
    edges = [(edge["source"], edge["target"], {"length_km": edge.get("dist")}) for edge in graph["edges"]]
    draft = from_nodes(place, key.rpartition("/")[2], text, nodes, edges)
    if not on_earth:
        draft.notes.append("coordinates left out, they are not latitudes and longitudes; lengths are taken as km")
    return draft


def _attributes(node: dict[str, Any], on_earth: bool) -> dict[str, Any]:
    given = {"label": node.get("name")}
    if on_earth and node.get("pos"):
        given["longitude"], given["latitude"] = node["pos"]
    return given


def _is_on_earth(position: list[float] | None) -> bool:
    return not position or (-180 <= position[0] <= 180 and -90 <= position[1] <= 90)
