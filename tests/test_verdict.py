"""The deployment verdict: against whom, by what margin, and when there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

import mesonet
from fake_campaign import fake_campaign
from fragments import holds
from large_campaign import large_campaign
from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, DEPENDS, NO_WORSE, WORSE
from mesonet.reporting.campaign_view.explicit_flows import goodputs
from mesonet.reporting.campaign_view.harm import harm_table
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.answer_text import recommendation
from mesonet.reporting.text.verdict_text import reasons, verdict_html
from mesonet.reporting.verdicts.quantities import judged, of_few_flows, too_small
from mesonet.reporting.verdicts.verdict import NOT_JUDGED, harm_to_competitors, verdicts

pytestmark = pytest.mark.slow


def like_tcp(campaign, algorithm, factor, response=None, conditions=None):
    """The campaign in which an algorithm answers as tcp does, times a factor in some conditions and one response."""
    tcp = campaign.responses.filter(algorithm="tcp").with_columns(algorithm=pl.lit(algorithm))
    changed = pl.col("condition").is_in(conditions or list(range(1, 33)))
    changed &= pl.lit(True) if response is None else pl.col("response") == response
    tcp = tcp.with_columns(value=pl.when(changed).then(pl.col("value") * factor).otherwise("value"))
    rest = campaign.responses.filter(pl.col("algorithm") != algorithm)
    return CampaignView(replace(campaign, responses=pl.concat([rest, tcp])), against="tcp")


@pytest.fixture(scope="module")
def campaign():
    return fake_campaign(lost=(), missing=())


def verdict_of(view, algorithm):
    return next(each for each in verdicts(view) if each.name == algorithm)


@pytest.mark.parametrize(
    ("factor", "response", "conditions", "verdict"),
    [
        (1.0, None, None, NO_WORSE),
        (1.04, "rtt", None, NO_WORSE),
        (1.1, "rtt", None, AT_MARGIN),
        (1.3, "rtt", None, WORSE),
        (0.7, "rtt", None, BETTER),
        (0.8, "goodput_dd", None, WORSE),
        (1.5, "goodput_dd", None, BETTER),
        (0.8, "goodput_dd", [3, 4], CANNOT_TELL),
        (0.6, "goodput_dd", list(range(1, 17)), DEPENDS),
        (2.0, "connection_failures", None, WORSE),
    ],
)
def test_the_verdict_follows_direction_margin_and_conditions(campaign, factor, response, conditions, verdict):
    found = verdict_of(like_tcp(campaign, "fast", factor, response, conditions), "fast")
    assert found.verdict == verdict
    for change in found.changes:
        if change.response == response and conditions:
            # Two conditions may be chance where each run was made once. Sixteen are a level of the last factor.
            assert (change.worse, change.better) == (len(conditions), 0)


def test_losses_near_0_have_no_ratio(campaign):
    """Losses that are 30 % higher are worse overall where they are large, and no change where they are tiny."""
    view = like_tcp(campaign, "fast", 1.3, "loss_rate")
    change = next(each for each in verdict_of(view, "fast").changes if each.response == "loss_rate")
    values = view.values("loss_rate", "measured")
    own, tcp = values[:, view.algorithms.index("fast")], values[:, 0]
    assert change.mean == pytest.approx(100 * np.expm1(np.mean(np.log((own + 0.005) / (tcp + 0.005)))))
    assert change.weighted == pytest.approx(30)
    assert (change.own, change.reference) == pytest.approx((own.mean(), tcp.mean()))
    assert change.worse == int((own - tcp > 0.1 * tcp + 0.0005).sum())
    assert 0 < change.worse < 32


def test_what_is_missing_is_not_called_harmless(campaign):
    alike = like_tcp(campaign, "fast", 1.0).campaign
    gone = (pl.col("algorithm") == "fast") & (pl.col("response") == "loss_rate") & (pl.col("condition") > 1)
    found = verdict_of(CampaignView(replace(alike, responses=alike.responses.filter(~gone))), "fast")
    assert found.verdict == NOT_JUDGED
    (change,) = [change for change in found.changes if change.response == "loss_rate"]
    assert (change.compared, change.missing) == (1, 31)


def without(campaign, response, *algorithms):
    """The campaign in which some algorithms have no number for a response."""
    gone = (pl.col("response") == response) & pl.col("algorithm").is_in(algorithms)
    values = pl.when(gone).then(float("nan")).otherwise("value")
    return replace(campaign, responses=campaign.responses.with_columns(value=values))


def test_a_response_that_nobody_has_is_named(campaign):
    view = CampaignView(without(campaign, "goodput_dd", *campaign.algorithms))
    text = verdict_html(view)
    assert holds(text, "Not judged", f"no run has a value: {view.title_of('goodput_dd')}.")
    assert "no run has a value" not in verdict_html(CampaignView(campaign))


def test_what_only_the_newcomer_has_is_not_called_harmless(campaign):
    alike = like_tcp(campaign, "fast", 1.0).campaign
    found = verdict_of(CampaignView(without(alike, "goodput_dd", "tcp"), against="tcp"), "fast")
    assert found.verdict == NOT_JUDGED
    (change,) = [change for change in found.changes if change.response == "goodput_dd"]
    assert (change.compared, change.missing) == (0, 32)


def test_verdicts_of_a_campaign_that_goes_on_are_provisional(campaign):
    assert "Provisional" not in verdict_html(CampaignView(campaign))
    begun = fake_campaign(lost=(), missing=((1, "fast"), (2, "fast")))
    assert holds(verdict_html(CampaignView(begun)), "Provisional: 2 of 160 runs", "still to be made")


def test_changes_are_those_of_the_values(campaign):
    view = CampaignView(campaign, against="tcp")
    found = verdict_of(view, "fast")
    assert found.verdict == WORSE
    (change,) = [change for change in found.changes if change.response == "rtt"]
    values = view.values("rtt", "measured")
    own, tcp = values[:, 3], values[:, 0]
    assert change.weighted == pytest.approx(100 * (own.mean() / tcp.mean() - 1))
    assert change.mean == pytest.approx(100 * (np.exp(np.log(own / tcp).mean()) - 1))
    assert change.worse == int((own > 1.1 * tcp).sum())
    assert "loss rate +" in verdict_html(view)


def test_tiny_shares_are_not_judged(campaign):
    tiny = pl.col("response") == "loss_rate"
    share = pl.when(pl.col("algorithm") == "fast").then(9e-4).otherwise(1e-4)
    small = replace(
        campaign, responses=campaign.responses.with_columns(value=pl.when(tiny).then(share).otherwise("value"))
    )
    view = CampaignView(small)
    assert "loss_rate" not in {change.response for change in verdict_of(view, "fast").changes}
    assert too_small(view) == ["loss_rate"]
    assert holds(verdict_html(view), "Too small", "(at most 0.1 %): loss rate.")


def test_goodputs_of_few_flows_are_not_judged(mixed, monkeypatch):
    paths = pl.Series(["very fast", "typical"])
    rows = mixed.groups.filter(pl.col("group").is_not_null()).with_columns(pl.lit(paths[1]).alias("path_class"))
    few = rows.with_columns(path_class=pl.lit(paths[0]), flows=pl.lit(0.1))
    monkeypatch.setattr(type(mixed), "groups", pl.concat([rows.with_columns(flows=pl.lit(1e6)), few]))
    first, second = mixed.responses["response"].unique(maintain_order=True).to_list()[:2]
    names = pl.col("response").replace({first: "goodput_dd", second: "goodput_nn"})
    view = CampaignView(replace(mixed, responses=mixed.responses.with_columns(response=names)), against="fast")
    assert of_few_flows(view) == ["goodput_dd"]
    assert "goodput_dd" not in judged(view)
    assert "goodput_nn" in judged(view)
    assert holds(
        verdict_html(view), "Not judged, because a condition has fewer than 30 flows a run: goodput of DD flows"
    )


def test_only_conditions_that_both_have_count(campaign):
    gone = (pl.col("algorithm") == "tcp") & (pl.col("condition") <= 10)
    view = CampaignView(replace(campaign, responses=campaign.responses.filter(~gone)), against="tcp")
    assert {change.compared for change in verdict_of(view, "cubic").changes} == {22}
    nothing = CampaignView(
        replace(campaign, responses=campaign.responses.filter(pl.col("algorithm") != "cubic")), "tcp"
    )
    assert verdict_of(nothing, "cubic").verdict == NOT_JUDGED


def test_without_an_incumbent_there_is_none():
    view = CampaignView(fake_campaign(algorithms=["scalable", "fast"]))
    assert verdicts(view) == []
    assert "No verdict on deployment" in verdict_html(view)
    assert verdict_html(CampaignView(fake_campaign(algorithms=["tcp"]))) == ""


def replicated(campaign, spread, factor, replicates=3):
    """Every algorithm answers as tcp does, `fast` times a factor; replicates differ by `spread` of the value."""
    rng = np.random.default_rng(7)
    tcp = campaign.responses.filter(algorithm="tcp")
    frames = []
    for name in campaign.algorithms:
        for replicate in range(1, replicates + 1):
            wobble = 1 + spread * rng.standard_normal(tcp.height)
            frames.append(
                tcp.with_columns(
                    pl.col("value") * pl.Series(wobble) * (factor if name == "fast" else 1.0),
                    algorithm=pl.lit(name), replicate=pl.lit(replicate, pl.Int64),
                )
            )  # fmt: skip
    runs = [campaign.runs.with_columns(replicate=pl.lit(r, pl.Int64)) for r in range(1, replicates + 1)]
    return CampaignView(replace(campaign, responses=pl.concat(frames), runs=pl.concat(runs)), against="tcp")


def test_noise_is_not_called_harm(campaign):
    """Values that differ by a fifth between replicates: single conditions lie beyond the margin by chance."""
    once = CampaignView(
        replace(
            campaign,
            responses=(many := replicated(campaign, 0.2, 1.0).campaign).responses.filter(replicate=1),
            runs=many.runs.filter(replicate=1),
        )
    )
    assert {each.verdict for each in verdicts(once)} == {CANNOT_TELL}
    assert "Each run was made once" in verdict_html(once)
    assert "cannot be excluded for" in verdict_html(once)
    known = CampaignView(many)
    assert {each.verdict for each in verdicts(known)} == {CANNOT_TELL}
    text = verdict_html(known)
    assert "The noise is estimated from 3 replicates" in text
    assert "harm not excluded" in text


def test_harm_beyond_the_noise_is_harm(campaign):
    found = verdict_of(replicated(campaign, 0.02, 1.3), "fast")
    assert found.verdict == WORSE
    rtt = next(change for change in found.changes if change.response == "rtt")
    assert rtt.verdict == WORSE
    assert rtt.mean == pytest.approx(30, abs=3)
    assert verdict_of(replicated(campaign, 0.02, 1.0), "fast").verdict == NO_WORSE


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    return large_campaign(tmp_path_factory.mktemp("mixed"), design="2^(9-4)", algorithms=("bic", "fast", "htcp"),
                          response_set="exp-2")  # fmt: skip


def test_flows_that_compete_are_judged_beside_the_median_algorithm(mixed):
    found = harm_to_competitors(CampaignView(mixed))
    assert [each.name for each in found] == ["bic", "fast", "htcp"]
    assert [change.response for change in found[0].changes] == [
        f"throughput of tcp, {kind}" for kind in ("movie", "service pack", "document", "web object")
    ]
    # Goodputs rise by 5 % from one algorithm to the next, with some noise: the second is the median nearly everywhere.
    assert found[0].changes[0].harm == pytest.approx(5, abs=2)
    assert found[2].changes[0].harm == pytest.approx(-5, abs=2)
    text = verdict_html(CampaignView(mixed))
    assert "Harm to the tcp flows that compete" in text
    assert "beside the median algorithm" in text


def test_flows_that_compete_are_judged_beside_their_own_kind_where_that_was_run(mixed, monkeypatch):
    other = replace(mixed, algorithms=("tcp", "fast", "htcp"), **{
        name: getattr(mixed, name).with_columns(pl.col("algorithm").replace({"bic": "tcp"}))
        for name in ("runs", "responses")
    })  # fmt: skip
    groups = mixed.groups.with_columns(pl.col("algorithm", "flow_algorithm").replace({"bic": "tcp"}))
    # In a run of tcp with tcp all flows are of one kind.
    groups = groups.unique(["condition", "algorithm", "flow_algorithm", "group"], keep="first", maintain_order=True)
    low = (pl.col("algorithm") == "fast") & (pl.col("flow_algorithm") == "tcp")
    groups = groups.with_columns(throughput=pl.when(low).then(pl.col("throughput") / 2).otherwise("throughput"))
    monkeypatch.setattr(type(other), "groups", groups)
    view = CampaignView(other)
    assert {each.name: each.verdict for each in harm_to_competitors(view)}["fast"] == WORSE
    text = verdict_html(view)
    assert "beside tcp itself" in text
    assert "If tcp were replaced: against tcp" in text
    harm = harm_table(view).filter(quantity="throughput")
    assert set(harm["algorithm"]) == {"fast", "htcp"}
    alone, beside = (
        groups.filter((pl.col("algorithm") == name) & (pl.col("flow_algorithm") == "tcp") & (pl.col("group") == 1))
        for name in ("tcp", "fast")
    )
    pairs = alone.join(beside, on=["condition", "replicate", "period"]).filter(period="measured")
    ratios = (pairs["throughput"] / pairs["throughput_right"]).log()
    ends = stats.ttest_1samp(ratios, 0).confidence_interval()
    first = harm.filter(algorithm="fast").row(0, named=True)
    means = [1 - np.exp(-each) for each in (ratios.mean(), ends.low, ends.high)]
    assert [first["harm"], first["low"], first["high"]] == pytest.approx(means)
    assert first["compared"] == len(ratios) == 32


def test_harm_needs_the_incumbent_alone(mixed):
    assert harm_table(CampaignView(mixed)).is_empty()


@pytest.mark.slow
def test_goodput_of_few_flows_is_not_compared(mixed, monkeypatch):
    low = (pl.col("algorithm") == "fast") & (pl.col("flow_algorithm") == "tcp") & (pl.col("category") == "movie")
    groups = mixed.groups.with_columns(throughput=pl.when(low).then(pl.col("throughput") / 2).otherwise("throughput"))
    monkeypatch.setattr(type(mixed), "groups", groups)
    assert {each.name: each.verdict for each in harm_to_competitors(CampaignView(replace(mixed)))}["fast"] == WORSE

    few = groups.with_columns(flow_seconds=pl.when(low).then(29.0).otherwise("flow_seconds"))
    monkeypatch.setattr(type(mixed), "groups", few)
    found = {each.name: each for each in harm_to_competitors(CampaignView(replace(mixed)))}
    assert found["fast"].verdict not in (WORSE, NOT_JUDGED)
    assert [change.response for change in found["fast"].changes] == [
        f"throughput of tcp, {kind}" for kind in ("service pack", "document", "web object")
    ]
    assert holds(verdict_html(CampaignView(replace(mixed))), "Not compared", "too few flows", ": movie.")

    # In one condition only: the others are compared.
    one = groups.with_columns(
        flow_seconds=pl.when(low & (pl.col("condition") == 1)).then(29.0).otherwise("flow_seconds")
    )
    monkeypatch.setattr(type(mixed), "groups", one)
    movie = harm_to_competitors(CampaignView(replace(mixed)))[1].changes[0]
    assert (movie.response, movie.compared, movie.missing) == ("throughput of tcp, movie", 31, 0)
    assert "too few flows" not in verdict_html(CampaignView(replace(mixed)))


def test_no_harm_is_stated_only_where_it_is_excluded(campaign):
    """Nothing differs but noise: 2 % between replicates exclude harm of 10 %, 20 % do not."""
    for spread, verdict in ((0.02, NO_WORSE), (0.2, CANNOT_TELL)):
        found = verdict_of(replicated(campaign, spread, 1.0), "fast")
        assert found.verdict == verdict
        assert (max(change.possible for change in found.changes) < 10) == (verdict == NO_WORSE)
        for change in found.changes:
            assert change.low <= change.mean <= change.high
            assert bool(change.replicates) == bool(change.conditions)
            assert change.verdict == CANNOT_TELL or not change.replicates
            assert (change.verdict == CANNOT_TELL) == bool(change.why)


def test_an_interval_covers_the_truth(campaign):
    """Ratio 1.3 with 5 % of noise: the interval holds it, and its width follows the replicates."""
    few, many = (
        next(each for each in verdict_of(replicated(campaign, 0.05, 1.3, n), "fast").changes if each.response == "rtt")
        for n in (2, 8)
    )
    for change in (few, many):
        assert change.low < 30 < change.high
    assert many.high - many.low < 0.75 * (few.high - few.low)


def test_an_interval_is_shown_with_the_sign_of_the_change(campaign):
    found = verdict_of(replicated(campaign, 0.02, 0.8), "fast").changes
    goodput = next(change for change in found if not change.lower_is_better)
    assert goodput.low < goodput.mean < goodput.high < 0 < goodput.harm
    assert goodput.harm == -goodput.mean


def at_one_level(campaign, low_factor, high_factor):
    """Replicates in which the goodput of `fast` is that of tcp times a factor at each level of the first factor."""
    spread = replicated(campaign, 0.02, 1.0)
    mine = (pl.col("algorithm") == "fast") & (pl.col("response") == "goodput_dd")
    low = [int(c) + 1 for c in np.flatnonzero(campaign.design.matrix[:, 0] < 0)]
    factor = pl.when(pl.col("condition").is_in(low)).then(low_factor).otherwise(high_factor)
    rows = spread.campaign.responses.with_columns(value=pl.when(mine).then(pl.col("value") * factor).otherwise("value"))
    return CampaignView(replace(spread.campaign, responses=rows), against="tcp")


@pytest.mark.parametrize(("low", "high"), [(1.0, 0.8), (1.3, 0.8), (0.8, 1.0)])
def test_what_depends_on_a_factor_is_not_averaged(campaign, low, high):
    """The first factor has harm at one level only: the verdict names it, with the changes at both levels."""
    view = at_one_level(campaign, low, high)
    found = verdict_of(view, "fast")
    (change,) = [c for c in found.changes if c.response == "goodput_dd"]
    assert (found.verdict, change.verdict, change.depends_on) == (DEPENDS, DEPENDS, "network speed (X1)")
    assert change.harmful
    assert found.words == "depends on network speed (X1)"
    worse, other = ("800", "1600") if low < high else ("1600", "800")
    assert change.beyond.level.startswith(f"network speed (X1) at {worse}")
    assert change.within.level.startswith(f"network speed (X1) at {other}")
    assert change.beyond.mean == pytest.approx(-20, abs=1)
    assert change.beyond.low < change.beyond.mean < change.beyond.high < -10
    assert change.beyond.conditions == change.within.conditions == 16
    assert holds(verdict_html(view), "Depends", "on network speed", f"at {worse} seg/ms", f"at {other} seg/ms")
    assert holds(recommendation(view, found), "Keep tcp with network speed", "there", "falls by")


def test_harm_in_single_conditions_is_listed(campaign):
    """Two conditions of 32 have half of the goodput: no level is worse, and the conditions are counted."""
    spread = replicated(campaign, 0.01, 1.0, 4)
    mine = (pl.col("algorithm") == "fast") & (pl.col("response") == "goodput_dd") & pl.col("condition").is_in([3])
    rows = spread.campaign.responses.with_columns(value=pl.when(mine).then(pl.col("value") * 0.8).otherwise("value"))
    found = verdict_of(CampaignView(replace(spread.campaign, responses=rows), against="tcp"), "fast")
    (change,) = [c for c in found.changes if c.response == "goodput_dd"]
    assert (change.verdict, change.worse, change.better) == (NO_WORSE, 1, 0)
    assert holds(reasons(found), "In single conditions worse", "(1 condition, better in 0)")


def test_the_runs_that_would_settle_a_verdict_are_stated(campaign):
    view = replicated(campaign, 0.1, 1.0)
    found = verdict_of(view, "fast")
    assert found.verdict == CANNOT_TELL
    most = max((c for c in found.changes if c.verdict == CANNOT_TELL), key=lambda change: change.possible)
    assert holds(
        reasons(found), "cannot be excluded", f"{most.replicates} more replicate", f"{most.conditions} condition"
    )
    assert holds(recommendation(view, found), "Do not decide yet", "cannot be excluded", "would settle this")


def test_values_below_0_have_no_relative_change(campaign):
    rtt = pl.col("response") == "rtt"
    rows = campaign.responses.with_columns(value=pl.when(rtt).then(pl.col("value") - 60).otherwise("value"))
    view = CampaignView(replace(campaign, responses=rows))
    assert "rtt" not in {change.response for change in verdict_of(view, "fast").changes}
    assert holds(verdict_html(view), "values are below 0", view.title_of("rtt"))


def test_the_incumbent_is_a_choice(campaign):
    view = CampaignView(campaign, against="cubic")
    assert "cubic" not in {each.name for each in verdicts(view)}
    assert "against cubic in the same conditions" in verdict_html(view)
    mixed_with = replace(campaign, experiment={**campaign.experiment, "mixed_with": "fast"})
    assert "fast" not in {each.name for each in verdicts(CampaignView(mixed_with))}
    alone = CampaignView(fake_campaign(algorithms=["cubic", "fast"]))
    assert "against cubic in the same conditions" in verdict_html(alone), "cubic is deployed more than tcp"


def test_only_short_flows_are_no_verdict(mixed, monkeypatch):
    low = (pl.col("algorithm") == "fast") & (pl.col("flow_algorithm") == "tcp")
    halved = pl.when(low).then(pl.col("throughput") / 2).otherwise("throughput")
    short = mixed.groups.with_columns(flow_seconds=pl.lit(31.0), flows=pl.lit(1e6), throughput=halved)
    monkeypatch.setattr(type(mixed), "groups", short)
    if "rtt" not in CampaignView(mixed).in_period["measured"]:
        pytest.skip("no round trip")
    view = CampaignView(replace(mixed))
    found = harm_to_competitors(view)
    verdicts_of = {each.name: each.verdict for each in found}
    assert verdicts_of == {"bic": NOT_JUDGED, "fast": WORSE, "htcp": NOT_JUDGED}, "harm to short flows is harm, too"
    assert "Only short flows were compared" in verdict_html(view)


EXPLICIT = """
name = "still"
title = "One flow"
scenario = "dumbbell"
algorithms = ["tcp", "still.py:Still"]

