"""The verb ``mesonet grid``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

import mesonet
from mesonet.cli import completion
from mesonet.cli.campaign_status import show_finished
from mesonet.cli.common import JSON, Command, announce_names, refuse_other_forms, save_plot
from mesonet.cli.runner_options import how, runner_options
from mesonet.errors import InputError, unknown
from mesonet.terminal import write_json

_FUNCTION = re.compile(r".+\.py:\w+")


@click.command(cls=Command)
@click.argument("target", metavar="SCENARIO|EXPERIMENT|FILE.py:FUNCTION", shell_complete=completion.SCENARIO)
@click.option(
    "--vary",
    multiple=True,
    required=True,
    metavar="[NAME:]PATH=A,B,...",
    help="Levels of a path, such as flows[0].count=2,10,50. Give the option once for each path.",
    shell_complete=completion.SETTING,
)
@click.option(
    "--algorithms",
    help="Algorithms to compare, separated by commas; by default cubic.",
    shell_complete=completion.ALGORITHMS,
)
@click.option(
    "--replicates", type=click.IntRange(1, 10_000), help="Runs of each combination and algorithm; by default 3."
)
@click.option("--duration", help="Simulated time of a run, such as '5 min'.")
@click.option("--scale", type=float, default=1.0, help="Multiplies rates and numbers of sources.")
@click.option("--seed", type=click.IntRange(min=0), help="Names the random streams.")
@click.option(
    "--set",
    "values",
    multiple=True,
    metavar="PATH=VALUE",
    help="Set a value of every run.",
    shell_complete=completion.SETTING,
)
@click.option("--responses", metavar="A,B,...", help="Responses of the answer and of the figure, such as goodput,rtt.")
@click.option("--plot", type=click.Path(path_type=Path), help="FILE.svg, .png, .pdf or .html: lines of a response.")
@click.option("--plan", "only_plan", is_flag=True, help="Show the levels and the number of runs, and run nothing.")
@click.option("--workers", type=click.IntRange(1, 1_000), help="Runs at a time; by default one per processor.")
@click.option("--out", type=click.Path(path_type=Path), help="Campaign folder; by default grid-SCENARIO.")
@click.option("--force", is_flag=True, help="Run even if the scale distorts the network.")
@runner_options
@JSON
def grid(
    target: str,
    vary: tuple[str, ...],
    responses: str | None,
    plot: Path | None,
    only_plan: bool,
    workers: int | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run SCENARIO at all combinations of levels, such as 2, 10 and 50 flows: means, intervals and a figure.

    The folder is a campaign: the same command continues it, and `mesonet report` and `mesonet analyze` draw it. A
    function of a Python file gets the levels as parameters.
    """
    from mesonet.cli import experiment_plan

    own = {name: options.pop(name) for name in ("algorithms", "replicates", "duration", "scale", "seed", "values")}
    given = how(workers, **options)
    chosen = _experiment(target, vary, own)
    if only_plan:
        warnings = chosen.check(force=True)
        if as_json:
            write_json(experiment_plan.as_json(chosen, warnings, None))
        else:
            experiment_plan.write_plan(chosen, warnings)
        return
    announce_names(chosen)
    if plot is not None:
        refuse_other_forms(plot)
    asked = [name.strip() for name in responses.split(",")] if responses else []
    if chosen.model is None:
        _refuse_unknown(asked)
    folder = chosen.run_missing(out or Path(chosen.name), workers, progress=not as_json, force=force, **given)
    if plot is not None:
        _draw(folder, asked, plot)
    show_finished(folder, as_json, asked)


def _experiment(target: str, vary: tuple[str, ...], own: dict[str, Any]) -> Any:
    from mesonet.cli.scenario_targets import pairs

    is_function = _FUNCTION.fullmatch(target) is not None
    levels = _levels(vary, as_values=is_function)
    values = pairs(own.pop("values"))
    about = {name: value for name, value in own.items() if value is not None}
    if is_function:
        values = {name: _value(text) if isinstance(text, str) else text for name, text in values.items()}
        about = {name: value for name, value in about.items() if (name, value) != ("scale", 1.0)}
        return mesonet.grid({"function": target}, levels, values=values or None, **about)
    try:
        return mesonet.grid(target, levels, values=values, **about)
    except InputError as error:
        raise _option(error) from None


def _option(error: InputError) -> InputError:
    """Return an error about an entry of the experiment as one about the option that gave it."""
    from mesonet.experiments.gridded import COMMAND

    path = error.path or ""
    name = {"algorithms": "--algorithms", "replicates": "--replicates"}.get(path.partition("[")[0], "")
    if error.file != COMMAND or not (path.startswith("grid.") or name):
        return error
    if not name:
        name = f"--vary {path.removeprefix('grid.')}"
    return InputError(error.problem, None, name, error.value, error.allowed)


def _levels(vary: tuple[str, ...], *, as_values: bool) -> dict[str, list[Any]]:
    """Return the levels by path. `as_values`: numbers, true and false as such; else text, as ``--set`` has it."""
    from mesonet.algorithms import OUTSIDE, split
    from mesonet.cli.scenario_targets import list_or_text

    found: dict[str, list[Any]] = {}
    for given in vary:
        path, *rest = re.split(f"={OUTSIDE}", given, maxsplit=1)
        allowed = "such as --vary flows[0].count=2,10,50"
        if not rest or not path.strip():
            raise InputError("not PATH=A,B,...", path="--vary", value=given, allowed=allowed)
        if path.strip() in found:
            raise InputError(f"{path.strip()} is given twice", path="--vary", value=given, allowed="each path once")
        listed = list_or_text(rest[0].strip())
        texts = listed if isinstance(listed, list) else split(rest[0])
        if "" in texts:
            raise InputError("a level is empty", path="--vary", value=given, allowed=allowed)
        found[path.strip()] = [_value(text) if as_values and isinstance(text, str) else text for text in texts]
    return found


def _value(text: str) -> Any:
    """Return the number, true or false of a text; any other text as it is."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _refuse_unknown(asked: list[str]) -> None:
    """Refuse a response that no network has, before anything runs."""
    from mesonet.campaign.goodputs import NAME, OF
    from mesonet.responses.definitions import BY_NAME

    for name in asked:
        if name not in (NAME, *BY_NAME) and not name.startswith(OF):
            raise unknown("response", name, (NAME, *BY_NAME), path="--responses")


def _draw(folder: Path, asked: list[str], plot: Path) -> None:
    """Write the lines of the first response over the levels."""
    from mesonet.reporting.campaign_view.sampled import Sampled
    from mesonet.reporting.campaign_view.view import view_of
    from mesonet.reporting.figures import levels

    view = view_of(mesonet.load(folder), asked=asked)
    figure = levels.figure(Sampled(view))
    assert figure is not None
    save_plot(figure.draw(response=view.key_responses[0]).chart(), plot)
