"""Figures about users, by flow group: goodputs, wins against the incumbent, ranks; a sentence for each."""

from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet import plots
from mesonet.analysis import RankMatrices, RankSummary, goodput_ranges, rank_matrices, rank_summary
from mesonet.files.names import file_stem
from mesonet.reporting.campaign_view.events import FEWEST_EVENTS
from mesonet.reporting.campaign_view.method import Method
from mesonet.reporting.campaign_view.space import OWN, TCP, group_labels, group_runs, group_values, has_groups
from mesonet.reporting.campaign_view.study import INCUMBENT, Study
from mesonet.reporting.figures.drawable import ChartAndCaption, Drawable
from mesonet.reporting.verdicts.verdict import incumbent
from mesonet.words import counted, listed, number, percent, verb

Floats = NDArray[np.float64]

#: What the kinds of flows are called in the columns of tables.
KINDS = {OWN: "own", TCP: "tcp"}
UNIT = "segments/s"


class Users:
    """Goodputs of the flow groups of a campaign that kept them, and what follows from them."""

    def __init__(self, method: Method) -> None:
        self.method = method
        self.study = method.study

    @cached_property
    def labels(self) -> dict[int, tuple[str, str, str]]:
        """File category, path class and interface of each flow group with a goodput, by its number."""
        every = list(group_labels(self.study).items())
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
        """Kinds of flows that have goodputs: competing flows only where algorithms are mixed with another."""
        return [kind for kind in KINDS if np.isfinite(self.goodput(kind)).any()]

    def goodput(self, kind: str) -> Floats:
        """Return goodputs, shape (conditions, algorithms, groups), segments/s; NaN where flows are too few.

        A value needs `FEWEST_EVENTS` completed flows of every algorithm, over all replicates: fewer flows show
        little but chance, and means over different groups cannot be compared.
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
            flows = np.nan_to_num(group_runs(self.study, "flows", kind)[1]).sum(axis=1)
            values = group_values(self.study, "goodput", kind)[1]
            # Where all algorithms are mixed with one of them, it has no competing flows.
            asked = flows.any(axis=(0, 2))
            enough = (flows[:, asked] >= FEWEST_EVENTS).all(axis=1, keepdims=True)
            seen = flows.any(axis=1)
            goodputs = np.where(enough & asked[:, None], values, np.nan)
            found[kind] = goodputs, int((seen & ~enough[:, 0]).sum()), int(seen.sum())
        return found

    @property
    def left_out(self) -> str:
        """Say how many cells have too few flows; empty if none."""
        few, cells = (sum(self._cells[kind][place] for kind in self.kinds) for place in (1, 2))
        if not few:
            return ""
        return f" Left out: {few} of {cells} flow groups and conditions with fewer than {FEWEST_EVENTS} flows."

    def of_category(self, category: str) -> list[int]:
        """Return the places of the groups of a file category."""
        return [place for place, (name, _, _) in enumerate(self.labels.values()) if name == category]

    def ranks(self, kind: str) -> RankMatrices:
        """Return the ranks of the algorithms in every condition and group."""
        values = self.goodput(kind).transpose(0, 2, 1)
        return rank_matrices(
            values, algorithms=self.study.algorithms, columns=self.columns, conditions=self.study.conditions
        )

    @cached_property
    def rank_summary(self) -> RankSummary:
        """Mean ranks by file category and kind of flows. A cell with one value, or none, has no rank."""
        cells, classes = [], []
        for kind in self.kinds:
            rank = self.ranks(kind).rank
            for category in self.categories:
                part = rank[:, self.of_category(category)].reshape(-1, len(self.study.algorithms))
                cells.append(part)
                classes += [f"{category}, {kind}" if len(self.kinds) > 1 else category] * len(part)
        return rank_summary(np.concatenate(cells), classes=classes, algorithms=self.study.algorithms)

    @cached_property
    def ranges(self) -> pl.DataFrame:
        """Return, per flow group, how far algorithms lie apart, and own flows over competing ones (means)."""
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
        """Return goodput in parts of the interface speed: panel, algorithm, kind, value; empty if unknown.

        Values are means over conditions and the file categories that all algorithms have. A panel is a path class
        and an interface.
        """
        speeds = np.full((len(self.study.conditions), len(self.study.algorithms), len(self.labels)), np.nan)
        for entry in self.study.campaign.experiment.get("scenarios") or []:
            users = entry.get("scenario", {}).get("users", {})
            if entry["algorithm"] not in self.study.algorithms or entry["condition"] > len(speeds):
                continue  # centre points are no condition of the design
            column = self.study.algorithms.index(entry["algorithm"])
            for place, (_, _, rate) in enumerate(self.labels.values()):
                speeds[entry["condition"] - 1, column, place] = users.get(f"{rate}_interface", np.nan)
        rows = []
        for kind in self.kinds:
            share = self.goodput(kind) / speeds
            for panel, places in self._panels().items():
                of_all = mean_over_conditions(share[:, :, places])
                asked = np.isfinite(of_all).any(axis=1)
                of_all[:, ~np.isfinite(of_all[asked]).all(axis=0)] = np.nan
                means = _mean_last(of_all)
                for algorithm, value in zip(self.study.algorithms, means, strict=True):
                    rows.append({"panel": panel, "algorithm": algorithm, "kind": kind, "value": _known(value)})
        schema = {"panel": pl.String, "algorithm": pl.String, "kind": pl.String, "value": pl.Float64}
        return pl.DataFrame(rows, schema=schema).drop_nulls("value")

    def _panels(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, (_, path, rate) in enumerate(self.labels.values()):
            found.setdefault(f"{path} paths, {rate} interfaces", []).append(place)
        return found

    def table(self) -> pl.DataFrame:
        """Return goodputs and ranks: condition, algorithm, flow group, kind of flows, goodput, rank, and side."""
        frames = []
        for kind in self.kinds:
            found = self.ranks(kind)
            rows = found.to_polars().rename({"column": "flow_group"})
            goodput = pl.Series("goodput", self.goodput(kind).transpose(0, 2, 1).ravel()).fill_nan(None)
            frames.append(rows.with_columns(goodput, pl.lit(KINDS[kind]).alias("flows")))
        return pl.concat(frames)


def users(method: Method) -> Users | None:
    """Return the goodputs of users; None for a campaign that did not keep flow groups, or has none."""
    if not has_groups(method.study):
        return None
    found = Users(method)
    return found if found.labels and OWN in found.kinds else None


def user_figures(method: Method) -> list[Drawable]:
    """Return the figures of users' goodputs that the campaign can have."""
    found = users(method)
    if found is None:
        return []
    figures = []
    # Where algorithms are not mixed, the one to compare with is the incumbent alone in the same condition.
    mixed = TCP in found.kinds
    alone = not mixed and incumbent(method.study) is not None
    rival = _rival(method.study)
    for category in found.categories:
        stem, chosen = category.replace(" ", "_"), {"file": category}
        asked = f"What do users get who fetch a {category}?"
        figures.append(
            Drawable(f"users/goodput_{stem}", asked, partial(_bars, found, category), "users/goodput", chosen)
        )
        if not (mixed or alone) or _pairs(found, category)[0].drop_nulls(["x", "y"]).is_empty():
            continue
        wins = f"Who wins against {rival}?" if mixed else f"Who gets more than {rival} does in its own network?"
        for what, asked, draw in (
            ("against_tcp", wins, _scatter),
            ("differences", "When does it win?", _differences),
        ):  # fmt: skip
            figures.append(
                Drawable(f"users/{what}_{stem}", asked, partial(draw, found, category), f"users/{what}", chosen)
            )
    if not found.shares().is_empty():
        asked = "How much of the path do they use?"
        figures.append(Drawable("users/available_share", asked, partial(_shares, found)))
    if len(method.study.algorithms) > 1:
        for kind in found.kinds:
            for algorithm in method.study.algorithms:
                asked = f"Where does {algorithm} serve users better than the others?"
                name = f"users/rank_matrix_{KINDS[kind]}_{file_stem(algorithm)}"
                chosen = {"flows": kind, "algorithm": algorithm}
                draw = partial(_rank_matrix, found, kind, algorithm)
                figures.append(Drawable(name, asked, draw, "users/rank_matrix", chosen))
        asked = "Who is good everywhere?"
        figures.append(Drawable("users/rank_table", asked, partial(_rank_table, found)))
        figures.append(Drawable("users/rank_scatter", asked, partial(_rank_scatter, found)))
        asked = "How much does the choice of algorithm matter to users?"
        figures.append(Drawable("users/goodput_ranges", asked, partial(_ranges, found)))
    return figures


