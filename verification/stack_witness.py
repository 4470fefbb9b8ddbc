"""Run our algorithms beside those of whole transport stacks, and write table and figure of a page::

python -m verification.stack_witness     # in a build of `make stacks`; two minutes

The table stands in docs/explanation/second-witness.md between two marks.
"""

from __future__ import annotations

import re
from pathlib import Path

import altair as alt
import polars as pl

import mesonet as mn
from mesonet.algorithms import STACK
from mesonet.plots import save

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "second-witness.md"
MARKS = "<!-- witness -->\n", "<!-- end of witness -->\n"
PAIRS = {
    "cubic": ("stack:quinn/cubic", "stack:noq/cubic", "stack:smoltcp/cubic"),
    "tcp": ("stack:quinn/newreno", "stack:noq/newreno", "stack:smoltcp/reno"),
    "bbr": ("stack:quinn/bbr",),
    "bbr3": ("stack:noq/bbr3",),
}
"""Controls of stacks by our algorithm."""
PATHS = {
    "slow": {"speed": "20 Mbit/s", "delay": 40, "buffer": "1 bdp"},
    "fast": {"speed": "100 Mbit/s", "delay": 20, "buffer": "0.5 bdp"},
}
DURATION, WARMUP = 120.0, 20.0
SHOWN = (60.0, 90.0)
"""Part of the first path in the figure, s."""


def simulate(algorithm: str, path: str) -> mn.Result:
    """Return a run of one flow."""
    about = PATHS[path]
    chosen = mn.scenario(
        "bottleneck",
        algorithm=algorithm,
        preset="linux",
        duration=f"{DURATION} s",
        warmup=f"{WARMUP} s",
        **{
            "network.speed": about["speed"],
            "network.delay_multiplier": about["delay"],
            "network.buffer": about["buffer"],
            "network.ack_path": "queued",
            "time.periods": 1,
            "trace.flows": [1],
            "trace.routers": ["A"],
            "trace.every": "20 ms",
        },
    )
    return mn.simulate(chosen, seed=1)


def numbers(result: mn.Result) -> dict[str, float]:
    """Return use of the link, mean queue, share of drops, mean window and reductions after the warm-up."""
    trace = result.flow_traces.to_polars().filter(pl.col("time_s") > WARMUP)
    port = pl.col("router") == "A -> B"
    use = result.routers.to_polars().filter(port, pl.col("period") == "measured")["utilisation"].item()
    queue = result.router_traces.to_polars().filter(port, pl.col("time_s") > WARMUP)["queue"].mean()
    sent, lost, events = (trace[name][-1] - trace[name][0] for name in ("segments_sent", "losses", "loss_events"))
    return {
        "use": use,
        "queue": queue,
        "drops": lost / sent,
        "window": trace["cwnd"].drop_nulls().mean(),
        "reductions": events,
    }


def row(path: str, name: str, found: dict[str, float]) -> str:
    """Return a row of the table."""
    is_visible = found["window"] is not None
    window, reductions = (f"{found['window']:.0f}", f"{found['reductions']:.0f}") if is_visible else ("-", "-")
    cells = [
        path,
        f"`{name}`",
        f"{found['use']:.1%}",
        f"{found['queue']:.1f}",
        f"{found['drops']:.2%}",
        window,
        reductions,
    ]
    return "| " + " | ".join(cells) + " |"


def chart(traces: dict[tuple[str, str], pl.DataFrame]) -> alt.FacetChart:
    """Return the windows over time, a panel for each of our algorithms."""
    rows = [
        {
            "time": time,
            "window": cwnd,
            "panel": panel,
            "code": name.removeprefix(STACK).split("/")[0] if STACK in name else "mesonet",
        }
        for (panel, name), trace in traces.items()
        for time, cwnd in trace.filter(pl.col("time_s").is_between(*SHOWN))
        .group_by(pl.col("time_s").floordiv(0.1) * 0.1, maintain_order=True)
        .agg(pl.col("cwnd").mean())
        .drop_nulls()
        .iter_rows()
    ]
    codes = ["mesonet", "quinn", "noq"]
    line = alt.Chart(pl.DataFrame(rows)).mark_line(strokeWidth=1.2).encode(
        x=alt.X("time:Q", title="time, s", scale=alt.Scale(zero=False)),
        y=alt.Y("window:Q", title="window, segments", scale=alt.Scale(zero=False)),
        color=alt.Color("code:N", title=None, scale=alt.Scale(domain=codes, range=["#30638e", "#d1495b", "#8a6d00"])),
        strokeDash=alt.StrokeDash("code:N", title=None, scale=alt.Scale(domain=codes, range=[[1, 0], [6, 2], [2, 2]])),
    )  # fmt: skip
    panel = line.properties(width=330, height=130)
    return panel.facet(alt.Facet("panel:N", title=None, sort=list(PAIRS)), columns=2).resolve_scale(y="independent")


def main() -> None:
    """Run all, and write table and figure."""
    lines = [
        "| path | algorithm | use of the link | mean queue, packets | drops | mean window, segments | reductions |",
        "|---|---|---|---|---|---|---|",
    ]
    shown: dict[tuple[str, str], pl.DataFrame] = {}
    for path in PATHS:
        for ours, others in PAIRS.items():
            for name in (ours, *others):
                result = simulate(name, path)
                lines.append(row(path, name, numbers(result)))
                if path == next(iter(PATHS)):
                    shown[ours, name] = result.flow_traces.to_polars()
    before, after = (re.escape(mark) for mark in MARKS)
    table = MARKS[0] + "\n".join(lines) + "\n" + MARKS[1]
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(re.sub(f"{before}.*?{after}", lambda _: table, text, count=1, flags=re.DOTALL), encoding="utf-8")
    save(chart(shown), PAGE.with_suffix(".svg"))


if __name__ == "__main__":
    main()
