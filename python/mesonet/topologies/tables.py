"""CSV: a folder with nodes.csv and links.csv, or a list of links alone."""

from __future__ import annotations

from pathlib import Path

from mesonet.errors import unknown
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.files.reading import printable
from mesonet.topologies.draft import LINK_KEYS, Draft, checked_name, join_parallel, link, refuse_many, router

NODES, LINKS = "nodes.csv", "links.csv"
_NODE_COLUMNS = ("name", "class", "speed_factor", "latitude", "longitude")
_LINK_COLUMNS = ("from", "to", *LINK_KEYS)


def read_folder(folder: Path, text: str) -> Draft:
    """Return the network of a folder with nodes.csv and links.csv."""
    for name in (NODES, LINKS):
        if not (folder / name).is_file():
            raise FilePlace(str(folder / name)).refuse("no such file", allowed=f"a folder with {NODES} and {LINKS}")
    place, links_place = FilePlace(str(folder / NODES)), FilePlace(str(folder / LINKS))
    draft = Draft(folder.resolve().name, text, place, links_place)
    index: dict[str, int] = {}
    for at, cells in rows(folder / NODES, _NODE_COLUMNS, needed=1):
        refuse_many(place, len(index) + 1, 0)
        name = cells["name"]
        if name in index:
            raise at.refuse("two routers have this name", key="name", value=name, allowed="each name once")
        index[name] = len(index)
        draft.routers.append(router(at, name, cells))
    for at, cells in rows(folder / LINKS, _LINK_COLUMNS, needed=2):
        refuse_many(links_place, 0, len(draft.links) + 1)
        for key in ("from", "to"):
            if cells[key] not in index:
                error = unknown("router", cells[key], index)
                raise at.refuse(error.problem, key=key, value=cells[key], allowed=f"a name of {NODES}")
        draft.links.append(link(at, index[cells["from"]], index[cells["to"]], cells))
    _merge(draft)
    return draft


def read_links(path: Path, text: str) -> Draft:
    """Return the network of a CSV file of links; its routers are the names in the order in which they occur."""
    place = FilePlace(str(path))
    draft = Draft(printable(path.stem), text, place, place)
    index: dict[str, int] = {}
    for at, cells in rows(path, _LINK_COLUMNS, needed=2):
        for key in ("from", "to"):
            if cells[key] not in index:
                draft.routers.append(router(at, checked_name(at, cells[key], key), {}))
                index[cells[key]] = len(index)
        draft.links.append(link(at, index[cells["from"]], index[cells["to"]], cells))
        refuse_many(place, len(index), len(draft.links))
    _merge(draft)
    return draft


def _merge(draft: Draft) -> None:
    """Merge rows between the same routers; a list with every link in both directions has a row for each direction."""
    ends = [(each.a, each.b) for each in draft.links]
    given = set(ends)
    directed = len(ends) == len(given) and all((b, a) in given for a, b in ends)
    join_parallel(draft, directed=directed)
    if directed and ends:
        draft.notes.append("every link is listed in both directions: each row has the values of one direction")
