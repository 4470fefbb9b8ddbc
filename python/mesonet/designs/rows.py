"""Conditions of an experiment: the rows of a design of any kind, with additions.

A table selects them, as ``[design]`` of an experiment file does::

    kind = "two-level"            # or another one of `KINDS`
    runs = 16                     # and, for two-level designs, resolution, generators or name
    foldover = "all"              # or the factors whose signs the added runs switch
    half = "-X1"                  # of the foldover only the runs where X1 is at -
    blocks = 4                    # groups of runs, such as days or machines; or the products that the blocks of each
                                  # replicate confound, such as [["X1*X2*X3"], ["X1*X2"]]
    centre_points = 3             # runs with all factors half-way
    axial = "face"                # of kind central-composite: face, rotatable or spherical
    model = "quadratic"           # of kind d-optimal: linear, interactions or quadratic; or a list of terms
    seed = 1                      # of searches and draws
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from mesonet.designs.augment import Augmented, centre_points, foldover, semifold
from mesonet.designs.blocking import blocks, confounded
from mesonet.designs.choose import by_resolution, by_runs
from mesonet.designs.named import named
from mesonet.designs.optimal import d_optimal
from mesonet.designs.sampling import latin_hypercube, sobol
from mesonet.designs.screening import one_at_a_time, plackett_burman
from mesonet.designs.sensitivity_plans import morris, saltelli
from mesonet.designs.surfaces import box_behnken, central_composite, definitive_screening
from mesonet.designs.two_level import Design, two_level
from mesonet.errors import InputError, unknown

AT_LEVELS = ("two-level", "full-factorial", "plackett-burman", "one-at-a-time")
"""Kinds with runs in which all factors are at one of two levels."""
_OF_RUNS = {"latin-hypercube": latin_hypercube, "sobol": sobol, "saltelli": saltelli, "morris": morris}
_SURFACES: Mapping[str, Callable[..., npt.NDArray[np.float64]]] = {
    "central-composite": central_composite, "box-behnken": box_behnken, "definitive-screening": definitive_screening,
}  # fmt: skip
OPTIMAL = "d-optimal"
KINDS = (*AT_LEVELS, *_OF_RUNS, *_SURFACES, OPTIMAL)
_REFUSED = {
    "supersaturated": "fewer runs than factors: whichever factor is active would bias the effects of the others",
}
"""Kinds that are known and not offered, each with the reason."""
_WAYS = ("generators", "name", "runs", "resolution")
NEW = "new-conditions"
"""Kind of rows that no table selects: conditions that check a campaign, at levels and between them."""
ADDED = ("foldover", "half", "blocks", "centre_points")
"""Additions of a table to a two-level design."""
KEYS = ("kind", *_WAYS, *ADDED, "axial", "model", "seed")


@dataclass(frozen=True, eq=False)
class Rows:
    """All conditions."""

    kind: str  #: one of `KINDS`
    #: Shape (conditions, k): -1 for minus, +1 for plus, values between for levels between.
    matrix: npt.NDArray[np.float64] = field(repr=False)
    #: The rows at which all factors are at a level, for analyses, and their aliases. They stand first. A kind without
    #: such rows has a design without rows.
    design: Design
    #: Number of the block of each condition, from 1, where there are blocks.
    block: tuple[int, ...] | None = field(default=None, repr=False)
    #: The table that asked for the rows; empty without a table.
    asked: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def conditions(self) -> int:
        """Number of conditions."""
        return int(self.matrix.shape[0])

    @property
    def is_sampled(self) -> bool:
        """True if the conditions lie anywhere between the levels."""
        return self.kind in _OF_RUNS

    @property
    def is_plain(self) -> bool:
        """True for a two-level design with nothing added, which its generators describe in full."""
        return self.kind == "two-level" and self.block is None and self.conditions == 1 << _base(self.design)

    def document(self) -> dict[str, Any]:
        """Return the rows as plain data, from which `from_document` makes them again.

        Factors and generators; for rows that these do not describe also the rows, blocks and aliases. It can be written
        as JSON.
        """
        design = self.design
        about: dict[str, Any] = {"factors": list(design.factors), "generators": list(design.generators)}
        if self.is_plain:
            return about
        aliases = {effect: list(others) for effect, others in design.aliases.items()}
        block = None if self.block is None else list(self.block)
        rows = [[int(x) if x in (-1, 0, 1) else float(x) for x in row] for row in self.matrix]
        return {
            **about, "kind": self.kind, "rows": rows, "block": block, "aliases": aliases,
            "word_lengths": {str(length): count for length, count in design.word_lengths.items()},
            "resolution": design.resolution,
        }  # fmt: skip


def rows(
    factors: Sequence[str],
    table: Mapping[str, Any],
    counts: Mapping[str, int] | None = None,
    categorical: Sequence[str] = (),
) -> Rows:
    """Return the conditions of the table ``design``, in the order in which they are numbered.

    `table`: entries with keys of `KEYS`; without any a full factorial. `counts`: levels of the factors that have more
    than two. `categorical`: factors with nothing between their levels. Both matter to a D-optimal design.

    Examples
    --------
    >>> rows(["X1", "X2", "X3"], {"runs": 4, "centre_points": 2}).conditions
    6
    """
    for key in table:
        if key not in KEYS:
            raise unknown("key", key, KEYS, path=key)
    kind = table.get("kind", "two-level")
    if str(kind) in _REFUSED:
        allowed = "plackett-burman, definitive-screening, or fewer factors"
        raise InputError(_REFUSED[kind], path="kind", value=kind, allowed=allowed)
    if kind not in KINDS:
        raise unknown(
            "kind of design",
            str(kind),
            KINDS,
            path="kind",
        )
    seed = table.get("seed", 1)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError("not a seed", path="seed", value=seed, allowed="a whole number, at least 0")
    for key, owner in (("axial", "central-composite"), ("model", OPTIMAL)):
        if key in table and kind != owner:
            raise InputError(f"goes with kind {owner}", path=key, value=table[key])
    if kind == OPTIMAL:
        return replace(_optimal(factors, table, counts or {}, categorical), asked=table)
    if kind not in ("two-level", "full-factorial"):
        return replace(_other(kind, factors, table, seed), asked=table)
    if kind == "full-factorial":
        _refuse_keys(table, _WAYS, "a full factorial runs all combinations")
    return replace(_added(_two_level(factors, table, seed), table, seed), asked=table)


def from_document(about: Mapping[str, Any]) -> Rows:
    """Return the rows of `Rows.document`."""
    if "rows" not in about:
        return _plain(two_level(about["factors"], about["generators"]))
    factors = tuple(about["factors"])
    matrix = np.array(about["rows"], dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != len(factors) or not np.all(np.abs(matrix) <= 1):
        raise InputError("not rows of levels", path="rows", allowed="lists of a number from -1 to 1 per factor")
    at_levels = (np.abs(matrix) == 1) & (about["kind"] in AT_LEVELS)
    first = matrix[: int(np.argmin(np.append(at_levels.all(axis=1), False)))].astype(np.int8)
    block = None if about.get("block") is None else tuple(about["block"])
    design = Design(
        factors=factors,
        matrix=first,
        generators=tuple(about["generators"]),
        columns=(),
        signs=(),
        word_lengths={int(length): count for length, count in about["word_lengths"].items()},
        resolution=about["resolution"],
        aliases={effect: tuple(others) for effect, others in about["aliases"].items()},
        block=None if block is None else block[: len(first)],
    )
    return Rows(about["kind"], matrix, design, block)


def _two_level(factors: Sequence[str], table: Mapping[str, Any], seed: int) -> Design:
    given = [key for key in _WAYS if key in table]
    if len(given) > 1 and given != ["runs", "resolution"]:
        raise InputError("a design is given in two ways", allowed="generators, name, or runs and resolution")
    generators = table.get("generators", [])
    if not isinstance(generators, list) or not all(isinstance(each, str) for each in generators):
        raise InputError("not equations", path="generators", value=generators, allowed='["X6=X1*X2*X3"]')
    if "name" in table:
        return named(table["name"], factors)
    if "runs" in table:
        return by_runs(factors, table["runs"], table.get("resolution"), seed)
    if "resolution" in table:
        return by_resolution(factors, table["resolution"], seed)
    return two_level(factors, generators)


def _plain(design: Design) -> Rows:
    return Rows("two-level", design.matrix.astype(np.float64), design, design.block)


def _added(design: Design, table: Mapping[str, Any], seed: int) -> Rows:
    """Return the rows of a two-level design and the rows that the table adds."""
    if "half" in table and "foldover" not in table:
        raise InputError("a half goes with a foldover", path="half", value=table["half"], allowed="foldover too")
    if "blocks" in table and "foldover" in table:
        raise InputError("the runs of a foldover are a block of their own", path="blocks", value=table["blocks"])
    found = _plain(design)
    if "foldover" in table:
        folded = _folded(design, table)
        words = {} if "half" in table else _words(folded, table)
        found = _plain(replace(design, matrix=folded.matrix, aliases=folded.aliases, block=folded.block, **words))
    if "blocks" in table:
        given = table["blocks"]
        try:
            blocked = confounded(design, given) if isinstance(given, list) else blocks(design, given, seed).design
        except InputError as error:
            path = str(error.path).replace("replicates", "blocks")
            raise InputError(error.problem, None, path, error.value, error.allowed) from None
        found = _plain(blocked)
    if "centre_points" in table:
        number, own = table["centre_points"], found.block
        matrix = centre_points(found.design.matrix, number).astype(np.float64)
        turns = None if own is None else (*own, *(place % max(own) + 1 for place in range(number)))
        found = replace(found, matrix=matrix, block=turns)
    return found


def _folded(design: Design, table: Mapping[str, Any]) -> Augmented:
    given = table["foldover"]
    ids = list(design.factors) if given == "all" else given
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        raise InputError("not factors", path="foldover", value=given, allowed='"all", or a list of ids of factors')
    try:
        if "half" not in table:
            return foldover(design, ids)
        if not isinstance(table["half"], str):
            raise InputError("not a factor", path="half", value=table["half"], allowed='such as "-X1"')
        return semifold(design, ids, table["half"])
    except InputError as error:
        where = {"switched": "foldover", "where": "half"}.get(str(error.path), error.path)
        raise InputError(error.problem, None, where, error.value, error.allowed) from None


def _words(folded: Augmented, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the word lengths and resolution of a foldover: words with an odd number of switched factors are gone."""
    given = table["foldover"]
    switched = set(folded.design.factors if given == "all" else given)
    number: dict[int, int] = {}
    for word in folded.design.relation:
        names = word.removeprefix("-").split("*")
        if sum(name in switched for name in names) % 2 == 0:
            number[len(names)] = number.get(len(names), 0) + 1
    return {
        "word_lengths": dict(sorted(number.items())),
        "resolution": min(number, default=len(folded.design.factors) + 1),
    }


