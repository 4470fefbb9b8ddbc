"""Plans to fill in and power, for ``mesonet design``: levels from options, the table as CSV, and sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mesonet.errors import InputError

if TYPE_CHECKING:
    from mesonet.analysis import DesignPower
    from mesonet.experiments.base import Designed

#: Levels of a factor, or its setting at a coded place.
Levels = Mapping[str, Sequence[Any] | Callable[[float], Any]]
_POWER_REPLICATES = 10


def options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of plans and power."""
    for option in (
        click.option("--power", type=float, metavar="EFFECT", help="Print the chance to find an effect, in standard "
                     "deviations of a run."),
        click.option("--responses", metavar="A,B,...", help="With --csv: names of the empty columns."),
        click.option("--randomise", type=click.IntRange(min=0), metavar="SEED", help="With --csv: random order of the "
                     "runs, within blocks."),
        click.option("--csv", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the runs as a plan "
                     "to fill in, which `mesonet analyze` reads."),
        click.option("--model", metavar="TERMS", help="For d-optimal: linear, interactions or quadratic (default)."),
        click.option("--axial", help="For central-composite: face (the default), rotatable or spherical."),
    ):  # fmt: skip
        command = option(command)
    return command


@dataclass(frozen=True, eq=False)
class Asked:
    """Values of the options."""

    file: Path | None
    randomise: int | None
    responses: str | None
    power: float | None

    def check(self) -> None:
        """Raise InputError for an option that needs another."""
        for option, value in (("--randomise", self.randomise), ("--responses", self.responses)):
            if value is not None and self.file is None:
                raise InputError("goes with a plan", path=option, value=value, allowed="--csv FILE too")


def levels_of(factors: str | None) -> tuple[str | None, dict[str, list[Any]]]:
    """Return the ids of ``heat=150:180,salt=no:yes`` as a text, and the levels by id; other texts as they are."""
    if factors is None or "=" not in factors:
        return factors, {}
    levels: dict[str, list[Any]] = {}
    for part in factors.split(","):
        name, equals, text = part.partition("=")
        values = [_value(each.strip()) for each in text.split(":")]
        if not equals or not name.strip() or len(values) < 2 or any(value == "" for value in values):
            allowed = "levels of each factor, such as heat=150:180,salt=no:yes,rule=a:b:c"
            raise InputError("not levels", path="--factors", value=part.strip(), allowed=allowed)
        if len(set(values)) < len(values) or name.strip() in levels:
            raise InputError("named twice", path="--factors", value=part.strip(), allowed="each factor and level once")
        levels[name.strip()] = values
    return ",".join(levels), levels


def is_words(levels: Sequence[Any]) -> bool:
    """Return True if nothing stands between levels."""
    return any(isinstance(level, str) for level in levels)


def settings_of(own: Designed | None, levels: Levels) -> Levels:
    """Return the levels of the options, or the settings of an experiment."""
    if own is None:
        return levels
    return {id: _setting(own, id) for id in own.levels}


def _setting(own: Designed, id: str) -> Callable[[float], Any]:
    return lambda place: own.level_text(id, place)


def write_plan(
    asked: Asked,
    ids: Sequence[str],
    matrix: Any,
    levels: Levels,
    *,
    block: Sequence[Any] | None = None,
    replicates: int = 1,
) -> None:
    """Write the plan if a file is given."""
    if asked.file is None:
        return
    import numpy as np

    from mesonet import designs
    from mesonet.files import places
    from mesonet.files.csv_tables import write_csv

    if asked.file.exists():
        problem = "the file exists, and may have results"
        raise InputError(problem, path="--csv", value=str(asked.file), allowed="another name")

    x = np.asarray(matrix, dtype=float)
    whole = {
        id: levels.get(id, (-1, 1) if np.isin(x[:, place], (-1, 1)).all() else None) for place, id in enumerate(ids)
    }
    names = [name.strip() for name in (asked.responses or "response").split(",")]
    try:
        found = designs.plan(x, whole, responses=names, replicates=replicates, randomise=asked.randomise, block=block)
    except InputError as error:
        where = {"levels": "--factors", "factors": "--factors"}.get(str(error.path).split(",")[0].split("[")[0])
        path = where or f"--{error.path}"
        raise InputError(error.problem, None, path, error.value, error.allowed) from None
    with places.file(asked.file) as aside:
        write_csv(found, aside)


def power_of(asked: Asked, ids: Sequence[str], matrix: Any, terms: Any) -> DesignPower | None:
    """Return the power of a design if an effect is given."""
    if asked.power is None:
        return None
    import mesonet

    try:
        return mesonet.analysis.design_power(
            matrix, asked.power, terms=terms, replicates=_POWER_REPLICATES, factors=list(ids)
        )
    except InputError as error:
        path = "--power" if error.path in ("effect", "terms", "design") else f"--{error.path}"
        raise InputError(error.problem, None, path, asked.power, error.allowed) from None


def power_lines(found: DesignPower) -> list[str]:
    """Return the sentences and the table of the power by replicates, up to the first that finds nearly all."""
    last = found.needed(0.99) or len(found.runs)
    rows = [
        f"  {place + 1} x: {found.runs[place]} runs, power "
        + (
            f"{found.power[place]:.2f} (noise of {found.noise[place]})"
            if found.power[place] >= 0
            else "unknown: no noise"
        )
        for place in range(last)
    ]
    return [*found.sentences(), *rows, *found.notes]


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
