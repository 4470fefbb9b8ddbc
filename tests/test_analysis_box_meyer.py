"""Posterior probabilities of active factors, against the published answers of Box and Meyer."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mesonet as mn
from hill import together
from mesonet import analysis, designs
from mesonet.analysis.box_meyer import has_partial_aliases
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.reporting import experiment_html, write_analysis
from test_analysis_fitted import CAST, CAST_LIFE

#: All 15 contrasts of 16 runs in standard order, as Box and Meyer 1986 number them.
CONTRASTS = np.column_stack(
    [
        np.prod([[1 if run >> bit & 1 else -1 for run in range(16)] for bit in range(4) if number >> bit & 1], axis=0)
        for number in range(1, 16)
    ]
)
#: Advance of a drill, yield of isatin (Box and Meyer 1986), shrinkage of moulded parts (Box, Hunter and Hunter 1978).
DRILL = [0.23, 0.30, 0.52, 0.54, 0.70, 0.76, 1.00, 0.96, 0.32, 0.39, 0.61, 0.66, 0.89, 0.97, 1.07, 1.21]
ISATIN = [0.08, 0.04, 0.53, 0.43, 0.31, 0.09, 0.12, 0.36, 0.79, 0.68, 0.73, 0.08, 0.77, 0.38, 0.49, 0.23]
SHRINKAGE = [14.0, 16.8, 15.0, 15.4, 27.6, 24.0, 27.4, 22.6, 22.3, 17.1, 21.5, 17.5, 15.9, 21.9, 16.7, 20.3]


def test_the_drill_has_three_active_contrasts() -> None:
    """Output of the R package BsMD for example 1 of Box and Meyer 1986."""
    found = analysis.box_meyer(CONTRASTS, DRILL, prior=0.2, gamma=2.49, order=1)
    assert found.probability == pytest.approx(
        [0.240, 1, 0.028, 1, 0.025, 0.034, 0.025, 0.983, 0.046, 0.025, 0.037, 0.091, 0.034, 0.028, 0.030], abs=6e-4
    )
    assert [names for names, _ in found.models[:3]] == [
        ("x2", "x4", "x8"), ("x1", "x2", "x4", "x8"), ("x2", "x4", "x8", "x12"),
    ]  # fmt: skip
    assert [share for _, share in found.models[:5]] == pytest.approx([0.504, 0.148, 0.043, 0.022, 0.022], abs=6e-4)


@pytest.mark.parametrize(
    ("gamma", "none", "first", "eighth"), [(1.22, 0.120, 0.314, 0.588), (3.74, 0.498, 0.076, 0.230)]
)
def test_isatin_shows_nothing_reliable(gamma: float, none: float, first: float, eighth: float) -> None:
    """Output of BsMD for example 4 of Box and Meyer 1986: the answer depends on gamma."""
    found = analysis.box_meyer(CONTRASTS, ISATIN, prior=0.2, gamma=gamma, order=1)
    assert [found.none, found.probability[0], found.probability[7]] == pytest.approx([none, first, eighth], abs=6e-4)


def test_four_sets_explain_the_moulding_equally_well() -> None:
    """Meyer, Steinberg and Box 1996, example 1: probabilities of the five likeliest models of a replicated 2^(4-1)."""
    settings = CONTRASTS[:, [8, 11, 12, 7]]
    found = analysis.box_meyer(settings, SHRINKAGE, gamma=2, order=3, factors=list("ACEH"))
    assert {names for names, _ in found.models[:5]} == {*combinations("ACEH", 3), tuple("ACEH")}
    assert [share for _, share in found.models[:5]] == pytest.approx([0.2356] * 4 + [0.0566], abs=1e-4)


def test_the_castings_have_two_active_factors() -> None:
    """Box and Meyer 1993, example 2: F and G, and the likelihood of gamma is largest near 1.5."""
    found = analysis.box_meyer(CAST, CAST_LIFE, factors=list("ABCDEFG"))
    assert 1.25 < found.gamma < 1.75
    assert found.models[0][0] == ("F", "G")
    assert {name for name, p in zip(found.factors, found.probability, strict=True) if p > 0.5} == {"F", "G"}
    assert (found.low <= found.probability).all()
    assert (found.probability <= found.high).all()
    assert "F (0.98) and G (0.97)" in found.sentences()[0]


def test_both_forms_of_the_evidence_agree() -> None:
    """A model with more effects than runs takes the other form; the sum over all subsets by definition is the truth."""
    x = designs.plackett_burman(6, 12)[:8].astype(float)
    y = np.array([3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0])
    found = analysis.box_meyer(x, y, gamma=1.3, order=2, prior=0.3)
    weights, member = [], []
    for size in range(7):
        for chosen in combinations(range(6), size):
            terms = [each for of in (1, 2) for each in combinations(chosen, of)]
            z = np.column_stack([np.zeros(8), *(x[:, list(each)].prod(axis=1) for each in terms)])[:, 1:]
            covariance = np.eye(8) + 1.3**2 * z @ z.T
            inverse = np.linalg.inv(covariance)
            one = np.ones(8)
            mean = one @ inverse @ y / (one @ inverse @ one)
            squares = (y - mean) @ inverse @ (y - mean)
            log = -0.5 * np.linalg.slogdet(covariance)[1] - 0.5 * np.log(one @ inverse @ one) - 3.5 * np.log(squares)
            weights.append(np.exp(log + size * np.log(0.3 / 0.7)))
            member.append([place in chosen for place in range(6)])
    shares = np.array(weights) / np.sum(weights)
    assert found.probability == pytest.approx(shares @ np.array(member), abs=1e-9)
    assert found.none == pytest.approx(shares[0], abs=1e-9)


def test_noise_alone_makes_no_factor_likely() -> None:
    rng = np.random.default_rng(5)
    x = designs.plackett_burman(7, 12)
    likely = [analysis.box_meyer(x, rng.normal(size=12)).probability.max() > 0.9 for _ in range(40)]
    assert np.mean(likely) < 0.15


def test_replicates_and_blocks_are_runs_of_the_model() -> None:
    x = designs.plackett_burman(5, 12)
    rng = np.random.default_rng(3)
    effect = 1.0 * x[:, 1] + 1.0 * x[:, 1] * x[:, 3]
    y = np.array([effect + rng.normal(size=12) for _ in range(6)]).T
    assert analysis.box_meyer(x, y).models[0][0] == ("x2", "x4")
    again = analysis.box_meyer(np.repeat(x, 6, axis=0), y.ravel())
    assert again.probability == pytest.approx(analysis.box_meyer(x, y).probability)
    blocked = designs.blocks(designs.two_level(4), 2).design
    shifted = 50 * np.array(blocked.block) + 3 * blocked.matrix[:, 0] + 0.1 * np.sin(np.arange(16))
    assert analysis.box_meyer(blocked, shifted).models[0][0] == ("X1",)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"prior": 0}, "prior"), ({"prior": 1.0}, "prior"), ({"gamma": 0}, "gamma"), ({"gamma": float("nan")}, "gamma"),
        ({"order": 4}, "order"), ({"order": 0}, "order"), ({"y": [1.0] * 12}, "y"), ({"y": [1.0] + [None] * 11}, "y"),
    ],
)  # fmt: skip
def test_what_it_refuses(given: dict[str, object], path: str) -> None:
    with pytest.raises(InputError) as caught:
        analysis.box_meyer(CAST, **{"y": CAST_LIFE, **given})
    assert caught.value.path == path


def test_partial_aliases_are_seen() -> None:
    assert has_partial_aliases(CAST)
    assert has_partial_aliases(designs.plackett_burman(19, 20))
    assert not has_partial_aliases(designs.two_level(4))
    assert not has_partial_aliases(designs.two_level(["A", "B", "C", "D"], ["D=A*B*C"]))
    assert not has_partial_aliases(designs.two_level(["A", "B", "C", "D"], ["D=A*B*C"]).matrix[1:])
    assert not has_partial_aliases(designs.two_level(4).matrix[[1, *range(3, 16)]])


def test_a_table_has_the_active_factors_on_the_first_screen(tmp_path: Path) -> None:
    table = {**dict(zip("ABCDEFG", CAST.T.tolist(), strict=True)), "life": CAST_LIFE}
    found = analysis.experiment(table, "life", unit="h")
    assert found.active is not None
    assert found.search is not None
    assert found.search.terms == ("F", "F*G")
    page = experiment_html(found)
    assert '<section id="active-factors">' in page
    for sentence in (*found.active.sentences(), *found.search.sentences("h")):
        assert sentence in repr(found)
        assert sentence in page
    file = tmp_path / "cast.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([list(table), *zip(*table.values(), strict=True)])
    for method in ([], ["--method", "aliasing"]):
        done = CliRunner().invoke(main, ["analyze", str(file), "--response", "life", *method, "--json"])
        document = json.loads(done.output)
        assert [row["factor"] for row in document["active_factors"] if row["probability"] > 0.5] == ["F", "G"]
        assert any("F (0.98)" in each for each in document["sentences"])
    text = CliRunner().invoke(main, ["analyze", str(file), "--response", "life", "--method", "aliasing"]).output
    assert "* Likely active" in text
    full = analysis.experiment({"a": [0, 1] * 4, "b": [0, 0, 1, 1] * 2, "y": [1, 2, 4, 7, 2, 1, 5, 6]}, "y")
    assert full.active is None
    assert full.search is None


@pytest.mark.slow
def test_a_campaign_of_a_plackett_burman_design_has_the_figure(tmp_path: Path) -> None:
    factors = dict.fromkeys("abcdefg", (-1.0, 1.0))
    design = {"kind": "plackett-burman", "runs": 12}
    chosen = mn.experiment(model=together, factors=factors, design=design, name="pb")
    campaign = chosen.run(tmp_path / "pb", workers=1, progress=False)
    page = Path(mn.report(campaign, tmp_path / "pb.html")).read_text(encoding="utf-8")
    assert 'id="active-factors"' in page
    files = write_analysis(campaign, tmp_path / "out")
    assert any(file.stem == "11_active_factors" for file in files)
