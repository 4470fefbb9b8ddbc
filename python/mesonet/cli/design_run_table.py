"""Runs that ``mesonet design`` prints: runs of a design and its additions, or of another kind of plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mesonet import designs
from mesonet.designs import Augmented, Blocking, Design
from mesonet.designs.rows import OPTIMAL, rows
from mesonet.designs.two_level import checked_factors
from mesonet.errors import InputError
from mesonet.terminal import plural
from mesonet.words import own_names


@dataclass(frozen=True, eq=False)
class Runs:
    """All runs of a design with its additions."""

    matrix: npt.NDArray[np.int8]  #: shape (runs, k): -1, +1, and 0 for half-way
    folded: Augmented | None  #: the foldover, if there is one
    blocked: Blocking | None  #: the blocks, if there are some


def runs_of(
    design: Design,
    foldover: str | None = None,
    half: str | None = None,
    blocks: int | None = None,
    replicates: int | None = None,
    centre_points: int | None = None,
    seed: int = 1,
) -> Runs:
    """Return the runs of a design with additions, from options as users type them.

    `foldover`: ``all``, or ids separated by commas: the factors whose signs are switched in the added runs. `half`: a
    factor, or ``-`` and a factor: runs are added only where it stands at + (or at -).
    """
    if half is not None and foldover is None:
        raise InputError("a half goes with a foldover", path="--half", value=half, allowed="--foldover too")
    if blocks is not None and foldover is not None:
        raise InputError("choose --blocks or --foldover: the runs of a foldover are already a block")
    try:
        folded = None
        if foldover is not None:
            switched = list(design.factors) if foldover == "all" else [id.strip() for id in foldover.split(",")]
            folded = designs.semifold(design, switched, half) if half else designs.foldover(design, switched)
        blocked = None if blocks is None else designs.blocks(design, blocks, seed)
        matrix = folded.matrix if folded else design.matrix
        if replicates is not None:
            matrix = designs.replicates(matrix, replicates)
        if centre_points is not None:
            matrix = designs.centre_points(matrix, centre_points)
    except InputError as error:
        option = {"switched": "foldover", "where": "half"}.get(str(error.path), str(error.path).replace("_", "-"))
        raise InputError(error.problem, None, f"--{option}", error.value, error.allowed) from None
    return Runs(matrix, folded, blocked)


def lines(design: Design, runs: Runs, times: int) -> list[str]:
    """Return lines on the additions to a design and the effects that they separate.

    Lines of text; empty without additions.
    """
    text = []
    if runs.folded:
        folded, pairs = runs.folded, len(design.aliases) - len(design.factors)
        text.append(f"foldover: {plural(folded.runs - design.runs, 'run')} more, {folded.runs} in all")
        text.append(f"separated: {'; '.join(f'{one} and {other}' for one, other in folded.broken) or 'nothing more'}")
        still = "; ".join(" = ".join(effects) for effects in folded.alias_strings)
        text.append(f"still aliased: {still or 'no main effect or two-factor interaction'}")
        text.append(f"{len(folded.clear_interactions)} of {pairs} two-factor interactions are clear then")
    if runs.blocked:
        blocked = runs.blocked
        text.append(f"{plural(int(blocked.block.max()), 'block')} by {', '.join(blocked.generators)}")
        confounded = ", ".join(blocked.confounded) or "no two-factor interaction"
        text.append(f"cannot be distinguished from blocks: {confounded}")
    if len(runs.matrix) != design.runs:
        text.append(f"{plural(len(runs.matrix) * times, 'run')} with the additions")
    return text


def block_of(runs: Runs) -> list[int] | None:
    """Return the number of the block of each run, from 1; None without blocks. Centre points go to each in turn."""
    if runs.blocked is None:
        return None
    number, centres = int(runs.blocked.block.max()), int((~runs.matrix.any(axis=1)).sum())
    own = np.resize(runs.blocked.block, len(runs.matrix) - centres).tolist()
    return [*own, *(place % number + 1 for place in range(centres))]  # in turn, as experiments have them


def row_table(factors: Sequence[str], runs: Runs) -> tuple[list[str], list[list[str]]]:
    """Return a table of all runs in order.

    Header and rows: number, block if there are blocks, and the level of each factor as -, 0 or +.
    """
    block = block_of(runs)
    table = [
        [str(number), *([] if block is None else [str(block[number - 1])]), *("-0+"[x + 1] for x in row)]
        for number, row in enumerate(runs.matrix.tolist(), start=1)
    ]
    names = ["run", *([] if block is None else ["block"])]
    return [*names, *own_names(factors, names)], table


def as_json(runs: Runs) -> dict[str, Any]:
    """Return the additions to a design as plain data."""
    folded, blocked = runs.folded, runs.blocked
    return {
        "foldover": folded
        and {
            "broken": [list(pair) for pair in folded.broken],
            "aliases": folded.aliases,
            "clear": list(folded.clear_interactions),
            "estimable": folded.estimable,
        },
        "blocks": blocked
        and {
            "generators": list(blocked.generators),
            "confounded": list(blocked.confounded),
            "block": blocked.block.tolist(),
        },
        "matrix": runs.matrix.tolist(),
    }


def other_rows(
    kind: str,
    factors: list[str] | int,
    table: Mapping[str, Any],
    counts: Mapping[str, int] | None = None,
    categorical: Sequence[str] = (),
) -> npt.NDArray[Any]:
    """Return the rows of a plan of another kind than two-level.

    Coded settings, -1 for minus to +1 for plus; shape (runs, k). `table`: entries of ``[design]``; None counts as not
    given. `counts`, `categorical`: as for `mesonet.designs.rows.rows`.
    """
    own = {key: value for key, value in table.items() if value is not None}
    if kind == "full-factorial" and counts and not set(own) - {"seed"}:
        ids = checked_factors(factors)
        return designs.full_factorial({id: counts.get(id, 2) for id in ids})
    most = max(counts, key=lambda id: counts[id]) if counts else ""
    if kind != OPTIMAL and counts and counts[most] > 2:
        allowed = f"--kind full-factorial or {OPTIMAL}, or two levels"
        raise InputError(
            f"{counts[most]} levels do not go with kind {kind}", path="factors", value=most, allowed=allowed
        )
    return rows(checked_factors(factors), {"kind": kind, **own}, counts, categorical).matrix
