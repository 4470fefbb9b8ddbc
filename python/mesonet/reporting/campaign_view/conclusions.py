"""Conclusions of an experiment, evaluated in every condition of its campaign.

The support of a conclusion is a relative difference in %: the difference of two values divided by the mean of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.conclusions import Conclusion, conclusion
from mesonet.analysis.means import finite_mean
from mesonet.reporting.campaign_view.tables import labelled
from mesonet.reporting.campaign_view.view import CampaignView

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Evaluated:
    """A conclusion and its result."""

    about: Mapping[str, Any]  #: `mesonet.campaign.documents.ConclusionEntry` as plain data
    support: Floats  #: per condition, %, mean over replicates; NaN where a value is missing
    found: Conclusion | None  #: None if no condition has a value

    @property
    def statement(self) -> str:
        """Comparison in words."""
        about, by = self.about, f"{100 * self.about['least']:.4g} %"
        names = ", ".join(about["algorithms"])
        if about["higher"] is None:
            return f"{about['response']} of {names} within {by}"
        more = f" by more than {by}" if about["least"] else ""
        return f"{about['response']} of {about['higher']} above {names}{more}"


def conclusions(view: CampaignView) -> list[Evaluated]:
    """Return the conclusions of a campaign, in the order of its file.

    One entry per conclusion; an empty list if the experiment has no conclusions.
    """
    return [_evaluated(view.network, about) for about in view.campaign.experiment.get("conclusions") or []]


def support_of(about: Mapping[str, Any], values: Floats, algorithms: tuple[str, ...]) -> Floats:
    """Return the support of a conclusion.

    Shape (...), %: above 0 where the conclusion holds. NaN where an algorithm has no value. Two values of 0 do not
    differ. `about`: the conclusion, as in ``experiment.json``. `values`: shape (..., algorithms); NaN where missing.
    """
    others = values[..., [algorithms.index(name) for name in about["algorithms"]]]
    highest = others.max(axis=-1)
    if about["higher"] is None:
        lowest, mean = others.min(axis=-1), np.abs(others).mean(axis=-1)
        return np.asarray(100 * about["least"] - _ratio(highest - lowest, mean))
    own = values[..., algorithms.index(about["higher"])]
    return np.asarray(_ratio(own - highest, (np.abs(own) + np.abs(highest)) / 2) - 100 * about["least"])


def conclusion_tables(view: CampaignView) -> dict[str, pl.DataFrame]:
    """Return the tables of the conclusions by name.

    ``conclusions``, ``conclusions_by_factor`` and ``conclusions_by_condition``; nothing without conclusions that have
    values.
    """
    every = [each for each in conclusions(view) if each.found is not None]
    if not every:
        return {}
    rows = [
        {
            "conclusion": each.about["id"], "text": each.about["text"], "source": each.about["source"],
            "statement": each.statement, "verdict": found.verdict, "depends_on": ", ".join(found.deciding),
            "holds": found.holds, "known": found.known, "mean_support": found.mean,
            "margin_of_error": found.margin_of_error, "visible_effect": found.visible, "notes": " ".join(found.notes),
        }
        for each in every
        if (found := each.found) is not None
    ]  # fmt: skip
    by_factor = [
        labelled(each.found.to_polars(), {"conclusion": each.about["id"]}) for each in every if each.found is not None
    ]
    by_condition = pl.DataFrame({"condition": view.conditions, **{each.about["id"]: each.support for each in every}})
    return {
        "conclusions": pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None)),
        "conclusions_by_factor": pl.concat(by_factor, how="vertical_relaxed"),
        "conclusions_by_condition": by_condition.with_columns(pl.selectors.float().fill_nan(None)),
    }


def _evaluated(view: CampaignView, about: Mapping[str, Any]) -> Evaluated:
    period, wanted = about["period"], {about["higher"], *about["algorithms"]} - {None}
    nothing = np.full(len(view.conditions), np.nan)
    if about["response"] not in view.in_period.get(period, []) or not wanted <= set(view.algorithms):
        return Evaluated(about, nothing, None)
    values = view.cube_for_tests(period)[..., view.in_period[period].index(about["response"])]
    support = support_of(about, values, view.algorithms)
    if not np.isfinite(support).any():
        return Evaluated(about, nothing, None)
    means = support if support.ndim == 1 else finite_mean(support, axis=1)
    return Evaluated(about, means, conclusion(view.campaign.design, support, noise=view.noise))


def _ratio(difference: Floats, mean: Floats) -> Floats:
    """Return a difference in % of a mean; 0 where both are 0."""
    with np.errstate(all="ignore"):
        return np.asarray(np.where(difference == 0, 0.0, 100 * difference / mean))
