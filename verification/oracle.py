"""Compare our algorithms with code of others, on one bottleneck, and write what docs/reference shows::

python -m verification.oracle linux-6.1/net/ipv4    # modules of a kernel
python -m verification.oracle production            # s2n-quic, in a build with the cargo feature s2n

The rows that differ stand in docs/reference/conformance-linux.md and conformance-production.md between two marks, and
all rows in ``tables`` under the name of the page. Each takes two minutes.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import polars as pl

import mesonet as mn
from mesonet.plots import save
from mesonet.plugins.linux import OURS

DOCS = Path(__file__).parents[1] / "docs" / "reference"
TABLES = Path(__file__).parent / "tables"
MARKS = "<!-- oracle -->\n", "<!-- end of oracle -->\n"
COLUMNS = ("condition", "algorithm", "mean window", "goodput, segments/s", "reductions", "part kept")
Row = list[tuple[str, bool]]
"""Text of each cell, and whether it differs."""
LINUX = ("bic", "htcp", "highspeed", "scalable", "illinois", "westwood", "vegas", "cubic", "dctcp", "bbr")
"""Modules in the order of the page."""
PRODUCTION = {"s2n-cubic": "cubic", "s2n-bbr2": "bbr3"}
"""Our algorithm by the name of the other."""
EVERY_ACK = {"transport.delayed_acks": "false"}
CONDITIONS: dict[str, tuple[str, dict[str, str]]] = {
    "large": ("dumbbell", {"network.buffer": "1000 segments"}),
    "large, every segment": ("dumbbell", {"network.buffer": "1000 segments", **EVERY_ACK}),
    "small": ("bottleneck", {}),
    "small, every segment": ("bottleneck", EVERY_ACK),
    "marks": ("bottleneck", {"network.ecn_threshold": "30 segments"}),
}
"""Scenario and changes. Receivers delay acknowledgements unless it says ``every segment``."""
DURATION, WARMUP = 200.0, 10.0
ALLOWED = 0.03
"""Part of a number that a module may differ by before the table shows it in bold."""


@dataclass(frozen=True)
class Comparison:
    """Pairs of algorithms, and where their numbers stand."""

    page: str  #: stem of the page and of its figure in docs/reference
    code: str  #: who wrote the other algorithm, in the legend of the figure
    pairs: list[tuple[str, str]]  #: the other algorithm, as `mesonet` names it, and ours


def linux(folder: Path) -> Comparison:
    """Return the comparison with the modules of a kernel."""
    pairs = [(f"linux:{folder / f'tcp_{name}.c'}", OURS[name]) for name in LINUX]
    return Comparison("conformance-linux", "Linux", pairs)


def windows(algorithm: str, condition: str) -> pl.DataFrame:
    """Return the trace of one flow, a row every 20 ms, the first 10 s included."""
    scenario, values = CONDITIONS[condition]
    trace = {"trace.flows": [1], "trace.every": "20 ms"}
    chosen = mn.scenario(scenario, algorithm=algorithm, preset="linux", duration=f"{DURATION} s", **trace, **values)
    return mn.simulate(chosen, seed=1).flow_traces.to_polars()


def numbers(trace: pl.DataFrame) -> dict[str, float]:
    """Return mean window, goodput, reductions and the mean part of the window that a reduction keeps."""
    late = trace.filter(pl.col("time_s") > WARMUP)
    events, cwnd = late["loss_events"].to_list(), late["cwnd"].to_list()
    after = late["ssthresh" if late["ssthresh"].n_unique() > 1 else "cwnd"]  # s2n-quic has no threshold
    kept = [
        after[at] / cwnd[at - 1] for at in range(1, len(events)) if events[at] > events[at - 1]
    ]  # the window before is at most 20 ms old
    span = late["time_s"][-1] - late["time_s"][0]
    return {
        "window": late["cwnd"].drop_nulls().mean(),
        "goodput": (late["segments_delivered"][-1] - late["segments_delivered"][0]) / span,
        "reductions": events[-1] - events[0],
        "kept": sum(kept) / len(kept) if kept else float("nan"),
    }


def row(condition: str, name: str, other: dict[str, float], ours: dict[str, float]) -> Row:
    """Return a row of the table: the other's numbers, then ours."""
    cells = [(condition, False), (name, False)]
    for quantity, form in (("window", ".0f"), ("goodput", ".0f"), ("reductions", ".0f"), ("kept", ".3f")):
        a, b = other[quantity], ours[quantity]
        if a != a and b != b:
            cells.append(("-", False))
            continue
        differs = abs(a - b) > max(ALLOWED * a, 1 if quantity == "reductions" else 0)
        cells.append((", ".join("-" if each != each else f"{each:{form}}" for each in (a, b)), differs))
    return cells


def marked(cells: Row) -> str:
    """Return a row as Markdown, with what differs in bold."""
    (condition, _), (name, _), *rest = cells
    shown = [condition, f"`{name}`", *(f"**{text}**" if differs else text for text, differs in rest)]
    return f"| {' | '.join(shown)} |"


def chart(traces: dict[tuple[str, str], pl.DataFrame]) -> alt.FacetChart:
    """Return the windows over time, the other and our algorithm in one panel each."""
    bins = pl.col("time_s").floordiv(0.8) * 0.8  # rows enough for the eye, and no instant is picked
    rows = [
        {"time": time, "window": cwnd, "algorithm": name, "code": code}
        for (name, code), trace in traces.items()
        for time, cwnd in trace.filter(pl.col("time_s") > WARMUP)
        .group_by(bins, maintain_order=True)
        .agg(pl.col("cwnd").mean())
        .iter_rows()
    ]
    line = alt.Chart(pl.DataFrame(rows)).mark_line(strokeWidth=1).encode(
        x=alt.X("time:Q", title="time, s"),
        y=alt.Y("window:Q", title="window, segments", scale=alt.Scale(zero=False)),
        color=alt.Color("code:N", title=None, scale=alt.Scale(range=["#d1495b", "#30638e"])),
        strokeDash=alt.StrokeDash("code:N", title=None),
    )  # fmt: skip
    panel = line.properties(width=330, height=110)
    return panel.facet(alt.Facet("algorithm:N", title=None), columns=2).resolve_scale(y="independent")


def main(chosen: Comparison) -> None:
    """Run all pairs and write tables and figure."""
    rows: list[Row] = []
    shown: dict[tuple[str, str], pl.DataFrame] = {}
    for condition in CONDITIONS:
        for name, ours in chosen.pairs:
            other, own = windows(name, condition), windows(ours, condition)
            rows.append(row(condition, ours, numbers(other), numbers(own)))
            if condition == "large":
                shown[ours, chosen.code], shown[ours, "mesonet"] = other, own
    page = DOCS / f"{chosen.page}.md"
    before, after = (re.escape(mark) for mark in MARKS)
    differing = [marked(cells) for cells in rows if any(differs for _, differs in cells)]
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|", *differing]
    table = MARKS[0] + "\n".join(lines) + "\n" + MARKS[1]
    page.write_text(re.sub(f"{before}.*?{after}", lambda _: table, page.read_text(), count=1, flags=re.DOTALL))
    save(chart(shown), page.with_suffix(".svg"))
    with (TABLES / f"{chosen.page}.csv").open("w", encoding="utf-8", newline="") as file:
        written = ([text for text, _ in cells] for cells in rows)
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *written])


if __name__ == "__main__":
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ["MESONET_LINUX_SOURCE"]
    of_production = Comparison("conformance-production", "s2n-quic", list(PRODUCTION.items()))
    main(of_production if given == "production" else linux(Path(given)))
