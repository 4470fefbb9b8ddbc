"""Queues in reports: by class and discipline, and which discipline is better for whom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from msgspec import structs

import mesonet as mn
from fake_campaign import FACTORS, fake_campaign
from fragments import holds
from mesonet import plots
from mesonet.analysis.decisions.decision import BETTER, CANNOT_TELL
from mesonet.campaign import Campaign
from mesonet.cli.verbs import main
from mesonet.experiments.network import experiment
from mesonet.reporting.campaign_view.queues import discipline_factor, queue_summary, queue_table
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import figure_groups
from mesonet.reporting.figures.queues import queues_html
from mesonet.reporting.page.answer import answer_html
from mesonet.reporting.text.disciplines_text import discipline_rows, disciplines_html, disciplines_sentence
from mesonet.reporting.text.queues_text import queues_sentence
from mesonet.reporting.verdicts.disciplines import ALIKE, SAME, TRADE, discipline_choices

NAMES = {-1: "drop_tail", 1: "dualpi2"}


def with_queues(
    delay: float = 0.5, loss: float = 0.5, *, split: float = 0.0, noise: float = 0.01, recorded: bool = True
) -> Campaign:
    """The synthetic campaign whose factor X3 chooses the discipline.

    PoP routers: the plus level multiplies delays by `delay` and losses by `loss`; `split` is an interaction with X1, as
    a logarithm. Fast routers have delays below a millisecond and no losses.
    """
    campaign = fake_campaign(lost=(), missing=())
    place = campaign.design.factors.index("X3")
    factors = tuple(
        structs.replace(each, name="Queue discipline", path="aqm.discipline", minus=NAMES[-1], plus=NAMES[1])
        if each.id == "X3"
        else each
        for each in FACTORS
    )
    rng = np.random.default_rng(1)
    rows, scenarios = [], []
    for condition, signs in enumerate(np.asarray(campaign.design.matrix).tolist(), start=1):
        own, speed = signs[place], signs[0]
        for algorithm in campaign.algorithms:
            wobble = np.exp(noise * rng.standard_normal())
            p95 = 40 * delay ** (own / 2) * np.exp(0.3 * speed + split * own * speed) * wobble
            values = {
                "queue_delay_p50_pop": p95 / 10, "queue_delay_p95_pop": p95, "queue_delay_p99_pop": 2 * p95,
                "queue_loss_rate_pop": 0.02 * loss ** (own / 2) * wobble, "queue_mark_rate_pop": 0.01 * (own > 0),
                "queue_delay_p95_fast": 0.01, "queue_loss_rate_fast": 0.0,
            }  # fmt: skip
            for name, value in values.items() if recorded else ():
                rows.append((condition, algorithm, 1, name, "", "measured", "ms" if "delay" in name else "1", value))
            scenarios.append(
                {
                    "condition": condition, "algorithm": algorithm,
                    "scenario": {
                        "network": {}, "aqm": {"discipline": NAMES[int(own)]}, "transport": {"segment_bytes": 1500},
                        "users": {"base_sources": 1},
                    },
                }
            )  # fmt: skip
    more = pl.DataFrame(rows, schema=campaign.responses.schema, orient="row")
    return replace(
        campaign,
        factors=factors,
        responses=pl.concat([campaign.responses, more]),
        experiment={**campaign.experiment, "scenarios": scenarios},
    )


def test_medians_and_ranges_by_class_and_discipline() -> None:
    view = CampaignView(with_queues(noise=0.0))
    assert discipline_factor(view) == "X3"
    table = queue_table(view)
    assert table.height == 2 * 32 * 5
    assert table["router"].unique(maintain_order=True).to_list() == ["pop", "fast"]
    summary = queue_summary(view).filter(router="pop", measure="delay_p95", algorithm="tcp")
    for discipline, factor in (("drop_tail", 0.5**-0.5), ("dualpi2", 0.5**0.5)):
        (row,) = summary.filter(discipline=discipline).to_dicts()
        low, high = (40 * factor * np.exp(0.3 * speed) for speed in (-1, 1))
        assert (row["conditions"], row["least"], row["most"]) == (16, pytest.approx(low), pytest.approx(high))
        assert row["median"] == pytest.approx((low + high) / 2)
    text = str(queues_html(view))
    assert "not recorded" in text, "fast routers have no median"
    assert "<td>59.1 (41.9 to 76.4)</td>" in text
    assert "PoP routers" in queues_sentence(view)
    assert "with drop-tail" in queues_sentence(view)


def test_a_discipline_that_is_better_worse_and_both() -> None:
    (better,) = discipline_choices(CampaignView(with_queues(0.5, 0.5)))
    assert (better.whom, better.chosen) == ("queues of PoP routers", "dualpi2")
    delay, loss = better.outcomes
    assert delay.kind == loss.kind == BETTER
    assert delay.change == pytest.approx(-50, abs=0.5)
    assert delay.low < delay.change < delay.high < -45
    assert (delay.minus, delay.plus) == (pytest.approx(40 * 2**0.5, rel=0.01), pytest.approx(40 / 2**0.5, rel=0.01))
    (worse,) = discipline_choices(CampaignView(with_queues(1.5, 2.0)))
    assert worse.chosen == "drop_tail"
    (trade,) = discipline_choices(view := CampaignView(with_queues(0.5, 2.0)))
    assert trade.chosen == TRADE
    sentence = disciplines_sentence(view)
    assert holds(sentence, "drop-tail is better in loss rate", "DualPI2 is better in delay of 95 %")
    assert "a trade" in str(disciplines_html(view))


def test_the_page_begins_with_the_answers_on_disciplines() -> None:
    trade = answer_html(CampaignView(with_queues(0.5, 2.0)))
    assert trade.index("Which queue discipline?") < trade.index('id="answer-title"')
    assert holds(trade, "<strong>a trade</strong>", "PoP routers", "drop-tail is better in loss rate")
    assert "<strong>DualPI2</strong> for queues of PoP routers.</li>" in answer_html(
        CampaignView(with_queues(0.5, 0.5))
    )
    assert "Which queue discipline?" not in answer_html(CampaignView(fake_campaign()))


def test_no_difference_is_not_the_same_as_not_known() -> None:
    (alike,) = discipline_choices(CampaignView(with_queues(1.0, 1.0)))
    assert alike.chosen == ALIKE
    assert {each.kind for each in alike.outcomes} == {SAME}
    (unknown,) = discipline_choices(CampaignView(with_queues(1.0, 1.0, noise=1.5)))
    assert unknown.chosen == CANNOT_TELL


def test_the_factor_on_which_a_change_depends_is_named() -> None:
    view = CampaignView(with_queues(0.5, 0.5, split=0.2))
    delay, loss = discipline_choices(view)[0].outcomes
    assert (delay.depends_on, loss.depends_on) == ("X1", "")
    # Twice the coefficients ln(.5) / 2 -+ .2.
    assert delay.at_minus == pytest.approx(100 * (0.5 * np.exp(-0.4) - 1), abs=1)
    assert delay.at_plus == pytest.approx(100 * (0.5 * np.exp(0.4) - 1), abs=1)
    (row,) = discipline_rows(view)
    assert "by network speed: −66 % at 800 seg/ms, −25 % at 1600 seg/ms" in row["why"]


@pytest.mark.slow
def test_intervals_hold_as_often_as_they_say() -> None:
    """The interval of one of two quantities holds in 97.5 % of campaigns; fewer than 54 of 60 has p below 0.001."""
    inside = 0
    for seed in range(60):
        campaign = with_queues(0.7, 0.7, noise=0.0)
        rng = np.random.default_rng(seed)
        noise = pl.Series("noise", np.exp(0.2 * rng.standard_normal(campaign.responses.height)))
        rows = campaign.responses.with_columns(value=pl.col("value") * noise)
        outcome = discipline_choices(CampaignView(replace(campaign, responses=rows)))[0].outcomes[0]
        inside += outcome.low <= -30 <= outcome.high
    assert inside >= 54


def test_a_campaign_without_the_records_says_so() -> None:
    view = CampaignView(with_queues(recorded=False))
    assert "not recorded" in queues_sentence(view)
    assert discipline_choices(view) == []
    assert disciplines_html(view) == ""
    assert "queues" not in {group.id for group in figure_groups(view)}
    assert queues_sentence(CampaignView(fake_campaign())) == "", "nothing is known of its network"


def test_drops_without_delays() -> None:
    campaign = with_queues()
    rows = campaign.responses.filter(~pl.col("response").str.starts_with("queue_delay"))
    sentence = queues_sentence(view := CampaignView(replace(campaign, responses=rows)))
    assert "PoP routers drop most" in sentence
    assert "Delays were not recorded" in sentence
    assert "not recorded" in str(queues_html(view))
    (figure,) = next(group for group in figure_groups(view) if group.id == "queues").figures
    assert "Delays were not recorded" in figure.draw(algorithm="tcp").text


@pytest.mark.slow
def test_the_figure_of_the_queues() -> None:
    view = CampaignView(with_queues())
    (figure,) = next(group for group in figure_groups(view) if group.id == "queues").figures
    assert [each["algorithm"] for each in figure.selections] == list(view.algorithms)
    drawing = figure.draw(algorithm="tcp")
    rows = drawing.tables["queues"].filter(router="PoP", measure="loss_rate", discipline="drop-tail")
    assert rows["median"].item() == pytest.approx(2 * 2**0.5, rel=0.02), "in %"
    svg = plots.to_svg(drawing.chart())
    assert all(text in svg for text in ("delay, ms", "dropped, %", "marked, %", "DualPI2"))


@pytest.mark.process
@pytest.mark.usefixtures("few_figures")
def test_the_built_in_experiment_answers_for_flows_and_routers(tmp_path: Path) -> None:
    chosen = experiment("aqm", duration="3 s", values={"time.warmup": "1 s", "users.base_sources": 2})
    assert chosen.conditions == 32
    assert chosen.design.resolution == 4
    pairs = [f"discipline*{other}" for other in chosen.design.factors if other != "discipline"]
    clear = {frozenset(pair.split("*")) for pair in chosen.design.clear_interactions}
    assert {frozenset(pair.split("*")) for pair in pairs} <= clear, "the answer may depend on any factor"
    path = chosen.run(tmp_path / "aqm", workers=2).path
    campaign = mn.load(path)
    assert campaign.counts["done"] == 64
    shown = CliRunner().invoke(main, ["experiment", "run", str(path)], terminal_width=120).stdout
    assert "which queue discipline:" in shown
    choices = {each.whom: each for each in discipline_choices(CampaignView(campaign))}
    assert "flows of prague beside cubic" in choices
    assert "flows of cubic beside prague" in choices
    assert "flows of cubic alone" in choices
    titles = [each.title for each in choices["flows of prague beside cubic"].outcomes]
    assert "queueing delay" in titles
    page = mn.report(campaign, path / "report.html").read_text()
    assert "Which queue discipline, for whom?" in page
    assert holds(page, "How long do segments wait", "dropped and marked?")
    assert "40 seg/ms (480 Mbit/s)" in page
    assert holds(page, "segments of 1,500 bytes", "1,000 segments/s (12 Mbit/s)", "1,000 segments (1.5 MB)")


@pytest.mark.process
def test_more_than_two_disciplines_are_compared_by_class(tmp_path: Path) -> None:
    file = tmp_path / "three.toml"
    file.write_text(
        'name = "three"\ntitle = "Three disciplines"\nscenario = "abilene"\nalgorithms = ["tcp"]\n'
        '[set]\n"time.duration" = "2 s"\n"time.warmup" = "1 s"\n"users.base_sources" = 2\n'
        '"network.queue" = "port"\n"network.speed" = "10 seg/ms"\n"measurement.queue_delays" = true\n'
        '[[factors]]\nid = "Q"\nlevels."aqm.discipline" = ["drop_tail", "pie", "fq_codel"]\n'
    )
    campaign = experiment(file).run(tmp_path / "three", workers=1)
    summary = queue_summary(CampaignView(campaign))
    assert set(summary["discipline"]) == {"drop_tail", "pie", "fq_codel"}
    page = mn.report(campaign, tmp_path / "report.html").read_text()
    assert holds(page, "How long do segments wait", "dropped and marked?")
