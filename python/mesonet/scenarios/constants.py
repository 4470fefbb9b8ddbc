"""Constants of algorithms: ``parameters.ALGORITHM.NAME``, bare numbers in the unit of their source."""

from __future__ import annotations

from collections.abc import Iterable

from mesonet import algorithms, plugins
from mesonet.scenarios.kinds.constant import Constant
from mesonet.scenarios.parameters import Parameter


def paths() -> list[str]:
    """Return the paths of all constants of all algorithms, plug-ins that were loaded included.

    Paths such as ``parameters.cubic.beta``, by algorithm.
    """
    return [
        f"parameters.{algorithm.name}.{constant.name}"
        for algorithm in plugins.known().values()
        for constant in algorithm.params
    ]


def parts(path: str) -> tuple[str, str]:
    """Return the algorithm or the variant, and the constant, of a path.

    Name of the algorithm and name of the constant; both empty for all other paths.

    Examples
    --------
    >>> parts("parameters.tcp(decrease=0.2).increase")
    ('tcp(decrease=0.2)', 'increase')
    """
    section, _, rest = path.partition(".")
    algorithm, _, name = rest.rpartition(".")
    return (algorithm, name) if section == "parameters" and algorithm else ("", "")


def of_variant(path: str) -> bool:
    """Return True if a path is a constant of a variant."""
    return path.startswith("parameters.") and "(" in path


def is_idle(path: str, used: Iterable[str]) -> bool:
    """Return True if a path is a constant that no flow uses; False for all other paths.

    `used` are algorithms and variants. A variant uses the constants of its algorithm that its name lacks.
    """
    algorithm, constant = parts(path)
    if not algorithm:
        return False
    named = [algorithms.resolve(name) for name in used]
    return not any(each.algorithm.name == algorithm and constant not in each.constants for each in named)


def why_idle(path: str, used: Iterable[str]) -> tuple[str, str]:
    """Return the problem of a constant that no flow uses, and what is allowed."""
    algorithm, constant = parts(path)
    variants = [name for name in used if algorithms.resolve(name).algorithm.name == algorithm]
    if variants:
        return f"{', '.join(variants)}: the name sets {constant}", f"{algorithm} or a variant without {constant}"
    return f"no flow uses {algorithm}", f"constants of {', '.join(used)}, or {algorithm} among the algorithms"


def parameter(path: str) -> Parameter:
    """Return the constant at a path, one of `paths`."""
    algorithm, name = parts(path)
    about = next(constant for constant in plugins.known()[algorithm].params if constant.name == name)
    presets = {preset: (value, about.source) for preset, value in about.presets}
    return Parameter(path, Constant(about), about.standard, source=about.source, presets=presets)
