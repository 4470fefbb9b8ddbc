"""Methods of ``mesonet analyze`` for tables beside the ten steps: a model of chosen terms, alternatives, and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

import mesonet
from mesonet.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from mesonet.analysis.result import AnalysisResult

RUN, STANDARD, BLOCK = "run", "standard", "block"
"""Columns of a plan, as in `mesonet.designs.plan`, whose import takes too long for a text of help."""
TEN_STEPS, MODEL = "ten-steps", "model"
METHODS = (TEN_STEPS, MODEL, "aliasing", "sobol", "morris", "alternatives", "batch-means", "outliers")
_FEWEST_VALUES = 6
"""Fewest different numbers of a column that is taken for a response (chosen)."""


@dataclass(frozen=True)
class Asked:
    """Values of the options of a table."""

    response: list[str]
    factors: list[str] | None
    block: str | None
    unit: str
    terms: str | None = None
    errors: str | None = None
    at: str | None = None
    against: str | None = None
    batches: int | None = None
    warm_up: int | None = None
    most: int | None = None


def options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of the methods."""
    for option in (
        click.option("--most", type=int, metavar="N", help="For outliers: largest number of outliers to look for."),
        click.option("--warm-up", type=int, metavar="N", help="For batch-means: number of first values to leave out."),
        click.option("--batches", type=int, metavar="N", help="For batch-means: number of batches, by default 20."),
        click.option("--at", metavar="A=1,B=2", help="For model: settings of a prediction."),
        click.option("--errors", help="For model: equal (the default), or hc3 for variances that differ."),
        click.option("--terms", metavar="TERMS", help="For model: linear, interactions, quadratic, or terms such as "
                     "A,B,A*B,A^2."),
        click.option("--method", type=click.Choice(METHODS), help="For TABLE; by default ten-steps, or model for more "
                     "than two levels."),
    ):  # fmt: skip
        command = option(command)
    return command


def is_plan(frame: pl.DataFrame) -> bool:
    """Return True for a table that `mesonet.designs.plan` made."""
    return frame.columns[:2] == [RUN, STANDARD]


def _is_empty(column: pl.Series) -> bool:
    return all(value is None or not str(value).strip() for value in column)


def one_response(frame: pl.DataFrame, asked: Asked) -> tuple[pl.DataFrame, Asked]:
    """Return a plan without its other responses, and with its column of blocks as the blocks."""
    if not is_plan(frame) or asked.factors is not None:
        return frame, asked
    block = BLOCK if asked.block is None and BLOCK in frame.columns else asked.block
    own = [name for name in frame.columns[2:] if name != block]
    others = [name for name in own if name not in asked.response and _is_response(frame[name])]
    if set(own) <= {*asked.response, *others}:  # a sample: its factors have many numbers, too
        first = min((own.index(name) for name in asked.response if name in own), default=len(own))
        others = [name for name in own[first:] if name not in asked.response]
    return frame.drop(others), replace(asked, block=block)


