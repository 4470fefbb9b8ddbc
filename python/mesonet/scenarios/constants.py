"""Constants of algorithms: ``parameters.ALGORITHM.NAME``, bare numbers in the unit of their source."""

from typing import Any

from mesonet import core, units
from mesonet.errors import InputError


def paths() -> list[str]:
    """Return the paths of all constants of all algorithms.

    Returns
    -------
    Paths such as ``parameters.cubic.beta``, by algorithm.
    """
    return [
        f"parameters.{algorithm.name}.{constant.name}"
        for algorithm in core.algorithms().values()
        for constant in algorithm.params
    ]


def algorithm_of(path: str) -> str:
    """Return the algorithm that a full path is a constant of.

    Parameters
    ----------
    path
        A full path of a scenario.

    Returns
    -------
    Name of the algorithm; empty for all other paths.
    """
    section, _, rest = path.partition(".")
    return rest.partition(".")[0] if section == "parameters" else ""


def parse(path: str, value: Any) -> float:
    """Return the value of a constant, checked against its bounds.

    Parameters
    ----------
    path
        Path of the constant, one of `paths`.
    value
        A bare number, in the unit of the source of the constant.

    Returns
    -------
    The number.

    Raises
    ------
    InputError
        If the value is no number or out of range.
    """
    _, algorithm, name = path.split(".")
    constant = next(c for c in core.algorithms()[algorithm].params if c.name == name)
    number: float = units.parse("number", value)
    if not constant.min <= number <= constant.max:
        allowed = f"{constant.min:g} to {constant.max:g}" + (f" {constant.unit}" if constant.unit != "1" else "")
        raise InputError("out of range", value=value, allowed=allowed)
    return number
