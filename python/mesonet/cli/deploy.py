"""The verb ``mesonet deploy``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mesonet.cli import completion
from mesonet.cli.campaign_status import show_finished
from mesonet.cli.common import JSON, Command
from mesonet.cli.runner_options import how, runner_options
from mesonet.errors import InputError
from mesonet.terminal import write_json, write_table

if TYPE_CHECKING:
    from mesonet.experiments.network import Experiment

_QUICK_SHARES, _QUICK_REPLICATES = "0,10,50,90,100", 2
_TABLE = ("shares", "unit", "order", "tests", "period", "burn_in", "outcome", "by")
"""Options that are keys of the table ``[deploy]``."""


@click.command(cls=Command)
@click.argument("algorithm", metavar="ALGORITHM", shell_complete=completion.ALGORITHM)
@click.argument("target", metavar="[SCENARIO|TOPOLOGY|EXPERIMENT]", required=False, shell_complete=completion.SCENARIO)
@click.option(
    "--against",
    metavar="NAME",
    help="The incumbent; by default as in EXPERIMENT, else cubic.",
    shell_complete=completion.ALGORITHM,
)
@click.option("--shares", metavar="LIST", help="Percentages of the units that have ALGORITHM; 0 and 100 always run.")
@click.option(
    "--unit",
    metavar="NAME",
    help="Unit that takes an algorithm as a whole: user, home, flow or place; by default user.",
)
@click.option("--order", metavar="NAME|FILE", help="Who adopts first: random, place, access, or a CSV file of routers.")
@click.option(
    "--tests",
    metavar="LIST",
    help="Tests: ab and paired-links (the default); also switchback, rollout and event-study, which need further runs.",
)
@click.option(
    "--period", metavar="TIME", help="Length of a period of these tests; by default a sixth of the measured time."
)
@click.option("--burn-in", metavar="TIME", help="Beginning of each period that does not count.")
@click.option(
    "--outcome", metavar="NAME", help="The outcome that comes first; by default goodput. Tables have all outcomes."
)
@click.option(
    "--by", metavar="LIST", help="Groups with effects of their own: path_class, rtt_class, rate_class, access, pop."
)
@click.option("--replicates", type=click.IntRange(1, 10_000), help="Runs of each share and test; by default 4.")
@click.option("--until", metavar="PRECISION", help="Run until the total effect has this precision, such as 3%.")
@click.option("--quick", is_flag=True, help="The shares 0, 10, 50, 90 and 100, and 2 replicates.")
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
@click.option("--plan", "only_plan", is_flag=True, help="Show the levels and the number of runs, and run nothing.")
@click.option("--workers", type=click.IntRange(1, 1_000), help="Runs at a time; by default one per processor.")
@click.option("--out", type=click.Path(path_type=Path), help="Campaign folder; by default deploy-ALGORITHM.")
@click.option("--force", is_flag=True, help="Run even if the scale distorts the network.")
@runner_options
@JSON
def deploy(
    algorithm: str,
    target: str | None,
    against: str | None,
    replicates: int | None,
    until: str | None,
    quick: bool,
    duration: str | None,
    scale: float,
    seed: int | None,
    values: tuple[str, ...],
    only_plan: bool,
    workers: int | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Deploy ALGORITHM at several shares of the users: the total effect, and the results of tests.

    The network is by default ten users on one link. The folder is a campaign: the same command continues it, and
    further shares or replicates run only what is missing.
    """
    from mesonet.cli.looks_options import parse_margin
    from mesonet.cli.scenario_targets import pairs
    from mesonet.experiments.deployed import DEFAULT
    from mesonet.experiments.deployed import deploy as experiment_of

    table = {name: options.pop(name) for name in _TABLE}
    if quick:
        for name, value in (("shares", table["shares"]), ("replicates", replicates)):
            if value is not None:
                raise InputError("goes without --quick", path=f"--{name}", value=value)
        table["shares"], replicates = _QUICK_SHARES, _QUICK_REPLICATES
    if until is not None and replicates is not None:
        raise InputError("goes without --until", path="--replicates" if not quick else "--quick", value=replicates)
    try:
        chosen = experiment_of(
            algorithm, target or DEFAULT, against=against, replicates=replicates, duration=duration, scale=scale,
            seed=seed, values=pairs(values), **_parsed(table),
        )  # fmt: skip
    except InputError as error:
        raise _option(error) from None
    folder = out or Path(chosen.name)
    given = how(workers, **options)
    if only_plan:
        _plan(chosen, as_json)
        return
    if until is not None:
        from mesonet.looks.precision import run_until_precise

        try:
            precision = parse_margin(until)
        except InputError as error:
            raise InputError(error.problem, path="--until", value=until, allowed=error.allowed) from None
        run_until_precise(
            chosen, folder, precision or 0.0, told=lambda line: click.echo(line, err=True), progress=not as_json,
            workers=workers, force=force, **given,
        )  # fmt: skip
    else:
        chosen.run_missing(folder, workers, progress=not as_json, force=force, **given)
    show_finished(folder, as_json)


def _parsed(table: dict[str, Any]) -> dict[str, Any]:
    """Return the table ``[deploy]`` of the options: shares from percent, and lists from text."""
    found: dict[str, Any] = {key: value for key, value in table.items() if value is not None}
    for key in ("tests", "by"):
        if key in found:
            found[key] = [part.strip() for part in found[key].split(",") if part.strip()]
    if "shares" in found:
        found["shares"] = [_share(part) for part in found["shares"].split(",")]
    return found


def _share(text: str) -> float:
    """Return a share from a number of percent."""
    from mesonet import units

    allowed = "numbers of percent from 0 to 100, such as 0,1,5,50,100"
    try:
        percent = units.number(text.strip().removesuffix("%"))
    except InputError:
        raise InputError("not a number of percent", path="--shares", value=text, allowed=allowed) from None
    if not 0 <= percent <= 100:
        raise InputError("not a share", path="--shares", value=text, allowed=allowed)
    return percent / 100


def _option(error: InputError) -> InputError:
    """Return an error about an entry of the experiment as one about the option that gave it."""
    from mesonet.experiments.deployed import COMMAND

    if error.file != COMMAND:
        return error
    path = error.path or ""
    key = path.removeprefix("deploy.").partition("[")[0]
    if path.startswith("deploy.") and key in _TABLE:
        name = f"--{key.replace('_', '-')}"
    else:
        name = {"algorithms": "ALGORITHM", "mixed_with": "--against"}.get(key, "")
    return InputError(error.problem, None if name else error.file, name or error.path, error.value, error.allowed)


def _plan(chosen: Experiment, as_json: bool) -> None:
    """Show the levels of the deployment, and how many runs there are."""
    from mesonet.words import counted

    assert chosen.deployment is not None
    levels = [(level.test, chosen.deployment.level_text(n)) for n, level in enumerate(chosen.deployment.levels)]
    runs = chosen.conditions * len(chosen.algorithms) * chosen.replicates
    if as_json:
        write_json({"levels": [{"test": test, "level": text} for test, text in levels], "runs": runs})
        return
    write_table(["test", "share"], [[test, text if test == "sweep" else "-"] for test, text in levels])
    click.echo(f"\n{counted(chosen.conditions, 'condition')}, {counted(runs, 'run')}")
