"""Traces of the runs of a bench in a folder: qlog and CSV of each traced flow."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection
from pathlib import Path

import numpy as np

from mesonet.conform import qlog
from mesonet.conform.bench import Bench
from mesonet.files import places
from mesonet.files.names import distinct


def write(folder: Path, bench: Bench, known: Collection[str] = ()) -> list[Path]:
    """Write the traces of the runs that the bench kept.

    The files: ``RUN-flow-N.csv``, with the columns of the table ``flow_traces``, and ``RUN-flow-N.sqlog``. `known`:
    names of runs whose traces are there.
    """
    written = []
    with places.folder(folder, option="--traces"):
        cleaned = [(re.sub("[^A-Za-z0-9.]+", "-", name).strip("-"), name) for name in bench.runs]
        for own, (name, samples) in zip(distinct(cleaned), bench.runs.items(), strict=True):
            if name in known:
                continue
            for number in samples.numbers:
                table, log = (places.inside(folder, f"{own}-flow-{number}{ending}") for ending in (".csv", ".sqlog"))
                flow = samples.flow(number)
                with places.file(table, "--traces") as aside, aside.open("w", newline="") as file:
                    rows = csv.writer(file, lineterminator="\n")
                    rows.writerow(flow)
                    rows.writerows(zip(*(_cells(column) for column in flow.values()), strict=True))
                qlog.write(log, samples, number, f"{bench.algorithm}: {name}, flow {number}")
                written += [table, log]
            if samples.has_packets:
                bench.runs[name] = samples.without_packets()
    return written


def _cells(column: np.ndarray) -> list[object]:
    """Return the cells of a column; empty where there is no value."""
    if column.dtype.kind == "f":
        return ["" if np.isnan(value) else value for value in column.tolist()]
    return list(column.tolist())
