"""The deployment verdict: against whom, by what margin, and when there is none."""

from dataclasses import replace

import polars as pl
import pytest

from fake_campaign import fake_campaign
from mesonet.reporting.study import Study
from mesonet.reporting.verdict import MIXED, NO_HARM, NOT_JUDGED, WORSE, verdict_html, verdicts


def like_tcp(campaign, algorithm, factor, response=None, conditions=None):
    """The campaign in which an algorithm answers as tcp does, times a factor in some conditions and one response."""
    tcp = campaign.responses.filter(algorithm="tcp").with_columns(algorithm=pl.lit(algorithm))
    changed = pl.col("condition").is_in(conditions or list(range(1, 33)))
    changed &= pl.lit(True) if response is None else pl.col("response") == response
    tcp = tcp.with_columns(value=pl.when(changed).then(pl.col("value") * factor).otherwise("value"))
    rest = campaign.responses.filter(pl.col("algorithm") != algorithm)
    return Study(replace(campaign, responses=pl.concat([rest, tcp])))


@pytest.fixture(scope="module")
def campaign():
    return fake_campaign(lost=(), missing=())


def verdict_of(study, algorithm):
    return next(each for each in verdicts(study) if each.algorithm == algorithm)


@pytest.mark.parametrize(
    ("factor", "response", "conditions", "verdict"),
    [
        (1.0, None, None, NO_HARM),
        (1.09, "loss_rate", None, NO_HARM),
        (1.11, "loss_rate", None, WORSE),
        (0.5, "loss_rate", None, NO_HARM),
        (0.8, "goodput_dd", None, WORSE),
        (1.5, "goodput_dd", None, NO_HARM),
        (0.8, "goodput_dd", [3, 4], MIXED),
        (2.0, "connection_failures", None, NO_HARM),
    ],
)
def test_the_verdict_follows_direction_margin_and_conditions(campaign, factor, response, conditions, verdict):
    found = verdict_of(like_tcp(campaign, "fast", factor, response, conditions), "fast")
    assert found.verdict == verdict
    for change in found.changes:
        if change.response == response and conditions:
            assert change.worse == len(conditions)


def test_what_is_missing_is_not_called_harmless(campaign):
    alike = like_tcp(campaign, "fast", 1.0).campaign
    gone = (pl.col("algorithm") == "fast") & (pl.col("response") == "loss_rate") & (pl.col("condition") > 1)
    found = verdict_of(Study(replace(alike, responses=alike.responses.filter(~gone))), "fast")
    assert found.verdict == NOT_JUDGED
    (change,) = [change for change in found.changes if change.response == "loss_rate"]
    assert (change.compared, change.missing) == (1, 31)


def test_changes_are_those_of_the_values(campaign):
    study = Study(campaign)
    found = verdict_of(study, "fast")
    assert found.verdict == WORSE
    (change,) = [change for change in found.changes if change.response == "rtt"]
    values = study.values("rtt", "measured")
    own, tcp = values[:, 3], values[:, 0]
    assert change.mean == pytest.approx(100 * (own.mean() / tcp.mean() - 1))
    assert change.worse == int((own > 1.1 * tcp).sum())
    assert "loss rate +" in verdict_html(study)


def test_tiny_shares_are_not_judged(campaign):
    tiny = pl.col("response") == "loss_rate"
    share = pl.when(pl.col("algorithm") == "fast").then(9e-4).otherwise(1e-4)
    small = replace(
        campaign, responses=campaign.responses.with_columns(value=pl.when(tiny).then(share).otherwise("value"))
    )
    changes = {change.response: change for change in verdict_of(Study(small), "fast").changes}
    assert changes["loss_rate"].worse == 0
    assert changes["loss_rate"].mean == 0


def test_only_conditions_that_both_have_count(campaign):
    gone = (pl.col("algorithm") == "tcp") & (pl.col("condition") <= 10)
    study = Study(replace(campaign, responses=campaign.responses.filter(~gone)))
    assert {change.compared for change in verdict_of(study, "cubic").changes} == {22}
    nothing = Study(replace(campaign, responses=campaign.responses.filter(pl.col("algorithm") != "cubic")))
    assert verdict_of(nothing, "cubic").verdict == NOT_JUDGED


def test_without_an_incumbent_there_is_none():
    study = Study(fake_campaign(algorithms=["cubic", "fast"]))
    assert verdicts(study) == []
    assert "No verdict on deployment" in verdict_html(study)
    assert verdict_html(Study(fake_campaign(algorithms=["tcp"]))) == ""