def without_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a plan without the orders of its runs."""
    return frame.drop([RUN, STANDARD]) if is_plan(frame) else frame


def _is_response(column: pl.Series) -> bool:
    """Return True for a column of numbers with many different ones, and for an empty one."""
    from mesonet.analysis.frames.coding import column_values

    values = {value for value in column_values(column) if value is not None}
    return not values or (len(values) >= _FEWEST_VALUES and all(isinstance(value, float) for value in values))


def responses_of(frame: pl.DataFrame) -> list[str]:
    """Return the columns of a plan that have many different numbers: its responses."""
    columns = [name for name in frame.columns[2:] if name != BLOCK] if is_plan(frame) else []
    alike = [name for name in columns if _is_response(frame[name])]
    found = [name for name in alike if not _is_empty(frame[name])] if len(alike) < len(columns) else []
    if not found:
        allowed = "the name of the measured column"
        problem = "missing, and no column is seen to be a response with values"
        raise InputError(problem, path="--response", allowed=f"{allowed}: {', '.join(frame.columns)}")
    return found


def method_of(frame: pl.DataFrame, asked: Asked) -> str:
    """Return ``model`` if a factor has runs at a third level where others are not half-way, else the ten steps."""
    from mesonet.analysis.frames.coding import column_values

    others = (*asked.response, asked.block, RUN, STANDARD, BLOCK) if is_plan(frame) else (*asked.response, asked.block)
    names = asked.factors if asked.factors is not None else [name for name in frame.columns if name not in others]
    if asked.factors is None and not is_plan(frame):
        return TEN_STEPS
    columns = [column_values(frame[name]) for name in names if name in frame.columns]
    inner = []
    for values in columns:
        known = [value for value in values if value is not None]
        if not known or not all(isinstance(value, float) for value in known):
            if len(set(known)) > 2:
                return MODEL
            continue
        low, high = min(known), max(known)
        if {*known} - {low, high, (low + high) / 2}:
            return MODEL
        inner.append([value is not None and low < value < high for value in values])
    return MODEL if inner and not all(len(set(row)) == 1 for row in zip(*inner, strict=True)) else TEN_STEPS


_OPTIONS: Mapping[str, Sequence[str]] = {
    MODEL: ("terms", "errors", "at"), "alternatives": ("against",), "batch-means": ("batches", "warm_up"),
    "outliers": ("most",),
}  # fmt: skip


def refuse_others(method: str, asked: Asked) -> None:
    """Raise InputError for an option of another method."""
    for owner, names in _OPTIONS.items():
        for name in names if owner != method else ():
            if getattr(asked, name) is not None:
                path = f"--{name.replace('_', '-')}"
                raise InputError(f"goes with --method {owner}", path=path, value=getattr(asked, name))


def found_by(method: str, frame: pl.DataFrame, asked: Asked) -> tuple[AnalysisResult, dict[str, Any]]:
    """Return the result of a method, and what its document has beside its table."""
    return {
        MODEL: _model, "aliasing": _aliasing, "sobol": _sensitivity, "morris": _sensitivity,
        "alternatives": _alternatives, "batch-means": _batch_means, "outliers": _outliers,
    }[method](frame, asked, method)  # fmt: skip


def _model(frame: pl.DataFrame, asked: Asked, _: str) -> tuple[AnalysisResult, dict[str, Any]]:
    from mesonet.designs.model_terms import MODELS

    terms: Any = asked.terms or "quadratic"
    if terms not in MODELS and ("," in terms or "*" in terms or "^" in terms or terms in frame.columns):
        terms = [each.strip() for each in terms.split(",")]
    found = mesonet.analysis.fit_model(
        frame,
        asked.response,
        terms=terms,
        factors=asked.factors,
        block=asked.block,
        unit=asked.unit,
        errors=asked.errors or "equal",  # type: ignore[arg-type]
    )
    about: dict[str, Any] = {"sentences": found.sentences(), "anova": found.anova().to_dicts()}
    if asked.at is not None:
        about["prediction"] = found.predict(_settings(asked.at)).to_dicts()
    return found, about


def _settings(text: str) -> dict[str, str]:
    found = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip():
            raise InputError("not settings", path="--at", value=text, allowed="such as heat=150,salt=2")
        found[name.strip()] = value.strip()
    return found


def _aliasing(frame: pl.DataFrame, asked: Asked, _: str) -> tuple[AnalysisResult, dict[str, Any]]:
    from mesonet.analysis.frames.coding import coded

    table = coded(without_order(frame), asked.response, asked.factors, asked.block)
    found = mesonet.analysis.partial_aliasing(table, table.values)
    active = mesonet.analysis.box_meyer(table, table.values)
    levels = [{"factor": each.factor, "minus": each.level(-1), "plus": each.level(1)} for each in table.codings]
    sentences = [*active.sentences(), *found.sentences(asked.unit)]
    return found, {"sentences": sentences, "active_factors": active.to_polars().to_dicts(), "levels": levels}


def _sensitivity(frame: pl.DataFrame, asked: Asked, method: str) -> tuple[AnalysisResult, dict[str, Any]]:
    """Return the indices or effects of a plan, whose order its column `standard` has."""
    import numpy as np

    from mesonet.analysis.frames.coding import column_numbers

    names = asked.factors
    if names is None:
        names = [name for name in frame.columns if name not in (*asked.response, asked.block, RUN, STANDARD, BLOCK)]
    for name in (*names, *asked.response):
        if name not in frame.columns:
            raise InputError("no column has this name", path="--factors", value=name, allowed=", ".join(frame.columns))
    x = np.column_stack([column_numbers(frame[name]) for name in names])
    y = np.column_stack([column_numbers(frame[name]) for name in asked.response])
    if is_plan(frame):
        standard = column_numbers(frame[STANDARD])
        places = np.unique(standard)
        count = max(int((standard == place).sum()) for place in places)
        table = np.full((len(places), count * y.shape[1]), np.nan)
        for row, place in enumerate(places):
            own = y[standard == place].ravel()
            table[row, : len(own)] = own
        x, y = np.array([x[np.argmax(standard == place)] for place in places]), table
    analyse = mesonet.analysis.sobol_indices if method == "sobol" else mesonet.analysis.morris_effects
    return analyse(x, y, factors=names), {}


def _alternatives(frame: pl.DataFrame, asked: Asked, _: str) -> tuple[AnalysisResult, dict[str, Any]]:
    if asked.factors is None or len(asked.factors) != 1:
        allowed = "the column that names the alternative of each row"
        raise InputError("alternatives need one column", path="--factors", allowed=allowed)
    one = _one(asked)
    found = mesonet.analysis.compare_alternatives(
        frame, one, asked.factors[0], block=asked.block, against=_number(asked.against), unit=asked.unit
    )
    return found, {"method": found.method, "sentences": found.sentences()}


def _number(text: str | None) -> Any:
    """Return the number of a text as the table has it."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _batch_means(frame: pl.DataFrame, asked: Asked, _: str) -> tuple[AnalysisResult, dict[str, Any]]:
    found = mesonet.analysis.batch_means(_series(frame, asked), batches=asked.batches or 20, warm_up=asked.warm_up or 0)
    return found, {"mean": found.mean, "half_width": found.half_width, "correlation": found.correlation, "p": found.p}


def _outliers(frame: pl.DataFrame, asked: Asked, _: str) -> tuple[AnalysisResult, dict[str, Any]]:
    if asked.most is None:
        raise InputError("missing", path="--most", allowed="the largest number of outliers to look for")
    found = mesonet.analysis.outliers(_series(frame, asked), most=asked.most)
    return found, {"outliers": list(found.outliers)}


def _series(frame: pl.DataFrame, asked: Asked) -> Any:
    from mesonet.analysis.frames.coding import column_numbers

    name = _one(asked)
    if name not in frame.columns:
        raise InputError("no column has this name", path="--response", value=name, allowed=", ".join(frame.columns))
    return column_numbers(frame[name])


def _one(asked: Asked) -> str:
    if len(asked.response) != 1:
        raise InputError("one column", path="--response", value=", ".join(asked.response), allowed="a single column")
    return asked.response[0]