def _bars(found: Users, category: str) -> ChartAndCaption:
    rows, places = [], found.of_category(category)
    labels = list(found.labels.values())
    for kind in found.kinds:
        means = mean_over_conditions(found.goodput(kind))
        for place in places:
            for algorithm, value in zip(found.study.algorithms, means[:, place], strict=True):
                rows.append({"panel": f"{labels[place][1]}, {labels[place][2]}", "algorithm": algorithm, "kind": kind,
                             "value": _known(value)})  # fmt: skip
    schema = {"panel": pl.String, "algorithm": pl.String, "kind": pl.String, "value": pl.Float64}
    table = pl.DataFrame(rows, schema=schema)
    if len(found.kinds) == 1:
        table = table.drop("kind")
    # Those of all categories: one may lack some.
    panels = list(dict.fromkeys(f"{path}, {rate}" for _, path, rate in labels))
    chart = plots.grouped_bars(
        table, found.study.algorithms, panels=panels, kinds=found.kinds if len(found.kinds) > 1 else (),
        title=f"Goodput of {category} flows by path class and interface", response=f"{UNIT}, mean over the conditions",
    )  # fmt: skip
    return chart, bars_caption(found, category)


def bars_caption(found: Users, category: str) -> str:
    """Return the algorithms with most and least goodput over path classes and interfaces, as text."""
    means = mean_over_conditions(found.goodput(OWN))[:, found.of_category(category)]
    complete = means[:, np.isfinite(means).all(axis=0)]
    if not complete.shape[1] or len(found.study.algorithms) < 2:
        return f"{category.capitalize()} flows have goodputs of one algorithm only, or of none: nothing to compare."
    best, worst = complete.argmax(axis=0), complete.argmin(axis=0)
    names = found.study.algorithms
    wins = [int((best == i).sum()) for i in range(len(names))]
    first = [name for name, count in zip(names, wins, strict=True) if count == max(wins)]
    widest = int(np.argmax(complete.max(axis=0) / np.maximum(complete.min(axis=0), 1e-300)))
    ratio = 100 * (complete[:, widest].max() / complete[:, widest].min() - 1)
    classes = [found.columns[p] for p in np.array(found.of_category(category))[np.isfinite(means).all(axis=0)]]
    return (
        f"{listed(first)} {verb(len(first), 'get')} most in {max(wins)}{' each' if first[1:] else ''} of "
        f"{counted(complete.shape[1], 'class', 'classes')} of paths and interfaces. The algorithms lie farthest apart "
        f"for {classes[widest]}: {names[int(best[widest])]} gets {percent(float(ratio))} more than "
        f"{names[int(worst[widest])]}.{found.left_out}"
    )


