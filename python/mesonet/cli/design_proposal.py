"""Support of the verb ``mesonet design``: from options to designs, and designs as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mesonet import designs
from mesonet.cli.design_plan import is_words
from mesonet.cli.design_run_table import other_rows
from mesonet.designs.choose import roman
from mesonet.designs.rows import ADDED, KEYS, OPTIMAL
from mesonet.designs.two_level import Design, checked_factors, size_text, two_level
from mesonet.errors import InputError
from mesonet.experiments.base import Designed
from mesonet.experiments.network import experiment
from mesonet.terminal import plural

COLUMNS = ("design", "runs", "resolution", "clear interactions", "words by length", "known as")
MOST_WORDS, _WORDS_SHOWN = 4_096, 15
"""Most words of a defining relation in JSON, which has all or none; shortest words that the text lists."""
_CURVED = ("central-composite", "box-behnken")
_WAYS = ("runs", "resolution", "name", "generators")


@dataclass(frozen=True, eq=False)
class Proposal:
    """A design for a number of factors."""

    design: Design
    names: Mapping[str, str]  #: name in words of each factor, by id
    algorithms: int = 1  #: `algorithms`, `replicates`: runs of the experiment per condition; 1 without an experiment
    replicates: int = 1


def find_design(
    target: str | None,
    factors: str | None = None,
    runs: int | None = None,
    resolution: str | None = None,
    name: str | None = None,
    generators: Sequence[str] = (),
    seed: int = 1,
) -> Proposal:
    """Return a design from options as users type them.

    `target`: an experiment, by name or file; the other options can choose another design for it. `runs`, `resolution`,
    `name`, `generators`: one of them, or runs and resolution, which is then the lowest accepted resolution.
    """
    values = (runs, resolution, name, generators or None)
    given = [way for way, value in zip(_WAYS, values, strict=True) if value is not None]
    try:
        ids, own = _factors(target, factors)
        if len(given) > 1 and given != ["runs", "resolution"]:
            problem = f"choose --{given[0]} or --{given[1]}"
            raise InputError(problem, allowed="--runs, --resolution, both, --name, or --generators")
        if name is not None:
            design = designs.named(name, ids)
        elif runs is not None:
            design = designs.by_runs(_needed(ids), runs, resolution, seed)
        elif resolution is not None:
            design = designs.by_resolution(_needed(ids), resolution, seed)
        elif generators:
            design = designs.two_level(_needed(ids), generators)
        elif own is not None:
            design = _regular(own)
        else:
            problem = "no design is chosen"
            raise InputError(problem, allowed="an experiment, or --factors with --runs or --resolution, or --name")
    except InputError as error:
        raise _of_option(error) from None
    if own is None:
        return Proposal(design, {id: id for id in design.factors})
    return Proposal(design, own.names, len(own.algorithms), own.replicates)


def completed(
    target: str | None, kind: str | None, seed: int | None, ways: Mapping[str, Any], additions: Mapping[str, Any]
) -> tuple[str, int, dict[str, Any]]:
    """Return kind, seed and additions; options that are not given have the values of the experiment's own design.

    `ways`: the options ``runs``, ``resolution``, ``name`` and ``generators``. If they select another design, the
    additions of the experiment's own design are not taken over. `additions`: the options of
    `mesonet.cli.design_run_table.runs_of`. A foldover, or blocks, replace both of the design's own.
    """
    given = [way for way in _WAYS if ways.get(way)]
    if target is None:
        return kind or "two-level", 1 if seed is None else seed, dict(additions)
    own = experiment(target).rows
    if kind is None:
        kept = own.kind != "grid" if given == ["runs"] else not given
        kind = own.kind if kept else "two-level"
    if kind == own.kind == "two-level" and not given:
        dropped = ("foldover", "half", "blocks") if additions["foldover"] or additions["blocks"] else ()
        asked = {key: own.asked[key] for key in ADDED if key in own.asked and key not in dropped}
        if isinstance(asked.get("foldover"), list):
            asked["foldover"] = ",".join(asked["foldover"])
        additions = {**additions, **{key: value for key, value in asked.items() if additions[key] is None}}
    return kind, own.asked.get("seed", 1) if seed is None else seed, dict(additions)


def find_plan(
    kind: str,
    target: str | None,
    factors: str | None,
    table: Mapping[str, Any],
    levels: Mapping[str, Sequence[Any]] | None = None,
) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """Return a plan of another kind than two-level, from options as users type them.

    Ids of the factors, and rows of coded settings, -1 to +1. `kind`: one of `mesonet.designs.rows.KINDS`, or ``grid``.
    `table`: entries of ``[design]``; None counts as not given. `levels`: of the factors, if they are given.
    """
    try:
        given, own = _factors(target, factors)
        ids = _needed(given)
        if own is not None and own.rows.kind == kind:
            if kind == "grid":
                return checked_factors(ids), own.rows.matrix
            kept = {key: own.rows.asked.get(key) for key in table if key in KEYS}
            table = {key: kept.get(key) if value is None else value for key, value in table.items()}
        counts = {id: len(own_levels) for id, own_levels in (levels or {}).items()}
        words = [id for id, own_levels in (levels or {}).items() if is_words(own_levels)]
        return checked_factors(ids), other_rows(kind, ids, table, counts, words)
    except InputError as error:
        raise _of_option(error) from None


def heading_of_plan(kind: str, ids: Sequence[str], runs: int) -> str:
    """Return two lines on a plan of another kind: its size, and the effects that it can estimate."""
    regular = " (in 4, 8 and 16 runs entirely: a regular design of resolution III)" if runs in (4, 8, 16) else ""
    sentence = {
        "grid": "nothing is aliased: all combinations of levels run; from -1 (the first level) to +1 (the last)",
        "full-factorial": "nothing is aliased: all combinations run",
        "plackett-burman": "main effects are clear of each other; each two-factor interaction biases the main "
        f"effects of other factors{regular}",
        "one-at-a-time": f"an effect is the difference of two runs, with {runs / 2:g} times the variance that a design "
        f"of {runs} runs would give it; no interaction shows",
        "central-composite": "corners, axial runs and centre points: main effects, interactions and squares; -1 and +1 "
        "are the limits",
        "box-behnken": "three levels, without the corners: main effects, interactions and squares",
        "definitive-screening": "three levels: main effects are clear of interactions and squares; these overlap each "
        "other",
        "d-optimal": "the best runs found for the terms of the model",
        "saltelli": "two samples and their mixtures, for Sobol' indices: `mesonet analyze --method sobol`",
        "morris": "paths of one change at each step, for elementary effects: `mesonet analyze --method morris`",
        "latin-hypercube": "points from -1 (minus) to +1 (plus), one in each of as many slices per factor as runs; no "
        "main effects but regression and rank correlations",
        "sobol": "points from -1 (minus) to +1 (plus) that fill the space evenly, best in a power of 2 of runs; no "
        "main effects but regression and rank correlations",
    }
    return f"{kind}: {plural(len(ids), 'factor')}, {plural(runs, 'run')}\n{sentence[kind]}\n"


def terms_of_kind(kind: str, model: str | None) -> str | None:
    """Return the terms that a design of a kind is fitted with; None for the tests of two levels."""
    if kind == OPTIMAL:
        return model or "quadratic"
    return "quadratic" if kind in _CURVED else "linear" if kind == "definitive-screening" else None


def heading(proposal: Proposal) -> str:
    """Return the description of a design in a few lines."""
    design = proposal.design
    k = len(design.factors)
    lines = [f"{size_text(design)}: {plural(k, 'factor')}, {plural(design.runs, 'run')}{_origin(design)}"]
    if (times := proposal.algorithms * proposal.replicates) > 1:
        lines.append(
            f"{design.runs * times} runs with {plural(proposal.algorithms, 'algorithm')} "
            f"and {plural(proposal.replicates, 'replicate')}"
        )
    if not design.generators:
        return "\n".join([*lines, "nothing is aliased: all combinations run"]) + "\n"
    pairs, clear = k * (k - 1) // 2, len(design.clear_interactions)
    lines += [
        f"generators {', '.join(design.generators)}",
        f"defining words {_words(design)}",
        f"words by length {', '.join(f'{count} of {length}' for length, count in design.word_lengths.items())}",
        f"resolution {roman(design.resolution)}: {_described(design.resolution)}",
        f"{clear} of {pairs} two-factor interactions are clear of main effects and of each other",
    ]
    return "\n".join(lines) + "\n"


def _words(design: Design) -> str:
    """Return the shortest words of the defining relation, and how many there are."""
    number = sum(design.word_lengths.values())
    if number > MOST_WORDS:
        return f"{number:,}, see the generators"
    shown = ", ".join(design.relation[:_WORDS_SHOWN])
    return shown if number <= _WORDS_SHOWN else f"{shown}, ... ({number:,})"


def factor_rows(proposal: Proposal) -> list[list[str]]:
    """Return id and name of the factors if any name differs from its id."""
    names = proposal.names
    return [[id, name] for id, name in names.items()] if any(id != name for id, name in names.items()) else []


def alias_rows(proposal: Proposal) -> list[list[str]]:
    """Return the alias strings, of which only the sums can be estimated."""
    strings = proposal.design.alias_strings
    rows = [[" = ".join(effects)] for effects in strings]
    if factor_rows(proposal):
        for row, effects in zip(rows, strings, strict=True):
            row.append(" = ".join(_in_names(effect, proposal.names) for effect in effects))
    return rows


def clear_text(design: Design) -> str:
    """Return the two-factor interactions that are clear."""
    clear = design.clear_interactions
    if len(clear) == len(design.aliases) - len(design.factors):
        return "all two-factor interactions"
    return ", ".join(clear) or "no two-factor interaction"


def choice_rows(design: Design, seed: int = 1) -> list[list[str]]:
    """Return the design beside the best design of its size and larger ones.

    Rows of a table, in the columns `COLUMNS`.
    """
    rows = [_row("this one", design)]
    if design.generators and design.status == "given":
        best = designs.by_runs(design.factors, design.runs, seed=seed)
        if _lengths(best) < _lengths(design):
            rows.append(_row("the best of this size", best))
        elif _lengths(best) == _lengths(design):
            rows[0][-1] += f"; words as {_known_as(best)}"
    larger = designs.next_larger(design, seed)
    if larger:
        rows.append(_row("next larger", larger))
    if larger and larger.generators and larger.resolution == design.resolution:
        try:
            higher = designs.by_resolution(design.factors, design.resolution + 1, seed)
        except InputError:
            return rows
        rows.append(_row("next resolution", higher))
    return rows


def as_json(proposal: Proposal, seed: int = 1) -> dict[str, Any]:
    """Return the design as plain data, but for its runs."""
    design = proposal.design
    larger = designs.next_larger(design, seed)
    return {
        "size": size_text(design),
        "factors": [{"id": id, "name": name} for id, name in proposal.names.items()],
        "runs": design.runs,
        "status": design.status,
        "source": design.source,
        "generators": list(design.generators),
        "resolution": design.resolution,
        "word_lengths": design.word_lengths,
        "relation": list(design.relation) if sum(design.word_lengths.values()) <= MOST_WORDS else None,
        "aliases": design.aliases,
        "alias_strings": [list(effects) for effects in design.alias_strings],
        "clear": list(design.clear_interactions),
        "next_larger": larger
        and {
            "runs": larger.runs,
            "resolution": larger.resolution,
            "word_lengths": larger.word_lengths,
            "clear": list(larger.clear_interactions),
            "status": larger.status,
        },
    }


def _regular(own: Designed) -> Design:
    """Return the two-level design of an experiment, without its additions."""
    if own.rows.kind not in ("two-level", "full-factorial"):
        allowed = f"mesonet experiment plan {own.file}"
        raise InputError(f"the design of {own.name} is of kind {own.rows.kind}", allowed=allowed)
    return two_level(own.design.factors, own.design.generators)


def _of_option(error: InputError) -> InputError:
    """Return the error with the option that it is about instead of the parameter."""
    if error.file is not None or error.path is None or error.path.startswith("-"):
        return error
    return InputError(error.problem, None, f"--{error.path}", error.value, error.allowed)


def _factors(target: str | None, factors: str | None) -> tuple[list[str] | int | None, Designed | None]:
    """Return the ids or the number of the factors, and the experiment that has them."""
    if target is not None:
        if factors is not None:
            raise InputError("an experiment has its own factors", path="factors", value=factors)
        own = experiment(target)
        return list(own.levels), own
    if factors is None:
        return None, None
    text = factors.strip()
    if re.fullmatch(r"-?\d{1,9}", text):
        return int(text), None
    ids = [id.strip() for id in factors.split(",")]
    if not all(id.isidentifier() for id in ids):
        raise InputError("not factors", path="factors", value=factors, allowed='a number, or ids such as "speed,delay"')
    return ids, None


def _known_as(design: Design) -> str:
    return f"{design.status} ({design.source})" if design.source else design.status


def _needed(ids: list[str] | int | None) -> list[str] | int:
    if ids is None:
        raise InputError("missing", path="factors", allowed="a number, or ids separated by commas")
    return ids


def _origin(design: Design) -> str:
    wording = "" if design.status in ("given", "full factorial") else f", {design.status}"
    return f"{wording} ({design.source})" if design.source else wording


def _described(resolution: int) -> str:
    if resolution == 3:
        return "main effects are aliased with two-factor interactions"
    if resolution == 4:
        return "main effects are clear of two-factor interactions, these are aliased with each other"
    return "main effects and two-factor interactions are clear of each other"


def _in_names(effect: str, names: Mapping[str, str]) -> str:
    sign = "-" if effect.startswith("-") else ""
    return sign + " x ".join(names[id] for id in effect.removeprefix("-").split("*"))


def _row(what: str, design: Design) -> list[str]:
    pairs = len(design.aliases) - len(design.factors)
    words = [f"{count} of {length}" for length, count in list(design.word_lengths.items())[:3]]
    return [
        what,
        str(design.runs),
        roman(design.resolution) if design.generators else "full",
        f"{len(design.clear_interactions)} of {pairs}",
        ", ".join(words) + (", ..." if len(design.word_lengths) > 3 else ""),
        _known_as(design),
    ]


def _lengths(design: Design) -> tuple[int, ...]:
    return tuple(design.word_lengths.get(length, 0) for length in range(3, len(design.factors) + 1))
