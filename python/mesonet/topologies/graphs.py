"""GraphML and GML, as the Topology Zoo writes them, read by networkx.

Nodes: label (or name), Latitude, Longitude, Internal; also class and speed_factor. Edges: the numbers of a link in a
CSV file, or values with units as `mesonet.topologies.attributes` reads them. The network has a note for each
other attribute with a number.
"""

from __future__ import annotations

import io
import re
import warnings
import xml.parsers.expat as expat
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mesonet.errors import needs_extra
from mesonet.files.csv_rows import FilePlace
from mesonet.files.reading import MOST_DEPTH, printable, read_text
from mesonet.topologies import attributes as attributes_of
from mesonet.topologies.draft import LINK_KEYS, Draft, checked_name, join_parallel, link, refuse_many, router

#: The label of unlabelled nodes in the Topology Zoo.
_NO_LABEL = "None"
_MOST_VALUES = 400_000
"""Most values of a file (chosen): twenty of each of 10,000 routers and 10,000 links."""
_MOST_LINES = 1_000_000
"""Most lines of GML (chosen): two for each value, and blank ones."""
_MOST_TEXT_LINES = 100
"""Most lines of a text in quotes (chosen): networkx needs time with their square."""
_FORMS = {
    "GML": 'graph [ node [ id 0 label "A" ] ... edge [ source 0 target 1 ] ... ]',
    "GraphML": '<graphml> with a <graph> of <node id="A"/> and <edge source="A" target="B"/>',
    "XML of SNDlib": '<network> with <node id="A"/>, and <link> of <source>A</source> and <target>B</target>',
}
"""The form of a file in short, for messages."""
#: Errors that networkx raises for malformed files, besides its own error.
_MALFORMED = (SyntaxError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)


def read_graphml(path: Path, text: str) -> Draft:
    """Return the network of a GraphML file."""
    place = FilePlace(str(path))
    content = read_text(path)
    refuse_costly_xml(place, content.encode())
    name = printable(path.stem)
    return _graph(place, name, text, "GraphML", lambda nx: nx.read_graphml(io.BytesIO(content.encode())))


def read_gml(path: Path, text: str) -> Draft:
    """Return the network of a GML file."""
    place = FilePlace(str(path))
    content = read_text(path)
    _refuse_costly_gml(place, content)
    if not re.search(r"(?m)^[ \t]*multigraph\b", content):
        # Files of the Topology Zoo have parallel edges without saying so, which networkx refuses.
        content = re.sub(r"\bgraph\s*\[", "graph [\n  multigraph 1", content, count=1)
    # label=None: nodes by number, because labels may occur twice.
    return _graph(place, printable(path.stem), text, "GML", lambda nx: nx.parse_gml(content, label=None))


def from_nodes(
    place: FilePlace,
    name: str,
    text: str,
    nodes: Iterable[tuple[Any, Mapping[str, Any]]],
    edges: Iterable[tuple[Any, Any, Mapping[str, Any]]],
    *,
    directed: bool = False,
    scales: Mapping[str, str] = MappingProxyType({}),
) -> Draft:
    """Return the network of nodes and edges with attributes.

    Equal labels are made different, and parallel edges are merged, each with a note. `scales`: units that the file
    gives for numbers of edges, by attribute.
    """
    draft = Draft(name, text, place, place)
    index: dict[Any, int] = {}
    used: set[str] = set()
    unnamed = doubled = external = 0
    for number, (key, attributes) in enumerate(nodes):
        given = {str(word).lower(): value for word, value in attributes.items()}
        at = FilePlace(place.file, f"node {number}")
        label = given.get("label", given.get("name"))
        given_name = "" if label in (None, _NO_LABEL) else " ".join(str(label).split())
        unnamed += not given_name and not isinstance(key, str)
        unique = _unused(given_name or str(key), used)
        doubled += bool(given_name) and unique != given_name
        external += given.get("internal") in (0, "0", False, "false")
        used.add(checked_name(at, unique, "label"))
        index[key] = number
        draft.routers.append(router(at, unique, given))
    ignored: dict[str, int] = {}
    for number, (a, b, attributes) in enumerate(edges):
        given = {str(word).lower(): value for word, value in attributes.items()}
        for word, unit in scales.items():
            if isinstance(given.get(word), (int, float)):
                given[word] = f"{given[word]!r} {unit}"
        each = link(FilePlace(place.file, f"edge {number}"), index[a], index[b], given)
        if each.capacity is None:
            each.capacity = attributes_of.capacity(given)
        if each.delay is None:
            each.delay = attributes_of.delay(given)
        if each.length is None:
            each.length = attributes_of.length(given)
        for phrase in attributes_of.unread(given, LINK_KEYS):
            ignored[phrase] = ignored.get(phrase, 0) + 1
        draft.links.append(each)
    for phrase, count in ignored.items():
        word, reason = phrase.split(": ", 1)
        draft.notes.append(f"{word} of {count} {_numbered('link(s)', count)} ignored: {reason}")
    for count, note in (
        (unnamed, "router(s) without a label, named by number"),
        (doubled, "duplicate label(s), with a number appended"),
        (external, "external router(s) (Internal = 0), kept in the network"),
    ):
        if count:
            draft.notes.append(f"{count} {_numbered(note, count)}")
    join_parallel(draft, directed=directed)
    return draft


