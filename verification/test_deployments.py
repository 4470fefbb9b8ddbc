"""Deployments against closed forms: estimands of simulated campaigns whose answer is known."""

from __future__ import annotations

import polars as pl
import pytest

import mesonet as mn
from mesonet.reporting.campaign_view.deployment import effects_of, outcomes, rows_of
from mesonet.reporting.campaign_view.view import view_of

pytestmark = pytest.mark.slow
CAPACITY = 400e6 / 8 / 1500
"""Of the shared link, segments/s."""
USERS = 10
SHARES = [0.2, 0.5, 0.8]
SHORT = {"network.delay_multiplier": 4, "network.buffer": "4 bdp"}
"""A round trip of 4 ms: CoDel lets segments wait 5 ms, so that a loss leaves no queue empty. BBRv3 leaves it empty."""
FAIR = {"aqm.discipline": "fq_codel"}


def effects(tmp_path, algorithm, against, replicates=2, **values):
    chosen = mn.deploy(
        algorithm, "shared-link", against=against, shares=SHARES, replicates=replicates, outcome="throughput",
        duration="60 s", values={"time.warmup": "20 s", **values},
    )  # fmt: skip
    tmp_path.mkdir(exist_ok=True)
    campaign = chosen.run(tmp_path / "run", progress=False)
    found = effects_of(view_of(campaign), campaign.algorithms[0])
    return rows_of(found, "throughput")


def rates(pair, **values):
    """Return the throughputs of two connections that share the link, segments/s."""
    flows = [{"from": "A", "to": "B", "interface": "1 Gbit/s", "algorithm": name} for name in pair]
    found = mn.simulate(mn.scenario("shared-link", flows=flows, duration="60 s", **SHORT, **values), seed=1)
    groups = found.groups.to_polars().filter(pl.col("period") == "measured")
    return [groups.filter(algorithm=name)["throughput"].item() for name in pair]


def test_two_alphas_of_fast_share_in_proportion(tmp_path):
    """FAST keeps alpha segments in the queue: a flow gets alpha / sum of alphas, if all know the empty queue."""
    alphas = {"mu_T": 400, "mu_C": 200}
    rows = effects(
        tmp_path, "fast(alpha=400)", "fast(alpha=200)",
        **{"flows[0].start_within": "0 s", "network.buffer": "20000 segments"},
    )  # fmt: skip
    for row in rows.filter(pl.col("estimand").is_in(list(alphas))).iter_rows(named=True):
        share = row["share"]
        expected = CAPACITY * alphas[row["estimand"]] / (USERS * (share * 400 + (1 - share) * 200))
        assert row["value"] == pytest.approx(expected, rel=0.02), row
    assert rows.filter(estimand="total")["value"][0] == pytest.approx(0, abs=0.01)
    assert rows.filter(estimand="naive")["value"].to_list() == pytest.approx([1.0] * len(SHARES), abs=0.04)


@pytest.mark.parametrize("pair", [("cubic", "tcp"), ("htcp", "cubic"), ("scalable", "tcp")])
def test_fair_queueing_halves_the_link_between_two_connections(pair):
    """Round robin over two queues that are never empty serves each half of the time, whatever fills them."""
    assert rates(pair, **FAIR) == pytest.approx([CAPACITY / 2] * 2, rel=0.02)
    assert rates(pair) != pytest.approx([CAPACITY / 2] * 2, rel=0.02), "one queue for both"


def test_estimands_agree_where_fair_queues_are_never_empty(tmp_path):
    """Each connection has a tenth of the link at every share: no effect, and no test finds one."""
    estimands = ["total", "naive", "spill-over", "partial"]
    fair, fifo = (
        effects(tmp_path / name, "scalable", "tcp", **SHORT, **values).filter(pl.col("estimand").is_in(estimands))
        for name, values in (("fair", FAIR), ("fifo", {}))
    )
    assert fair["value"].abs().max() < 0.02
    assert fifo.filter(estimand="naive")["value"].min() > 1, "one queue for all"


def test_homes_with_links_of_their_own_do_not_interfere(tmp_path):
    """Each home gets what it gets at share 0 or 1, so that all estimands of one set of homes agree."""
    (tmp_path / "links.csv").write_text("from,to,delay_ms,capacity_mbps\nCDN,City,10,10000\n")
    flow = '[[flows]]\nfrom = "CDN"\nto = "City.cable.{}"\nstart_within = "1 s"\n'
    flows = "".join(flow.format(home) for home in range(1, 11))
    (tmp_path / "homes.toml").write_text(
        f"""
title = "Ten homes with links of their own"
topology = "links.csv"
preset = "linux"
network = {{ queue = "port" }}
users = {{ base_sources = 0 }}
time = {{ duration = "40 s", warmup = "10 s", periods = 1 }}
measurement = {{ interval = "1 s" }}
[[tiers.access]]
name = "cable"
at = "City"
homes = 10
down = "20 Mbit/s"
up = "20 Mbit/s"
down_buffer = "200 ms"
up_buffer = "200 ms"
delay = "5 ms"
{flows}"""
    )
    chosen = mn.deploy(
        "bbr3", tmp_path / "homes.toml", against="cubic", shares=SHARES, unit="home", replicates=2, outcome="throughput"
    )
    campaign = chosen.run(tmp_path / "run", progress=False)
    rows = outcomes(campaign, "bbr3").filter(outcome="throughput")
    own = rows.filter(pl.col("share").is_in([0.0, 1.0])).select("seed", "unit", "treated", alone="value")
    both = rows.filter(pl.col("share").is_in(SHARES)).join(own, on=["seed", "unit", "treated"], how="left")
    assert both.height == 2 * 10 * len(SHARES)
    assert both["alone"].null_count() == 0
    assert ((both["value"] / both["alone"] - 1).abs() < 0.02).all()
    assert both.filter(share=0.2)["treated"].sum() == 2 * 2
    spill_over = rows_of(effects_of(view_of(campaign), "bbr3"), "throughput").filter(estimand="harm")
    assert spill_over["value"].abs().max() < 0.05  # other homes keep the incumbent at each share


def test_fair_queueing_bounds_interference(tmp_path):
    """Behind FQ-CoDel each flow has its own queue: effects differ by the capacity that flows leave to others."""
    rows = effects(tmp_path, "bbr3", "cubic", replicates=3, **FAIR, **{"network.buffer": "4 bdp"})
    drop_tail = effects(tmp_path / "drop-tail", "bbr3", "cubic", replicates=3)
    total = rows.filter(estimand="total")["value"][0]
    fair = rows.filter(estimand="naive")["value"] - total
    assert fair.abs().max() < 0.04
    assert drop_tail.filter(estimand="naive")["value"].abs().max() > 10 * fair.abs().max()
