"""Fits of a folder of captures: the table, and the paths as conditions of an experiment and of a suite."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet import algorithms
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.files.names import name_part
from mesonet.files.toml import toml_lines
from mesonet.fitting.fit import Fit, fit
from mesonet.fitting.paths import BASE, conditions
from mesonet.fitting.tables import is_run
from mesonet.fitting.what_if import refusal
from mesonet.words import counted

COLUMNS = ("file", "control", "rate, Mbit/s", "base, ms", "buffer", "random loss, %", "replay")
FACTOR = "path"
"""Id of the factor whose levels are the paths."""
_FLOWS = ({"from": "A", "to": "B", "interface": "1 Gbit/s"},)
_BESIDE = (
    {**_FLOWS[0], "start_within": "100 ms", "algorithm": "INCUMBENT"},
    {**_FLOWS[0], "start_within": "100 ms"},
)
_SUITE = {
    "short": "fitted paths",
    "title": "the paths of captures",
    "document": "captures of TCP and QUIC",
    "source": "mesonet fit",
    "purpose": "to see what an algorithm does on the paths of its users",
    "case": "case",
    "cases": ["question", "questions"],
    "quick": 5,
    "full": 20,
    "thresholds": "Captures have no thresholds.",
    "environments": "Paths on which the algorithm does worse than an incumbent.",
}
_CASES: tuple[tuple[dict[str, Any], Sequence[dict[str, Any]]], ...] = (
    (
        {
            "id": "alone",
            "title": "A transfer alone on the paths",
            "kind": "alone",
            "question": "What does a transfer with the algorithm get on the paths of the captures?",
            "reading": "One flow has the path for as long as the capture lasted.",
        },
        _FLOWS,
    ),
    (
        {
            "id": "beside",
            "title": "A transfer beside the incumbent",
            "kind": "beside",
            "question": "What does a flow of the incumbent lose to a flow of the algorithm on these paths?",
            "reading": "A flow of the incumbent shares the path with one newcomer.",
        },
        _BESIDE,
    ),
)
_GOODPUT = {"value": "goodput", "better": "higher", "margin": 0.2}
_FIFTH = "Chosen: a fifth, so that only clear losses count."
_MEASURES: dict[str, tuple[dict[str, Any], ...]] = {
    "alone": (
        {"id": "goodput", "title": "mean goodput", **_GOODPUT, "reason": _FIFTH},
        {
            "id": "queueing delay",
            "title": "95th percentile of the queueing delay",
            "value": "queue_delay_p95_plain",
            "better": "lower",
            "margin": 0.2,
            "least": 5,
            "reason": f"{_FIFTH} Differences up to 5 ms are no matter for a conversation.",
        },
    ),
    "beside": (
        {
            "id": "goodput of the incumbent",
            "title": "goodput of the incumbent's flow",
            **_GOODPUT,
            "of": "incumbent",
            "reason": _FIFTH,
        },
    ),
}


@dataclass(frozen=True)
class Fits:
    """Fits of the captures in a folder.

    Attributes
    ----------
    fits
        The fit of each file by its name.
    refused
        The reason of each file that has none, by its name.
    """

    fits: dict[str, Fit]
    refused: dict[str, InputError]

    def rows(self) -> list[list[str | float | None]]:
        """Return the table.

        Returns
        -------
        A row for each file in the order of names: name and `Fit.row`, or the reason of its refusal in the last cell.
        """
        names = sorted([*self.fits, *self.refused])
        return [
            [name, *self.fits[name].row()] if name in self.fits else [name, *[None] * 5, self.refused[name].problem]
            for name in names
        ]

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the fits as plain data.

        Returns
        -------
        For each file in the order of names ``file``, ``left_out`` (the reason why its path is no condition; empty: it
        is one) and `Fit.as_dict`; or ``refused`` with the reason.
        """
        out = self.left_out()
        return [
            {"file": name, "left_out": out.get(name, ""), **self.fits[name].as_dict()}
            if name in self.fits
            else {"file": name, "refused": str(self.refused[name])}
            for name in sorted([*self.fits, *self.refused])
        ]

    def left_out(self) -> dict[str, str]:
        """Return the files whose paths are no conditions.

        Returns
        -------
        The reason by name: a refusal, a replay that fails, a buffer that never filled, a path that another file has.
        """
        found = {name: error.problem for name, error in self.refused.items()}
        seen: dict[str, str] = {}
        for name, each in self.fits.items():
            values = json.dumps(each.path.values())
            if reason := refusal(each.found, each.gate, each.path):
                found[name] = reason
            elif values in seen:
                found[name] = f"{seen[values]} has an equal path"
            else:
                seen[values] = name
        return dict(sorted(found.items()))

    def write_experiment(self, out: str | Path) -> Path:
        """Write an experiment file whose conditions are the paths.

        Each path whose replay passes, and whose buffer was seen full, is a level of the factor ``path``. The
        algorithms are the controls of the captures.

        Parameters
        ----------
        out
            The file, such as ``paths.toml``.

        Returns
        -------
        The file.

        Raises
        ------
        InputError
            If no path can be a condition, or the file cannot be written.
        """
        target = Path(out)
        names, fixed, levels = self._conditions()
        about = {
            "name": name_part(target.stem).strip("-"),
            "title": f"{counted(len(names), 'path', 'paths')} fitted to captures",
            "scenario": BASE,
            "algorithms": list(dict.fromkeys(self.fits[name].gate.control for name in names)),
        }
        lines = [*self._comments(names), *toml_lines(about), "", *toml_lines(fixed, table="set")]
        _write(target, [*lines, *_factor(levels)])
        return target

    def write_suite(self, out: str | Path) -> Path:
        """Write a suite of `mesonet evidence` whose cells are the paths.

        Its cases are a transfer alone on each path, and a transfer beside one of the incumbent.

        Parameters
        ----------
        out
            The folder.

        Returns
        -------
        The folder.

        Raises
        ------
        InputError
            If no path can be a cell, or the folder cannot be written to.
        """
        names, fixed, levels = self._conditions()
        comments = self._comments(names)
        labels = [str(number) for number in range(1, len(names) + 1)]
        with places.folder(out) as folder:
            _write(places.inside(folder, "suite.toml"), toml_lines(_SUITE))
            for number, (about, flows) in enumerate(_CASES, 1):
                case = {**about, "numbers": "Fitted: all numbers of the paths.", "scenario": BASE}
                lines = [*comments, *toml_lines(case), *toml_lines(fixed, flows, "set"), *_factor(levels, labels)]
                for measure in _MEASURES[about["id"]]:
                    lines += ["", "[[measures]]", *toml_lines(measure)]
                _write(places.inside(folder, f"{number:02}-{about['id']}.toml"), lines)
        return Path(out)

    def _conditions(self) -> tuple[list[str], dict[str, Any], dict[str, list[Any]]]:
        """Return the files whose paths are conditions, the values that all paths share, and the others by path."""
        out = self.left_out()
        names = [name for name in sorted(self.fits) if name not in out]
        if not names:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in list(out.items())[:3])
            allowed = "captures whose replay passes, with a buffer that was full"
            raise InputError(f"no path can be a condition ({reasons})", allowed=allowed)
        return names, *conditions([self.fits[name].path for name in names])

    def _comments(self, names: Sequence[str]) -> list[str]:
        lines = []
        for number, name in enumerate(names, 1):
            each = self.fits[name]
            lines.append(f"# path {number}: {json.dumps(name, ensure_ascii=False)}, {each.gate.control}, replay passed")
            lines += [f"#   {text}" for text in each.estimates()]
        return lines


def fit_folder(
    folder: str | Path,
    *,
    control: str | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> Fits:
    """Return the fits of a folder; `mesonet.fit_folder` describes it."""
    place = Path(folder)
    if not place.is_dir():
        raise InputError("no folder", value=str(folder), allowed="a folder with captures")
    files = sorted(each for each in place.iterdir() if each.is_file() or is_run(each))
    if not files:
        raise InputError("no file in the folder", value=str(folder), allowed="a folder with captures")
    if control is not None:
        algorithms.resolve(control)
    found = Fits({}, {})
    for number, file in enumerate(files, 1):
        try:
            found.fits[file.name] = fit(file, control=control)
        except InputError as error:
            found.refused[file.name] = error
        if progress:
            progress(number, len(files))
    return found


def _factor(levels: dict[str, list[Any]], labels: Sequence[str] = ()) -> list[str]:
    if not levels:
        return []
    about = {"id": FACTOR, "name": "fitted path", **({"labels": list(labels)} if labels else {})}
    return ["", "[[factors]]", *toml_lines(about), *toml_lines(levels, table="levels")]


def _write(target: Path, lines: Sequence[str]) -> None:
    with places.file(target) as aside:
        aside.write_text("\n".join([*lines, ""]), encoding="utf-8")
