"""The replay: runs simulated again with traces, the map, and the frames as the page reads them."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
import shutil
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import mesonet as mn
from mesonet import core
from mesonet.errors import InputError
from mesonet.maps.flowers import HEIGHT, WIDTH, flower_map
from mesonet.reporting.replay import ReplayRun, recorded_runs, replay_section
from mesonet.reporting.replay.frames import frames, link_frames, packed
from mesonet.reporting.replay.simulated import FRAMES, interval, missing_cost, most_congested, prepare, record
from mesonet.units import RATE, with_bits

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("few_figures")]


@pytest.fixture
def campaign(tiny_campaign, tmp_path):
    """A campaign into which the test may write."""
    return mn.load(shutil.copytree(tiny_campaign, tmp_path / "out"))


def described(name):
    return core.describe(mn.scenario(name).to_json())


def test_what_is_simulated_again_answers_as_the_campaign_does(campaign):
    places = record(campaign, 3)
    assert [run.title for run in recorded_runs(campaign)] == ["tcp, condition 3", "scalable, condition 3"]
    for place, algorithm in zip(places, campaign.algorithms, strict=True):
        again = pl.read_parquet(place / "responses.parquet")
        mine = campaign.responses.filter(condition=3, algorithm=algorithm).select(again.columns)
        assert again.equals(mine)
        assert pl.read_parquet(place / "router_traces.parquet")["router"].n_unique() == 172
    before = [(place / "run.json").stat().st_mtime_ns for place in places]
    assert record(campaign, 3) == places
    assert [(place / "run.json").stat().st_mtime_ns for place in places] == before, "done once"


def test_a_report_replays_the_most_congested_condition_unasked_if_that_is_quick(campaign):
    losses = campaign.cube(["loss_rate"])[:, :, 0].mean(axis=1)
    most = most_congested(campaign)
    assert losses[most - 1] == losses.max()
    assert 0 < missing_cost(campaign, most) < 60
    prepare(campaign, "none")
    assert recorded_runs(campaign) == []
    prepare(campaign)
    assert {run.condition for run in recorded_runs(campaign)} == {most}
    assert missing_cost(campaign, most) == 0


@pytest.mark.parametrize("wanted", ["0", "5", "-1", "all", ""])
def test_a_condition_that_is_not_there(campaign, wanted):
    with pytest.raises(InputError, match="Allowed: 1 to 4, most or none") as caught:
        prepare(campaign, wanted)
    assert caught.value.path == "--replay"


def test_a_campaign_of_other_code_is_not_replayed(campaign):
    campaign.provenance["versions"]["code_version"] = "another"
    assert missing_cost(campaign, 1) is None
    prepare(campaign)
    assert recorded_runs(campaign) == []
    with pytest.raises(InputError, match="another version of the code"):
        prepare(campaign, "1")


def test_a_run_made_by_hand_is_replayed_too(campaign):
    other = mn.scenario("abilene", algorithm="cubic", duration="2 s", base_sources=2)
    mn.simulate(other.set("trace.routers", "all").set("trace.every", "100 ms")).write(campaign.path / "replay" / "mine")
    (run,) = recorded_runs(campaign)
    assert (run.condition, run.title) == (None, "mine")
    page = mn.report(campaign, campaign.path / "report.html").read_text()
    assert page.count(">mine</option>") == 2


def test_rows_of_a_trace():
    assert interval(1500) == 5
    assert interval(100) == 0.5
    for duration in (0.5, 1, 7, 60, 3599, 86_400):
        assert FRAMES / 2.6 <= duration / interval(duration) <= FRAMES


def test_frames_hold_what_the_traces_say(campaign):
    record(campaign, 4)
    run = recorded_runs(campaign)[0]
    names = sorted(run.traces["router"].unique())
    times, coded = frames(run, names)
    assert coded.shape == (4, len(names), len(times))
    packed_bytes = np.frombuffer(gzip.decompress(base64.b64decode(packed(coded))), dtype=np.uint8)
    again = np.cumsum(packed_bytes.reshape(coded.shape), axis=-1, dtype=np.uint8)
    assert (again == coded).all(), "as the page undoes it"
    share = (again / 255.0) ** 2
    buffer = dict(run.routers.select("router", "buffer").iter_rows())
    sample = run.traces.filter(pl.col("segments_dropped") > 0)
    assert sample.height > 20
    for row in sample.iter_rows(named=True):
        router, instant = names.index(row["router"]), int(np.flatnonzero(times == row["time_s"])[0])
        dropped = row["segments_dropped"] / (row["segments_dropped"] + row["segments_accepted"])
        assert share[1, router, instant] == pytest.approx(dropped, abs=0.005)
        assert share[0, router, instant] == pytest.approx(min(1, row["queue"] / buffer[row["router"]]), abs=0.005)
        assert again[2, router, instant] / 255 == pytest.approx(row["utilisation"], abs=0.003)
    nothing = run.traces.filter(pl.col("segments_dropped") == 0).row(0, named=True)
    instant = int(np.flatnonzero(times == nothing["time_s"])[0])
    assert coded[1, names.index(nothing["router"]), instant] == 0


@pytest.fixture(scope="module")
def marking():
    """A run with marks at ports: two flows from A to B over CoDel, as traces of a run by hand."""
    values = {
        "network.queue": "port", "network.speed": "24 Mbit/s", "network.buffer": "100 ms", "aqm.discipline": "codel",
        "aqm.ecn": True, "trace.routers": "all", "trace.every": "100 ms", "time.duration": "6 s", "time.warmup": "2 s",
        "flows": [{"from": "A", "to": "B", "interface": "1 Gbit/s", "count": 2}],
    }  # fmt: skip
    scenario = mn.scenario("dumbbell").with_values(values)
    result = mn.simulate(scenario)
    routers = result.routers.to_polars().filter(period="measured")
    traces, series = result.router_traces.to_polars(), result.series.to_polars()
    return ReplayRun(None, "mine", scenario.canonical(), traces, routers, series)


def test_marks_and_links_of_ports(marking):
    assert marking.owners(["A", "B"]) == {"A -> B": "A", "A -> hosts": "A", "B -> A": "B", "B -> hosts": "B"}
    _, coded = frames(marking, ["A", "B"])
    port = marking.traces.filter(router="A -> B").sort("time_s")
    assert port["segments_marked"].sum() > 10
    both = marking.traces.filter(pl.col("router").str.starts_with("A -> ")).drop("router")
    both = both.group_by("time_s").sum().sort("time_s")
    arrived = both["segments_accepted"] + both["segments_dropped"]
    shares = (both["segments_marked"] / arrived.clip(1)).to_numpy()
    assert (coded[3, 0] / 255) ** 2 == pytest.approx(shares, abs=0.005)
    assert not coded[3, 1].any(), "B marks nothing"
    (link,) = link_frames(marking, [("B", "A")])
    assert link / 255 == pytest.approx(port["utilisation"].to_numpy(), abs=0.003)
    assert link.max() > 200
    section = replay_section([marking]).html
    assert "Queues are at ports" in section
    assert "marking; thicker: more" in section


def test_traces_from_before_marks_were_recorded(marking):
    before = replace(marking, traces=marking.traces.drop("segments_marked"))
    _, coded = frames(before, ["A", "B"])
    assert not coded[3].any()
    assert (coded[:3] == frames(marking, ["A", "B"])[1][:3]).all()
    assert "marking; thicker: more" not in replay_section([before]).html
    beside = carried(replay_section([before, marking]).html)
    assert [run["marked"] for run in beside["runs"]] == [False, True]


def test_runs_of_two_disciplines_begin_side_by_side(marking):
    plain = replace(
        marking, scenario={**marking.scenario, "aqm": {**marking.scenario["aqm"], "discipline": "drop_tail"}}
    )
    plain = replace(plain, traces=plain.traces.with_columns(segments_marked=pl.lit(0, pl.UInt64)))
    other = replace(plain, name="other")
    shown = carried(replay_section([other, plain, marking]).html)
    assert shown["start"] == [1, 2]
    assert [run["title"] for run in shown["runs"]] == ["other, drop_tail", "mine, drop_tail", "mine, codel"]


def test_sizes_are_in_units_of_people():
    scenario = mn.scenario("dumbbell", duration="2 s").with_values({"trace.routers": "all", "time.warmup": "1 s"})
    result = mn.simulate(scenario)
    routers = result.routers.to_polars().filter(period="measured")
    run = ReplayRun(None, "mine", scenario.canonical(), result.router_traces.to_polars(), routers,
                    result.series.to_polars())  # fmt: skip
    (about,) = carried(replay_section([run]).html)["runs"]
    assert about["rooms"][0] == with_bits(f"{routers['buffer'][0]:,} segments")
    assert about["rates"][0] == RATE.familiar(routers["speed"][0])
    assert about["rooms"][0].endswith("B)")


def carried(section):
    """The data that the page unpacks."""
    packed_text = re.search(r'<script type="text/plain" id="replay-data">([^<]+)</script>', str(section))[1]
    return json.loads(gzip.decompress(base64.b64decode(packed_text)))


@pytest.mark.parametrize("name", ["abilene", "isp", "dumbbell", "parking-lot"])
def test_every_router_has_a_place_of_its_own(name):
    about = described(name)
    drawn = flower_map(name, about)
    assert [place.name for place in drawn.places] == [router["name"] for router in about["map"]["routers"]]
    assert len(drawn.links) == len(about["map"]["links"])
    for place in drawn.places:
        assert 0 < place.x < WIDTH
        assert 0 < place.y < HEIGHT
    nearest = min(math.dist((a.x, a.y), (b.x, b.y)) for a, b in combinations(drawn.places, 2))
    assert nearest > 7


def test_a_network_of_any_shape_is_drawn():
    """Routers of all kinds without one above them, at one place."""
    routers = [{"name": n, "class": "normal access", "region": 0, "sources": 1} for n in "abcd"]
    links = [{"a": 0, "b": n, "delay": 0.0, "cost": 1.0} for n in (1, 2, 3)]
    drawn = flower_map({"name": "mine"}, {"topology": "mine", "map": {"routers": routers, "links": links}})
    assert len({(place.x, place.y) for place in drawn.places}) == 4


def test_the_page_of_a_campaign_with_a_replay(campaign):
    record(campaign, 2)
    page = mn.report(campaign, campaign.path / "report.html").read_text()
    assert page.count('<option value="1">scalable, condition 2</option>') == 2
    assert re.search(r'<script type="text/plain" id="replay-1">[A-Za-z0-9+/=]+</script>', page)
    assert 'href="#replay"' in page


def test_runs_of_another_network_are_left_out(campaign):
    """The names of the routers alone do not make a network: another topology may have the same names."""
    record(campaign, 2)
    first, second = recorded_runs(campaign)
    other = replace(second, scenario={**second.scenario, "topology": {"name": "mine", "routers": [], "links": []}})
    shown = replay_section([first, other]).html
    assert "tcp, condition 2" in shown
    assert "scalable, condition 2" not in shown
    assert 'id="replay-1"' not in shown


def test_there_is_no_replay_without_a_run_of_the_network(campaign):
    record(campaign, 2)
    strange = [
        replace(run, traces=run.traces.with_columns(router=pl.lit("x") + pl.col("router")))
        for run in recorded_runs(campaign)
    ]
    section = replay_section(strange)
    assert (section.title, section.html) == ("", "")


def test_a_network_of_the_user_is_drawn_at_the_coordinates_of_its_file(tmp_path):
    (tmp_path / "nodes.csv").write_text("name,latitude,longitude\nWest,50,0\nMiddle,50,10\nEast,50,20\nNorth,60,10\n")
    (tmp_path / "links.csv").write_text("from,to\nWest,Middle\nMiddle,East\nMiddle,North\n")
    chosen = mn.scenario("abilene", topology=str(tmp_path))
    drawn = flower_map(chosen.canonical()["topology"], chosen.describe())
    at = {place.name: place for place in drawn.places if place.head}
    assert drawn.on_map
    assert at["West"].x < at["Middle"].x < at["East"].x
    assert at["North"].y < at["Middle"].y
    assert at["West"].label == "West"


def test_a_network_without_places_is_not_called_a_map():
    routers = [{"name": n, "class": "backbone", "region": n, "sources": 1} for n in ("Oslo", "Bergen", "Hamar")]
    links = [{"a": a, "b": b, "delay": 0.0, "cost": 1.0} for a, b in ((0, 1), (1, 2), (0, 2))]
    drawn = flower_map({"name": "mine"}, {"topology": "mine", "map": {"routers": routers, "links": links}})
    assert not drawn.on_map
    assert flower_map("abilene", described("abilene")).on_map
