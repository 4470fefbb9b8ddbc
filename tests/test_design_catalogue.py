"""Designs by runs, by resolution and by name: published patterns, and what is refused."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from mesonet.designs import Design, by_resolution, by_runs, named, next_larger, two_level
from mesonet.designs.catalogue import ENTRIES, PublishedDesign
from mesonet.designs.codes import from_codes
from mesonet.designs.search import extended, improve, search, start
from mesonet.designs.two_level import from_columns
from mesonet.designs.words import lengths, products
from mesonet.errors import InputError

pytestmark = pytest.mark.slow


def all_columns(base: int, columns: tuple[int, ...]) -> list[int]:
    return [*(1 << bit for bit in range(base)), *columns]


def base_of(entry: PublishedDesign) -> int:
    return entry.runs.bit_length() - 1


def test_table_is_complete() -> None:
    sizes = {(1 << base, k) for base in range(3, 13) for k in range(base + 1, min(32, (1 << base) - 1) + 1)}
    assert set(ENTRIES) == sizes


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=lambda e: f"{e.factors} in {e.runs}")
def test_words_of_every_entry_are_the_published_ones(entry: PublishedDesign) -> None:
    base = base_of(entry)
    count = lengths(all_columns(base, entry.columns), base)  # from the runs
    if len(entry.columns) <= 20:
        words = products(1 << base + place | column for place, column in enumerate(entry.columns))
        counted = Counter(np.bitwise_count(words[1:]).tolist())  # each word
        assert {length: number for length, number in enumerate(count) if length and number} == counted
    printed = len(entry.word_lengths)
    assert (*count, 0, 0)[1 : 3 + printed] == (0, 0, *entry.word_lengths)


# The largest minimum distance of a binary linear code of length k and dimension k - log2(runs), for k from
# log2(runs) + 1 to 32. Source: Brouwer, Handbook of Coding Theory (1998), chapter 4.
BEST_DISTANCES = {
    8: "4 3 3 3",
    16: "5 4 4 4 3 3 3 3 3 3 3",
    32: "6 4 4 4 4 4 4 4 4 4 4 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3",
    64: "7 5 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4",
    128: "8 6 5 5 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4",
    256: "9 6 6 6 5 5 5 5 5 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4",
    512: "10 7 6 6 6 6 6 6 6 5 5 5 5 5 4 4 4 4 4 4 4 4 4",
    1024: "11 8 7 7 7 6 6 6 6 6 6 6 6 6 5 5 5 5 5 5 5 5",
    2048: "12 8 8 8 8 7 7 7 7 7 7 7 6 6 6 6 6 6 6 6 6",
    4096: "13 9 8 8 8 8 8 8 8 8 8 8 6 6 6 6 6 6 6 6",
}


@pytest.mark.parametrize("runs", BEST_DISTANCES)
def test_every_entry_has_the_highest_resolution_there_is(runs: int) -> None:
    best = dict(enumerate(map(int, BEST_DISTANCES[runs].split()), start=runs.bit_length()))
    assert {factors: by_runs(factors, runs).resolution for factors in best} == best
    assert {size for size in ENTRIES if size[0] == runs} == {(runs, factors) for factors in best}


@pytest.mark.parametrize("base", [3, 4])
def test_no_design_of_8_or_16_runs_has_less_aberration(base: int) -> None:
    free = [column for column in range(1 << base) if column.bit_count() > 1]
    for number in range(1, len(free) + 1):
        least = min(lengths(all_columns(base, chosen), base) for chosen in combinations(free, number))
        assert lengths(all_columns(base, ENTRIES[1 << base, base + number].columns), base) == least


def test_what_is_known_of_an_entry() -> None:
    """Xu 2009 compared all of resolution V in 512 runs, VI in 1024, VII in 2048 and 4096; in 256 up to 17 factors."""
    compared = {64: 32, 128: 32, 256: 17, 512: 23, 1024: 24, 2048: 23, 4096: 24}
    for runs, most in compared.items():
        assert by_runs(most, runs).status == "minimum aberration"
        assert most == 32 or by_runs(most + 1, runs).status == "best known"
    lowest = {512: 5, 1024: 6, 2048: 7, 4096: 7}
    assert all(by_runs(k, runs).resolution >= lowest[runs] for runs in lowest for k in range(13, compared[runs] + 1))
    assert {by_runs(k, 2048).source for k in (28, 29, 30)} == {"search"}
    published = {(2048, 28): 421, (2048, 29): 537, (2048, 30): 677, (4096, 26): 36, (4096, 31): 282, (4096, 32): 402}
    assert all(by_runs(k, runs).word_lengths[6] < words for (runs, k), words in published.items())


def test_large_designs_of_the_literature() -> None:
    """Xu 2009, Tables of 1024 and 4096 runs."""
    assert by_runs(17, 4096).word_lengths == {8: 14, 9: 16, 16: 1}
    assert [by_runs(20, 1024).word_lengths[length] for length in (6, 7)] == [40, 160]
    assert by_runs(24, 4096).word_lengths == {8: 759, 12: 2576, 16: 759, 24: 1}  # the Golay code


def test_nist_2012() -> None:
    design = named("nist-2012")
    assert (design.runs, design.resolution, len(design.clear_interactions)) == (256, 4, 9)
    assert design.word_lengths == {4: 70, 6: 276, 8: 940, 10: 1432, 12: 1074, 14: 276, 16: 27}
    longest = {" = ".join(effects) for effects in design.alias_strings if len(effects) == 7}
    assert longest == {
        "X1*X2 = X3*X9 = X4*X10 = X5*X11 = X6*X12 = X7*X13 = X8*X14",
        "X1*X3 = X2*X9 = X10*X15 = X11*X16 = X12*X17 = X13*X18 = X14*X19",
        "X1*X9 = X2*X3 = X4*X15 = X5*X16 = X6*X17 = X7*X18 = X8*X19",
    }
    assert set(design.clear_interactions) == {f"X{i}*X20" for i in (6, 7, 8, 12, 13, 14, 17, 18, 19)}
    assert len(design.alias_strings) + len(design.clear_interactions) == 72
    own = two_level(20, [f"X{i + 6}=X1*X2*X{i}" for i in range(3, 9)] + [f"X{i + 11}=X2*X3*X{i}" for i in range(4, 9)]
                    + ["X20=X3*X4*X5"])  # fmt: skip
    assert np.array_equal(design.matrix, own.matrix)
    assert design.generators == own.generators


def test_min_aberration() -> None:
    design = named("min-aberration")
    assert (design.runs, design.resolution, len(design.clear_interactions)) == (256, 4, 160)
    assert [design.word_lengths.get(length, 0) for length in (4, 5, 6, 20)] == [5, 64, 240, 1]
    assert {len(effects) for effects in design.alias_strings} == {2}
    assert len(design.alias_strings) + len(design.clear_interactions) == 175
    assert design.status == "best known"
    assert sorted(design.columns[8:]) == [27, 46, 92, 105, 127, 143, 179, 182, 194, 213, 229, 248]


def test_named_designs_of_the_experiments() -> None:
    assert named("2^(6-1)", list("abcdef")).generators == ("f=a*b*c*d*e",)
    nine = named("2^(9-4)")
    assert nine.generators == ("X6=X2*X3*X4*X5", "X7=X1*X3*X4*X5", "X8=X1*X2*X4*X5", "X9=X1*X2*X3*X5")
    assert nine.word_lengths == by_runs(9, 32).word_lengths
    with pytest.raises(InputError, match="for 20 factors"):
        named("nist-2012", 19)
    with pytest.raises(InputError, match=r"unknown design \(nearest: nist-2012"):
        named("nist-2021")


@pytest.mark.parametrize(
    ("factors", "resolution", "runs"),
    [(7, 3, 8), (5, "V", 16), (8, "IV", 16), (6, 6, 32), (9, 4, 32), (9, 5, 128), (17, "v", 256), (20, 4, 64),
     (20, 5, 512), (23, 5, 512), (18, 6, 512), (24, 5, 1024), (32, 5, 1024), (32, 6, 2048), (5, 9, 32), (2, 4, 4)],
)  # fmt: skip
def test_fewest_runs_of_a_resolution(factors: int, resolution: int | str, runs: int) -> None:
    design = by_resolution(factors, resolution)
    assert design.runs == runs
    if design.generators:
        assert design.resolution >= {"IV": 4, "V": 5, "v": 5}.get(str(resolution), resolution)


# Most factors by runs. Source: MacWilliams and Sloane, The Theory of Error-Correcting Codes, chapter 17; Xu 2009.
MOST_FACTORS = {
    3: {4: 3, 8: 7, 16: 15, 32: 31, 64: 63},
    4: {8: 4, 16: 8, 32: 16, 64: 32},
    5: {16: 5, 32: 6, 64: 8, 128: 11, 256: 17, 512: 23, 1024: 33},
    6: {32: 6, 64: 7, 128: 9, 256: 12, 512: 18, 1024: 24, 2048: 34},
}


@pytest.mark.parametrize("resolution", MOST_FACTORS)
def test_every_resolution_takes_the_fewest_runs_there_are(resolution: int) -> None:
    for factors in range(resolution, 33):
        least = next(runs for runs, most in MOST_FACTORS[resolution].items() if factors <= most)
        design = by_resolution(factors, resolution)
        assert (design.runs, design.resolution >= resolution) == (least, True), factors


@pytest.mark.parametrize("factors", range(5, 11))
def test_a_lower_resolution_is_an_error_that_names_the_runs(factors: int) -> None:
    for base in range(factors.bit_length(), factors):
        asked = by_runs(factors, 1 << base).resolution + 1
        with pytest.raises(InputError, match=r"have resolution .* at best") as caught:
            by_runs(factors, 1 << base, asked)
        enough = by_resolution(factors, asked).runs
        assert f"at least {enough} runs" in str(caught.value)
        assert enough > 1 << base
        there = by_runs(factors, enough, asked)
        assert not there.generators or there.resolution >= asked


@pytest.mark.parametrize(
    ("factors", "runs", "message"),
    [(20, 100, "a power of 2, 32 to 65536"), (20, 16, "too few runs"), (3, 16, "use replicates"), (0, 4, "factors = 0"),
     (20, 2**17, "too many runs"), (33, 64, "1 to 32"), (4, 0, "not a number of runs"), (4, True, "not a number")],
)  # fmt: skip
def test_sizes_that_are_refused(factors: int, runs: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        by_runs(factors, runs)


@pytest.mark.parametrize("resolution", ["II", 2, "", "four", 33, 1.5, None])
def test_resolutions_that_are_refused(resolution: object) -> None:
    with pytest.raises(InputError, match="not a resolution"):
        by_resolution(6, resolution)  # type: ignore[arg-type]


def test_a_high_resolution_of_many_factors_is_refused_in_words() -> None:
    with pytest.raises(InputError, match=r"no design.*32 factors.*65536 runs"):
        by_resolution(32, 20)
    with pytest.raises(InputError, match="only a full factorial of 20 factors"):
        by_resolution(20, 21)


def test_full_factorials_and_half_fractions() -> None:
    assert by_runs(3, 8).status == "full factorial"
    half = by_runs(12, 2048)
    assert (half.word_lengths, half.status) == ({12: 1}, "minimum aberration")
    assert next_larger(half).runs == 4096  # type: ignore[union-attr]
    assert next_larger(by_runs(3, 8)) is None


@pytest.mark.parametrize("size", [(32, 9), (64, 17), (256, 20)])
def test_the_search_finds_what_is_published(size: tuple[int, int]) -> None:
    base = size[0].bit_length() - 1
    found = search(size[1], base, seed=1)
    assert lengths(all_columns(base, found), base) == lengths(all_columns(base, ENTRIES[size].columns), base)


def test_beyond_the_table() -> None:
    design = by_runs(20, 8192)
    assert (design.status, design.resolution) == ("best found", 8)
    assert np.array_equal(design.matrix, by_runs(20, 8192).matrix)
    assert_orthogonal(design)
    assert by_runs(25, 8192).resolution == 8  # from 24 factors in 4096 runs, the Golay code


@pytest.mark.parametrize(
    ("factors", "runs", "resolution"),
    [(26, 8192, 7), (27, 8192, 7), (27, 16384, 8), (28, 16384, 8), (29, 16384, 7), (31, 16384, 7), (29, 32768, 8),
     (32, 32768, 8), (23, 65536, 9)],
)  # fmt: skip
def test_columns_from_codes_have_the_best_known_distance(factors: int, runs: int, resolution: int) -> None:
    """Source: Brouwer, Handbook of Coding Theory (1998), chapter 4."""
    base = runs.bit_length() - 1
    assert max(from_columns(factors, columns).resolution for columns in from_codes(factors, base)) == resolution


def test_high_resolutions_of_many_factors() -> None:
    assert (by_resolution(27, 7).runs, by_resolution(32, 8).runs) == (8192, 32768)


@pytest.mark.parametrize(("factors", "base", "resolution"), [(12, 6, 4), (23, 11, 7), (24, 12, 8), (9, 7, 5)])
def test_the_start_has_its_resolution(factors: int, base: int, resolution: int) -> None:
    columns = start(factors, base, resolution)
    assert columns is not None
    assert from_columns(factors, columns).resolution >= resolution
    better = improve(columns, base, seed=3, rounds=20)
    assert lengths(all_columns(base, better), base) <= lengths(all_columns(base, columns), base)
    assert start(factors, base - 3, resolution) is None


def test_one_more_factor_in_twice_the_runs_makes_every_word_even() -> None:
    seven = from_columns(7, ENTRIES[8, 7].columns)
    eight = from_columns(8, extended(ENTRIES[8, 7].columns, 3))
    assert (seven.word_lengths, eight.word_lengths) == ({3: 7, 4: 7, 7: 1}, {4: 14, 8: 1})


def test_words_of_15_generators_cost_little() -> None:
    design = by_runs(24, 512)
    assert sum(design.word_lengths.values()) == 2**15 - 1 == len(design.relation)
    many = by_runs(31, 32)
    assert sum(many.word_lengths.values()) == 2**26 - 1
    with pytest.raises(InputError, match="too many words to list"):
        many.relation  # noqa: B018


def assert_orthogonal(design: Design) -> None:
    signs = design.matrix.astype(int)
    assert np.array_equal(signs.T @ signs, design.runs * np.eye(len(design.factors), dtype=int))
    assert not signs.sum(axis=0).any()


@pytest.mark.parametrize("size", [(8, 7), (16, 15), (32, 24), (64, 20), (128, 24), (512, 24), (1024, 32), (2048, 30)])
def test_designs_of_the_table_are_balanced_and_orthogonal(size: tuple[int, int]) -> None:
    assert_orthogonal(by_runs(size[1], size[0]))
