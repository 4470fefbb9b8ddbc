"""The analysis of a campaign as files: the whole catalogue, a sentence for each figure, and nothing drawn twice."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from commands import MESONET
from conftest import TINY
from fake_campaign import ALGORITHMS, TOTALS, fake_campaign, few_responses
from fragments import holds
from large_campaign import large_campaign
from mesonet import reporting
from mesonet.analysis import main_effects
from mesonet.campaign import load
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.reporting.campaign_view.flow_groups import OWN, group_values
from mesonet.reporting.campaign_view.thresholds import Thresholds
from mesonet.reporting.campaign_view.users import users
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import figure_groups
from mesonet.reporting.figures.buffers import buffer_table
from mesonet.reporting.folder import drawing, gallery
from mesonet.reporting.folder.tables import where_to_look
from mesonet.reporting.replay.simulated import most_congested
from mesonet.reporting.text.conditions import conditions_table
from mesonet.words import span

pytestmark = pytest.mark.slow

#: In this process: another takes a second or two to begin. A test of its own draws with two.
write_analysis = partial(reporting.write_analysis, workers=1)

STEPS = (
    "01_ordered_data", "02_multi_factor_scatter", "03_main_effects", "04_interactions", "05_blocks", "06_youden",
    "07_and_09_effect_sizes", "08_half_normal", "10_contour",
)  # fmt: skip
OF_RESPONSES = (
    "correlations/scatter_matrix", "correlations/correlations",
    "components/scree", "components/loadings", "components/groupings", "components/pc1_pc2",
    "components/main_effects_pc1", "components/main_effects_pc2",
)  # fmt: skip
OF_ALGORITHMS = (
    "algorithms/condition_response_all", "algorithms/condition_response_far",
    "algorithms/condition_response_discoveries", "algorithms/clusters", "algorithms/settings_of_outliers",
)  # fmt: skip


@pytest.fixture(scope="module")
def campaign():
    return fake_campaign()


@pytest.fixture(scope="module")
def analysed(campaign, shared):
    """The folder of the analysis of the synthetic campaign; tests only read it."""

    def make(folder):
        written = write_analysis(campaign, folder, responses=["loss_rate"])
        assert all(path.is_file() for path in written)

    return shared.folder("analysed", make) / "analysis"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Three algorithms, each mixed with standard TCP, with flow groups; two runs keep a time series."""
    return large_campaign(
        tmp_path_factory.mktemp("mixed"), design="2^(6-1)", algorithms=("bic", "fast", "htcp"),
        response_set="exp-2", series=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Two algorithms, each mixed with standard TCP, with flow groups."""
    folder = tmp_path_factory.mktemp("small")
    return large_campaign(folder, design="2^(6-1)", algorithms=("bic", "fast"), response_set="exp-2")


def names_of(root):
    return sorted(path.relative_to(root / "figures").as_posix().removesuffix(".svg") for path in root.rglob("*.svg"))


def test_tables(campaign, analysed):
    described = (Path(__file__).parent.parent / "docs" / "reference" / "analysis.md").read_text()
    for parquet_file in (analysed / "tables").glob("*.parquet"):
        assert f"`{parquet_file.stem}`" in described
        parquet = pl.read_parquet(parquet_file)
        csv = pl.read_csv(parquet_file.with_suffix(".csv"), infer_schema_length=None)
        assert csv.columns == parquet.columns
        assert csv.height == parquet.height > 0
    effects = pl.read_parquet(analysed / "tables" / "main_effects.parquet")
    assert effects.height == (22 * 4 + len(TOTALS)) * 6 * 9
    tcp = effects.filter(response="loss_rate", period="measured", algorithm="tcp")
    expected = main_effects(campaign.design, campaign.response("loss_rate"), algorithm="tcp")
    assert tcp["effect"].to_list() == pytest.approx(expected.effect.tolist())
    wide = pl.read_parquet(analysed / "tables" / "responses.parquet")
    assert wide.filter(period="measured").height == 158
    assert {"condition", "algorithm", "replicate", "loss_rate", "goodput_nn"} <= set(wide.columns)
    conditions = pl.read_parquet(analysed / "tables" / "conditions.parquet")
    assert conditions["X1"].to_list()[:2] == ["800 seg/ms", "1600 seg/ms"]
    assert conditions["done"].sum() == 158
    loss = campaign.cube(["loss_rate"], "measured")[:, :, 0]
    assert conditions["loss_rate_most"].to_list() == pytest.approx(np.nanmax(loss, axis=1).tolist())


def test_tables_of_the_method(analysed):
    table = {path.stem: pl.read_parquet(path) for path in (analysed / "tables").glob("*.parquet")}
    assert table["terms"].filter((pl.col("response") == "rtt") & (pl.col("algorithm") == "tcp")).height == 31
    assert table["factors"].height == 5 * 22 * 9
    assert table["factors"]["psi"].is_between(0, 1).all()
    assert table["psi"]["average"].is_between(0, 1).all()
    assert table["clusters"]["condition"].n_unique() == 32
    assert table["component_scores"].height == 32 * 5
    assert table["components"].group_by("component").agg(pl.col("share").first())["share"].sum() == pytest.approx(1)
    assert set(table["response_groups"]["response"]) <= set(table["terms"]["response"])
    assert table["blocks_and_runs"]["target"].n_unique() == 9
    assert table["spreads"].filter(response="loss_rate").height == 18
    names = table["classes"].group_by("class").agg(pl.col("value").min(), most=pl.col("value").max()).sort("value")
    assert [name.split(" (")[0] for name in names["class"]] == ["none", "low", "moderate", "high"]
    ends = [span(low, most, "1") for low, most in names.select("value", "most").iter_rows()]
    assert [name.split(" (")[1] for name in names["class"]] == [f"{end})" for end in ends], "limits are in the names"
    assert table["condition_response_adjusted"]["flagged"].sum() <= table["condition_response"].filter(
        period="measured")["flagged"].sum()  # fmt: skip
    assert table["follow_up"].height == 16
    assert set(table["follow_up"]["X1"]) == {-1, 1}
    look = table["where_to_look"].row(0, named=True)
    assert look["algorithm"] != look["against"]
    assert look["series"]
    assert look["file"] is None or look["file"] == ""
    separated = table["settings_of_outliers"].filter(pl.col("q") < 0.05)
    assert "fast" in separated["algorithm"].to_list()


@pytest.mark.parametrize("kept_by", [1, 2, 3])
def test_the_series_of_any_replicate_is_found(tmp_path, kept_by):
    algorithms = ("bic", "ctcp", "fast", "htcp", "scalable")  # no algorithm stands out among two or three
    whole = large_campaign(tmp_path, design="2^(6-1)", algorithms=algorithms, response_set="exp-2")
    table = pl.DataFrame({"time_s": [0.0, 1.0], "connecting": 1.0, "standard": 2.0, "flow_1_cwnd": [9.0, 10.0]})
    runs = []
    for replicate in (1, 2, 3):
        runs.append(whole.runs.with_columns(replicate=pl.lit(replicate, pl.Int64), key=pl.col("key") + f"-{replicate}"))
        for key in runs[-1]["key"]:
            folder = tmp_path / "runs" / key
            folder.mkdir()
            if replicate == kept_by:
                table.write_parquet(folder / "series.parquet")
    view = CampaignView(replace(whole, runs=pl.concat(runs)))
    look = where_to_look(view)
    for algorithm, file in (("algorithm", "file"), ("against", "file_against")):
        runs_there = look.select("condition", algorithm).rows()
        assert runs_there
        assert look[file].to_list() == [f"runs/{c:03d}{name}-{kept_by}/series.parquet" for c, name in runs_there]
    drawings = {figure.id: figure.draw for group in figure_groups(view) for figure in group.figures}
    assert "over time" in drawings["flow-states"](algorithm="bic").text
    assert drawings["windows"](run="bic, condition 1").text.startswith("Mean windows: flow 1 ")


def test_figures_and_their_sentences(analysed):
    found = names_of(analysed)
    per_algorithm = ("03_main_effects", "04_interactions", "08_half_normal")
    expected = [
        "network/congestion",
        *(f"ten_steps/loss_rate/mean_of_all/{step}" for step in STEPS),
        *(f"ten_steps/loss_rate/{name}/{step}" for name in ALGORITHMS for step in per_algorithm),
        *OF_RESPONSES,
        *(f"factors/signs_whole_measured_time_{name}" for name in ALGORITHMS),
        *OF_ALGORITHMS,
        "algorithms/residuals/loss_rate",
        "algorithms/values/loss_rate",
    ]
    assert found == sorted(expected)
    index = (analysed / "index.md").read_text()
    for name in found:
        ElementTree.parse(analysed / "figures" / f"{name}.svg")
        assert f"(figures/{name}.svg)" in index
    for shown in (
        "Network speed (X1) has the largest effect",
        " of 31 effects on loss rate exceed the margin of error of ",
        "The largest interaction on loss rate is X1*X7 (one string: X1*X7 = X6*X12)",
        "Joins last and alone: fast in 20 conditions. In 12 conditions of 32",
        "Standing alone is associated with: fast in",
        "The 7 largest all have network speed (X1) at 800 seg/ms",
        "For X1, X7, X6 and X12 no block has both settings",
        "agree to",
        "natural breaks",
        "An association is not yet a cause",
        "follow-up runs would separate",
    ):
        assert shown in index, shown


def test_no_sentence_is_empty_and_every_figure_has_a_question(campaign):
    figures = gallery.figures_of(CampaignView(campaign), responses=("loss_rate",))
    assert len({figure.name for figure in figures}) == len(figures)
    for figure in figures:
        assert figure.question.endswith("?")
    view = CampaignView(campaign)
    assert view.of_all.run_rules.right > view.of_all.run_rules.largest
    assert set(view.chosen) <= set(view.columns)


def drawn_names(monkeypatch, run):
    """What is drawn while `run` runs, in this process."""
    names = []
    draw = drawing._draw
    monkeypatch.setattr(drawing, "_draw", lambda figure, *rest: names.append(figure.name) or draw(figure, *rest))
    run()
    return names


def few(monkeypatch, names, *, kinds_of=()):
    """The catalogue cut down to figures whose names begin with one of `names`.

    Of the other kinds of figures, the first whose name begins with one of `kinds_of` is kept too.
    """
    every = gallery.figures_of

    def some(view, extent="chosen", responses=None):
        found = every(view, extent, responses)
        of_kinds = {f.make.args[0].id: f for f in reversed(found) if f.name.startswith(tuple(kinds_of))}
        named = {f.make.args[0].id for f in found if f.name.startswith(names)}
        firsts = {figure.name for kind, figure in of_kinds.items() if kind not in named}
        return [f for f in found if f.name.startswith(names) or f.name in firsts]

    monkeypatch.setattr("mesonet.reporting.folder.analysis_files.figures_of", some)


@pytest.fixture
def without_tables(monkeypatch):
    """`write_analysis` writes the table of conditions only: for tests of figures, which tables slow down."""
    monkeypatch.setattr(
        "mesonet.reporting.folder.analysis_files.two_level_tables",
        lambda view: {"conditions": conditions_table(view.network)},
    )


@pytest.mark.parametrize("changed", ["words.py", "charts/theme.py", "reporting/text/labels.py", "designs/words.py"])
def test_figures_depend_on_all_code_that_makes_them(tmp_path, changed):
    for name in ("words.py", "charts/theme.py", "charts/matrix.py", "reporting/text/labels.py", "designs/words.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    before = drawing._code(tmp_path)
    (tmp_path / changed).write_text("another")
    drawing._code.cache_clear()
    assert drawing._code(tmp_path) != before


def test_figures_depend_on_the_folder_of_a_file(tmp_path):
    codes = set()
    for folder in ("charts", "reporting"):
        package = tmp_path / folder
        (package / folder).mkdir(parents=True)
        (package / folder / "one.py").write_text("")
        codes.add(drawing._code(package))
    assert len(codes) == 2


@pytest.mark.usefixtures("without_tables")
def test_what_is_up_to_date_is_not_drawn_again(campaign, tmp_path, monkeypatch):
    few(monkeypatch, ("components/scree", "network/congestion", "correlations/correlations"))
    write_analysis(campaign, tmp_path)
    root = tmp_path / "analysis"
    before = {name: (root / "figures" / f"{name}.svg").read_bytes() for name in names_of(root)}
    index = (root / "index.md").read_bytes()
    (root / "figures" / "components" / "scree.svg").unlink()
    assert drawn_names(monkeypatch, lambda: write_analysis(campaign, tmp_path)) == ["components/scree"]
    assert before == {name: (root / "figures" / f"{name}.svg").read_bytes() for name in names_of(root)}
    assert (root / "index.md").read_bytes() == index
    # PNG is asked for too: all are drawn again, once.
    assert len(drawn_names(monkeypatch, lambda: write_analysis(campaign, tmp_path, png=True))) == 3
    assert (root / "figures" / "components" / "scree.png").read_bytes().startswith(b"\x89PNG")
    assert drawn_names(monkeypatch, lambda: write_analysis(campaign, tmp_path, png=True)) == []


@pytest.mark.usefixtures("without_tables")
def test_other_data_are_drawn_anew_and_old_figures_go(campaign, tmp_path, monkeypatch):
    few(monkeypatch, ("components/scree", "network/congestion"))
    write_analysis(campaign, tmp_path)
    foreign = tmp_path / "analysis" / "figures" / "mine.svg"
    foreign.write_text("<svg/>")
    other = replace(campaign, responses=campaign.responses.with_columns(pl.col("value") * 2))
    few(monkeypatch, ("network/congestion",))
    assert drawn_names(monkeypatch, lambda: write_analysis(other, tmp_path)) == ["network/congestion"]
    assert names_of(tmp_path / "analysis") == ["mine", "network/congestion"]


@pytest.mark.usefixtures("without_tables")
def test_processes_draw_the_same(campaign, tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "_WORTH_A_PROCESS", 2)
    reported = []
    few(monkeypatch, ("components/", "factors/psi"))
    for folder, workers in (("one", 1), ("two", 2)):
        write_analysis(
            campaign,
            tmp_path / folder,
            responses=["rtt"],
            workers=workers,
            progress=lambda *about: reported.append(about),
        )
    first, second = tmp_path / "one" / "analysis", tmp_path / "two" / "analysis"
    assert len(names_of(second)) == 6
    for name in names_of(second):
        assert (second / "figures" / f"{name}.svg").read_bytes() == (first / "figures" / f"{name}.svg").read_bytes()
    assert reported[-1][:2] == (6, 6)


@pytest.mark.process
def test_threads_of_libraries_change_no_byte(tiny_campaign, tmp_path):
    written = []
    for threads in ("1", "4"):
        out = shutil.copytree(tiny_campaign, tmp_path / threads / "out")
        limits = {"POLARS_MAX_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        command = [*MESONET, "analyze", str(out), "--figures", "none"]
        subprocess.run(command, env={**os.environ, **limits}, check=True, stdout=subprocess.DEVNULL)
        files = sorted(path for path in (out / "analysis").rglob("*") if path.is_file())
        written.append([(path.relative_to(out), path.read_bytes()) for path in files])
    assert len(written[0]) > 5
    assert written[0] == written[1]


def test_all_responses_and_algorithms(campaign):
    view = CampaignView(campaign)
    every = [figure.name for figure in gallery.figures_of(view, "all")]
    assert sum(name.startswith("ten_steps/") for name in every) == 22 * 6 * 9
    assert sum(name.startswith("algorithms/residuals/") for name in every) == 22
    assert gallery.figures_of(view, "none") == []


def test_one_algorithm(tmp_path):
    campaign = few_responses(fake_campaign(algorithms=["tcp"], lost=(), missing=()))
    write_analysis(campaign, tmp_path, responses=["rtt"])
    root = tmp_path / "analysis"
    found = names_of(root)
    assert [name for name in found if name.startswith("algorithms/")] == ["algorithms/values/rtt"]
    assert {f"ten_steps/rtt/tcp/{step}" for step in STEPS} <= set(found)
    assert not (root / "tables" / "where_to_look.parquet").exists()


@pytest.mark.parametrize("status", ["failed", "missing"])
def test_without_results_there_is_the_table_of_conditions(status, tmp_path):
    written = write_analysis(fake_campaign(all_status=status), tmp_path)
    assert [path.name for path in written] == ["conditions.parquet", "conditions.csv", "index.md"]
    assert "there are no figures" in written[-1].read_text()


@pytest.mark.parametrize("kind", ["begun", "constant", "one lost", "no values"])
def test_degenerate_campaigns_are_drawn_and_say_so(kind, tmp_path, monkeypatch):
    campaign = few_responses(fake_campaign())
    if kind == "begun":
        done = pl.col("condition").is_in([1, 2, 19])
        runs = campaign.runs.with_columns(status=pl.when(done).then("status").otherwise(pl.lit("missing")))
        campaign = replace(campaign, responses=campaign.responses.filter(done), runs=runs)
    elif kind == "constant":
        campaign = replace(campaign, responses=campaign.responses.with_columns(value=pl.lit(3.0)))
    elif kind == "one lost":
        campaign = replace(campaign, responses=campaign.responses.filter(pl.col("algorithm") != "fast"))
    else:
        campaign = replace(campaign, responses=campaign.responses.with_columns(value=pl.lit(float("nan"))))
    # One figure of each kind: the algorithm that may be lost, and the mean of all.
    kinds = ("ten_steps/loss_rate/mean_of_all", "ten_steps/loss_rate/fast", "factors/signs_whole_m",
             "network/", "correlations/", "components/", "algorithms/")  # fmt: skip
    few(monkeypatch, kinds)
    write_analysis(campaign, tmp_path, responses=["loss_rate"])
    root = tmp_path / "analysis"
    text = (root / "index.md").read_text()
    assert not re.search(r"\bnan\b", text, re.IGNORECASE)
    expected = {
        "begun": "29 of 32 conditions have no value", "constant": "The response is the same in all runs",
        "one lost": "Nothing was measured", "no values": "Nothing was measured",
    }  # fmt: skip
    assert expected[kind] in text
    for name in names_of(root):
        svg = (root / "figures" / f"{name}.svg").read_text()
        assert not [word for word in (">NaN<", ">undefined<", ">null<") if word in svg], name


def test_a_model_that_is_not_a_network(campaign, tmp_path, monkeypatch):
    renamed = {"loss_rate": "yield_0", "rtt": "yield_1", "timeouts": "yield_2"}
    responses = campaign.responses.filter(pl.col("response").is_in(list(renamed)), period="measured").with_columns(
        pl.col("response").replace(renamed), symbol=pl.lit(""), unit=pl.lit("kg"), period=pl.lit("harvest")
    )
    # One figure of each kind: of the mean of all and of one algorithm.
    kinds = ("ten_steps/yield_0/mean_of_all", "ten_steps/yield_0/fast", "factors/signs_harvest_f",
             "network/", "correlations/", "components/", "algorithms/")  # fmt: skip
    few(monkeypatch, kinds)
    write_analysis(replace(campaign, responses=responses), tmp_path, responses=["yield_0"])
    text = (tmp_path / "analysis" / "index.md").read_text()
    assert "mean yield 0 is" in text
    assert "kg" in text


def test_the_space_of_the_sensitivity_analysis(tmp_path):
    campaign = large_campaign(tmp_path / "campaign")
    view = CampaignView(campaign)
    assert len(view.columns) == len(set(view.column_names)) == 102
    assert {name: len(columns) for name, columns in view.sets.items()} == {
        "measured period 1": 18, "measured period 2": 18, "measured period 3": 18,
        "goodput of competing flows": 24, "goodput of own flows": 24,
    }  # fmt: skip
    column = view.column("retransmission_rate_period_2")
    expected = campaign.cube(["retransmission_rate"], "2")[:, :, 0]
    assert view.column_cube[:, :, view.columns.index(column)] == pytest.approx(expected)
    groups = campaign.groups.filter(period="measured", flow_algorithm="tcp", group=7.0).sort("condition")
    assert view.column_cube[:, 0, view.column_names.index("goodput_tcp_07")] == pytest.approx(
        groups["goodput"].to_numpy()
    )
    psi = view.psi("ctcp")
    weights = dict(zip(psi.sets, psi.weight, strict=True))
    assert sorted(weights.values()) == pytest.approx([1 / 6] * 3 + [1 / 4] * 2)


def test_users_windows_and_states_of_a_mixed_experiment(mixed, tmp_path, monkeypatch):
    named = (
        "users/goodput_movie", "users/against_tcp_web_object", "users/differences_document", "users/available_share",
        "users/rank_matrix_own_flows_fast", "users/rank_matrix_competing_flows_fast", "users/rank_table",
        "users/rank_scatter",
        "users/goodput_ranges", "network/timeline", "network/flow_states_fast", "network/buffers",
        "components_of_goodputs/pc1_pc2", "components_of_goodputs/main_effects_pc1",
        "algorithms/condition_response_of_goodput_of_competing_flows",
        "windows/bic_condition_1",
    )  # fmt: skip
    folders = ("users/", "windows/", "network/", "components_of", "algorithms/condition_response_of_goodput")
    few(monkeypatch, named, kinds_of=folders)
    write_analysis(mixed, tmp_path)
    root = tmp_path / "analysis"
    assert set(named) <= set(names_of(root))
    text = (root / "index.md").read_text()
    assert holds(text, "Own flows", "more than competing")
    assert "Mean windows: flow 1" in text
    assert "jumbo files in period 2" in text
    table = pl.read_parquet(root / "tables" / "flow_groups.parquet")
    assert table.height == 32 * 24 * 3 * 2
    cell = table.filter(condition=3, flow_group="movie, fast, normal", flows="own").sort("goodput")
    assert cell["rank"].to_list() == [1, 2, 3]
    ranges = pl.read_parquet(root / "tables" / "goodput_ranges.parquet").row(0, named=True)
    first = table.filter(flow_group="movie, very fast, fast")
    own, tcp = (
        first.filter(flows=kind).group_by("algorithm").agg(pl.mean("goodput"))["goodput"].to_numpy()
        for kind in ("own", "tcp")
    )
    assert ranges["among"] == pytest.approx(100 * (own.max() - own.min()) / own.min())
    assert ranges["over_tcp"] == pytest.approx(100 * (own.mean() / tcp.mean() - 1))
    assert pl.read_parquet(root / "tables" / "ranks.parquet")["class"].n_unique() == 8
    assert pl.read_parquet(root / "tables" / "components_of_goodputs.parquet")["response"].n_unique() == 48
    sets = pl.read_parquet(root / "tables" / "condition_response_by_set.parquet")
    assert sets.filter(pl.col("set") == "goodput of competing flows").height == 32 * 24


@pytest.mark.usefixtures("without_tables")
def test_two_experiments_beside_each_other(small, tmp_path, monkeypatch):
    few(monkeypatch, ("components/scree",))
    doubled = small.groups.with_columns(pl.col("goodput") * 2)
    folder = Path(shutil.copytree(small.path, tmp_path / "doubled"))
    tripled = small.responses.with_columns(pl.col("value") * 3)
    other = replace(small, path=folder, name="doubled", responses=tripled)
    # The groups of a campaign are read once: here they are given.
    vars(other)["groups"] = doubled
    write_analysis(small, tmp_path, beside=other)
    root = tmp_path / "analysis"
    assert [name for name in names_of(root) if name.startswith("beside/")] == [
        f"beside/goodput_{kind}" for kind in ("document", "movie", "service_pack", "web_object")
    ]
    text = (root / "index.md").read_text()
    assert holds(text, "doubled", "more than large in 12 of 12 cases")
    assert "The largest change is +100 %" in text
    goodputs = pl.read_parquet(root / "tables" / "beside_goodputs.parquet")
    assert goodputs.height == 2 * 24 * 2
    table = pl.read_parquet(root / "tables" / "beside_responses.parquet")
    assert table["change"].drop_nulls().to_list() == pytest.approx([200.0] * table["change"].count())
    assert drawn_names(monkeypatch, lambda: write_analysis(small, tmp_path, beside=other)) == []
    third = replace(other, responses=small.responses)
    vars(third)["groups"] = doubled
    assert len(drawn_names(monkeypatch, lambda: write_analysis(small, tmp_path, beside=third))) == 5, "other data"
    with pytest.raises(InputError, match="no algorithm of the campaign"):
        write_analysis(small, tmp_path, beside=replace(other, algorithms=("vegas",)))


def test_thresholds_can_be_chosen(campaign, tmp_path, monkeypatch):
    few(monkeypatch, ("correlations/correlations", "algorithms/clusters"))
    counts, texts = [], []
    for thresholds in (Thresholds(), Thresholds(correlation=0.95, cut=0.3)):
        write_analysis(campaign, tmp_path, thresholds=thresholds)
        root = tmp_path / "analysis"
        groups = pl.read_parquet(root / "tables" / "response_groups.parquet")["cluster"].n_unique()
        counts.append((groups, pl.read_parquet(root / "tables" / "clusters.parquet")["group"].max()))
        texts.append((root / "figures" / "algorithms" / "clusters.svg").read_text())
    assert counts[0][0] < counts[1][0]
    assert counts[0][1] < counts[1][1]
    assert "below 70 % of the largest" in texts[0]
    assert "below 30 % of the largest" in texts[1], "drawn again, since it depends on what was chosen"
    for wrong in ({"cut": 1.0}, {"correlation": 0.0}, {"cut": float("nan")}):
        with pytest.raises(InputError, match="llowed: between 0 and 1"):
            Thresholds(**wrong)


def test_bad_requests_are_refused_before_any_work(campaign, tmp_path):
    with pytest.raises(ValueError, match=r'^responses = "lossrate": unknown response \(nearest: loss_rate') as caught:
        write_analysis(campaign, tmp_path, responses=["rtt", "lossrate"])
    assert "Allowed: transmitting_sources" in str(caught.value)
    with pytest.raises(ValueError, match="not a list"):
        write_analysis(campaign, tmp_path, responses="rtt")
    with pytest.raises(ValueError, match="unknown extent"):
        write_analysis(campaign, tmp_path, figures="most")
    with pytest.raises(ValueError, match="not a number of processes"):
        write_analysis(campaign, tmp_path, workers=0)
    assert list(tmp_path.iterdir()) == []


def test_the_command(one_factor, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(main, ["experiment", "run", str(one_factor), "--out", "campaign", "--workers", "1"])
    assert ran.exit_code == 0, ran.output
    done = CliRunner().invoke(main, ["analyze", "campaign", "--figures", "none", "--json"])
    assert done.exit_code == 0, done.output
    files = json.loads(done.stdout)["files"]
    assert not [name for name in files if name.endswith(".svg")]
    done = CliRunner().invoke(main, ["analyze", "campaign", "--responses", "rtt", "--workers", "1"])
    assert done.exit_code == 0, done.output
    found = names_of(tmp_path / "campaign" / "analysis")
    assert "ten_steps/rtt/tcp/03_main_effects" in found
    assert "ten_steps/rtt/tcp/10_contour" not in found, "one factor has no contour"
    shutil.copytree("campaign", "again")
    options = ["--threshold", "0.9", "--cut", "0.5", "--beside", "again", "--figures", "none"]
    done = CliRunner().invoke(main, ["analyze", "campaign", *options])
    assert done.exit_code == 0, done.output
    beside = pl.read_parquet(tmp_path / "campaign" / "analysis" / "tables" / "beside_responses.parquet")
    assert set(beside["change"].drop_nulls()) == {0.0}
    for wrong in (["--cut", "1.5"], ["--threshold", "0"], ["--beside", "nowhere"], ["--beside", "campaign"]):
        refused = CliRunner().invoke(main, ["analyze", "campaign", *wrong])
        assert refused.exit_code == 2
        assert len(refused.output.strip().splitlines()) == 1
    refused = CliRunner().invoke(main, ["analyze", "campaign", "--figures", "most"])
    assert refused.exit_code == 2
    assert refused.output.splitlines()[-1].startswith('mesonet: --figures = "most": unknown extent')
    for given, shown in (
        (["--workers", "0"], "--workers = 0: not a number of processes"),
        (["--responses", "speed"], '--responses = "speed": unknown response'),
        (["--threshold", "2"], "--threshold = 2.0: not a share"),
        (["--cut", "0"], "--cut = 0.0: not a share"),
        (["--beside", "nowhere"], '--beside = "nowhere": not a campaign folder'),
    ):
        refused = CliRunner().invoke(main, ["analyze", "campaign", *given])
        assert refused.exit_code == 2
        assert refused.output.splitlines()[-1].startswith(f"mesonet: {shown}")


@pytest.mark.parametrize("added", ["centre_points = 3", "centre_points = 4\nblocks = 2"])
def test_a_network_with_centre_points(added, tmp_path, monkeypatch):
    """Its centre points have flow groups, scenarios and responses, and are no condition of the design."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "centre.toml").write_text(f'{TINY}\n[design]\nkind = "full-factorial"\n{added}\n')
    ran = CliRunner().invoke(main, ["experiment", "run", "centre.toml", "--out", "campaign", "--workers", "1"])
    assert ran.exit_code == 0, ran.output
    for verb in (["analyze", "campaign", "--figures", "none"], ["report", "campaign", "--replay", "none"]):
        done = CliRunner().invoke(main, verb)
        assert done.exit_code == 0, (done.output, done.exception)
    view = CampaignView(load("campaign"))
    values = group_values(view.campaign, "goodput", OWN)
    assert values.shape[:2] == (4, 2)
    assert set(buffer_table(view)["condition"]) <= {1, 2, 3, 4}
    assert "curvature" in (tmp_path / "campaign" / "analysis" / "index.md").read_text()
    curvature = pl.read_parquet(tmp_path / "campaign" / "analysis" / "tables" / "curvature.parquet")
    assert set(curvature["algorithm"]) == {"tcp", "scalable"}
    users_of = users(view)
    assert users_of is not None
    assert users_of.shares().height > 0
    at_centre = (pl.col("condition") > 4) & (pl.col("response") == "loss_rate")
    lossy = pl.when(at_centre).then(0.9).otherwise("value")
    campaign = replace(view.campaign, responses=view.campaign.responses.with_columns(value=lossy))
    assert most_congested(campaign) <= 4, "only a condition of the design can be replayed"


@pytest.mark.parametrize("network_first", [True, False])
def test_a_network_does_not_stand_beside_a_model(network_first, tmp_path):
    network = fake_campaign(tmp_path / "network", lost=(), missing=())
    model = replace(network, path=tmp_path / "model", experiment={**network.experiment, "model": {"function": "f"}})
    first, second = (network, model) if network_first else (model, network)
    with pytest.raises(InputError, match=r"of a network.*of a model") as refused:
        write_analysis(first, tmp_path / "out", figures="none", beside=second)
    assert refused.value.value == str(second.path)
    assert not (tmp_path / "out").exists()


def test_what_cannot_stand_beside_a_campaign_is_refused(one_factor, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sampled = f'{TINY}\n[design]\nkind = "latin-hypercube"\nruns = 4\n'.replace('"tcp", "scalable"', '"tcp"')
    (tmp_path / "lhs.toml").write_text(sampled)
    (tmp_path / "longer.toml").write_text(one_factor.read_text().replace('"2 s"', '"3 s"').replace("80 seg", "90 seg"))
    for file in ("lhs.toml", "longer.toml", str(one_factor)):
        out = Path(file).stem
        ran = CliRunner().invoke(main, ["experiment", "run", file, "--out", out, "--workers", "1"])
        assert ran.exit_code == 0, ran.output
    for first, second in (("one_factor", "lhs"), ("lhs", "one_factor"), ("one_factor", "./one_factor")):
        refused = CliRunner().invoke(main, ["analyze", first, "--beside", second, "--figures", "none"])
        assert refused.exit_code == 2, refused.exception
        assert f'--beside = "{Path(second)}"' in refused.output.splitlines()[-1]
    done = CliRunner().invoke(main, ["analyze", "one_factor", "--beside", "longer", "--figures", "none"])
    assert done.exit_code == 0, done.output
    index = (tmp_path / "one_factor" / "analysis" / "index.md").read_text()
    assert "time.duration (2 s against 3 s)" in index
    assert "network.speed (40 seg/ms or 80 seg/ms against 40 seg/ms or 90 seg/ms)" in index
    assert "algorithms (" not in index