def _rival(study: Study) -> str:
    """Return the algorithm that others are compared with: the one that all are mixed with, else the incumbent."""
    return str(study.campaign.experiment.get("mixed_with") or incumbent(study) or INCUMBENT)


def _pairs(found: Users, category: str) -> tuple[pl.DataFrame, str]:
    """Return the goodput of own flows (x) and of the incumbent (y) per condition and algorithm, mean over the groups of
    a category, and what y is. Without competing flows, y is the incumbent alone in the same condition."""
    places = found.of_category(category)
    own = _mean_last(found.goodput(OWN)[:, :, places])
    study = found.study
    if TCP in found.kinds:
        other, said = _mean_last(found.goodput(TCP)[:, :, places]), f"competing {_rival(study)} flows"
    else:
        other = np.repeat(own[:, [study.algorithms.index(str(incumbent(study)))]], own.shape[1], axis=1)
        said = f"{_rival(study)} in its own network"
    classes = {
        c: found.method.classes.names[n - 1]
        for c, n in zip(found.method.classes.conditions, found.method.classes.number, strict=True)
    }
    rows = [
        {"condition": c, "algorithm": a, "x": _known(own[c - 1, i]), "y": _known(other[c - 1, i]),
         "class": classes.get(c, "unknown")}
        for c in study.by_congestion
        for i, a in enumerate(study.algorithms)
        if TCP in found.kinds or a != incumbent(study)
    ]  # fmt: skip
    schema = {"condition": pl.Int64, "algorithm": pl.String, "x": pl.Float64, "y": pl.Float64, "class": pl.String}
    return pl.DataFrame(rows, schema=schema), said


