"""Figures as files, drawn in parallel processes, and not again if they are up to date.

Each SVG contains a fingerprint of the data and code that it was made from, and its caption. So a folder of figures is
its own record: an interrupted run continues at the first missing figure, and figures cannot differ from the data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import as_completed
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.charts.export import to_png, to_svg
from mesonet.charts.theme import unchecked
from mesonet.errors import InputError
from mesonet.files import places, reading
from mesonet.processes import process_pool
from mesonet.progress import Update
from mesonet.reporting.folder.gallery import FigureFile

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

#: Figures for which a further process is started: it takes two seconds, so that one process draws fewer figures sooner.
_WORTH_A_PROCESS = 12
_PACKAGE = Path(__file__).parents[2]
#: Folders of the package that figures depend on; they also depend on the modules directly in the package.
_FOLDERS = ("analysis", "charts", "designs", "reporting", "responses")
_HEAD = 16_384  #: bytes at the beginning of a file that contain its record


@dataclass(frozen=True)
class Drawn:
    """A figure on disk."""

    name: str  #: path below the folder of figures, without suffix
    question: str
    caption: str
    path: Path  #: of the SVG


def fingerprint(campaign: Campaign, chosen: str = "") -> str:
    """Return the hash of the results of a campaign, the choices for their analysis, and the code that draws."""
    digest = hashlib.sha256()
    experiment = repr(sorted((key, repr(value)) for key, value in campaign.experiment.items()))
    design = campaign.design
    for text in (chosen, campaign.name, campaign.title, experiment, repr(campaign.algorithms), repr(campaign.factors)):
        digest.update(text.encode())
    digest.update(design.matrix.tobytes())
    for table in (campaign.responses, campaign.runs.select("condition", "algorithm", "replicate", "key", "status")):
        digest.update(repr(table.schema).encode())
        digest.update(table.hash_rows(seed=0).to_numpy().tobytes())
    digest.update(_code().encode())
    return digest.hexdigest()[:24]


@cache
def _code(package: Path = _PACKAGE) -> str:
    """Return the hash of the sources that make figures, and of the versions of the drawing packages."""
    digest = hashlib.sha256(f"{version('altair')} {version('vl-convert-python')}".encode())
    files = [*package.glob("*.py"), *(file for folder in _FOLDERS for file in (package / folder).rglob("*.py"))]
    for name, file in sorted((file.relative_to(package).as_posix(), file) for file in files):
        source = file.read_bytes()
        digest.update(f"{name} {len(source)} ".encode() + source)
    return digest.hexdigest()


def draw_all(
    campaign: Campaign,
    figures: Sequence[FigureFile],
    root: Path,
    *,
    again: Callable[[Campaign], Sequence[FigureFile]],
    png: bool = False,
    workers: int = 1,
    chosen: str = "",
    progress: Update | None = None,
) -> list[Drawn]:
    """Draw figures as SVG; figures that are up to date stay.

    Figures of other data or code that are no longer in the list are removed.
    """
    mark = fingerprint(campaign, chosen)
    _remove_stale(root, {figure.name for figure in figures}, mark)
    found: dict[str, Drawn] = {}
    for figure in figures:
        if (caption := _up_to_date(root, figure.name, mark, png)) is not None:
            found[figure.name] = Drawn(figure.name, figure.question, caption, _svg(root, figure.name))
    waiting = [figure for figure in figures if figure.name not in found]
    by_name = {figure.name: figure for figure in waiting}
    workers = min(workers, 1 + len(waiting) // _WORTH_A_PROCESS)
    with closing(
        _drawn(campaign=campaign, waiting=waiting, root=root, mark=mark, again=again, png=png, workers=workers)
    ) as drawn:  # ends its processes
        for done, (name, caption) in enumerate(drawn):
            if progress:
                progress(done + 1, len(waiting), name)
            found[name] = Drawn(name, by_name[name].question, caption, _svg(root, name))
    return [found[figure.name] for figure in figures]


def _drawn(
    campaign: Campaign,
    waiting: Sequence[FigureFile],
    root: Path,
    mark: str,
    again: Callable[[Campaign], Sequence[FigureFile]],
    png: bool,
    workers: int,
) -> Generator[tuple[str, str], None, None]:
    """Yield the name and caption of each figure, as it is done."""
    if workers <= 1:
        for figure in waiting:
            yield figure.name, _draw(figure, root, mark, png)
        return
    with process_pool(workers, _begin, (campaign, again, root, mark, png)) as pool:
        # Figures of one folder share results, so that one process draws them together.
        folders: dict[str, list[str]] = {}
        for figure in waiting:
            folders.setdefault(figure.name.rpartition("/")[0], []).append(figure.name)
        parts = [names[i : i + _WORTH_A_PROCESS] for names in folders.values()
                 for i in range(0, len(names), _WORTH_A_PROCESS)]  # fmt: skip
        for future in as_completed([pool.submit(_draw_named, names) for names in parts]):
            yield from future.result()


_STATE: dict[str, Any] = {}


def _begin(
    campaign: Campaign, again: Callable[[Campaign], Sequence[FigureFile]], root: Path, mark: str, png: bool
) -> None:
    _STATE.update(figures={figure.name: figure for figure in again(campaign)}, root=root, mark=mark, png=png)


def _draw_named(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, _draw(_STATE["figures"][name], _STATE["root"], _STATE["mark"], _STATE["png"])) for name in names]


def _draw(figure: FigureFile, root: Path, mark: str, png: bool) -> str:
    with unchecked():
        definition, caption = figure.make()
    svg = to_svg(definition)
    record = f"<desc>{escape(caption)}</desc><metadata>mesonet {mark}</metadata>"
    path = _svg(root, figure.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with places.aside(path.parent) as beside:
        if png:
            (beside / "png").write_bytes(to_png(definition))
            (beside / "png").replace(path.with_suffix(".png"))
        (beside / "svg").write_text(re.sub(r"(<svg[^>]*>)", lambda m: m[1] + record, svg, count=1), encoding="utf-8")
        (beside / "svg").replace(path)
    return caption


def _svg(root: Path, name: str) -> Path:
    return places.inside(root, f"{name}.svg")


def _up_to_date(root: Path, name: str, mark: str, png: bool) -> str | None:
    """Return the caption of a figure that need not be drawn; None if it must."""
    path = _svg(root, name)
    if png and not path.with_suffix(".png").exists():
        return None
    record = _record(path)
    return record[1] if record and record[0] == mark else None


def _record(path: Path) -> tuple[str, str] | None:
    """Return fingerprint and caption of a figure; None for a foreign or missing file."""
    try:
        with reading.opened(path) as file:
            head = file.read(_HEAD).decode("utf-8", "replace")
    except (OSError, InputError):
        return None
    found = re.search(r"<desc>(.*?)</desc><metadata>mesonet (\w+)</metadata>", head, re.DOTALL)
    return (found[2], unescape(found[1])) if found else None


def _remove_stale(root: Path, wanted: set[str], mark: str) -> None:
    for path in root.rglob("*.svg"):
        name = path.relative_to(root).as_posix().removesuffix(".svg")
        record = _record(path)
        if name not in wanted and record and record[0] != mark:
            path.unlink()
            path.with_suffix(".png").unlink(missing_ok=True)
