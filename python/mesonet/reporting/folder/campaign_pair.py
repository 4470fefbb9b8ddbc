"""Comparison of two campaigns: goodputs of users, and every common response, algorithm by algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.charts.two_experiments import two_experiments
from mesonet.errors import InputError
from mesonet.reporting.campaign_view.flow_groups import OWN
from mesonet.reporting.campaign_view.sampled import is_sampled
from mesonet.reporting.campaign_view.users import UNIT, known, mean_over_conditions, users
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.folder.gallery import FigureFile
from mesonet.words import counted, listed, percent

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


_MOST_NAMED = 4


@dataclass(frozen=True)
class CampaignPair:
    """Two campaigns at two levels that share algorithms.

    Raises an InputError for campaigns that cannot be compared.
    """

    view: CampaignView
    other: Campaign

    def __post_init__(self) -> None:
        own = self.view.campaign
        refused = partial(InputError, path="--beside", value=str(self.other.path))
        if is_sampled(own) or is_sampled(self.other):
            whose = "this one" if is_sampled(own) else "the other"
            raise refused(f"only experiments at two levels stand beside each other, and {whose} has none")
        if self.other.path.resolve() == own.path.resolve():
            raise refused("the campaign itself", allowed="another campaign")
        if (own.experiment.get("model") is None) != (self.other.experiment.get("model") is None):
            raise refused("one campaign is of a network, the other of a model", allowed="two of a kind")
        if not self.algorithms:
            raise refused("no algorithm of the campaign", allowed=f"a campaign with {', '.join(own.algorithms)}")
        if not self._views[1].has_results:
            raise refused("no run of the campaign is done", allowed="run it first")

    @property
    def algorithms(self) -> list[str]:
        """Algorithms of both campaigns."""
        return [name for name in self.view.algorithms if name in self.other.algorithms]

    @cached_property
    def names(self) -> tuple[str, str]:
        """Names of the two campaigns in figures and tables, which differ."""
        own, other = self.view.campaign.name, self.other.name
        return (own, other) if own != other else (f"{own} (this one)", f"{other} (the other)")

    @cached_property
    def _views(self) -> tuple[CampaignView, CampaignView]:
        return self.view, CampaignView(self.other)

    @cached_property
    def goodputs(self) -> pl.DataFrame:
        """Goodputs of own flows, means over the conditions; no rows if a campaign did not keep flow groups.

        The columns are experiment, category, path_class, interface, algorithm and goodput, segments/s.
        """
        rows = []
        kept = [found for view in self._views if (found := users(view)) is not None]
        if len(kept) == len(self.names):
            for name, found in zip(self.names, kept, strict=True):
                means = mean_over_conditions(found.goodput(OWN))
                for place, (category, path, rate) in enumerate(found.labels.values()):
                    for algorithm in self.algorithms:
                        value = known(means[found.view.algorithms.index(algorithm), place])
                        rows.append((name, category, path, rate, algorithm, value))
        schema = {
            "experiment": pl.String, "category": pl.String, "path_class": pl.String, "interface": pl.String,
            "algorithm": pl.String, "goodput": pl.Float64,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def sentence(self) -> str:
        """Sentence on the other differences between the campaigns: algorithms, factors, conditions, scale, values."""
        one, two = self.view.campaign, self.other
        text = [
            f"{word} ({', '.join(here) or 'none'} against {', '.join(there) or 'none'})"
            for word, here, there in (
                ("algorithms", one.algorithms, two.algorithms), ("factors", one.design.factors, two.design.factors),
                ("conditions", (str(one.design.runs),), (str(two.design.runs),)),
                ("scale", *((str(each.experiment.get("scale", 1)),) for each in (one, two))),
            )
            if here != there
        ]  # fmt: skip
        values, others = (
            {entry["path"]: str(entry["value"]) for entry in each.experiment.get("parameters", [])}
            for each in (one, two)
        )
        # Values that only one campaign has, such as a time series kept, cannot be compared.
        changed = [path for path in values if path in others and values[path] != others[path]]
        changed.sort(key=lambda path: not path.startswith("time."))  # times are listed first
        text += [f"{path} ({values[path]} against {others[path]})" for path in changed[:_MOST_NAMED]]
        text += [counted(len(changed) - _MOST_NAMED, "further value")] if len(changed) > _MOST_NAMED else []
        between = f"{self.names[0]} and {self.names[1]}"
        return f"Between {between} differ: {listed(text)}." if text else f"{between} have the same settings."

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables of the comparison.

        ``beside_responses``: response, algorithm, the mean over the conditions of each campaign, and the change in %.
        If there are any, ``beside_goodputs``, see `goodputs`.
        """
        one, two = (view.network.comparison for view in self._views)
        rows = []
        for response in one.responses:
            if response not in two.responses:
                continue
            for algorithm in self.algorithms:
                first, second = (
                    float(found.mean[found.algorithms.index(algorithm), found.responses.index(response)])
                    for found in (one, two)
                )
                change = 100 * (second / first - 1) if first else float("nan")
                rows.append((response, algorithm, first, second, change))
        schema = {"response": pl.String, "algorithm": pl.String, **dict.fromkeys((*self.names, "change"), pl.Float64)}
        table = pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.selectors.float().fill_nan(None))
        return {"beside_responses": table} | ({} if self.goodputs.is_empty() else {"beside_goodputs": self.goodputs})

    def figures(self) -> list[FigureFile]:
        """Return a figure per kind of file."""
        asked = "What do users get in the one experiment, what in the other?"
        return [
            FigureFile(f"beside/goodput_{category.replace(' ', '_')}", asked, partial(self._bars, category))
            for category in self.goodputs["category"].unique(maintain_order=True)
        ]

    def _bars(self, category: str) -> tuple[dict[str, Any], str]:
        panel = pl.concat_str("path_class", pl.lit(", "), "interface")
        rows = self.goodputs.filter(category=category).with_columns(panel=panel, value=pl.col("goodput"))
        chart = two_experiments(
            rows.select("experiment", "panel", "algorithm", "value"), self.algorithms, experiments=self.names,
            panels=rows["panel"].unique(maintain_order=True).to_list(),
            title=f"Goodput of {category} flows in {self.names[0]} (above) and {self.names[1]} (below)",
            response=f"{UNIT}, mean over the conditions",
        )  # fmt: skip
        return chart.to_dict(validate=False), beside_caption(rows, self.names)


def beside_caption(rows: pl.DataFrame, names: tuple[str, str]) -> str:
    """Return the cases (algorithm and class) in which the second experiment gives more, as text.

    `rows`: columns experiment, panel, algorithm and value.
    """
    pairs = rows.drop_nulls("value").pivot(on="experiment", index=["panel", "algorithm"], values="value")
    if not set(names) <= set(pairs.columns) or (both := pairs.drop_nulls(list(names))).is_empty():
        return "No class of flows has goodputs in both experiments."
    change = (100 * (both[names[1]] / both[names[0]] - 1)).alias("change")
    more, place = int((change > 0).sum()), int(change.abs().arg_max() or 0)
    most = both.row(place, named=True)
    largest = percent(float(change[place]), sign=True)
    return (
        f"{names[1]} gives more than {names[0]} in {more} of {counted(both.height, 'case')} (algorithm and class of "
        f"paths and interfaces). The largest change is {largest}, {most['algorithm']} on {most['panel']}."
    )