def _scatter(found: Users, category: str) -> ChartAndCaption:
    table, said = _pairs(found, category)
    chart = plots.yy_scatter(
        table, found.study.algorithms, x=f"own, {UNIT}", y=f"{_rival(found.study)}, {UNIT}",
        title=f"Goodput of {category} flows: own against {said}",
    )  # fmt: skip
    return chart, wins_caption(table, said)


def _differences(found: Users, category: str) -> ChartAndCaption:
    table, said = _pairs(found, category)
    chart = plots.condition_bars(
        table.with_columns(value=pl.col("x") - pl.col("y")), found.study.algorithms, order=found.study.by_congestion,
        title=f"Goodput of {category} flows less that of {said}", response=UNIT,
    )  # fmt: skip
    return chart, wins_caption(table, said)


def wins_caption(table: pl.DataFrame, other: str) -> str:
    """Return the number of conditions in which each algorithm's flows get more and less than the others, as text."""
    known = table.drop_nulls(["x", "y"])
    if known.is_empty():
        return "There is nothing to compare."
    apart = (pl.col("x") - pl.col("y")).abs() > 1e-9 * pl.max_horizontal("x", "y")
    counts = known.group_by("algorithm", maintain_order=True).agg(
        wins=((pl.col("x") > pl.col("y")) & apart).sum(),
        losses=((pl.col("x") < pl.col("y")) & apart).sum(),
        all=pl.len(),
    )
    ranked = counts.sort("wins", descending=True).iter_rows()
    said = [f"{name} {wins} and {losses} of {n}" for name, wins, losses, n in ranked]
    return f"Conditions with more and with less than {other}: {', '.join(said)}."


def _shares(found: Users) -> ChartAndCaption:
    table = found.shares()
    panels = list(dict.fromkeys(table["panel"]))
    chart = plots.grouped_bars(
        table if len(found.kinds) > 1 else table.drop("kind"), found.study.algorithms, panels=panels,
        kinds=found.kinds if len(found.kinds) > 1 else (), share=True,
        title="Goodput in % of the speed of the interface", response="mean over conditions and kinds of files",
    )  # fmt: skip
    return chart, shares_caption(table)


