from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesonet import units
from mesonet.errors import InputError
from mesonet.scenarios.kinds.buffer import BUFFER
from mesonet.scenarios.kinds.choice import Choice
from mesonet.scenarios.kinds.count import COUNT
from mesonet.scenarios.kinds.distribution import DISTRIBUTION
from mesonet.scenarios.kinds.flag import FLAG
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.probability import PROBABILITY
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.kinds.segments import SEGMENTS
from mesonet.scenarios.kinds.time import TIME
from mesonet.units import integer, whole, with_bits

KINDS = {kind.name: kind for kind in (
    BUFFER, COUNT, DISTRIBUTION, FLAG, NUMBER, PROBABILITY, RATE, SEGMENTS, TIME, Choice("thinking", "half_early"),
)}  # fmt: skip


def parse(kind: str, value: object) -> Any:
    return KINDS[kind].parse(value, Place("a.path.without.a.range"))


def show(kind: str, value: object) -> str:
    return KINDS[kind].show(value)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("time", "81 ms", 0.081),
        ("time", "0.081 s", 0.081),
        ("time", "25 min", 1500.0),
        ("time", "1.5h", 5400.0),
        ("time", "1e3 us", 0.001),
        ("rate", "1600 seg/ms", 1_600_000.0),
        ("rate", "1600000 segments/s", 1_600_000.0),
        ("rate", "252 Mbps", 21_000.0),
        ("rate", "384 Gbps", 32_000_000.0),
        ("time", "10 sec", 10.0),
        ("time", "2 minutes", 120.0),
        ("time", "5 µs", 5e-6),
        ("rate", "252 mbps", 21_000.0),
        ("rate", "252 Mb/s", 21_000.0),
        ("rate", "384 gbit/s", 32_000_000.0),
        ("segments", "50 packets", 50.0),
        ("buffer", "100 msec", {"rule": "time", "factor": 0.1}),
        ("buffer", "2 mins", {"rule": "time", "factor": 120.0}),
        ("buffer", "30 pkts", {"rule": "segments", "factor": 30.0}),
        ("segments", "50 segments", 50.0),
        ("segments", "1 segment", 1.0),
        ("number", 2, 2.0),
        ("number", "1/3", 1 / 3),
        ("probability", "0.0002", 0.0002),
        ("count", "3", 3),
        ("buffer", "1 bdp", {"rule": "bdp", "factor": 1.0}),
        ("buffer", "0.5 bdp", {"rule": "bdp", "factor": 0.5}),
        ("buffer", "1 bdp/sqrt(n)", {"rule": "bdp_per_sqrt_n", "factor": 1.0}),
        ("buffer", "680 segments", {"rule": "segments", "factor": 680.0}),
        ("distribution", [0.1, 0.6, 0.3], [0.1, 0.6, 0.3]),
        ("distribution", "1/3, 1/3, 1/3", [1 / 3] * 3),
        ("flag", True, True),
        ("flag", "false", False),
    ],
)
def test_text_becomes_base_units_exactly(kind: str, text: object, value: object) -> None:
    assert parse(kind, text) == value


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("time", 81, 'write "81 ms"'),
        ("time", "81", 'write "81 ms"'),
        ("rate", 1600, 'write "1600 seg/ms"'),
        ("segments", 50, 'write "50 segments"'),
        ("time", "81 segments", '"segments" is not a unit of a time'),
        ("rate", "81 ms", '"ms" is not a unit of a rate'),
        ("rate", "10 MB/s", '"MB/s" is not a unit of a rate'),
        ("time", "soon", "not a time"),
        ("time", True, "not a time"),
        ("time", "1e999 s", "too high"),
        ("number", "81 ms", "not a number"),
        ("number", True, "not a number"),
        ("number", float("nan"), "not a finite number"),
        ("number", "1/0", "division by zero"),
        ("count", 2.5, "not a whole number"),
        ("buffer", 680, 'write "680 segments"'),
        ("buffer", "0 bdp", "more than 0 bdp"),
        ("buffer", "2 buffers", "not a buffer size"),
        ("distribution", [0.1, 0.6, 0.4], "sum to 1.1, not to 1"),
        ("distribution", [0.5, 0.5], "not three shares"),
        ("distribution", [1.5, -0.5, 0.0], "a share is negative"),
        ("distribution", ["a", 0.5, 0.5], "not a number"),
        ("flag", "yes", "not true or false"),
        ("flag", 1, "not true or false"),
    ],
)
def test_what_is_wrong_and_what_is_allowed_is_said(kind: str, value: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(kind, value)
    assert message in str(caught.value)
    assert caught.value.allowed


def test_unknown_choice_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r"nearest: half_early.*Allowed: thinking, half_early"):
        parse("choice", "half-early")


