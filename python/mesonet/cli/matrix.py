"""The verb ``mesonet matrix``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from mesonet.cli.common import JSON, SCENARIO, Command, scenario_options
from mesonet.cli.scenario_targets import find_scenario
from mesonet.errors import InputError
from mesonet.maps.loads import bit_rate
from mesonet.terminal import write_json, write_table

_MOST_ROWS = 20
"""Most demands of the table; ``--out`` and ``--json`` have all."""


@click.command(cls=Command)
@SCENARIO
@scenario_options
@click.option(
    "--loads",
    "measured",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Measured loads: CSV with from, to, and utilisation, rate or rate_mbps.",
)
@click.option("--total", metavar="RATE", help="In place of --loads: sum of the demands of a matrix by gravity.")
@click.option("--prior", metavar="FILE|gravity", help="Prior: by default the matrix of SCENARIO, else gravity.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the matrix to FILE.csv, for users.traffic.")
@JSON
def matrix(
    target: str,
    measured: Path | None,
    total: str | None,
    prior: str | None,
    out: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Estimate the traffic matrix of SCENARIO from measured loads of links, or make one by gravity.

    Of all matrices that explain the loads, the result is the nearest to a prior. With --total demands are in
    proportion to the capacities of the links at both ends.
    """
    from mesonet.maps.matrix import traffic_matrix

    if (measured is None) is (total is None):
        raise InputError("choose --loads or --total", allowed="--loads FILE, or --total RATE")
    try:
        found = traffic_matrix(find_scenario(target, **options), measured or (), prior=prior, total=total)
    except InputError as error:
        if error.path in ("prior", "total"):
            raise InputError(error.problem, None, f"--{error.path}", error.value, error.allowed) from None
        raise
    if out:
        found.write(out)
    if as_json:
        tables = {"demands": found.demands.to_dicts(), "links": found.links.to_dicts()}
        write_json({**{key: value for key, value in asdict(found).items() if key not in tables}, **tables})
        return
    rows = found.demands.sort("rate_mbps", descending=True).head(_MOST_ROWS).rows(named=True)
    write_table(
        ["from", "to", "rate", "prior", "determined by loads"],
        [
            [row["from"], row["to"], *(bit_rate(row[key] * 1e6) for key in ("rate_mbps", "prior_mbps")),
             f"{row['determined']:.0%}"]
            for row in rows
        ],
    )  # fmt: skip
    if len(found.demands) > _MOST_ROWS:
        click.echo(f"{len(found.demands) - _MOST_ROWS} further demands: --json, or --out")
    for sentence in found.sentences:
        click.echo(f"\nnote: {sentence}")
    if out:
        click.echo(f"\nwritten to {out}")