def shares_caption(table: pl.DataFrame) -> str:
    """Return the largest and the smallest share of the interface, each with the next algorithm, as text."""
    ordered = table.drop_nulls("value").sort("value", descending=True, maintain_order=True)
    if ordered.is_empty():
        return "No share is known."
    top, low = ordered.row(0, named=True), ordered.row(-1, named=True)
    same = [name for name in ("panel", "kind") if name in ordered.columns]

    def said(row: dict[str, Any], place: int) -> str:
        there = ordered.filter(*(pl.col(name) == row[name] for name in same))
        shown = {name: percent(100 * value) for name, value in there.select("algorithm", "value").iter_rows()}
        own = shown[row["algorithm"]]
        alike = [name for name, text in shown.items() if text == own]
        others = [name for name in shown if name not in alike]
        who = listed(alike) if others or len(alike) == 1 else "all algorithms"
        return f"{own} on {row['panel']}, of {who}" + (
            f" (next {others[place]}, {shown[others[place]]})" if others else ""
        )

    return f"The largest share is {said(top, 0)}; the smallest is {said(low, -1)}."


def _rank_matrix(found: Users, kind: str, algorithm: str) -> ChartAndCaption:
    result = found.ranks(kind)
    groups = {c: [found.columns[p] for p in found.of_category(c)] for c in found.categories}
    short = {name: ", ".join(parts[1:]) for name, parts in zip(found.columns, found.labels.values(), strict=True)}
    # Columns of different categories have the same short name: the place keeps them apart.
    labels = {name: f"{short[name]}{' ' * found.categories.index(name.split(', ')[0])}" for name in found.columns}
    chart = plots.rank_matrix(
        result, algorithm, order=found.study.by_congestion, labels=labels,
        groups={c: [labels[name] for name in names] for c, names in groups.items()},
        title=f"Rank of the goodput of {kind if kind == OWN else 'the flows that compete'}, {algorithm}",
        order_title=f"condition, {found.study.order_words}",
    )  # fmt: skip
    return chart, rank_caption(result, algorithm)


def rank_caption(result: RankMatrices, algorithm: str) -> str:
    """Return the cells in which an algorithm is above or below the mean, or farthest from it, as text."""
    place = result.algorithms.index(algorithm)
    side, out = result.side[:, :, place], result.stands_out[:, :, place]
    known = int(np.isfinite(result.rank[:, :, place]).sum())
    if not known:
        return f"{algorithm} has no cell to be compared in."
    said = f"{algorithm} is above the mean of all in {int((side > 0).sum())} of {counted(known, 'cell')}, below it in "
    said += f"{int((side < 0).sum())}"
    if len(result.algorithms) > 2:  # two algorithms are equally far from their mean
        said += f"; it is the highest and farthest from the mean in {int((out > 0).sum())}, the lowest and farthest in "
        said += f"{int((out < 0).sum())}"
    return f"{said}."


def _rank_table(found: Users) -> ChartAndCaption:
    result = found.rank_summary
    return plots.rank_table(result, title="Average ranks of the goodput"), ranks_caption(result)


def _rank_scatter(found: Users) -> ChartAndCaption:
    result = found.rank_summary
    return plots.rank_scatter(result, title="Average rank of the goodput and its spread"), ranks_caption(result)


def ranks_caption(result: RankSummary) -> str:
    """Return the algorithm with the best average rank, and the steadiest, as text."""
    known = np.isfinite(result.overall)
    if not known.any():
        return "There are no ranks: no cell has goodputs of two algorithms."
    order = [int(i) for i in np.argsort(-np.where(known, result.overall, -np.inf), kind="stable") if known[i]]
    best = order[0]
    said = f"{result.algorithms[best]} has the highest average rank, {number(float(result.overall[best]))}"
    said += f" of {len(result.algorithms)}"
    spread = int(np.isfinite(result.mean).any(axis=0).sum()) > 2  # of two numbers it says nothing
    said += f" (SD {number(float(result.sd[best]), 2)})" if spread else ""
    if len(order) > 1:
        said += f", before {_gap(result, best, order[1])}"
    said += "."
    if spread and np.isfinite(result.sd).any():
        by_spread = [int(i) for i in np.argsort(result.sd, kind="stable") if np.isfinite(result.sd[i])]
        spreads = [number(float(result.sd[place]), 2) for place in by_spread]
        if len(spreads) > 1 and spreads[0] == spreads[1]:
            return said
        steady = by_spread[0]
        said += f" Steadiest: {result.algorithms[steady]} (average {number(float(result.overall[steady]))}, SD "
        said += (
            spreads[0] + (f"; next {result.algorithms[by_spread[1]]}, SD {spreads[1]}" if spreads[1:] else "") + ")."
        )
    return said


