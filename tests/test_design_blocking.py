"""Blocking: optimal where all blockings can be compared, and where theory and textbooks say what is."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest

from mesonet.analysis import terms
from mesonet.analysis.observations import design_blocks, observations
from mesonet.analysis.pure_error import pure_error
from mesonet.designs import Blocking, Design, blocks, by_runs, confounded, two_level
from mesonet.designs.catalogue import ENTRIES
from mesonet.designs.rows import from_document, rows
from mesonet.designs.words import products, products_by_column
from mesonet.errors import InputError

pytestmark = pytest.mark.slow


@cache
def subspaces(base: int, dimension: int) -> npt.NDArray[np.int64]:
    """Return all sets of products of `dimension` independent columns; shape (sets, 2^dimension - 1)."""
    sets = []
    for highest in combinations(range(base), dimension):
        rows = []
        for bit in highest:
            free = [other for other in range(bit) if other not in highest]
            rows.append([1 << bit | int(extra) for extra in products(1 << other for other in free)])
        sets += [products(generators)[1:] for generators in product(*rows)]
    return np.array(sets)


def lost(design: Design, columns: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Count the effects in columns: main effects, two-factor interactions, clear ones, of three factors, ..."""
    counts = products_by_column(design.columns, design.runs.bit_length() - 1)[1:]
    clear = (counts[0] == 0) & (counts[1] == 1)
    return np.insert(counts, 2, clear, axis=0)[:, columns].sum(axis=-1)


def fewest_lost(design: Design, number: int) -> tuple[int, ...]:
    """Return what the best of all blockings loses."""
    every = lost(design, subspaces(design.runs.bit_length() - 1, number.bit_length() - 1))
    return min(zip(*every.tolist(), strict=True))


def lost_by(found: Blocking) -> tuple[int, ...]:
    design = found.design
    at = {name: 1 << bit for bit, name in enumerate(design.base_factors)}
    columns = products(sum(at[name] for name in generator.split("*")) for generator in found.generators)
    return tuple(lost(design, columns[1:]).tolist())


@pytest.mark.parametrize("k", range(3, 8))
def test_no_blocking_of_a_full_factorial_loses_less(k: int) -> None:
    for number in (2, 4, 8, 16)[: k - 1]:
        assert lost_by(blocks(two_level(k), number)) == fewest_lost(two_level(k), number), number


FRACTIONS = [size for size in ENTRIES if size[0] <= 64 and size[1] <= 20] + [(128, 8), (128, 12), (128, 15), (128, 20)]


@pytest.mark.parametrize("size", FRACTIONS, ids=str)
def test_no_blocking_of_a_fraction_loses_less(size: tuple[int, int]) -> None:
    design = by_runs(size[1], size[0])
    for number in (2, 4, 8, 16)[: size[0].bit_length() - 2]:
        best = fewest_lost(design, number)
        if not best[0]:
            assert lost_by(blocks(design, number)) == best, number


@pytest.mark.parametrize("k", range(4, 12))
def test_blocks_of_a_full_factorial_are_a_fraction_of_minimum_aberration(k: int) -> None:
    for base in range(k.bit_length(), k):
        assert blocks(two_level(k), 1 << k - base).word_lengths == by_runs(k, 1 << base).word_lengths, base


@pytest.mark.parametrize(
    ("k", "textbook"),
    [(3, "123"), (3, "12 13"), (4, "1234"), (4, "124 134"), (4, "12 23 34"), (5, "12345"), (5, "123 345"),
     (5, "125 235 345"), (5, "12 13 34 45")],
)  # fmt: skip
def test_blocks_of_textbooks(k: int, textbook: str) -> None:
    """Box, Hunter and Hunter, Statistics for Experimenters: blocking arrangements of full factorials."""
    columns = [sum(1 << int(factor) - 1 for factor in word) for word in textbook.split()]
    design = two_level(k)
    assert lost_by(blocks(design, 1 << len(columns))) == tuple(lost(design, products(columns)[1:]).tolist())


