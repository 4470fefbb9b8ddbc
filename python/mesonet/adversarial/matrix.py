"""Searches for all ordered pairs of algorithms and several objectives: a table, a heat map, and a folder per cell."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup

from mesonet.adversarial import files
from mesonet.adversarial.adversary import answered
from mesonet.adversarial.answer import SIMPLEST, Adversary
from mesonet.adversarial.objective import DUEL_REFERENCE, OBJECTIVES, objective_of
from mesonet.adversarial.question import Question, question
from mesonet.assets import render
from mesonet.charts.export import to_svg
from mesonet.charts.matrix import Look, matrix
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.files.names import name_part
from mesonet.words import difference, quantity

TABLE = "matrix.json"
_WORST_DELAY_S = 1.0
"""Delay that has the darkest shade (chosen)."""


@dataclass(frozen=True)
class Cell:
    """Search of one pair."""

    folder: str  #: folder below the folder of the matrix
    answer: Adversary

    @property
    def score(self) -> float:
        """Confirmed harm; 0 if no path was found."""
        return max(0.0, self.answer.worst.confirmed.score) if self.answer.worst else 0.0

    @property
    def is_found(self) -> bool:
        """True if there is a path on which fresh copies have the harm."""
        return self.answer.worst is not None and self.answer.worst.confirmed.holds

    def document(self) -> dict[str, Any]:
        """Return the cell as plain data."""
        asked, worst = self.answer.question, self.answer.worst
        return {
            "objective": asked.objective.name,
            "algorithm": asked.algorithm,
            "against": asked.against[0],
            "score": self.score,
            "confirmed": self.is_found,
            "folder": self.folder,
            "sentence": self.answer.sentences()[0],
            "path": None if worst is None else worst.simplest.words(),
        }


def questions(names: Sequence[str], objectives: Sequence[str], **given: Any) -> list[Question]:
    """Return the questions of a matrix: all ordered pairs of two algorithms by objective.

    `given`: as `mesonet.adversarial.question.question` takes it. A duel has no row of its reference.
    """
    for each in objectives:
        objective_of(each)
    found = [
        question(tested, against=[other], objective=each, **given)
        for each in objectives
        for tested in names
        for other in names
        if tested != other and not (OBJECTIVES[each].is_duel and tested == DUEL_REFERENCE)
    ]
    if not found:
        raise InputError("no pair of two algorithms", path="against", value=", ".join(names), allowed="two algorithms")
    return found


def answered_matrix(asked: Sequence[Question], out: Path, *, threads: int | None, progress: bool) -> list[Cell]:
    """Search for each question in a folder of its own, and write the table and the page.

    Cells have no neighbourhood: the command of a cell adds it.
    """
    cells = []
    for each in asked:
        folder = "-".join(name_part(part) for part in (each.objective.name, each.algorithm, "against", each.against[0]))
        cells.append(
            Cell(
                folder, answered(each, places.inside(out, folder), neighbours=False, threads=threads, progress=progress)
            )
        )
    texts = {
        TABLE: json.dumps([each.document() for each in cells], indent=1, ensure_ascii=False) + "\n",
        files.PAGE: _html(cells),
    }
    for name, text in texts.items():
        with places.file(places.inside(out, name)) as aside:
            aside.write_text(text, encoding="utf-8")
    return cells


def _html(cells: Sequence[Cell]) -> str:
    documents = [each.document() for each in cells]
    charts = [(OBJECTIVES[name].title, Markup(chart)) for name, chart in pictures(documents).items()]
    rows = [(each, _harm(each), each["confirmed"]) for each in documents]
    return render("mesonet.adversarial", "matrix.html", charts=charts, rows=rows, scenario=SIMPLEST, page=files.PAGE)


def _harm(cell: Mapping[str, Any]) -> str:
    """Return the harm of a cell in words. `cell`: as `Cell.document`."""
    return difference(cell["score"], OBJECTIVES[cell["objective"]].unit) if cell["confirmed"] else "none"


def pictures(cells: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return a heat map as SVG by objective. `cells`: as `Cell.document`."""
    names = dict.fromkeys(each["objective"] for each in cells)
    return {name: to_svg(_chart([each for each in cells if each["objective"] == name])) for name in names}


def _chart(cells: Sequence[Mapping[str, Any]]) -> Any:
    unit = OBJECTIVES[cells[0]["objective"]].unit
    shown = pl.DataFrame(
        {
            "row": [each["algorithm"] for each in cells],
            "column": [each["against"] for each in cells],
            "text": [quantity(each["score"], unit) if each["confirmed"] else "none" for each in cells],
            "shade": [min(1.0, each["score"] / (1.0 if unit == "1" else _WORST_DELAY_S)) for each in cells],
            "tip": [each["sentence"] for each in cells],
        }
    )
    names = list(dict.fromkeys(shown["row"].to_list() + shown["column"].to_list()))
    rows = [each for each in names if each in shown["row"]]
    return matrix(shown, rows=rows, columns=names, look=Look(cell=64, row=26), row_title="tested algorithm")
