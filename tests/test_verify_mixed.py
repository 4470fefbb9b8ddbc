"""Measures of experiments that mix alternates with standard TCP, against numbers given by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

from verification.measures import mixed
from verification.scorecard.reasons import NotEvaluated
from verification.scorecard.shares import Share

FIELDS = ("condition", "category", "rate_class", "flow_algorithm", "flows", "goodput")


class Given:
    """A campaign of one alternate, bic, in two conditions."""

    def __init__(self, rows: list[tuple[int, str, str, str, int, float]]) -> None:
        same = {"algorithm": "bic", "replicate": 1, "period": "measured", "path_class": "fast"}
        self.groups = pl.DataFrame([{**dict(zip(FIELDS, row, strict=True)), **same} for row in rows])

    def load(self, name: str) -> Given:
        return self

    def seed_of(self, name: str) -> int:
        return 1

    def judged(self, name: str, *, whole: bool = False) -> np.ndarray:
        return np.array([1, 2])

    def table(self, name: str, response: str) -> np.ndarray:
        return np.array([[1.0, 3.0], [10.0, 20.0], [4.0, 5.0]])


ROWS = [
    (1, "web object", "fast", "bic", 100, 20.0), (1, "web object", "fast", "tcp", 100, 10.0),
    (1, "web object", "normal", "bic", 100, 900.0), (1, "web object", "normal", "tcp", 100, 10.0),
    (1, "document", "fast", "bic", 30, 30.0), (1, "document", "fast", "tcp", 30, 10.0),
    (1, "document", "normal", "bic", 29, 1.0), (1, "document", "normal", "tcp", 30, 10.0),
    (2, "web object", "fast", "bic", 100, 20.0), (2, "web object", "fast", "tcp", 100, 10.0),
    (2, "document", "fast", "bic", 30, 5.0), (2, "document", "fast", "tcp", 30, 10.0),
]  # fmt: skip


class Designed:
    """Four conditions of two factors."""

    rows = SimpleNamespace(matrix=np.array([[-1.0, -1], [1, -1], [-1, 1], [1, 1]]))
    experiment: ClassVar = {"response_set": "asme-22"}

    def load(self, name: str) -> Designed:
        return self

    def judged(self, name: str) -> np.ndarray:
        return np.array([1, 2, 3, 4])

    def table(self, name: str, response: str, period: str) -> np.ndarray:
        linear, product = np.array([1.0, 3, 5, 7]), np.array([0.5, -0.5, -0.5, 0.5])
        return (linear + product * (response != "loss_rate"))[:, None] * np.ones(3)


def test_what_main_effects_explain() -> None:
    given: Any = Designed()  # all but one response have a product of the factors: 1 of 21 for one degree of freedom
    assert mixed.linear_part(given, "x") == pytest.approx(1 - 1 / ((16 + 4 + 1) / 3))


def test_what_a_rate_comes_to_in_an_hour() -> None:
    given: Any = Given(ROWS)
    found = [mixed.in_an_hour(given, "x", "flow_rate", which) for which in ("mean", "least", "most")]
    assert found == pytest.approx([3600 * (2 + 15 + 4.5) / 3, 7200, 54000])


def test_the_advantage_is_a_geometric_mean_over_groups_with_enough_flows() -> None:
    given: Any = Given(ROWS)
    assert mixed.advantage(given, "x", "document") == pytest.approx(math.sqrt(3 * 0.5) - 1)
    assert mixed.advantage(given, "x", "web object", "bic") == pytest.approx((2 * 90 * 2) ** (1 / 3) - 1)
    with pytest.raises(NotEvaluated, match="fewer than 30"):
        mixed.advantage(given, "x", "movie")


def test_categories_are_compared_between_the_same_hosts() -> None:
    given: Any = Given(ROWS)
    assert mixed.advantage_grows(given, "x", "web object", "document") == Share(1, 2)  # 3 and 1/2 against 2 and 2
    assert mixed.advantage_grows(given, "x", "document", "web object") == Share(1, 2)
    with pytest.raises(NotEvaluated, match="fewer than 30"):
        mixed.advantage_grows(given, "x", "document", "movie")


def test_conditions_whose_load_had_not_settled_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    given: Any = Given(ROWS)
    monkeypatch.setattr(Given, "judged", lambda *_, **__: np.array([1]))
    assert set(mixed.advantages(given, "x", "document")["condition"]) == {1}
    assert mixed.advantage_grows(given, "x", "web object", "document") == Share(1, 1)
