"""The response sets of the study, and their values in a campaign."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from mesonet import experiment
from mesonet.errors import InputError
from mesonet.responses.definitions import BY_NAME
from mesonet.responses.sets import GROUPS, SETS
from mesonet.responses.tables import GROUPS as GROUP_COLUMNS

pytestmark = pytest.mark.process

MIXED = """
name = "mixed"
title = "Two alternates to standard TCP"
scenario = "abilene"
algorithms = ["scalable", "fast"]
mixed_with = "tcp"
responses = "exp-2"
set.time.duration = "4 s"
set.time.periods = 1
set.users.base_sources = 2

[[factors]]
id = "X1"
minus = "40 seg/ms"
plus = "80 seg/ms"

[[factors]]
id = "X15"
path = "mixed_share"
minus = 0.3
plus = 0.7
"""


def test_the_sets_have_the_published_sizes() -> None:
    sizes = {each.name: (len(each.entries), len(each.per_group)) for each in SETS.values()}
    assert (sizes["asme-22"], sizes["exp-1"], sizes["exp-2"]) == ((22, 0), (45, 0), (16, 28))
    # ASME paper, 5.4: 3 x 18 = 54 macroscopic, 2 x 24 = 48 of flow groups, 102 in all.
    macroscopic, per_group = sizes["sensitivity"]
    assert (macroscopic, per_group * GROUPS, macroscopic + per_group * GROUPS) == (54, 48, 102)
    pairs = sizes["asme-22"][0] * (sizes["asme-22"][0] - 1) // 2
    assert pairs == 231  # ASME paper, 3.1.b


def test_entries_name_what_is_measured_once_each() -> None:
    for each in SETS.values():
        assert all(entry.name in BY_NAME for entry in each.entries)
        assert all(entry.name in GROUP_COLUMNS.columns for entry in each.per_group)
        places = Counter((entry.symbol, entry.period) for entry in (*each.entries, *each.per_group) if entry.symbol)
        assert set(places.values()) == {1}
    symbols = [entry.symbol for entry in SETS["exp-2"].per_group]
    assert symbols == [f"y{i}(u)" for i in range(1, 29)]
    goodputs = {entry.symbol: entry.of for entry in SETS["exp-2"].per_group if entry.name == "goodput"}
    assert goodputs == {"y2(u)": "alternate", "y16(u)": "tcp"}


def test_what_was_invented_is_marked_and_what_is_published_stands_at_its_place() -> None:
    exp_1 = {entry.symbol: entry for entry in SETS["exp-1"].entries}
    published = {symbol: entry.name for symbol, entry in exp_1.items() if entry.basis == "published"}
    assert published == {
        "y2": "cwnd_increases",
        "y6": "retransmission_rate",
        "y42": "connecting_sources",
        "y44": "standard_share",
        "y45": "alternate_share",
    }
    assert [exp_1[f"y{i}"].name for i in range(9, 13)] == [
        f"goodput_dd_{category}" for category in ("web_object", "document", "service_pack", "movie")
    ]
    assert all(entry.note for entry in exp_1.values() if entry.basis != "published")
    assert {exp_1[f"y{i}"].basis for i in range(36, 42)} == {"invented"}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "mixed.toml").write_text(MIXED)
    return experiment(folder / "mixed.toml").run(folder / "out", progress=False)


def test_a_campaign_answers_its_set(campaign) -> None:
    values = campaign.set_values()
    network = values.filter(values["group"].is_null())
    assert len(network) == 8 * 16  # 4 conditions x 2 algorithms
    one = campaign.response("rtt")
    asked = network.filter(network["response"] == "rtt").select("condition", "algorithm", "replicate", "value")
    assert asked.equals(one)
    groups = values.filter(values["group"].is_not_null())
    assert set(groups["group"]) <= set(range(1, 25))
    run = (groups["condition"] == 2) & (groups["algorithm"] == "fast") & (groups["group"] == 24)
    mine = {row["symbol"]: row["value"] for row in groups.filter(run).iter_rows(named=True)}
    assert set(mine) == {f"y{i}(u)" for i in range(1, 29)}
    table = campaign.groups.filter(
        (campaign.groups["condition"] == 2)
        & (campaign.groups["algorithm"] == "fast")
        & (campaign.groups["group"] == 24)
        & (campaign.groups["period"] == "measured")
    )
    flows = dict(table.select("flow_algorithm", "flows").iter_rows())
    assert (mine["y1(u)"], mine["y15(u)"]) == (flows["fast"], flows["tcp"])


def test_an_unknown_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(MIXED.replace("exp-2", "exp-3"))
    with pytest.raises(InputError, match=r"unknown set of responses.*exp-2"):
        experiment(tmp_path / "x.toml")