def _other(kind: str, factors: Sequence[str], table: Mapping[str, Any], seed: int) -> Rows:
    """Return the rows of a kind that is no regular two-level design."""
    ids = tuple(factors)
    if kind in _SURFACES:
        own = {key: table[key] for key in ("axial", "centre_points") if key in table}
        taken = ("foldover", "half", "blocks")
        _refuse_keys(table, (*_WAYS, *taken), f"does not go with kind {kind}")
        return _between(kind, ids, _SURFACES[kind](ids, **own))
    _refuse_keys(table, ("generators", "name", "resolution", *ADDED), f"does not go with kind {kind}")
    runs = table.get("runs")
    if kind in _OF_RUNS:
        return _between(kind, ids, _OF_RUNS[kind](ids, _needed(runs), seed))
    if kind == "one-at-a-time":
        _refuse_keys(table, ("runs",), "one at a time needs one run per factor and one more")
        signs = one_at_a_time(ids)
    else:
        signs = plackett_burman(ids, runs)
    return Rows(kind, signs.astype(np.float64), _irregular(ids, signs))


def _optimal(
    factors: Sequence[str], table: Mapping[str, Any], counts: Mapping[str, int], categorical: Sequence[str]
) -> Rows:
    """Return the rows of a D-optimal design. A number of two levels has its middle as a third if there are squares."""
    _refuse_keys(table, ("generators", "name", "resolution", *ADDED), f"does not go with kind {OPTIMAL}")
    model = table.get("model", "quadratic")
    if not isinstance(model, str | list):
        raise InputError("not a model", path="model", value=model, allowed="text in quotes, or a list of terms")
    curved = model == "quadratic" or not isinstance(model, str)
    own = {id: counts.get(id, 2 if id in categorical or not curved else 3) for id in factors}
    runs, seed = _needed(table.get("runs")), table.get("seed", 1)
    found = d_optimal(own, runs, model=model, categorical=categorical, seed=seed)
    return _between(OPTIMAL, tuple(factors), found.matrix)