def _gap(result: RankSummary, best: int, second: int) -> str:
    """Return the runner-up, and whether the gap is large beside the spread of both over the kinds of flows."""
    said = f"{result.algorithms[second]} with {number(float(result.overall[second]))}"
    gap = float(result.overall[best] - result.overall[second])
    spread = float(np.nanmin([result.sd[best], result.sd[second], np.inf]))
    if gap == 0:
        return f"{said}: no gap at all"
    classes = int(np.isfinite(result.mean).any(axis=0).sum())
    return (
        f"{said}: a gap of {number(gap, 2)}, less than either's SD" if classes > 2 and gap < spread < np.inf else said
    )


def _ranges(found: Users) -> ChartAndCaption:
    table = found.ranges
    rows = []
    columns = {
        "among": "among algorithms, %",
        "among_tcp": "among competing flows, %",
        "over_tcp": "own over competing, %",
    }
    shown = [name for name in columns if table[name].null_count() < table.height]
    named = [f"{c}, {p}, {r}" for c, p, r in table.select("category", "path_class", "interface").iter_rows()]
    largest = max((abs(v) for name in shown for v in table[name].drop_nulls()), default=1.0) or 1.0
    for name in shown:
        for label, value in zip(named, table[name], strict=True):
            rows.append({"row": label, "column": columns[name], "text": "–" if value is None else number(value, 2),
                         "shade": 0.0 if value is None else min(1.0, abs(value) / largest)})  # fmt: skip
    schema = {"row": pl.String, "column": pl.String, "text": pl.String, "shade": pl.Float64}
    chart = plots.matrix(
        pl.DataFrame(rows, schema=schema), rows=named, columns=[columns[name] for name in shown],
        look=plots.Look(cell=90, row=18, font=11), title="Ranges of the goodput by flow group",
        subtitle=["Of means over the conditions. Among: (largest − smallest) / smallest."],
    )  # fmt: skip
    return chart, ranges_caption(table, named)


def ranges_caption(table: pl.DataFrame, named: list[str]) -> str:
    """Return the users to whom the choice matters most, and the gain of own over competing flows, as text."""
    known = [(value, name) for value, name in zip(table["among"], named, strict=True) if value is not None]
    if not known:
        return "There is nothing to compare."
    (value, name), *rest = sorted(known, key=lambda pair: -pair[0])
    said = f"The choice of algorithm matters most to {name}: the best gets {percent(value)} more than the worst"
    said += f" (next {rest[0][1]}, {percent(rest[0][0])})." if rest else "."
    over = [v for v in table["over_tcp"] if v is not None]
    if over:
        more = sum(v > 0 for v in over)
        said += f" Own flows get more than competing flows in {more} of {counted(len(over), 'group')}."
    return said


def mean_over_conditions(values: Floats) -> Floats:
    """Return means over the conditions in which every algorithm with any value has a value: shape (algorithms, ...)."""
    there = np.isfinite(values)
    absent = ~there.any(axis=0, keepdims=True)
    complete = (there | absent).all(axis=1, keepdims=True) & there
    with np.errstate(all="ignore"):
        return np.asarray(np.where(complete, values, 0).sum(axis=0) / complete.sum(axis=0))


def _mean_last(values: Floats) -> Floats:
    there = np.isfinite(values)
    with np.errstate(all="ignore"):
        return np.asarray(np.where(there, values, 0).sum(axis=-1) / there.sum(axis=-1))


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