@given(st.sampled_from(["time", "rate", "segments"]), st.floats(1e-6, 1e9))
def test_shown_values_parse_back(kind: str, value: float) -> None:
    assert parse(kind, show(kind, value)) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize("value", ["1 bdp", "0.5 bdp/sqrt(n)", "680 segments"])
def test_shown_buffers_parse_back(value: str) -> None:
    assert show("buffer", parse("buffer", value)) == value


def test_thirds_are_shown_as_fractions() -> None:
    assert show("distribution", [1 / 3] * 3) == "1/3, 1/3, 1/3"
    assert show("distribution", [0.1, 0.6, 0.3]) == "0.1, 0.6, 0.3"


def test_whole_numbers_have_one_canonical_form() -> None:
    assert repr(whole(5.0)) == "5"
    assert whole(0.5) == 0.5


@pytest.mark.parametrize("number", [np.int64(3), np.uint8(3), np.float32(3), np.float64(3)])
def test_numbers_of_numpy_are_numbers(number: object) -> None:
    assert parse("number", number) == 3.0
    assert parse("count", number) == 3
    assert type(parse("count", number)) is int


def test_largest_whole_numbers_of_numpy_do_not_overflow() -> None:
    assert parse("distribution", [np.int64(0), np.int64(1), np.uint8(0)]) == [0.0, 1.0, 0.0]
    assert parse("count", np.uint64(2**64 - 1)) == 2**64 - 1
    assert integer(np.uint64(2**64 - 1), "n", 0, 2**64) == 2**64 - 1


@pytest.mark.parametrize("value", [True, np.bool_(True), 3.0, np.float64(3), "3", None, [3], float("nan")])
def test_what_is_not_a_whole_number(value: object) -> None:
    with pytest.raises(InputError, match="not a whole number") as caught:
        integer(value, "replicates", 1, 5)
    assert (caught.value.path, caught.value.allowed) == ("replicates", "a whole number, at least 1 and at most 5")


@pytest.mark.parametrize(("value", "message"), [(0, "too low"), (6, "too high"), (np.int8(-1), "too low")])
def test_bounds_of_whole_numbers(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        integer(value, "replicates", 1, 5)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1600 seg/ms", "1600 seg/ms (19.2 Gbit/s)"),
        ("40 seg/s", "40 seg/s (480 kbit/s)"),
        ("1 segment", "1 segment (1.5 kB)"),
        ("1,234 to 5,000 segments", "1,234 to 5,000 segments (1.85 to 7.5 MB)"),
        ("20 to 160 seg/ms", "20 to 160 seg/ms (240 Mbit/s to 1.92 Gbit/s)"),
        ("a router (1.0000 seg/ms) is slow", "a router (1.0000 seg/ms, 12 Mbit/s) is slow"),
        ("−12 segments/s", "−12 segments/s (−144 kbit/s)"),
        ("2.5 down to 1.2 segments/s", "2.5 down to 1.2 segments/s (30 down to 14.4 kbit/s)"),
        ("2147483648 segments", "2147483648 segments (3.22 TB)"),
        ("0 segments", "0 segments"),
        ("1 bdp", "1 bdp"),
        ("5 segments/interval", "5 segments/interval"),
        ("81 ms", "81 ms"),
        ("24 Mbit/s", "24 Mbit/s"),
        ("factor X5 segments", "factor X5 segments"),
    ],
)
def test_bits_and_bytes_stand_beside_segments(text: str, shown: str) -> None:
    assert with_bits(text) == shown
    assert with_bits(text, None) == text


def test_familiar_units_follow_the_size_of_a_segment() -> None:
    assert units.RATE.familiar(1000, 500) == "4 Mbit/s"
    assert with_bits("1000 seg/s", 500) == "1000 seg/s (4 Mbit/s)"
    for value in (1e-3, 1.0, 83.3333, 999_999.0, 1e10):
        assert parse("rate", units.RATE.familiar(value)) == pytest.approx(value, rel=5e-3), "users may write it back"


@pytest.mark.parametrize("number", ["0.1", "12.3456", "-0", "7.", ".5", "19.663000001", "123456.789012", "1e-3"])
def test_a_number_in_the_base_unit_is_the_nearest_to_its_decimals(number: str) -> None:
    for kind, unit in (("time", "s"), ("segments", "segments")):
        parsed = parse(kind, f"{number} {unit}")
        assert repr(parsed) == repr(float(Fraction(number)))
