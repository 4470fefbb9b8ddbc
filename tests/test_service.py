"""Slowdown and late frames at a glance in reports, and only where a campaign has such traffic."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from fake_campaign import fake_campaign
from mesonet import plots
from mesonet.campaign import Campaign
from mesonet.reporting.campaign_view.values import ARRIVALS, FRAMES, KEY_RESPONSES, SERVICE, VIDEO
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import figure_groups
from mesonet.reporting.figures.service import LATE, OF_FRAMES, SIZES, WITHOUT, service_summary
from mesonet.reporting.folder.analysis_files import SECTIONS

MEDIA = {"from": "A", "to": "B", "application": {"source": {"frames": {"rate": 30.0, "size": 2.5}}}}
SENT = 1000


def with_service(*traffic: str, recorded: bool = True) -> Campaign:
    """The synthetic campaign with flows that arrive, frames, or both: condition c and algorithm a have c + a / 10.

    Values of the median, and ten and twenty times as much for 95 and 99 %. There are no flows of 1 MB and more.
    """
    campaign = fake_campaign(lost=(), missing=())
    rows, scenarios = [], []
    for condition in range(1, len(campaign.design.matrix) + 1):
        for place, algorithm in enumerate(campaign.algorithms):
            base = condition + place / 10
            shares = {"p50": base, "p95": 10 * base, "p99": 20 * base}
            values = {f"slowdown_{share}{end}": value for end in [*SIZES][:-1] for share, value in shares.items()}
            values |= {f"frame_delay_{share}": value for share, value in shares.items()}
            values |= {"frames_sent": SENT, "frames_late": base, "slowdown_p95_from_1mb": np.nan}
            # Runs of every network have slowdowns, and no frames without flows of frames.
            kept = {name: value for name, value in values.items() if FRAMES in traffic or not name.startswith("frame")}
            rows += [
                (condition, algorithm, 1, name, "", "measured", "1", float(value))
                for name, value in kept.items()
                if recorded
            ]
            scenario = {
                "network": {}, "arrivals": [{"from": "A"}] if ARRIVALS in traffic else [],
                "flows": [{"from": "A"}, MEDIA] if FRAMES in traffic else [{"from": "A"}],
            }  # fmt: skip
            scenarios.append({"condition": condition, "algorithm": algorithm, "scenario": scenario})
    more = pl.DataFrame(rows, schema=campaign.responses.schema, orient="row")
    experiment = copy.deepcopy(dict(campaign.experiment)) | {"scenarios": scenarios}
    return replace(campaign, experiment=experiment, responses=pl.concat([campaign.responses, more]))


@pytest.mark.parametrize("traffic", [(ARRIVALS,), (FRAMES,), (ARRIVALS, FRAMES)])
def test_first_responses_are_of_the_traffic(traffic: tuple[str, ...]) -> None:
    view = CampaignView(with_service(*traffic))
    assert view.traffic == list(traffic)
    first = [name for each in traffic for name in SERVICE[each]]
    assert view.key_responses[: len(first)] == first
    without = CampaignView(with_service())
    assert view.key_responses[len(first) :] == without.key_responses


def test_other_campaigns_keep_their_responses_and_figures() -> None:
    """Every run of a network records slowdowns; they lead only where flows arrive at random."""
    plain = CampaignView(fake_campaign(lost=(), missing=()))
    view = CampaignView(with_service())
    assert view.key_responses == plain.key_responses == [name for name in KEY_RESPONSES if name in plain.responses]
    assert list(view.responses) == list(plain.responses)
    assert [group.id for group in figure_groups(view)] == [group.id for group in figure_groups(plain)]
    assert service_summary(view).is_empty()
    lacking = CampaignView(with_service(ARRIVALS, FRAMES, recorded=False))
    assert lacking.key_responses == plain.key_responses
    assert "service" not in {group.id for group in figure_groups(lacking)}


def test_the_summary_has_medians_and_ranges_over_conditions() -> None:
    view = CampaignView(with_service(ARRIVALS, FRAMES))
    conditions = len(view.conditions)
    summary = service_summary(view)
    names = [text for end, text in SIZES.items() if end != "_from_1mb"]
    assert list(dict.fromkeys(summary["row"])) == [*names, OF_FRAMES]
    assert set(summary["conditions"]) == {conditions}
    middle = (conditions + 1) / 2
    for place, algorithm in enumerate(view.algorithms):
        own = summary.filter(algorithm=algorithm)
        for row in names:
            found = own.filter(row=row, measure="p95").row(0, named=True)
            expected = [10 * (each + place / 10) for each in (middle, 1, conditions)]
            assert [found["median"], found["least"], found["most"]] == pytest.approx(expected)
        late = own.filter(measure=LATE).row(0, named=True)
        assert late["median"] == pytest.approx((middle + place / 10) / SENT)
        assert own.filter(row=OF_FRAMES, measure="p99")["most"].item() == pytest.approx(20 * (conditions + place / 10))


def test_one_figure_shows_slowdown_and_late_frames() -> None:
    view = CampaignView(with_service(ARRIVALS, FRAMES))
    (group,) = [group for group in figure_groups(view) if group.id == "service"]
    assert group.title == "Slowdown and late frames"
    (figure,) = group.figures
    assert figure.file.partition("/")[0] in SECTIONS  # of the figures on disk, too
    drawn = figure.draw()
    (rows,) = drawn.tables.values()
    assert set(rows["panel"]) == {"slowdown", "late", "delay"}
    shares = rows.filter(panel="late")
    assert shares["median"].to_list() == pytest.approx(
        (100 * service_summary(view).filter(measure=LATE)["median"]).to_list()
    )
    best, worst = view.algorithms[0], view.algorithms[-1]
    assert f"with {best} and" in drawn.text
    assert f"with {worst}." in drawn.text
    svg = plots.to_svg(drawn.chart())
    for text in ("slowdown, ×", "late frames, %", "delay of frames, ms", "flows below 10 kB"):
        assert text in svg
    alone = CampaignView(with_service(FRAMES))
    (group,) = [group for group in figure_groups(alone) if group.id == "service"]
    assert group.title == "Late frames"
    assert "slowdown, ×" not in plots.to_svg(group.figures[0].draw().chart())


def test_videos_have_a_bitrate_and_the_time_for_which_they_stall() -> None:
    campaign = with_service()
    scenarios = copy.deepcopy(campaign.experiment["scenarios"])
    rows = []
    for entry in scenarios:
        entry["scenario"]["flows"] = [{"from": "A", "to": "B", "application": {"source": {"video": {}}}}]
        place = campaign.algorithms.index(entry["algorithm"])
        for name, value in (("video_bitrate", 100.0 + place), ("video_rebuffering", 0.1 * place)):
            rows.append((entry["condition"], entry["algorithm"], 1, name, "", "measured", "1", value))
    more = pl.DataFrame(rows, schema=campaign.responses.schema, orient="row")
    experiment = dict(campaign.experiment) | {"scenarios": scenarios}
    view = CampaignView(replace(campaign, experiment=experiment, responses=pl.concat([campaign.responses, more])))
    assert view.traffic == [VIDEO]
    (group,) = [group for group in figure_groups(view) if group.id == "service"]
    assert group.title == "Videos"
    drawn = group.figures[0].draw()
    rows = drawn.tables["service"]
    stalls = rows.filter(panel="rebuffering", algorithm=view.algorithms[1])
    assert stalls["median"].to_list() == pytest.approx([10.0])  # %
    bitrates = dict(rows.filter(panel="bitrate").select("algorithm", "median").iter_rows())
    assert bitrates == pytest.approx({name: 100.0 + place for place, name in enumerate(view.algorithms)})
    assert f"0 % with {view.algorithms[0]}" in drawn.text
    svg = plots.to_svg(drawn.chart())
    assert "bitrate of videos, segments/s" in svg
    assert "time for which videos stall, %" in svg


def test_the_caption_counts_flows_without_slowdown() -> None:
    campaign = with_service(ARRIVALS)
    row = (1, campaign.algorithms[0], 1, WITHOUT, "", "measured", "flows", 1234.0)
    more = pl.DataFrame([row], schema=campaign.responses.schema, orient="row")
    left_out = replace(campaign, responses=pl.concat([campaign.responses, more]))
    captions = {}
    for each in (campaign, left_out):
        (group,) = [group for group in figure_groups(CampaignView(each)) if group.id == "service"]
        captions[len(captions)] = group.figures[0].draw().text
    assert "no slowdown" not in captions[0]
    assert "1,230 flows that completed have no slowdown" in captions[1]
    assert "in 1 run." in captions[1]
