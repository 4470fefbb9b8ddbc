"""The verb ``mesonet replay``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mesonet.cli.common import JSON, SCENARIO, Command, scenario_options
from mesonet.cli.scenario_targets import find_scenario
from mesonet.errors import InputError
from mesonet.progress import Progress
from mesonet.terminal import plural, shown, write_json, write_table

if TYPE_CHECKING:
    from mesonet.kernel.replays import Replay, Row


@click.command(cls=Command)
@SCENARIO
@scenario_options
@click.option("--kernel", is_flag=True, help="Replay on the kernel of this machine: Linux, as root, with a C compiler.")
@click.option("--repeat", default=3, show_default=True, type=click.IntRange(1, 100), help="Runs of each side.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Seed of the first run.")
@JSON
def replay(target: str, kernel: bool, repeat: int, seed: int, as_json: bool, **options: Any) -> None:
    """Run SCENARIO, which has one bottleneck, in mesonet and on the TCP of a real kernel, and compare both.

    The exit code is 1 if the machine is too slow to emulate the path.
    """
    from mesonet.kernel import replay as replayed

    if not kernel:
        raise InputError(
            "a replay needs something to replay on", path="--kernel", allowed="mesonet replay ... --kernel"
        )
    chosen = find_scenario(target, **options)
    with Progress(chosen.name) as progress:
        found = replayed(chosen, seed, repeat, progress.update)
    if as_json:
        write_json(found.as_dict())
        return
    click.echo(f"{chosen.title or chosen.name}: mesonet and Linux {found.kernel}, {plural(repeat, 'run')} of each\n")
    rows = [[*each, *_cells(found.mesonet.get(each)), *_cells(found.measured.get(each))] for each in found.quantities()]
    write_table(["of", "quantity", "unit", "period", "mesonet", "min..max", "kernel", "min..max"], rows)
    click.echo("\n" + "\n".join([_about_path(found), *(f"note: {note}" for note in found.notes)]))


def _cells(row: Row | None) -> tuple[float | None, str]:
    return (row.mean, f"{shown(row.least)}..{shown(row.most)}") if row else (None, shown(None))


def _about_path(found: Replay) -> str:
    """Return lines on how exact the emulated path was."""
    check = found.check
    mean_ms, largest_ms = (max(run[name] for run in found.late) for name in ("mean_ms", "largest_ms"))
    return (
        f"emulated path: {check.measured_mbps:.4g} of {check.rate_mbps:.4g} Mbit/s, "
        f"smallest round trip {check.measured_rtt_ms:.4g} of {check.rtt_ms:.4g} ms\n"
        f"packets were late by {mean_ms:.2g} ms in the mean, by {largest_ms:.2g} ms at most"
    )