def test_word_lengths_count_what_is_confounded() -> None:
    design = by_runs(9, 32)
    found = blocks(design, 8)
    assert found.word_lengths.get(2, 0) == len(found.confounded) > 0
    for length, number in found.word_lengths.items():
        effects = ["*".join(names) for names in combinations(design.factors, length)]
        constant = [
            all(len(set(design.column(effect)[found.block == block].tolist())) == 1 for block in range(1, 9))
            for effect in effects
        ]
        assert sum(constant) - design.word_lengths.get(length, 0) == number  # words are constant everywhere


def test_the_same_seed_gives_the_same_blocks() -> None:
    design = two_level(9)
    assert blocks(design, 8, seed=3).generators == blocks(design, 8, seed=3).generators
    assert blocks(design, 8, seed=3).word_lengths == blocks(design, 8, seed=4).word_lengths == {4: 1, 5: 4, 6: 2}


@pytest.mark.parametrize("table", [{"kind": "plackett-burman"}, {"runs": 4, "foldover": "all"}])
def test_designs_that_are_not_regular_are_refused(table: dict[str, object]) -> None:
    design = rows(("a", "b", "c"), table).design
    with pytest.raises(InputError, match="only a regular two-level design"):
        blocks(design, 2)


def test_effects_of_partially_confounded_replicates_are_from_the_others() -> None:
    """Replicates of a 2^3 confound ABC and AB (Montgomery, example 7.3): intrablock estimates, 5 degrees of freedom."""
    design = confounded(two_level(["A", "B", "C"]), [["A*B*C"], ["A*B"]])
    assert design.block == (1, 2, 2, 1, 2, 1, 1, 2, 4, 3, 3, 4, 4, 3, 3, 4)
    a, b, c = design.matrix.T.astype(float)
    rng = np.random.default_rng(1)
    y = 3 * a + 2 * a * b - 4 * a * b * c + rng.normal(0, 0.1, 16)
    y += np.array([0, 100, -300, 70])[np.array(design.block) - 1]
    found = terms(design, y, noise="replicates")
    effects = dict(zip(found.terms, found.effect, strict=True))
    first, second = np.arange(16) < 8, np.arange(16) >= 8
    by_hand = {
        "A*B*C": (2 * a * b * c * y)[second].mean(),
        "A*B": (2 * a * b * y)[first].mean(),
        "A": (2 * a * y).mean(),
    }
    assert {name: effects[name] for name in by_hand} == pytest.approx(by_hand)
    assert effects["A*B*C"] == pytest.approx(-8, abs=0.3)
    shifts = np.array(design.block) == [[1], [2], [3], [4]]
    model = np.column_stack([a, b, c, a * b, a * c, b * c, a * b * c, *shifts])
    residual = np.sum((y - model @ np.linalg.lstsq(model, y)[0]) ** 2)
    block = design_blocks(design, design.runs)
    noise = pure_error(design.matrix.astype(float), observations(y, design.matrix, None, block), block)
    assert noise.freedom.sum() == pytest.approx(5)
    assert noise.pooled**2 * 5 == pytest.approx(residual)


@pytest.mark.parametrize(
    ("replicates", "problem"),
    [
        ([], "no replicates"),
        ("A*B", "no replicates"),
        (["A*B"], r"replicates\[0\] = .A\*B.: not a list"),
        ([["A*D"]], r"replicates\[0\]\[0\] = .A\*D.: no factor"),
        ([["A*B"], ["A*B", "A*B"]], r"replicates\[1\] .* no 4 equal blocks"),
        ([["A", "B", "C"]], "no 8 equal blocks of two"),
    ],
)
def test_replicates_without_equal_blocks_are_refused(replicates: list[list[str]], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        confounded(two_level(["A", "B", "C"]), replicates)


def test_a_table_has_the_products_of_each_replicate() -> None:
    found = from_document(rows(("A", "B", "C"), {"blocks": [["A*B*C"], ["A*B"]]}).document())
    assert found.conditions == 16
    assert found.design.block == confounded(two_level(["A", "B", "C"]), [["A*B*C"], ["A*B"]]).block
    with pytest.raises(InputError, match=r'blocks\[0\]\[0\] = "A\*Z": no factor'):
        rows(("A", "B", "C"), {"blocks": [["A*Z"]]})