def _graph(place: FilePlace, stem: str, text: str, form: str, read: Any) -> Draft:
    try:
        import networkx as nx
    except ModuleNotFoundError:
        raise needs_extra(f"{place.file}: {form}", "topologies") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of keys without a type, which are text then
            graph = read(nx)
    except (nx.NetworkXError, *_MALFORMED) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise place.refuse(f"not valid {form}: {reason}", allowed=_FORMS[form]) from None
    refuse_many(place, graph.number_of_nodes(), graph.number_of_edges())
    directed = graph.is_directed()
    # FNSS: the units of `delay`, `capacity` and `length` are attributes of the graph.
    units = {word: graph.graph.get(f"{word}_unit") for word in ("delay", "capacity", "length", "distance")}
    scales = {word: unit for word, unit in units.items() if isinstance(unit, str)}
    nodes, edges = graph.nodes(data=True), graph.edges(data=True)
    draft = from_nodes(place, stem, text, nodes, edges, directed=directed, scales=scales)
    if directed:
        draft.notes.append(
            "a directed graph: every link is taken in both directions, with the delay, cost, capacity and buffer of "
            "each"
        )
    return draft


def refuse_costly_xml(place: FilePlace, content: bytes, form: str = "GraphML") -> None:
    """Raise an `InputError` for XML with entities, and for more elements or levels than networks have."""
    counts = dict.fromkeys(("node", "edge", "link"), 0)
    elements = depth = 0

    def entity(*_: Any) -> None:
        raise place.refuse("XML with entities", allowed=f"{form} without <!ENTITY>")  # they can grow without bound

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal elements, depth
        elements, depth = elements + 1 + len(attributes), depth + 1
        local = name.rpartition(":")[2]
        if local in counts:
            counts[local] += 1
            refuse_many(place, counts["node"], counts["edge"] + counts["link"])
        _refuse_values(place, elements, depth)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.EntityDeclHandler, parser.StartElementHandler, parser.EndElementHandler = entity, start, end
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError) as error:  # the latter of an unknown encoding
        raise place.refuse(f"not valid {form}: {error}", allowed=_FORMS[form]) from None


def _refuse_costly_gml(place: FilePlace, content: str) -> None:
    """Raise an `InputError` for more lines, values or levels than networks have. The rest of the text may be wrong."""
    for text in re.finditer(r'"[^"]*"', content):
        if text[0].count("\n") > _MOST_TEXT_LINES:
            raise place.refuse("a text of many lines", allowed=f"at most {_MOST_TEXT_LINES} lines in quotes")
    bare = re.sub(r'"[^"]*"', '""', content)
    refuse_many(place, *(len(re.findall(rf"\b{word}\s*\[", bare)) for word in ("node", "edge")))
    lines = content.count("\n")
    if lines > _MOST_LINES:
        raise place.refuse(f"{lines:,} lines", allowed=f"at most {_MOST_LINES:,}")
    depth = 0
    for number, token in enumerate(re.finditer(r"[\[\]]|[^\s\[\]]+", bare)):
        depth += {"[": 1, "]": -1}.get(token[0], 0)
        _refuse_values(place, number // 2, depth)


def _refuse_values(place: FilePlace, values: int, depth: int) -> None:
    if values > _MOST_VALUES:
        raise place.refuse("too many values", allowed=f"at most {_MOST_VALUES:,}")
    if depth > MOST_DEPTH:
        raise place.refuse("nested too deeply", allowed=f"at most {MOST_DEPTH} levels")


def _unused(name: str, used: set[str]) -> str:
    """Return the name, with the first number behind that makes it new."""
    number, new = 1, name
    while new in used:
        number += 1
        new = f"{name} {number}"
    return new


def _numbered(note: str, count: int) -> str:
    return note.replace("(s)", "" if count == 1 else "s")