[set.time]
duration = "4 s"

[[factors]]
id = "X2"
minus = "0.1"
plus = "0.2"
"""
STILL = """
class Still:
    def on_ack(self, config, ack):
        self.cwnd = 2.0

    def on_loss(self, config, loss):
        self.cwnd = 2.0
"""
OF_EXPLICIT = "goodput of explicit flows"


@pytest.fixture(scope="module")
def explicit(tmp_path_factory):
    """A campaign of one explicit flow without users; `still` never opens its window."""
    folder = tmp_path_factory.mktemp("explicit")
    (folder / "still.py").write_text(STILL)
    (folder / "still.toml").write_text(EXPLICIT)
    return mesonet.experiment(folder / "still.toml").run(folder / "out", workers=1, progress=False)


def test_the_throughput_of_explicit_flows_is_judged(explicit):
    view = CampaignView(explicit)
    found = verdict_of(view, "still")
    (change,) = [change for change in found.changes if change.response == OF_EXPLICIT]
    tcp, still = (goodputs(view)[OF_EXPLICIT].filter(algorithm=name)["value"].mean() for name in ("tcp", "still"))
    assert change.weighted == pytest.approx(100 * (still / tcp - 1))
    assert change.mean < -50
    assert found.verdict != NO_WORSE
    assert holds(verdict_html(view), "Judged are", OF_EXPLICIT)


@pytest.mark.parametrize("groups", [lambda rows: rows.drop("throughput"), lambda rows: pl.DataFrame()])
def test_without_a_throughput_no_harm_is_not_stated(explicit, monkeypatch, groups):
    """The responses of `still` are equal to those of tcp; earlier code kept no throughput of flow groups."""
    alike = explicit.responses.filter(algorithm="tcp")
    both = pl.concat([alike, alike.with_columns(algorithm=pl.lit("still"))])
    monkeypatch.setattr(type(explicit), "groups", groups(explicit.groups))
    view = CampaignView(replace(explicit, responses=both))
    found = verdict_of(view, "still")
    assert found.verdict == NOT_JUDGED
    assert recommendation(view, found) == "Not judged: no goodput was measured."
    assert "No goodput was measured." in reasons(found)


def test_points_between_the_levels_are_conditions(tmp_path):
    """Two points of a Latin hypercube are conditions in which algorithms are compared."""
    design = '[design]\nkind = "latin-hypercube"\nruns = 2\n\n[[factors]]'
    text = EXPLICIT.replace("[[factors]]", design).replace("still.py:Still", "cubic").replace('"4 s"', '"1 s"')
    (tmp_path / "points.toml").write_text(text)
    campaign = mesonet.experiment(tmp_path / "points.toml").run(tmp_path / "out", workers=1, progress=False)
    assert [(each.name, each.against) for each in verdicts(CampaignView(campaign))] == [("tcp", "cubic")]
    with pytest.raises(mesonet.InputError, match="the design is a sample"):
        verdicts(CampaignView(campaign, compare=("X2=0.1 : X2=0.2",)))


@pytest.mark.parametrize("alike", [True, False])
def test_flows_of_one_algorithm_that_differ_are_not_compared_with_flows_under_test(explicit, monkeypatch, alike):
    """A second flow has tcp in every run, so that runs of tcp have the mean over both flows."""
    beside = {"algorithm": "tcp"} if alike else {"algorithm": "tcp", "extra_delay": 0.1}
    scenarios = [
        entry | {"scenario": entry["scenario"] | {"flows": [flow, flow | beside]}}
        for entry in explicit.experiment["scenarios"]
        for flow in entry["scenario"]["flows"]
    ]
    groups = explicit.groups
    second = groups.filter(algorithm="still").with_columns(flow_algorithm=pl.lit("tcp"))
    monkeypatch.setattr(type(explicit), "groups", pl.concat([groups, second]))
    view = CampaignView(replace(explicit, experiment={**explicit.experiment, "scenarios": scenarios}))
    found = goodputs(view)
    assert set(found) == {OF_EXPLICIT, f"{OF_EXPLICIT} of tcp"}
    assert set(found[OF_EXPLICIT]["algorithm"]) == ({"tcp", "still"} if alike else {"still"})
    assert verdict_of(view, "still").without_throughput != alike


@pytest.mark.parametrize("users", [{"base_sources": 1}, {}])
def test_campaigns_with_users_judge_the_same_responses_as_before(explicit, users):
    scenarios = [
        entry | {"scenario": entry["scenario"] | {"users": users}} for entry in explicit.experiment["scenarios"]
    ]
    view = CampaignView(replace(explicit, experiment={**explicit.experiment, "scenarios": scenarios}))
    found = verdict_of(view, "still")
    assert OF_EXPLICIT not in {change.response for change in found.changes}
    assert not found.without_throughput
