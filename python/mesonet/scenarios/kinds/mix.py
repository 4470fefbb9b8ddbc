"""Mixes of algorithms: shares of the sources, as users write them (path ``algorithms``)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet import algorithms, units
from mesonet.algorithms import OUTSIDE
from mesonet.errors import InputError
from mesonet.scenarios.kinds.kind import Kind, Place, are_pairs

ALLOWED = 'one name, such as "cubic", or shares that sum to 1, such as "tcp=0.8, scalable=0.2"'

_RANGE = "at least 0 and at most 1"


def parse_share(value: Any) -> float:
    """Return a share of the sources.

    The share, 0 to 1. `value`: a number or text, also a fraction such as ``1/3``.

    Examples
    --------
    >>> parse_share("0.25")
    0.25
    """
    try:
        share = units.number(value)
    except InputError as error:
        raise units.ranged(error, _RANGE) from None
    if problem := units.beyond(share, 0, 1):
        raise InputError(problem, value=value, allowed=_RANGE)
    return share


class Mix(Kind):
    """Kind of mixes of algorithms: pairs of name and share, in the order given."""

    name = "mix"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the mix of one name, of text such as ``tcp=0.8, scalable=0.2``, of a mapping, or of pairs."""
        if isinstance(value, str) and not re.search(f"={OUTSIDE}", value):
            value = {value.strip(): 1.0}
        elif isinstance(value, str):
            value = _unique(_pairs(value), value)
        elif are_pairs(value):
            value = _unique(value, value)
        if not isinstance(value, Mapping) or not value or not all(isinstance(name, str) for name in value):
            raise InputError("not a mix of algorithms", value=value, allowed=ALLOWED)
        mix: list[tuple[str, float]] = []
        for name, share in value.items():
            name = algorithms.resolve(name).name
            if any(name == other for other, _ in mix):
                raise InputError(f"{name} is there twice", value=_given(value), allowed=ALLOWED)
            try:
                mix.append((name, parse_share(share)))
            except InputError as error:
                raise InputError(f"the share of {name} is {error.problem}", value=share, allowed=_RANGE) from None
        total = sum(share for _, share in mix)
        if abs(total - 1) > 1e-9:
            raise InputError(f"the shares sum to {total:.6g}, not to 1", value=_given(value), allowed=ALLOWED)
        return mix

    def allowed(self, path: str) -> str:
        """Return the forms of a mix."""
        return ALLOWED

    def show(self, value: Any) -> str:
        """Return one name, or names with their shares."""
        return value[0][0] if len(value) == 1 else ", ".join(f"{name}={share:g}" for name, share in value)

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return the mix with the names that the files of plug-ins declare."""
        return algorithms.with_plugins(value, directory)


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return names and shares of ``NAME=SHARE, ...``; the constants of a variant are a part of its name."""
    joined = re.sub(r"\s+\(", "(", re.sub(rf"\s*={OUTSIDE}\s*", "=", text.strip()))
    halves = [re.split(f"={OUTSIDE}", pair, maxsplit=1) for pair in re.split(rf"[,\s]+{OUTSIDE}", joined) if pair]
    return [(half[0], half[1] if len(half) > 1 else "") for half in halves]


def _unique(pairs: Sequence[Sequence[Any]], value: Any) -> dict[Any, Any]:
    names = [str(name) for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{twice[0]} is there twice", value=value, allowed=ALLOWED)
    return {name: share for name, (_, share) in zip(names, pairs, strict=True)}


def _given(value: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={share}" for name, share in value.items())


MIX = Mix()