def _needed(runs: Any) -> Any:
    if runs is None:
        raise InputError("missing", path="runs", allowed="a number of runs")
    return runs


def _between(kind: str, ids: tuple[str, ...], matrix: npt.NDArray[np.float64]) -> Rows:
    """Return rows of points that are not all at two levels: no effects as differences of means."""
    return Rows(kind, matrix, _irregular(ids, np.empty((0, len(ids)), np.int8)))


def _irregular(factors: tuple[str, ...], signs: npt.NDArray[np.int8]) -> Design:
    """Return a design without words. It lists full aliases, not partial ones."""
    effects = {name: signs[:, place].astype(int) for place, name in enumerate(factors)}
    effects |= {f"{one}*{other}": effects[one] * effects[other] for one, other in combinations(factors, 2)}
    places: dict[bytes, list[tuple[str, int]]] = {}
    for effect, column in effects.items():
        sign = int(column[0]) if len(column) else 1
        places.setdefault((column * sign).tobytes(), []).append((effect, sign))
    aliases = {
        effect: tuple(f"{'-' if sign != other_sign else ''}{other}" for other, other_sign in same if other != effect)
        for same in places.values()
        for effect, sign in same
    }
    return Design(
        factors=factors, matrix=signs, generators=(), columns=(), signs=(), word_lengths={}, resolution=3,
        aliases={effect: aliases[effect] for effect in effects} if len(signs) else {},
        status="irregular",
    )  # fmt: skip


def _refuse_keys(table: Mapping[str, Any], keys: Sequence[str], problem: str) -> None:
    for key in keys:
        if key in table:
            raise InputError(problem, path=key, value=table[key])


def _base(design: Design) -> int:
    return len(design.factors) - len(design.generators)
