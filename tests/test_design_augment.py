"""Additions to a design and alternatives to it: foldover, blocks, Plackett-Burman, space-filling points."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesonet import designs
from mesonet.designs import Augmented, Design, foldover, semifold, two_level
from mesonet.errors import InputError


@st.composite
def fractions(draw: st.DrawFn) -> Design:
    base = draw(st.integers(3, 5))
    names = [f"f{i}" for i in range(base)]
    parts = [p for size in range(2, base + 1) for p in combinations(names, size)]
    chosen = draw(st.lists(st.sampled_from(parts), unique=True, min_size=1, max_size=3))
    signs = draw(st.lists(st.sampled_from(["", "-"]), min_size=len(chosen), max_size=len(chosen)))
    generators = [f"g{i}={sign}{'*'.join(p)}" for i, (p, sign) in enumerate(zip(chosen, signs, strict=True))]
    return two_level(names + [f"g{i}" for i in range(len(chosen))], generators)


def brute_aliases(factors: tuple[str, ...], matrix: npt.NDArray[np.int8]) -> dict[str, set[str]]:
    column = {name: matrix[:, place].astype(int) for place, name in enumerate(factors)}
    column |= {f"{a}*{b}": column[a] * column[b] for a, b in combinations(factors, 2)}
    return {
        effect: {other for other in column if other != effect and np.array_equal(column[other], column[effect])}
        | {f"-{other}" for other in column if np.array_equal(column[other], -column[effect])}
        for effect in column
    }


def assert_consistent(there: Augmented) -> None:
    """Aliases are those of the matrix, and what is broken is the difference."""
    aliases = brute_aliases(there.design.factors, there.matrix)
    assert {effect: set(others) for effect, others in there.aliases.items()} == aliases
    before = {frozenset((e, o.removeprefix("-"))) for e, others in there.design.aliases.items() for o in others}
    after = {frozenset((e, o.removeprefix("-"))) for e, others in there.aliases.items() for o in others}
    assert {frozenset((a, b.removeprefix("-"))) for a, b in there.broken} == before - after
    assert len(there.broken) == len(before - after)
    assert np.array_equal(there.matrix[: there.design.runs], there.design.matrix)


@given(fractions())
def test_the_relation_is_closed_under_products(design: Design) -> None:
    words = {frozenset(word.removeprefix("-").split("*")): word.startswith("-") for word in design.relation}
    for (one, minus), (other, other_minus) in combinations(words.items(), 2):
        assert words[one ^ other] == (minus != other_minus)


@given(fractions(), st.data())
def test_foldover_breaks_what_it_says(design: Design, data: st.DataObject) -> None:
    switched = data.draw(st.lists(st.sampled_from(design.factors), min_size=1, unique=True))
    there = foldover(design, switched)
    assert there.runs == 2 * design.runs
    assert_consistent(there)


@given(fractions(), st.data())
def test_semifold_breaks_what_it_says(design: Design, data: st.DataObject) -> None:
    switched = data.draw(st.lists(st.sampled_from(design.factors), min_size=1, unique=True))
    where = data.draw(st.sampled_from(["", "-"])) + data.draw(st.sampled_from(design.factors))
    there = semifold(design, switched, where)
    assert there.runs == 3 * design.runs // 2
    added = there.matrix[design.runs :]
    sign = (-1 if where.startswith("-") else 1) * (-1 if where.removeprefix("-") in switched else 1)
    assert set(added[:, design.factors.index(where.removeprefix("-"))].tolist()) == {sign}
    assert_consistent(there)


@given(fractions())
def test_foldover_of_all_factors_frees_main_effects_of_interactions(design: Design) -> None:
    """Resolution III becomes IV: every word of odd length is gone."""
    there = foldover(design)
    assert all(not there.aliases[factor] for factor in design.factors)
    odd = sum(number for length, number in design.word_lengths.items() if length % 2)
    if design.resolution == 3:
        assert odd
    if not odd:
        assert not there.broken


def test_foldover_of_one_factor_clears_its_interactions() -> None:
    nine = designs.named("2^(9-4)")
    for there in (foldover(nine, ["X1"]), semifold(nine, ["X1"], where="X5")):
        assert len(there.broken) == 9
        assert ("X1*X2", "X6*X7") in there.broken
        assert set(there.clear_interactions) >= {f"X1*X{i}" for i in range(2, 10)}
        assert there.estimable == 37
    assert foldover(nine).estimable == 30  # nine main effects, 13 + 8 strings of interactions
    assert foldover(nine).broken == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: foldover(d, ["X7"]), "unknown factor"),
        (lambda d: foldover(d, []), "no factor is switched"),
        (lambda d: semifold(d, ["X1"], "+X1"), "unknown factor"),
        (lambda d: designs.centre_points(d.matrix, 0), "centre_points = 0"),
        (lambda d: designs.replicates(d.matrix, 10**7), "not a number of runs to add"),
        (lambda d: designs.blocks(d, 3), "Allowed: 2, 4"),
        (lambda d: designs.blocks(d, 8), "Allowed: 2, 4"),
        (lambda d: designs.blocks(d, 4), "main effect"),
        (lambda d: designs.plackett_burman(12, 12), "multiple of 4, 16 to 48"),
        (lambda d: designs.plackett_burman(3, 6), "multiple of 4, 4 to 48"),
        (lambda d: designs.one_at_a_time(0), "factors = 0"),
        (lambda d: designs.latin_hypercube(3, 0), "runs = 0"),
        (lambda d: designs.sobol(3, 2**30), "1 to 1000000"),
    ],
)
def test_what_is_refused(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("+", r"\+")):
        call(two_level(5, ["X4=X1*X2", "X5=X1*X3"]))  # type: ignore[operator]


def test_centre_points_and_replicates() -> None:
    design = two_level(3)
    with_centre = designs.centre_points(design.matrix, 4)
    assert with_centre.shape == (12, 3)
    assert not with_centre[8:].any()
    assert np.array_equal(designs.replicates(design.matrix, 3), np.concatenate([design.matrix] * 3))


@pytest.mark.slow
@given(fractions(), st.sampled_from([2, 4]))
def test_blocks_are_free_of_main_effects(design: Design, number: int) -> None:
    try:
        there = designs.blocks(design, number)
    except InputError as error:
        assert "main effect" in str(error)  # noqa: PT017
        return
    assert np.bincount(there.block)[1:].tolist() == [design.runs // number] * number

    def of_block(effect: str) -> bool:
        return all(len(set(design.column(effect)[there.block == block].tolist())) == 1 for block in set(there.block))

    assert not any(of_block(factor) for factor in design.factors)
    pairs = ["*".join(pair) for pair in combinations(design.factors, 2)]
    assert list(there.confounded) == [pair for pair in pairs if of_block(pair)]


# The first rows that Plackett and Burman (1946) print, by number of runs.
PUBLISHED = {12: "++-+++---+-", 20: "++--++++-+-+----++-", 24: "+++++-+-++--++--+-+----"}


@pytest.mark.parametrize("runs", PUBLISHED)
def test_published_plackett_burman_designs(runs: int) -> None:
    matrix = designs.plackett_burman(runs - 1)
    assert "".join("+" if sign > 0 else "-" for sign in matrix[0]) == PUBLISHED[runs]
    for row in range(1, runs - 1):
        assert np.array_equal(matrix[row], np.roll(matrix[row - 1], 1))
    assert set(matrix[-1].tolist()) == {-1}


@pytest.mark.parametrize("runs", range(4, 49, 4))
def test_plackett_burman_designs_are_orthogonal(runs: int) -> None:
    matrix = designs.plackett_burman(min(runs - 1, 32), runs).astype(int)
    assert np.array_equal(matrix.T @ matrix, runs * np.eye(matrix.shape[1], dtype=int))
    assert not matrix.sum(axis=0).any()


def test_one_at_a_time() -> None:
    assert designs.one_at_a_time(["a", "b"]).tolist() == [[-1, -1], [1, -1], [-1, 1]]


def test_points_between_the_levels() -> None:
    slices = np.sort(np.floor((designs.latin_hypercube(3, 10, seed=2) + 1) / 2 * 10), axis=0)
    assert np.array_equal(slices, np.tile(np.arange(10.0)[:, None], 3))
    points = designs.sobol(["a", "b"], 16)
    quarters = np.floor((points + 1) * 2).astype(int)
    assert np.bincount(quarters[:, 0] * 4 + quarters[:, 1]).tolist() == [1] * 16  # a (0, 4, 2)-net
    for sample in (designs.latin_hypercube, designs.sobol):
        assert np.array_equal(sample(3, 5, 7), sample(3, 5, 7))
        assert not np.array_equal(sample(3, 5, 7), sample(3, 5, 8))
        assert sample(3, 5).shape == (5, 3)
