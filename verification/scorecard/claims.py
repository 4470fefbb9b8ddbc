"""Claims: a file for each, with the published value, the tolerance, and the measure.

The keys are explained in ``verification/README.md`` of the source tree.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.files.toml import read_toml
from verification.measures import MEASURES

CLASSES = {
    "S1": "exact",
    "S2": "tight",
    "S3": "loose",
    "S4": "sign or order",
    "S5": "for the record",
}
KINDS = ("independent", "calibration")
_CLAIM_KEYS = ("id", "claim", "source", "setup", "kind", "values", "explanation", "not_evaluated", "witness")
_CLAIM_OPTIONAL = ("values", "explanation", "not_evaluated", "witness")
_NUMBER_KEYS = ("name", "measure", "of", "class", "unit", "because")
_OPTIONAL = ("any_load",)
_LIMITS = ("published", "relative", "absolute", "least", "most")


@dataclass(frozen=True)
class Number:
    """Number of a claim."""

    name: str
    measure: str  #: a key of `verification.measures.MEASURES`
    of: Mapping[str, Any]  #: arguments of the measure
    strictness: str  #: a key of `CLASSES`
    unit: str
    because: str  #: reason for the tolerance
    published: float | None
    limits: tuple[float, float]  #: range that counts as reproduced; infinite without a limit
    any_load: bool = False  #: conditions count even if their load had not settled

    @property
    def campaigns(self) -> tuple[str, ...]:
        """The campaigns in which the number is measured."""
        return tuple(self.of[key] for key in ("experiment", "other") if key in self.of)

    @property
    def conditions(self) -> tuple[int, ...] | None:
        """The conditions that the number is about; None for all conditions of its campaigns."""
        if "condition" not in self.of:
            return None
        return tuple(self.of[key] for key in ("condition", "to") if isinstance(self.of.get(key), int))

    @property
    def published_text(self) -> str:
        """The published number and the range that counts as reproduced."""
        least, most = self.limits
        shown = {
            (False, False): "",
            (True, False): f"at least {least:g}",
            (False, True): f"at most {most:g}",
            (True, True): f"{least:g} to {most:g}",
        }[least > float("-inf"), most < float("inf")]
        if self.published is None:
            return shown
        return f"{self.published:g}" + (f" ({shown})" if shown and least != most else "")


@dataclass(frozen=True)
class Claim:
    """A published statement."""

    id: str
    claim: str
    source: str
    setup: str
    kind: str  #: ``independent``, or ``calibration`` if the number helped to choose a constant of mesonet
    explanation: str  #: reason why it is not reproduced, and attempts; empty if it is reproduced
    not_evaluated: str  #: reason why there are no numbers; empty with numbers
    numbers: tuple[Number, ...]
    witness: str = ""  #: folder of another simulator that has run its set-up; empty without one

    @property
    def part(self) -> str:
        """The letters of its id: A, B, D, G, H, I as in the list of published results, T for theory."""
        return re.match(r"[A-Za-z]+", self.id)[0]  # type: ignore[index]

    @property
    def campaigns(self) -> tuple[str, ...]:
        """The campaigns that it is measured in, each once."""
        return tuple(dict.fromkeys(name for number in self.numbers for name in number.campaigns))


def load_claims(folder: Path) -> list[Claim]:
    """Return every claim of a folder."""
    return [load_claim(path) for path in sorted(folder.glob("*.toml"), key=lambda path: id_order(path.stem))]


def load_claim(path: Path) -> Claim:
    """Return the claim of a file."""
    table = read_toml(path.read_text(encoding="utf-8"), str(path))
    try:
        return _claim(path.stem, table)
    except InputError as error:
        raise error.located(file=str(path)) from None


def id_order(name: str) -> tuple[str, int, str]:
    """Return the sort key of an id: letters, then the number.

    `name`: an id, such as ``B10``.

    Examples
    --------
    >>> sorted(["B10", "A1", "B9"], key=id_order)
    ['A1', 'B9', 'B10']
    """
    letters, number = re.match(r"([A-Za-z]*)(\d*)", name).groups()  # type: ignore[union-attr]
    return letters, int(number or 0), name


def _claim(name: str, table: Mapping[str, Any]) -> Claim:
    _only("", table, _CLAIM_KEYS, _CLAIM_OPTIONAL)
    if table["id"] != name:
        raise InputError("not the name of the file", path="id", value=table["id"], allowed=name)
    if table["kind"] not in KINDS:
        raise unknown("kind of claim", str(table["kind"]), KINDS, path="kind")
    numbers = tuple(_number(f"values[{place}]", given) for place, given in enumerate(table.get("values", [])))
    if bool(numbers) == ("not_evaluated" in table):
        raise InputError("a claim has either values or a reason why it has none", path="not_evaluated")
    text = {key: " ".join(table[key].split()) for key in ("claim", "source", "setup")}
    reasons = {key: " ".join(table.get(key, "").split()) for key in ("explanation", "not_evaluated")}
    if not all(text.values()):
        raise InputError("empty", path=next(key for key, value in text.items() if not value), allowed="text")
    witness = table.get("witness", "")
    if not isinstance(witness, str) or not re.fullmatch(r"[a-z0-9-]*", witness):
        raise InputError("not a witness", path="witness", value=witness, allowed="the name of a folder of witness")
    return Claim(id=table["id"], kind=table["kind"], numbers=numbers, witness=witness, **text, **reasons)


def _number(where: str, given: Mapping[str, Any]) -> Number:
    _only(where + ".", given, (*_NUMBER_KEYS, *_OPTIONAL, *_LIMITS), (*_OPTIONAL, *_LIMITS))
    if given["measure"] not in MEASURES:
        raise unknown("measure", str(given["measure"]), MEASURES, path=f"{where}.measure")
    if given["class"] not in CLASSES:
        raise unknown("strictness class", str(given["class"]), CLASSES, path=f"{where}.class")
    if not isinstance(any_load := given.get("any_load", False), bool):
        raise InputError("not a truth value", path=f"{where}.any_load", value=any_load, allowed="true, false")
    if not given["because"]:
        raise InputError("empty", path=f"{where}.because", allowed="why this tolerance")
    try:
        inspect.signature(MEASURES[given["measure"]]).bind(None, **given["of"])
    except TypeError as error:
        raise InputError(f"not what {given['measure']} takes: {error}", path=f"{where}.of") from None
    published = given.get("published")
    limits = (float(given.get("least", "-inf")), float(given.get("most", "inf")))
    for key in ("relative", "absolute"):
        if key in given:
            if published is None:
                raise InputError("a margin about nothing", path=f"{where}.{key}", allowed="published too")
            margin = given[key] * (abs(published) if key == "relative" else 1)
            limits = (published - margin, published + margin)
    if given["class"] != "S5" and limits == (float("-inf"), float("inf")):
        raise InputError("no limit", path=where, allowed="relative, absolute, least or most")
    return Number(
        name=given["name"],
        measure=given["measure"],
        of=given["of"],
        strictness=given["class"],
        unit=given["unit"],
        because=given["because"],
        published=published,
        limits=limits,
        any_load=any_load or given["class"] == "S5",  # for the record: no verdict that a start could spoil
    )


def _only(where: str, given: Mapping[str, Any], keys: tuple[str, ...], optional: tuple[str, ...]) -> None:
    for key in given:
        if key not in keys:
            raise unknown("key", key, keys, path=f"{where}{key}")
    for key in keys:
        if key not in given and key not in optional:
            raise InputError("missing", path=f"{where}{key}")
