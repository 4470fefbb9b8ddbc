from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesonet import designs
from mesonet.designs import Design, two_level
from mesonet.designs.rows import rows
from mesonet.designs.two_level import size_text
from mesonet.errors import InputError

NINE = tuple(f"x{i}" for i in range(1, 10))
NIST_2_9_4 = ("x6=x2*x3*x4*x5", "x7=x1*x3*x4*x5", "x8=x1*x2*x4*x5", "x9=x1*x2*x3*x5")

# SP 500-282, Table 9-4: conditions 1 to 10 and 25 as levels of x1 to x9. Condition 25 prints x8 = 1 for .7.
TABLE_9_4 = {
    1: (8000, 1, 0.5, 5000, 100, 0.04, 0.7, 0.7, 3),
    2: (16000, 1, 0.5, 5000, 100, 0.04, 0.3, 0.3, 2),
    3: (8000, 2, 0.5, 5000, 100, 0.02, 0.7, 0.3, 2),
    4: (16000, 2, 0.5, 5000, 100, 0.02, 0.3, 0.7, 3),
    5: (8000, 1, 1, 5000, 100, 0.02, 0.3, 0.7, 2),
    6: (16000, 1, 1, 5000, 100, 0.02, 0.7, 0.3, 3),
    7: (8000, 2, 1, 5000, 100, 0.04, 0.3, 0.3, 3),
    8: (16000, 2, 1, 5000, 100, 0.04, 0.7, 0.7, 2),
    9: (8000, 1, 0.5, 7500, 100, 0.02, 0.3, 0.3, 3),
    10: (16000, 1, 0.5, 7500, 100, 0.02, 0.7, 0.7, 2),
    25: (8000, 1, 0.5, 7500, 150, 0.04, 0.7, 0.7, 2),
}
PLUS = (16000, 2, 1, 7500, 150, 0.04, 0.7, 0.7, 3)


def test_half_fraction_of_six_factors() -> None:
    design = two_level(NINE[:6], ["x6=x1*x2*x3*x4*x5"])
    assert design.matrix.shape == (32, 6)
    assert design.relation == ("x1*x2*x3*x4*x5*x6",)
    assert design.word_lengths == {6: 1}
    assert design.resolution == 6
    assert len(design.clear_interactions) == 15
    assert size_text(design) == "2^(6-1)"


def test_design_of_sp_500_282() -> None:
    design = two_level(NINE, NIST_2_9_4)
    assert design.word_lengths == {4: 6, 5: 8, 8: 1}
    assert design.resolution == 4
    assert set(design.relation[:6]) == {
        "x1*x2*x6*x7",
        "x1*x3*x6*x8",
        "x1*x4*x6*x9",
        "x2*x3*x7*x8",
        "x2*x4*x7*x9",
        "x3*x4*x8*x9",
    }
    assert set(design.clear_interactions) == {f"x{min(i, 5)}*x{max(i, 5)}" for i in range(1, 10) if i != 5}
    assert design.aliases["x1*x2"] == ("x6*x7",)
    assert design.aliases["x1*x6"] == ("x2*x7", "x3*x8", "x4*x9")
    assert design.aliases["x1"] == ()
    for condition, levels in TABLE_9_4.items():
        signs = [1 if level == plus else -1 for level, plus in zip(levels, PLUS, strict=True)]
        assert design.matrix[condition - 1].tolist() == signs, f"condition {condition}"


def test_base_factors_stand_in_yates_order() -> None:
    design = two_level(("a", "b", "c"))
    assert design.matrix[0].tolist() == [-1, -1, -1]
    assert design.matrix[:, 0].tolist() == [-1, 1] * 4
    assert design.matrix[:, 2].tolist() == [-1] * 4 + [1] * 4
    assert (design.generators, design.relation, design.resolution) == ((), (), 4)


def test_generated_factor_may_stand_anywhere() -> None:
    design = two_level(("X1", "X13", "X2"), ["X13 = - X1 * X2"])
    assert design.generators == ("X13=-X1*X2",)
    assert design.relation == ("-X1*X13*X2",)
    assert design.aliases["X1"] == ("-X13*X2",)
    assert np.array_equal(design.column("X13"), -design.column("X1*X2"))


@pytest.mark.parametrize("effect", ["d", "a*d", "", "a*", "A"])
def test_an_unknown_effect_has_no_column(effect: str) -> None:
    with pytest.raises(ValueError, match="no factor of the design is called") as refused:
        two_level(("a", "b", "c")).column(effect)
    assert f'effect = "{effect}"' in str(refused.value)
    assert "Allowed: a, b, c, products of factors" in str(refused.value)


def test_twenty_factors_in_256_runs() -> None:
    generators = [f"x{i + 6}=x1*x2*x{i}" for i in range(3, 9)]
    generators += [f"x{i + 11}=x2*x3*x{i}" for i in range(4, 9)] + ["x20=x3*x4*x5"]
    design = two_level([f"x{i}" for i in range(1, 21)], generators)
    assert design.matrix.shape == (256, 20)
    assert (design.resolution, design.word_lengths[4], len(design.clear_interactions)) == (4, 70, 9)


