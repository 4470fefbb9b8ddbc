"""Goodputs of the users of a campaign, by flow group: means, ranks, shares of the interface."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import RankMatrices, RankSummary, goodput_ranges, rank_matrices, rank_summary
from mesonet.analysis.means import finite_mean
from mesonet.reporting.campaign_view.events import FEWEST_EVENTS
from mesonet.reporting.campaign_view.flow_groups import OWN, TCP, group_labels, group_runs, group_values
from mesonet.reporting.campaign_view.view import CampaignView

Floats = NDArray[np.float64]

#: Names of the kinds of flows in the columns of tables.
KINDS = {OWN: "own", TCP: "tcp"}
UNIT = "segments/s"


class Users:
    """Goodputs of the flow groups of a campaign that kept them, and their ranks, ranges and shares."""

    def __init__(self, view: CampaignView) -> None:
        self.view = view

    @cached_property
    def labels(self) -> dict[int, tuple[str, str, str]]:
        """File category, path class and interface of each flow group with a goodput, by its number."""
        every = list(group_labels(self.view.campaign).items())
        return {every[place][0]: every[place][1] for place in self._kept}

    @cached_property
    def columns(self) -> list[str]:
        """Titles of the flow groups."""
        return [", ".join(parts) for parts in self.labels.values()]

    @cached_property
    def categories(self) -> list[str]:
        """File categories, in the order of the groups."""
        return list(dict.fromkeys(category for category, _, _ in self.labels.values()))

    @cached_property
    def kinds(self) -> list[str]:
        """Kinds of flows that have goodputs: competing flows only if algorithms are mixed with another algorithm."""
        return [kind for kind in KINDS if np.isfinite(self.goodput(kind)).any()]

    def goodput(self, kind: str) -> Floats:
        """Return goodputs of flow groups.

        A value needs `FEWEST_EVENTS` completed flows of every algorithm, over all replicates: fewer flows show little
        but chance, and means over different groups cannot be compared.

        Shape (conditions, algorithms, groups), segments/s; NaN where there are too few flows. `kind`: `OWN` or `TCP`.
        """
        return self._cells[kind][0][:, :, self._kept]

    @cached_property
    def _kept(self) -> list[int]:
        """Places of the flow groups with a goodput in any condition."""
        known = [np.isfinite(values).any(axis=(0, 1)) for values, _, _ in self._cells.values()]
        return [int(place) for place in np.flatnonzero(np.any(known, axis=0))]

    @cached_property
    def _cells(self) -> dict[str, tuple[Floats, int, int]]:
        """Goodputs of all flow groups by kind of flows, cells left out for few flows, and all cells with flows."""
        found = {}
        for kind in KINDS:
            flows = np.nan_to_num(group_runs(self.view.campaign, "flows", kind)).sum(axis=1)
            values = group_values(self.view.campaign, "goodput", kind)
            # If all algorithms are mixed with one of them, that algorithm has no competing flows.
            asked = flows.any(axis=(0, 2))
            enough = (flows[:, asked] >= FEWEST_EVENTS).all(axis=1, keepdims=True)
            seen = flows.any(axis=1)
            goodputs = np.where(enough & asked[:, None], values, np.nan)
            found[kind] = goodputs, int((seen & ~enough[:, 0]).sum()), int(seen.sum())
        return found

    @property
    def left_out(self) -> str:
        """Sentence on the cells that have too few flows; empty if there are none."""
        few, cells = (sum(self._cells[kind][place] for kind in self.kinds) for place in (1, 2))
        if not few:
            return ""
        return f" Left out: {few} of {cells} flow groups and conditions with fewer than {FEWEST_EVENTS} flows."

    def of_category(self, category: str) -> list[int]:
        """Return the places of the groups of a file category.

        Places, from 0, in `labels`. `category`: one of `categories`.
        """
        return [place for place, (name, _, _) in enumerate(self.labels.values()) if name == category]

    def ranks(self, kind: str) -> RankMatrices:
        """Return the ranks of the algorithms in every condition and group.

        Ranks, shape (conditions, groups, algorithms). `kind`: `OWN` or `TCP`.
        """
        values = self.goodput(kind).transpose(0, 2, 1)
        return rank_matrices(
            values, algorithms=self.view.algorithms, columns=self.columns, conditions=self.view.conditions
        )

    @cached_property
    def rank_summary(self) -> RankSummary:
        """Mean ranks by file category and kind of flows. A cell with fewer than two values has no rank."""
        cells, classes = [], []
        for kind in self.kinds:
            rank = self.ranks(kind).rank
            for category in self.categories:
                part = rank[:, self.of_category(category)].reshape(-1, len(self.view.algorithms))
                cells.append(part)
                classes += [f"{category}, {kind}" if len(self.kinds) > 1 else category] * len(part)
        return rank_summary(np.concatenate(cells), classes=classes, algorithms=self.view.algorithms)

    @cached_property
    def ranges(self) -> pl.DataFrame:
        """A row per flow group: differences among algorithms, and of own flows over competing flows, in % (means)."""
        own = mean_over_conditions(self.goodput(OWN))
        tcp = mean_over_conditions(self.goodput(TCP)) if TCP in self.kinds else np.full(own.shape, np.nan)
        among, over = goodput_ranges(own.T, tcp.T)
        among_tcp = goodput_ranges(tcp.T, tcp.T)[0]
        category, path, rate = (list(each) for each in zip(*self.labels.values(), strict=True))
        return pl.DataFrame(
            {"group": list(self.labels), "category": category, "path_class": path, "interface": rate,
             "among": among, "among_tcp": among_tcp, "over_tcp": over}
        ).with_columns(pl.selectors.float().fill_nan(None))  # fmt: skip

    def shares(self) -> pl.DataFrame:
        """Return goodputs in parts of the interface speed.

        Values are means over conditions and the file categories that all algorithms have.

        Columns panel (a path class and an interface), algorithm, kind and value; no rows if the speeds are unknown.
        """
        speeds = np.full((len(self.view.conditions), len(self.view.algorithms), len(self.labels)), np.nan)
        for entry in self.view.campaign.experiment.get("scenarios") or []:
            users = entry.get("scenario", {}).get("users", {})
            if entry["algorithm"] not in self.view.algorithms or entry["condition"] > len(speeds):
                continue  # centre points are not conditions of the design
            column = self.view.algorithms.index(entry["algorithm"])
            for place, (_, _, rate) in enumerate(self.labels.values()):
                speeds[entry["condition"] - 1, column, place] = users.get(f"{rate}_interface", np.nan)
        rows = []
        for kind in self.kinds:
            share = self.goodput(kind) / speeds
            for panel, places in self._panels().items():
                of_all = mean_over_conditions(share[:, :, places])
                asked = np.isfinite(of_all).any(axis=1)
                of_all[:, ~np.isfinite(of_all[asked]).all(axis=0)] = np.nan
                means = finite_mean(of_all, axis=-1)
                for algorithm, value in zip(self.view.algorithms, means, strict=True):
                    rows.append({"panel": panel, "algorithm": algorithm, "kind": kind, "value": known(value)})
        schema = {"panel": pl.String, "algorithm": pl.String, "kind": pl.String, "value": pl.Float64}
        return pl.DataFrame(rows, schema=schema).drop_nulls("value")

    def _panels(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, (_, path, rate) in enumerate(self.labels.values()):
            found.setdefault(f"{path} paths, {rate} interfaces", []).append(place)
        return found

    def table(self) -> pl.DataFrame:
        """Return goodputs and ranks of all flow groups.

        Columns condition, flow_group, algorithm, rank, relative, side, stands_out, goodput (segments/s) and flows (a
        value of `KINDS`).
        """
        frames = []
        for kind in self.kinds:
            found = self.ranks(kind)
            rows = found.to_polars().rename({"column": "flow_group"})
            goodput = pl.Series("goodput", self.goodput(kind).transpose(0, 2, 1).ravel()).fill_nan(None)
            frames.append(rows.with_columns(goodput, pl.lit(KINDS[kind]).alias("flows")))
        return pl.concat(frames)


def users(view: CampaignView) -> Users | None:
    """Return the goodputs of the users of a campaign.

    None if the campaign did not keep flow groups, or has no goodput of own flows.
    """
    if not view.campaign.has_groups:
        return None
    found = Users(view)
    return found if found.labels and OWN in found.kinds else None


def mean_over_conditions(values: Floats) -> Floats:
    """Return means over the conditions in which every algorithm with any value has a value.

    Shape (algorithms, ...); NaN without such a condition. `values`: shape (conditions, algorithms, ...); NaN where
    missing.
    """
    there = np.isfinite(values)
    absent = ~there.any(axis=0, keepdims=True)
    complete = (there | absent).all(axis=1, keepdims=True) & there
    return finite_mean(np.where(complete, values, np.nan), axis=0)


def known(value: float) -> float | None:
    """Return a number, or None for a value that is not finite."""
    return float(value) if np.isfinite(value) else None
