"""CSV: a folder with nodes.csv and links.csv, or a list of links alone."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from mesonet.errors import unknown
from mesonet.topologies.draft import Draft, Place, checked_name, link, refuse_large, refuse_many, router

NODES, LINKS = "nodes.csv", "links.csv"
_NODE_COLUMNS = ("name", "class", "speed_factor", "latitude", "longitude")
_LINK_COLUMNS = ("from", "to", "delay_ms", "cost", "length_km")


def read_folder(folder: Path, text: str) -> Draft:
    """The network of a folder with nodes.csv and links.csv."""
    for name in (NODES, LINKS):
        if not (folder / name).is_file():
            raise Place(str(folder / name)).refuse("no such file", allowed=f"a folder with {NODES} and {LINKS}")
    place, links_place = Place(str(folder / NODES)), Place(str(folder / LINKS))
    draft = Draft(folder.resolve().name, text, place, links_place)
    index: dict[str, int] = {}
    for at, cells in _rows(folder / NODES, _NODE_COLUMNS, needed=1):
        refuse_many(place, len(index) + 1, 0)
        name = cells["name"]
        if name in index:
            raise at.refuse("two routers have this name", key="name", value=name, allowed="each name once")
        index[name] = len(index)
        draft.routers.append(router(at, name, cells))
    for at, cells in _rows(folder / LINKS, _LINK_COLUMNS, needed=2):
        refuse_many(links_place, 0, len(draft.links) + 1)
        for key in ("from", "to"):
            if cells[key] not in index:
                error = unknown("router", cells[key], index)
                raise at.refuse(error.problem, key=key, value=cells[key], allowed=f"a name of {NODES}")
        draft.links.append(link(at, index[cells["from"]], index[cells["to"]], cells))
    _refuse_twice(draft)
    return draft


def read_links(path: Path, text: str) -> Draft:
    """The network of a CSV file of links; its routers are the names in the order in which they occur."""
    place = Place(str(path))
    draft = Draft(path.stem, text, place, place)
    index: dict[str, int] = {}
    for at, cells in _rows(path, _LINK_COLUMNS, needed=2):
        for key in ("from", "to"):
            if cells[key] not in index:
                draft.routers.append(router(at, checked_name(at, cells[key], key), {}))
                index[cells[key]] = len(index)
        draft.links.append(link(at, index[cells["from"]], index[cells["to"]], cells))
        refuse_many(place, len(index), len(draft.links))
    _refuse_twice(draft)
    return draft


def _rows(path: Path, columns: tuple[str, ...], needed: int) -> Iterator[tuple[Place, dict[str, str]]]:
    """Place and cells by column of each row; of `columns` the first `needed` must be there."""
    place = Place(str(path))
    refuse_large(place, path.stat().st_size)
    try:
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise place.refuse("not text in UTF-8", allowed="a CSV file") from None
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    header: list[str] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            at = Place(place.file, f"line {reader.line_num}")
            if not any(cells):
                continue
            if not header:
                header = _header(at, cells, columns, needed)
            elif len(cells) != len(header):
                problem = f"{len(cells)} cells under {len(header)} columns"
                raise at.refuse(problem, value=",".join(row), allowed=f"{len(header)} cells: {','.join(header)}")
            else:
                yield at, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise Place(place.file, f"line {reader.line_num}").refuse(f"not CSV: {error}") from None
    if not header:
        raise place.refuse("empty", allowed=f"a line with the columns {','.join(columns[:needed])}, then a row each")


def _header(at: Place, cells: list[str], columns: tuple[str, ...], needed: int) -> list[str]:
    header = [cell.lower() for cell in cells]
    for name in header:
        if name not in columns:
            error = unknown("column", name, columns)
            raise at.refuse(error.problem, value=name, allowed=", ".join(columns))
        if header.count(name) > 1:
            raise at.refuse("a column that is there twice", value=name, allowed="each column once")
    for name in columns[:needed]:
        if name not in header:
            raise at.refuse(f'no column "{name}"', value=",".join(cells), allowed=", ".join(columns))
    return header


def _refuse_twice(draft: Draft) -> None:
    seen: dict[tuple[int, int], str] = {}
    for each in draft.links:
        ends = (min(each.a, each.b), max(each.a, each.b))
        if ends in seen:
            names = " - ".join(draft.routers[end].name for end in (each.a, each.b))
            problem = f"the link of {seen[ends]} again"
            raise each.place.refuse(problem, value=names, allowed="one link between two routers")
        seen[ends] = str(each.place.path)