@st.composite
def drawn_designs(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    base = draw(st.integers(3, 6))
    names = [f"f{i}" for i in range(base)]
    products = [p for size in range(2, base + 1) for p in combinations(names, size)]
    chosen = draw(st.lists(st.sampled_from(products), unique=True, max_size=4))
    signs = draw(st.lists(st.sampled_from(["", "-"]), min_size=len(chosen), max_size=len(chosen)))
    generators = [f"g{i}={sign}{'*'.join(p)}" for i, (p, sign) in enumerate(zip(chosen, signs, strict=True))]
    return names + [f"g{i}" for i in range(len(chosen))], generators


@pytest.mark.slow
@given(drawn_designs())
def test_every_design_is_balanced_orthogonal_and_knows_its_aliases(given_design: tuple[list[str], list[str]]) -> None:
    design = two_level(*given_design)
    k = len(design.factors)
    assert np.array_equal(design.matrix.T.astype(int) @ design.matrix, design.runs * np.eye(k, dtype=int))
    assert not design.matrix.sum(axis=0, dtype=int).any()
    assert sum(design.word_lengths.values()) == 2 ** len(design.generators) - 1
    for word in design.relation:
        assert set(design.column(word.removeprefix("-")).tolist()) == {-1 if word.startswith("-") else 1}
    effects = list(design.factors) + ["*".join(pair) for pair in combinations(design.factors, 2)]
    for effect in effects:
        same = {o for o in effects if o != effect and np.array_equal(design.column(o), design.column(effect))}
        opposite = {f"-{o}" for o in effects if np.array_equal(design.column(o), -design.column(effect))}
        assert set(design.aliases[effect]) == same | opposite


@pytest.mark.parametrize(
    ("factors", "generators", "message"),
    [
        ((), ["a=b*c"], "a is not a factor"),
        (0, [], "not a number of factors"),
        (["a", "a"], [], 'factors = "a": factor ids must differ'),
        (["a", "a*b"], [], r'factors\[1\] = "a\*b": not an id'),
        (["a:b"], [], "not an id"),
        (["a", "b=a"], [], "not an id"),
        (["-a"], [], "not an id"),
        (["a", " "], [], "not an id"),
        ([1, 2], [], r"factors\[0\] = 1: not an id"),
        ("speed", [], "not factors"),
        (True, [], "not factors"),
        (2.0, [], "not factors"),
        (None, [], "not factors"),
        (["a", "b", "c"], ["c=a"], "not a generator"),
        (["a", "b", "c"], ["c=a*d"], "d is not a factor"),
        (["a", "b", "c"], ["d=a*b"], "d is not a factor"),
        (["a", "b", "c"], ["c=a*a"], "named twice"),
        (["a", "b", "c"], ["c=a*b", "c=b*a"], "named twice"),
        (["a", "b", "c", "d"], ["c=a*b", "d=c*b"], "itself generated"),
        (["a", "b", "c", "d"], ["c=a*b", "d=a*b"], "c and d indistinguishable"),
        ([f"f{i}" for i in range(20)], [], "too many runs"),
    ],
)
def test_bad_designs_are_refused(factors: object, generators: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        two_level(factors, generators)  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers() -> None:
    four, eight = np.int64(4), np.int32(8)
    assert two_level(four).factors == ("X1", "X2", "X3", "X4")
    half = designs.by_runs(four, eight, np.int8(4))
    assert half.generators == designs.by_resolution(4, 4).generators == ("X4=X1*X2*X3",)
    assert np.bincount(designs.blocks(half, np.int64(2)).block).tolist() == [0, 4, 4]
    assert designs.plackett_burman(four, eight).shape == (8, 4)
    assert designs.sobol(four, eight).shape == designs.latin_hypercube(four, eight).shape == (8, 4)
    assert designs.replicates(half.matrix, np.uint8(2)).shape == (16, 4)
    assert designs.centre_points(half.matrix, np.int64(2)).shape == (10, 4)
    for refused in (np.float64(8), np.bool_(True), "8"):
        with pytest.raises(InputError, match="not a number of runs"):
            designs.by_runs(4, refused)  # type: ignore[arg-type]


def test_ids_come_in_any_sequence() -> None:
    ids = ["heat", "oven time", "salt"]
    for given_ids in (ids, tuple(ids), pd.Index(ids), pd.Series(ids), np.array(ids), dict.fromkeys(ids), iter(ids)):
        design = designs.by_runs(given_ids, 4)  # type: ignore[arg-type]
        assert design.factors == tuple(ids)
        assert {type(id) for id in design.factors} == {str}
    assert two_level(pd.DataFrame(columns=ids).columns).factors == tuple(ids)
    assert two_level(pd.Index([])).runs == 1


@pytest.mark.parametrize(
    ("design", "full"),
    [
        (two_level(3), True),
        (two_level(()), True),
        (designs.by_resolution(3, 4), True),
        (designs.by_runs(4, 8), False),
        (two_level(NINE, NIST_2_9_4), False),
    ],
)
def test_a_full_factorial_says_so(design: Design, full: bool) -> None:
    assert design.is_full is full
    assert design.is_full is (not design.word_lengths)
    assert all(not others for others in design.aliases.values()) or not full


def test_a_fraction_becomes_full_by_a_foldover_and_a_screen_does_not() -> None:
    names = ("a", "b", "c")
    folded = rows(names, {"generators": ["c=a*b"], "foldover": "all"}).design
    assert (folded.is_full, folded.word_lengths) == (True, {})
    assert not rows(names, {"kind": "plackett-burman"}).design.is_full
    assert not rows(names, {"kind": "sobol", "runs": 16}).design.is_full
