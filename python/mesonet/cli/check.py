"""The verb ``mesonet check``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from mesonet.cli.common import JSON, SCENARIO, Command, scenario_options, value_notes
from mesonet.cli.scenario_targets import find_scenario
from mesonet.errors import InputError
from mesonet.maps.loads import link_loads, load_columns, load_rows, load_sentences, read_measured
from mesonet.maps.network import NetworkMap, map_columns, map_rows, network_map
from mesonet.scenarios import kernel_witness
from mesonet.scenarios.derived import (
    ARRIVAL_COLUMNS,
    CLASS_COLUMNS,
    ROUTE_COLUMNS,
    arrival_rows,
    class_rows,
    derived_rows,
    load_notes,
    route_rows,
)
from mesonet.terminal import write_json, write_table
from mesonet.units import with_bits


@click.command(cls=Command)
@SCENARIO
@scenario_options
@click.option(
    "--measured",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Show measured loads of links, too: CSV with from, to, and utilisation, rate or rate_mbps.",
)
@click.option("--draw", type=click.Path(path_type=Path), help="Draw the network: FILE.svg, .png, .pdf or .html.")
@JSON
def check(target: str, measured: Path | None, draw: Path | None, as_json: bool, **options: Any) -> None:
    """Show each value of SCENARIO, or of a condition of EXPERIMENT, with its source and its consequences."""
    chosen = find_scenario(target, **options)
    described = chosen.describe()
    segment_bytes = float(chosen.value("transport.segment_bytes"))
    links = link_loads(described, segment_bytes, read_measured(measured) if measured else ())
    shown = network_map(chosen, described)
    if draw:
        _draw(shown, draw)
    settings = [asdict(row) for row in chosen.explain()]
    notes = [
        *shown.notes, *value_notes(chosen, described), *load_notes(described), *kernel_witness.notes(chosen)
    ]  # fmt: skip
    if as_json:
        about = {
            "name": chosen.name,
            "hash": chosen.hash,
            "notes": notes,
            "link_loads": [{**asdict(link), "share": link.share, "utilisation": link.utilisation} for link in links],
        }
        write_json({**about, "derived": described, "settings": settings})
        return
    values = [[row["path"], with_bits(row["value"], segment_bytes), row["source"]] for row in settings]
    write_table(["path", "value", "source"], values)
    for header, rows in (
        (["follows", "value"], derived_rows(described)),
        (ARRIVAL_COLUMNS, arrival_rows(chosen, described)),
        (CLASS_COLUMNS, class_rows(described)),
        (ROUTE_COLUMNS, route_rows(described)),
        (map_columns(shown), map_rows(shown)),
        (load_columns(links), load_rows(links)),
    ):
        if not rows:
            continue
        click.echo("")
        write_table(header, [[with_bits(str(cell), segment_bytes) for cell in row] for row in rows])
    for warning in (*load_sentences(links), *notes, *described["warnings"]):
        click.echo(f"\nnote: {with_bits(warning, segment_bytes)}")
    if draw:
        click.echo(f"\nwritten to {draw}")


def _draw(shown: NetworkMap, path: Path) -> None:
    from mesonet.charts.export import FORMS, save
    from mesonet.charts.topology import topology

    if path.suffix not in FORMS:
        raise InputError("not a form of a drawing", path="--draw", value=str(path), allowed=", ".join(FORMS))
    save(topology(shown), path)
