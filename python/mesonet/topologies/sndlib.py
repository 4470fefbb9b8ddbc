"""SNDlib: networks and demands in its native form, in XML and in JSON; JSON also as networkx and topohub write it.

All three forms become the tree of the XML form, which is read once.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.files.csv_rows import FilePlace
from mesonet.files.reading import MOST_DEPTH, printable, read_text
from mesonet.topologies.draft import Draft
from mesonet.topologies.graphs import from_nodes, refuse_costly_xml

ENDINGS = (".txt", ".xml", ".json")
"""Endings of the files: native, XML, JSON."""
_FORM = "a network of SNDlib with nodes, links and demands"
#: Units of the META section, Mbit/s.
_UNITS = {"BITPERSEC": 1e-6, "KBITPERSEC": 1e-3, "MBITPERSEC": 1.0, "GBITPERSEC": 1e3, "TBITPERSEC": 1e6}
_AMOUNTS = ("demandValue", "value", "demand", "rate")
_SECTION = re.compile(r"^\s*(META|NODES|LINKS|DEMANDS|ADMISSIBLE_PATHS)\s*\((.*?)^\s*\)\s*$", re.MULTILINE | re.DOTALL)
_NODE = re.compile(r"(\S+?)(?:\s*\(\s*(\S+)\s+(\S+?)\s*\))?")
_LINK = re.compile(r"(\S+)\s*\(\s*(\S+)\s+(\S+?)\s*\)\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*\(\s*(.*?)\s*\)")
_DEMAND = re.compile(r"(\S+)\s*\(\s*(\S+)\s+(\S+?)\s*\)\s*(\S+)\s+(\S+)\s+(\S+)")


def read_network(path: Path, text: str) -> Draft:
    """Return the network of a file of SNDlib. Coordinates that are no longitudes and latitudes are left out."""
    place = FilePlace(str(path))
    tree = _tree(path, place)
    structure = _table(tree.get("networkStructure", tree))
    nodes = [(_text(node, "id"), node) for node in _items(structure.get("nodes"), "node")]
    if not nodes:
        raise place.refuse("no node", allowed=_FORM)
    points = [_point(node) for _, node in nodes]
    on_earth = all(point is None or (abs(point[0]) <= 180 and abs(point[1]) <= 90) for point in points)
    routers = [
        (key, _attributes(node, point if on_earth else None)) for (key, node), point in zip(nodes, points, strict=True)
    ]
    known = {key for key, _ in routers}
    notes: list[str] = []
    scale = _scale(tree, place)
    links: list[tuple[str, str, dict[str, Any]]] = []
    modules = priced = 0
    for number, link in enumerate(_items(structure.get("links", structure.get("edges")), "link")):
        at = FilePlace(str(path), f"link {number}")
        a, b = _text(link, "source"), _text(link, "target")
        for key, end in (("source", a), ("target", b)):
            if end not in known:
                raise at.refuse("a link to a node that is not listed", key=key, value=end, allowed="the id of a node")
        given = {key: value for key, value in link.items() if not isinstance(value, Mapping | list)}
        capacity, is_module = _capacity(at, link)
        if capacity:
            given["capacity_mbps"] = repr(capacity * (scale or 1.0))
            modules += is_module
        given.pop("routingCost", None)
        cost = _number(at, "routingCost", link.get("routingCost"))
        if cost:
            given["cost"], priced = repr(cost), priced + 1
        links.append((a, b, {key: value for key, value in given.items() if key not in _IDLE}))
    if 0 < priced < len(links):
        notes.append(f"routing costs of {priced} of {len(links)} links ignored: the other links have none")
        links = [(a, b, {key: value for key, value in given.items() if key != "cost"}) for a, b, given in links]
    draft = from_nodes(place, printable(path.stem), text, routers, links, directed=bool(tree.get("directed")))
    if scale is None and any("capacity_mbps" in given for *_, given in links):
        notes.append("the file has no unit: capacities are taken as Mbit/s; network.capacity_factor multiplies them")
    if modules:
        notes.append(f"capacity of {modules} of {len(links)} links from their first module: no capacity is installed")
    if not on_earth:
        notes.append("coordinates left out, they are not latitudes and longitudes")
    draft.notes += notes
    return draft


def read_demands(path: Path) -> Iterator[tuple[FilePlace, dict[str, Any]]]:
    """Yield the place of each demand of a file of SNDlib, and what a traffic matrix has: from, to, rate_mbps.

    Without a unit in the file the values are in Mbit/s. Demands of nothing are left out.
    """
    place = FilePlace(str(path))
    tree = _tree(path, place)
    scale = _scale(tree, place) or 1.0
    structure = _table(tree.get("networkStructure", tree))
    names = {_text(node, "id"): _label(node) for node in _items(structure.get("nodes"), "node")}
    given = tree.get("demands", _table(tree.get("graph", {})).get("demands"))
    for number, demand in enumerate(_demands(given)):
        at = FilePlace(str(path), f"demand {number}")
        ends = [_text(demand, key) for key in ("source", "target")]
        amount = next((demand[key] for key in _AMOUNTS if demand.get(key) is not None), None)
        value = _number(at, "demandValue", amount)
        if value is None:
            raise at.refuse("a demand without a value", key="demandValue", allowed="a number")
        if value:
            yield (
                at,
                {"from": names.get(ends[0], ends[0]), "to": names.get(ends[1], ends[1]), "rate_mbps": value * scale},
            )


_IDLE = ("id", "source", "target", "setupCost")
"""Keys of a link that are not attributes here."""


def _tree(path: Path, place: FilePlace) -> dict[str, Any]:
    """Return the tree of a file: tables by name, lists where a name occurs more than once."""
    content = read_text(path)
    form = path.suffix.lower()
    if form == ".xml":
        refuse_costly_xml(place, content.encode(), "XML of SNDlib")
        root = ElementTree.fromstring(content.encode())
        if root.tag.rpartition("}")[2] != "network":
            raise place.refuse("not a network of SNDlib", value=root.tag.rpartition("}")[2], allowed="<network>")
        tree: Any = _of_element(root)
    elif form == ".json":
        try:
            tree = json.loads(content) if content.count("[") + content.count("{") < _MOST_VALUES else None
        except (ValueError, RecursionError) as error:
            raise place.refuse(f"not valid JSON: {error}", allowed=_FORM) from None
        tree = _table(tree).get("network", tree)
    else:
        tree = _of_native(content, place)
    if not isinstance(tree, dict):
        raise place.refuse("not a network of SNDlib", allowed=_FORM)
    return tree


_MOST_VALUES = 2_000_000
"""Most tables and lists of a file in JSON (chosen): twice the demands between 1000 routers."""


def _of_element(element: ElementTree.Element, depth: int = 0) -> Any:
    """Return an element of XML as a table, or as its text."""
    if depth > MOST_DEPTH:
        return None
    found: dict[str, Any] = dict(element.attrib)
    for child in element:
        name, value = child.tag.rpartition("}")[2], _of_element(child, depth + 1)
        if name in found:
            before = found[name]
            found[name] = [*before, value] if isinstance(before, list) else [before, value]
        else:
            found[name] = value
    return found or (element.text or "").strip()


def _of_native(content: str, place: FilePlace) -> dict[str, Any]:
    """Return the tree of the native form."""
    if not content.lstrip().startswith("?SNDlib native format"):
        raise place.refuse("not a network of SNDlib", allowed="a first line ?SNDlib native format; type: network")
    bare = re.sub(r"(?m)^\s*#.*$", "", content)
    sections = {match[1]: match[2] for match in _SECTION.finditer(bare)}
    if "NODES" not in sections:
        raise place.refuse("no section NODES", allowed=_FORM)

    def entries(section: str, form: re.Pattern[str], example: str) -> Iterator[re.Match[str]]:
        for line in sections.get(section, "").splitlines():
            if not line.strip():
                continue
            match = form.fullmatch(line.strip())
            if match is None:
                raise place.refuse(f"not an entry of {section}", value=line.strip(), allowed=example)
            yield match

    meta = re.search(r"(?m)^\s*unit\s*=\s*(\S+)", sections.get("META", ""))
    nodes = [
        {"id": node[1]} | ({} if node[2] is None else {"coordinates": {"x": node[2], "y": node[3]}})
        for node in entries("NODES", _NODE, "A ( 10.0 52.0 )")
    ]
    links = [
        {
            "source": link[2],
            "target": link[3],
            "preInstalledModule": {"capacity": link[4]},
            "routingCost": link[6],
            "additionalModules": {"addModule": [{"capacity": capacity} for capacity in link[8].split()[::2]]},
        }
        for link in entries("LINKS", _LINK, "L1 ( A B ) 0.00 0.00 0.00 0.00 ( 40.00 1.00 )")
    ]
    demands = [
        {"source": demand[2], "target": demand[3], "demandValue": demand[5]}
        for demand in entries("DEMANDS", _DEMAND, "D1 ( A B ) 1 12.5 UNLIMITED")
    ]
    return {"meta": {"unit": meta[1]} if meta else {}, "nodes": nodes, "links": links, "demands": demands}


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: Any, name: str) -> list[dict[str, Any]]:
    """Return the tables of a list, or of the entry `name` of a table, where one alone is no list."""
    if isinstance(value, dict):
        value = value.get(name, [])
    listed = value if isinstance(value, list) else [value] if value else []
    return [each for each in listed if isinstance(each, dict)]


def _demands(value: Any) -> Iterator[dict[str, Any]]:
    """Yield demands of a list, or of a table by source and target, as topohub has them."""
    if isinstance(value, dict) and "demand" not in value:
        for source, row in value.items():
            for target, amount in _table(row).items():
                yield {"source": source, "target": target, "demandValue": amount}
    else:
        yield from _items(value, "demand")


def _text(table: Mapping[str, Any], key: str) -> str:
    return " ".join(str(table.get(key, "")).split())


def _label(node: Mapping[str, Any]) -> str:
    return _text(node, "label") or _text(node, "name") or _text(node, "id")


def _attributes(node: Mapping[str, Any], point: tuple[float, float] | None) -> dict[str, Any]:
    given = {key: value for key, value in node.items() if not isinstance(value, dict | list)} | {"label": _label(node)}
    return given if point is None else given | {"longitude": point[0], "latitude": point[1]}


def _point(node: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return x and y of a node."""
    coordinates = node.get("coordinates")
    if isinstance(coordinates, dict):
        coordinates = [coordinates.get("x"), coordinates.get("y")]
    values = coordinates or node.get("pos")
    if not isinstance(values, list) or len(values) != 2:
        return None
    try:
        x, y = (units.number(value) for value in values)
    except InputError:
        return None
    return x, y


def _capacity(at: FilePlace, link: Mapping[str, Any]) -> tuple[float | None, bool]:
    """Return the capacity that is installed, else the capacity of the first module; and whether it is of a module."""
    installed = _number(at, "capacity", _table(link.get("preInstalledModule")).get("capacity"))
    if installed:
        return installed, False
    for module in _items(link.get("additionalModules"), "addModule"):
        if capacity := _number(at, "capacity", module.get("capacity")):
            return capacity, True
    return None, False


def _scale(tree: Mapping[str, Any], place: FilePlace) -> float | None:
    """Return the Mbit/s of the unit of capacities and demands; None without a unit."""
    unit = _table(tree.get("meta")).get("unit")
    if unit in (None, ""):
        return None
    if str(unit).upper() not in _UNITS:
        raise place.refuse("not a unit of rates", key="unit", value=unit, allowed=", ".join(_UNITS))
    return _UNITS[str(unit).upper()]


def _number(at: FilePlace, key: str, value: Any) -> float | None:
    if value in (None, "", "UNLIMITED"):
        return None
    try:
        return units.number(value)
    except InputError as error:
        raise at.refuse(error.problem, key=key, value=value, allowed="a number") from None
