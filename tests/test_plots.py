"""Every figure is drawn: the marks that must be there are, and no text says undefined, NaN or null."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import altair as alt
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from fake_campaign import FACTORS, fake_campaign
from fragments import holds
from mesonet import designs, plots
from mesonet.analysis import (
    clustering,
    condition_response_summary,
    correlations,
    interactions,
    main_effects,
    residuals,
    terms,
)
from mesonet.charts import theme
from mesonet.charts.in_page import VL_VERSION
from mesonet.charts.settings import short_names
from mesonet.cli.verbs import main
from mesonet.words import number, percent, signed

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("loss_rate", "timeouts", "rtt")


@pytest.fixture(scope="module")
def campaign():
    return fake_campaign()


@pytest.fixture(scope="module")
def cube(campaign):
    return campaign.cube(NAMES, "measured")


def summary(cube, algorithms, **options):
    return condition_response_summary(cube, responses=NAMES, algorithms=algorithms, **options)


def settings(campaign):
    signs = {number: row.tolist() for number, row in enumerate(campaign.design.matrix, start=1)}
    return plots.Settings(campaign.design.factors, signs, "loss", {c: f"{c} %" for c in signs})


def drawn(chart) -> tuple[list[str], ElementTree.Element]:
    """Texts of a figure and its SVG, after the checks that hold for all figures."""
    svg = plots.to_svg(chart)
    root = ElementTree.fromstring(svg)
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert not [text for text in texts if re.search(r"undefined|NaN|null|\[object", text)]
    return texts, root


def marks(root, kind: str) -> int:
    """Number of marks of a kind, such as "rect" or "symbol"."""
    groups = (group for group in root.iter(f"{SVG}g") if f"mark-{kind} role-mark" in group.get("class", ""))
    return sum(len(list(group)) for group in groups)


def test_main_effects_show_numbers_levels_and_stars(campaign):
    result = main_effects(campaign.design, campaign.response("loss_rate"), algorithm="tcp")
    texts, root = drawn(plots.main_effects(result, FACTORS, title="Loss", response="Loss rate"))
    assert {"Loss", "Loss rate", "X1", "Network speed", "800 seg/ms", "1600 seg/ms", "**"} <= set(texts)
    assert texts.count("**") == result.stars.count("**")
    assert texts.count("*") == result.stars.count("*")
    assert signed(float(result.effect[0])) in texts
    assert percent(float(result.relative_effect[0]), sign=True) in texts
    assert marks(root, "symbol") >= 2 * 9, "two means per factor"


def test_main_effects_without_names_of_factors():
    result = main_effects(np.array([[-1], [1], [-1], [1]]), [1.0, 2.0, 1.5, 2.5])
    texts, _ = drawn(plots.main_effects(result))
    assert "x1" in texts
    assert "− is" not in texts


@pytest.mark.parametrize("y", [[np.nan] * 4, [0.0] * 4, [1.0, np.nan, 1.0, np.nan]])
def test_main_effects_of_a_degenerate_response_are_drawn(y):
    texts, _ = drawn(plots.main_effects(main_effects(np.array([[-1], [1], [-1], [1]]), y)))
    assert "·" in texts


def test_the_levels_of_a_highlighted_condition_are_ringed(campaign):
    result = main_effects(campaign.design, campaign.response("loss_rate"), algorithm="tcp")
    chart = plots.main_effects(result, FACTORS)
    spec = chart.to_dict()
    (parameter,) = [p for p in spec["params"] if p["name"] == "levels"]
    assert drawn(chart)[1] is not None
    parameter["value"] = campaign.design.matrix[4].tolist()
    lit = plots.to_svg(spec)
    assert count_of_rings(plots.to_svg(chart)) == 0
    assert count_of_rings(lit) == 9, "one level of each factor"


def count_of_rings(svg: str) -> int:
    paths = re.findall(rf'<path[^>]*stroke="{theme.HIGHLIGHT}"[^>]*>', svg)
    return sum('stroke-opacity="0"' not in path for path in paths)


def test_summary_names_the_outliers_with_a_sign(campaign, cube):
    result = summary(cube, campaign.algorithms)
    texts, root = drawn(plots.condition_response(result, settings(campaign)))
    flagged = [text for text in texts if text.startswith(("▲", "▼")) and "stands" not in text]
    assert len(flagged) == result.cells_flagged > 0
    assert "▲fast" in flagged
    assert marks(root, "rect") >= 32 * 3 + 32 * 9, "a cell per condition and response, and per condition and factor"
    assert texts.count("+") == texts.count("−") == 32 * 9 / 2, "balanced"
    assert "no verdict" in texts


def test_summary_filtered_by_size_shows_fewer_outliers(campaign, cube):
    every, large = (summary(cube, campaign.algorithms, min_relative_effect=least) for least in (0.0, 10.0))
    shown = [
        sum(
            text.startswith(("▲", "▼")) and "stands" not in text
            for text in drawn(plots.condition_response(r, settings(campaign)))[0]
        )
        for r in (every, large)
    ]
    assert shown == [every.cells_flagged, large.cells_flagged]
    assert shown[1] < shown[0]


def test_summary_of_few_algorithms_shows_relative_effects_without_verdict(campaign, cube):
    result = summary(cube[:, :3], campaign.algorithms[:3])
    texts, _ = drawn(plots.condition_response(result, settings(campaign)))
    assert not [text for text in texts if text.startswith(("▲", "▼"))]
    effects = result.relative_effect[np.isfinite(result.relative_effect)]
    assert len([text for text in texts if re.search(r"[+−][\d.]+ %$", text)]) == len(effects)


def test_summary_rows_follow_the_order_given(campaign, cube):
    order = [*range(32, 0, -1)]
    texts, _ = drawn(plots.condition_response(summary(cube, campaign.algorithms), settings(campaign), order=order))
    labels = [int(text) for text in texts if text.isdigit()]
    assert labels == order


def test_only_the_conditions_kept_are_drawn(campaign, cube):
    spec = plots.condition_response(summary(cube, campaign.algorithms), settings(campaign)).to_dict()
    (parameter,) = [p for p in spec["params"] if p["name"] == "keep"]
    parameter["value"] = [3, 5]
    texts, _ = drawn(alt.Chart.from_dict(spec))
    assert [text for text in texts if text.isdigit()] == ["3", "5"]


def test_values_have_one_mark_per_run(campaign):
    values = campaign.response("rtt").select("condition", "algorithm", "value")
    texts, root = drawn(plots.responses(values, campaign.algorithms, order=range(1, 33), response="RTT, ms"))
    assert values.height == 158
    assert marks(root, "symbol") == 158
    assert {"RTT, ms", *campaign.algorithms} <= set(texts)


def test_values_without_any_row_are_an_empty_figure(campaign):
    nothing = pl.DataFrame(schema={"condition": pl.Int64, "algorithm": pl.String, "value": pl.Float64})
    _, root = drawn(plots.responses(nothing, campaign.algorithms, order=range(1, 33)))
    assert marks(root, "symbol") == 0


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_export(tmp_path, suffix, start):
    chart = plots.main_effects(main_effects(np.array([[-1], [1], [-1], [1]]), [1.0, 2.0, 1.5, 2.5]))
    path = plots.save(chart, tmp_path / f"figure{suffix}")
    assert path.read_bytes().startswith(start)


def test_export_to_an_unknown_form(tmp_path):
    with pytest.raises(ValueError, match=r"written as \.svg, \.png, \.pdf or \.html"):
        plots.save(None, tmp_path / "figure.gif")


def test_the_renderer_draws_the_version_that_altair_writes():
    assert alt.SCHEMA_VERSION.startswith(f"v{VL_VERSION}.")


def test_fourteen_algorithms_look_different():
    names = [f"a{i}" for i in range(14)]
    looks = list(zip(theme.algorithm_colours(names)["range"], theme.algorithm_shapes(names)["range"], strict=True))
    assert len(set(looks)) == 14


def test_text_on_coloured_cells_has_enough_contrast():
    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    for fill in (theme.HIGH, theme.LOW):
        assert (luminance(fill) + 0.05) / (luminance(theme.INK) + 0.05) > 7, "WCAG 2, level AAA"


def test_short_names_fit_and_differ():
    names = ["tcp", "scalable", "scalable2", "scalability", "fast", "fast-at", "westwood"]
    short = short_names(names)
    assert all(len(code) <= 6 for code in short.values())
    assert len(set(short.values())) == len(names)
    assert short["tcp"] == "tcp"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.0318, "0.0318"), (1234567.0, "1,230,000"), (-0.5, "−0.5"), (99.96, "100"),
        (0.00012345, "0.000123"),
        (1.5e-7, "1.50e-07"), (-2.5e12, "−2.50e+12"), (float("nan"), "–"), (None, "–"), (float("inf"), "–"),
    ],
)  # fmt: skip
def test_numbers_for_readers(value, text):
    assert number(value) == text


def test_a_number_of_numpy_reads_like_the_same_number_of_python():
    assert number(np.float64(0.2265)) == number(0.2265) == "0.227"
    assert percent(np.float64(1.15)) == percent(1.15) == "1.1 %"


@pytest.mark.parametrize(
    ("value", "text"),
    [(175.48, "+175 %"), (-2.66, "−2.7 %"), (0.764, "+0.76 %"), (0.0, "0 %"), (9.99, "+10 %"), (None, "–")],
)
def test_percentages_for_readers(value, text):
    assert percent(value, sign=True) == text


def test_half_normal_lists_the_largest_terms_with_their_aliases(campaign):
    result = terms(campaign.design, campaign.response("loss_rate"), algorithm="fast")
    texts, root = drawn(plots.half_normal(result, title="Loss", response="effect on loss rate"))
    assert {"Loss", "effect on loss rate", "half-normal quantile"} <= set(texts)
    assert marks(root, "symbol") == len(result.terms)
    listed = [text for text in texts if " X" in text and text[0].isdigit()]
    assert len(listed) == 16
    assert any("X1*X7 = X6*X12" in text for text in listed)


def test_interactions_show_every_pair(campaign):
    result = interactions(campaign.design, campaign.response("loss_rate"), algorithm="fast")
    texts, root = drawn(plots.interactions(result, margin=0.01, title="Loss"))
    assert marks(root, "rect") == 45  # 9 factors and 36 pairs
    assert texts.count("X12") == 2
    assert signed(float(result.effect[0, 3]), 2) in texts


def test_correlations_show_every_pair_and_the_threshold(campaign, cube):
    result = correlations(cube.reshape(-1, len(NAMES)), responses=NAMES)
    texts, root = drawn(plots.correlations(result, labels={"rtt": "Round-trip time"}, title="Alike"))
    assert marks(root, "rect") >= len(result.responses) ** 2
    assert texts.count("Round-trip time") == 2
    assert any("fall into" in text for text in texts)


def test_trees_name_every_algorithm_in_every_condition(campaign, cube):
    trees = {
        number: clustering(values, algorithms=campaign.algorithms, responses=NAMES)
        for number, values in enumerate(cube[:4], start=1)
    }
    texts, _ = drawn(plots.dendrograms(trees, order=[4, 3, 2, 1], title="Trees"))
    assert all(texts.count(name) == 4 for name in campaign.algorithms)
    same = clustering(np.ones((2, 3)), algorithms=["a", "b"], responses=NAMES)
    assert {"a", "b"} <= set(drawn(plots.dendrograms({1: same}))[0])


def test_residuals_show_every_algorithm_and_the_verdicts(campaign, cube):
    result = residuals(cube[:, :, 0], algorithms=campaign.algorithms)
    assert np.nansum(result.residual, axis=1) == pytest.approx(np.zeros(32), abs=1e-12)
    assert np.all(np.diff(result.spread) >= 0)
    texts, _ = drawn(plots.residuals(result, settings(campaign), title="Loss", response="residual"))
    assert {"Loss", "residual", "extreme", "relative effect", "G", "X12", "stands out high"} <= set(texts)
    assert texts.count("fast") == 20
    assert any("4 fast" in text for text in texts)
    alike = residuals(np.ones((3, 5)), algorithms=list("abcde"))
    assert alike.summary.cells_flagged == 0
    drawn(plots.residuals(alike, plots.Settings([], {1: [], 2: [], 3: []})))
    with pytest.raises(ValueError, match="expected"):
        residuals(np.ones(3), algorithms=["a"])


@pytest.mark.parametrize(("value", "tick"), [(0.8, "0.8"), (25_000.0, "25k"), (40.0, "40")])
def test_axes_of_bars_have_numbers_as_people_write_them(value, tick):
    bars = pl.DataFrame([{"panel": "goodput", "algorithm": "tcp", "value": value}])
    drawn = ElementTree.fromstring(plots.to_svg(plots.grouped_bars(bars, ["tcp"], panels=["goodput"])))
    assert tick in {each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")}


def test_a_map_of_aliases_numbers_what_cannot_be_distinguished(tmp_path) -> None:
    texts, _ = drawn(plots.alias_map(designs.two_level(4, ["X4=X1*X2*X3"])))
    assert sorted(text for text in texts if text.isdigit()) == ["1", "1", "2", "2", "3", "3"]
    assert holds(" ".join(texts), "4 factors", "8 runs", "0 of 6")
    texts, _ = drawn(plots.alias_map(designs.two_level(3, ["X3=X1*X2"])))
    assert sorted(text for text in texts if text.isdigit()) == ["1", "1", "2", "2", "3", "3"]
    texts, _ = drawn(plots.alias_map(designs.two_level(3)))
    assert not [text for text in texts if text.isdigit()]

    picture = tmp_path / "aliases.svg"
    done = CliRunner().invoke(
        main, ["design", "--factors", "heat,salt,stir,time", "--runs", "8", "--plot", str(picture)]
    )
    assert done.exit_code == 0, done.output
    assert "salt" in picture.read_text()
    refused = CliRunner().invoke(
        main, ["design", "--factors", "3", "--runs", "4", "--kind", "plackett-burman", "--plot", str(picture)]
    )
    assert refused.exit_code == 2
    assert holds(refused.output, "--plot", "two-level")
