"""Effects of a deployment by share, from outcomes of a campaign or of a real test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from mesonet.analysis.decisions.pairs import margin_of
from mesonet.analysis.deployments.cells import SCALES, UNIT, WEIGHT, WEIGHTS
from mesonet.analysis.deployments.designs import tests_table
from mesonet.analysis.deployments.effects import Asked, effect_rows, effects_table, parts, together
from mesonet.analysis.deployments.equilibria import equilibria_table
from mesonet.analysis.deployments.groups import groups_table
from mesonet.analysis.deployments.notes import notes
from mesonet.analysis.deployments.outcomes import Outcomes, read
from mesonet.analysis.result import AnalysisResult
from mesonet.errors import InputError, unknown


@dataclass(frozen=True, eq=False, repr=False)
class Deployment(AnalysisResult):
    """Effects of a deployment. The table of the result is `effects`."""

    effects: pl.DataFrame  #: a row per outcome, group, level, share, estimand, scale and weights
    groups: pl.DataFrame  #: a row per outcome, group, share and effect: do levels of the group differ?
    tests: pl.DataFrame  #: a row per design of a test, share, outcome and condition
    equilibria: pl.DataFrame  #: a row per share at which switching stops, by outcome and condition
    notes: tuple[str, ...]
    confidence: float
    power: float
    margin: float
    statements: int  #: effects whose intervals `low_together` to `high_together` hold at once

    UNITS: ClassVar = {"share": "1"}

    def to_polars(self) -> pl.DataFrame:
        """Return the table of effects.

        Returns
        -------
        A row per outcome, group, level, share, estimand, scale and weights.
        """
        return self.effects

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"row": range(1, self.effects.height + 1)}

    def _columns(self) -> dict[str, Any]:
        return {name: self.effects[name].to_list() for name in self.effects.columns}

    def _attributes(self) -> dict[str, Any]:
        names = ("confidence", "power", "margin", "statements")
        return {**{name: getattr(self, name) for name in names}, "notes": " ".join(self.notes)}


def deployment(
    outcomes: Any,
    *,
    new: Any = None,
    groups: Sequence[str] = (),
    assignment: str = "unit",
    more_is_better: Mapping[str, bool] | bool | None = None,
    scales: Sequence[str] = SCALES,
    weights: Sequence[str] | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
    margin: float = 0.1,
    precision: float = 0.03,
    starved: float = 0.1,
    burn_in: int = 0,
    **columns: str | Sequence[str],
) -> Deployment:
    """Return the effects of a new control by share, and what tests of it would have concluded.

    Outcomes are a long table: a row per unit, and per outcome, share, seed and period where there are several. They
    come from a campaign, or from a real A/B test, which has one share and no seeds.

    Parameters
    ----------
    outcomes
        A frame of polars or pandas, or columns by name: ``unit``, ``treated``, ``value``, and optionally ``outcome``,
        ``weight`` (flows or segments behind a value), ``share`` (0 to 1 of all units), ``seed``, ``condition``,
        ``period``, ``place`` and ``test``. Rows without a value, or with the weight 0, are left out with a note.
    new
        Label of the new control in the column ``treated``; by default the column has true and false, or 1 and 0.
    groups
        Columns whose levels get effects of their own, such as a class of round-trip times.
    assignment
        ``unit`` if a unit has one control, ``flow`` if each of its flows draws one.
    more_is_better
        True or False by outcome, or for all; needed where the direction is not known from the name.
    scales
        Of ``ratio`` (of means), ``difference`` (of means) and ``log`` (ratio of geometric means). The first leads: it
        has the tests, the equilibria, the groups, and the intervals that hold together.
    weights
        Of ``unit`` (each unit has the same weight) and ``weight`` (as the table has them). The first leads. By default
        both if the table has weights, or units with several rows; each row then has the weight 1.
    confidence
        Level of the intervals, between 0 and 1.
    power
        Chance with which an effect as large as ``smallest`` is seen: its interval excludes 0.
    margin
        Relative change that counts, above 0.
    precision
        Half-width of the interval of a test for the column ``needed`` of `Deployment.tests`: a relative change.
    starved
        A unit starves below this part of its own value at share 0, above 0 and below 1.
    burn_in
        Periods left out after each change of the share, in switchbacks and event studies.
    columns
        Your names of the columns, such as ``unit="user"``. ``value`` may be a list: each of its columns is an outcome.

    Returns
    -------
    Tables of effects, groups, tests and equilibria, with notes. A number that cannot be known is null, with the reason
    in ``why``.

    Raises
    ------
    InputError
        If a column is not there, a share is not between 0 and 1, a weight is negative, an arm has no unit, there is
        one unit, a unit has both controls in one period and `assignment` is ``unit``, or an option is out of range.

    Notes
    -----
    Relative changes are parts: 0.1 for +10 %. mu_T and mu_C are in the unit of the outcome. Harm is the lost part of
    the performance of units without the new control, from -1 to 1.

    With two seeds or more, clusters are seeds, because units of one run depend on each other through the network.
    Contrasts of two shares are pairs of equal seeds. Otherwise clusters are units, and the interval covers other units
    of the network on this day, and neither other days nor the dependence of units. Both use CR2 with the degrees of
    freedom of Satterthwaite. Each of several conditions has the same weight.

    Verdicts are the words of `decide`, from the intervals that hold together (Bonferroni).

    Source: Spang et al., IMC 2021 (estimands); Pustejovsky and Tipton, Journal of Business & Economic Statistics 36,
    2018 (intervals). The part 0.1 of starved units, the margin and the precision are chosen.

    Examples
    --------
    >>> table = {
    ...     "user": ["a", "b", "c", "d", "e", "f"],
    ...     "arm": ["new", "new", "new", "old", "old", "old"],
    ...     "goodput": [21.0, 20.0, 22.0, 10.0, 10.5, 9.5],
    ... }
    >>> found = deployment(table, unit="user", treated="arm", new="new", value="goodput")
    >>> naive = found.effects.filter(estimand="naive", scale="ratio").row(0, named=True)
    >>> round(naive["value"], 3), round(naive["low"], 3), round(naive["high"], 3), naive["verdict"]
    (1.1, 0.872, 1.356, 'better')
    >>> found.effects.filter(estimand="total", scale="ratio")["why"][0]
    'no unit with the new control at share 1 and no unit without it at share 0'
    """
    data = read(outcomes, columns, new=new, groups=groups, assignment=assignment, more_is_better=more_is_better)
    asked = Asked(
        scales=_chosen("scales", scales, SCALES),
        weights=_chosen("weights", _weights(weights, data), WEIGHTS),
        confidence=_between("confidence", confidence),
        power=_between("power", power),
        margin=margin,
        precision=precision,
        starved=_between("starved", starved),
        burn_in=burn_in,
    )
    margin_of(margin)
    if not 0 < precision < float("inf"):
        raise InputError("not a precision", path="precision", value=precision, allowed="above 0, such as 0.03")
    if burn_in != int(burn_in) or burn_in < 0:
        raise InputError("not a number of periods", path="burn_in", value=burn_in, allowed="0, 1, 2, ...")
    of = list(parts(data))
    rows = effect_rows(of, asked)
    effects = effects_table(rows, asked)
    return Deployment(
        effects=effects,
        groups=groups_table(of, asked),
        tests=tests_table(data, asked),
        equilibria=equilibria_table(of, asked),
        notes=(*data.notes, *notes(data, rows, effects, asked)),
        confidence=asked.confidence,
        power=asked.power,
        margin=float(margin),
        statements=together(rows, asked).total(),
    )


def _weights(given: Sequence[str] | None, data: Outcomes) -> Sequence[str]:
    """Return the weights to use; weights that the table lacks are refused."""
    if given is None:
        return WEIGHTS if data.weighted else (UNIT,)
    if WEIGHT in given and not data.weighted:
        raise InputError("the table has no weights", path="weights", value=WEIGHT, allowed=UNIT)
    return given


def _chosen(name: str, given: Sequence[str] | str, known: Sequence[str]) -> tuple[str, ...]:
    """Return some of the known names, each once."""
    chosen = tuple(dict.fromkeys((given,) if isinstance(given, str) else given))
    for each in chosen:
        if each not in known:
            raise unknown(name.removesuffix("s"), str(each), known, path=name)
    if not chosen:
        raise InputError("empty", path=name, allowed=", ".join(known))
    return chosen


def _between(name: str, value: float) -> float:
    """Return a number between 0 and 1."""
    if not 0 < value < 1:
        raise InputError("out of range", path=name, value=value, allowed="above 0 and below 1")
    return float(value)
