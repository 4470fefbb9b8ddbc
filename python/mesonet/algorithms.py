"""Algorithms by name, and variants: an algorithm with other constants, ``NAME(constant=value, ...)``.

Every text that names an algorithm is read here. A variant takes all constants that its name lacks from its algorithm.
An algorithm is built in, or a plug-in (`mesonet.plugins`): the path of its file loads it, and then it has a name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from mesonet import core, plugins, units
from mesonet.errors import InputError, unknown

OUTSIDE = r"(?![^()]*\))"
"""Regular expression that follows a separator: the separator is outside of parentheses."""

ALIASES = {"reno": "tcp", "newreno": "tcp", "compound": "ctcp"}
"""Other names that people type. Whether `tcp` recovers as Reno or NewReno is ``transport.recovery``."""

STACK = "stack:"
"""Beginning of the name of a whole transport stack: ``stack:quinn/cubic``."""

PRODUCTION = dict.fromkeys(("s2n-cubic", "s2n-bbr2"), "the cargo feature s2n (docs/how-to/production-rust.md)")
"""What a build needs that has congestion controls of production software, by their names."""

STACKS = {
    f"{STACK}{name}/{control}": f"the cargo feature {name}: make stacks (docs/how-to/your-stack.md)"
    for name, controls in {
        "quinn": ("cubic", "newreno", "bbr"),
        "noq": ("cubic", "newreno", "bbr3"),
        "smoltcp": ("cubic", "reno"),
    }.items()
    for control in controls
}
"""What a build needs that has whole transport stacks, by their names."""

_CHECKOUT = re.compile(rf"{STACK}(\w+)@([^()]+)/(\w+)\s*(\(.*)?")
_VARIANT = re.compile(r"\s*([^()\s]*)\s*\(([^()]*)\)\s*")
_ALLOWED = "a name such as tcp, or a variant such as tcp(increase=4), or the file of a plug-in"


@dataclass(frozen=True)
class Named:
    """An algorithm, or a variant of one."""

    name: str  #: canonical text: constants in the order of the registry, each with its shortest exact number
    algorithm: core.Algorithm  #: the entry of the registry, or what the plug-in declares
    #: Constants in the name, in the order of the registry; empty for the algorithm itself.
    constants: Mapping[str, float]
    plugin: str | None = None  #: digest of the file of a plug-in; None: a built-in algorithm


def resolve(text: Any) -> Named:
    """Return the algorithm or the variant that a text names.

    `text`: ``NAME`` or ``NAME(constant=value, ...)``. NAME is also one of `ALIASES`, in any letter case, or the path of
    the file of a plug-in, which is loaded.

    Examples
    --------
    >>> resolve("tcp( decrease = 0.20, increase = 4.0 )").name
    'tcp(increase=4, decrease=0.2)'
    >>> resolve("NewReno").name, resolve("CUBIC(beta=0.5)").name
    ('tcp', 'cubic(beta=0.5)')
    """
    if not isinstance(text, str):
        raise unknown("algorithm", str(text), plugins.known())
    return _named(with_plugins(text))


def with_plugins(value: Any, directory: str | Path | None = None) -> Any:
    """Return a value that lists algorithms, with the declared names of the plug-ins whose files it names.

    `value`: a name, a mix, a list of names, or a list of flows (`mesonet.plugins.with_names`).
    """
    return plugins.with_names(
        value, lambda file: plugins.load(file, directory).algorithm.name, lambda file: plugins.exists(file, directory)
    )


def resolve_name(text: str) -> Named:
    """Return the algorithm or the variant that a file of data names. No data name code: it loads nothing."""
    return _named(text)


def with_loaded(value: str, directories: Sequence[Path | None]) -> str:
    """Return a text of a file of data, with the declared names of plug-ins that were loaded by their files before.

    `directories`: folders from which a relative path may start.
    """

    def name(file: str) -> str:
        if plugin := plugins.find_loaded(file, directories):
            return plugin.algorithm.name
        allowed = "an algorithm, or a plug-in that the scenario, the experiment or the command line names"
        raise InputError("a file of data names no code", value=file, allowed=allowed)

    return str(plugins.with_names(value, name, lambda file: True))


def is_algorithm(text: Any) -> bool:
    """Return True if a text names an algorithm or a variant."""
    if not isinstance(text, str):
        return False
    if _known_name(text) not in plugins.known() and not _VARIANT.fullmatch(text) and not plugins.is_file(text):
        return False
    return bool(resolve(text))


def among(text: Any, names: Sequence[str]) -> Any:
    """Return the entry of a list that names an algorithm, also if the text of a variant differs.

    Examples
    --------
    >>> among("tcp( increase=4.0 )", ["tcp", "tcp(increase=4)"])
    'tcp(increase=4)'
    """
    if text in names or not isinstance(text, str):
        return text
    try:
        name = resolve_name(text).name  # a file stays what it is
    except InputError:
        return text
    return name if name in names else text


def split(text: str) -> list[str]:
    """Return the parts of a list, separated by commas outside of parentheses.

    Examples
    --------
    >>> split("tcp, tcp(increase=4, decrease=0.2)")
    ['tcp', 'tcp(increase=4, decrease=0.2)']
    """
    return [part.strip() for part in re.split(f",{OUTSIDE}", text)]


def written(name: str) -> str:
    """Return the text that names an algorithm in any process: of a plug-in, its file.

    `name`: canonical text of an algorithm or a variant, whose plug-in is loaded.
    """
    declared = _named(name).algorithm.name
    plugin = plugins.by_name().get(declared)
    return plugin.file + name.removeprefix(declared) if plugin and plugin.file else name


def constant(about: core.AlgorithmParameter, value: Any) -> float:
    """Return the value of a constant, checked against its range.

    `value`: a bare number, in the unit of the source of the constant.
    """
    try:
        number = units.number(value)
    except InputError as error:
        raise units.ranged(error, _range(about)) from None
    problem = units.beyond(number, about.min, about.max)
    if not problem and about.is_choice and not number.is_integer():
        problem = "not a whole number"
    if problem:
        raise InputError(problem, value=value, allowed=_range(about))
    return number


def _range(about: core.AlgorithmParameter) -> str:
    if about.is_choice:
        *others, last = (str(number) for number in range(int(about.min), int(about.max) + 1))
        return f"{', '.join(others)} or {last}"
    least, most = (
        units.SEGMENTS.show(end) if about.unit == "segments" else f"{units.number_text(end)} {about.unit}"
        for end in (about.min, about.max)
    )
    return f"at least {least.removesuffix(' 1')} and at most {most.removesuffix(' 1')}"


def _named(text: str) -> Named:
    return _resolved(text, tuple(each.digest for each in plugins.by_name().values()))


@lru_cache(maxsize=1 << 10)  # thousands of flows may name the same variant
def _resolved(text: str, loaded: tuple[str, ...]) -> Named:
    """Return what a text names; `loaded` are the digests of the plug-ins that have names now."""
    known = plugins.known()
    if "(" not in text and ")" not in text:
        name = _known_name(text)
        _refuse_missing(name, text, known)
        if name not in known:
            raise unknown("algorithm", text, known)
        return Named(name, known[name], {}, _digest(name))
    match = _VARIANT.fullmatch(text)
    if not match:
        raise InputError("not the name of an algorithm", value=text, allowed=_ALLOWED)
    name = _known_name(match[1])
    _refuse_missing(name, text, known)
    if name not in known:
        error = unknown("algorithm", match[1], known)
        raise InputError(error.problem, value=text, allowed=error.allowed)
    algorithm = known[name]
    given = _constants(text, algorithm, match[2])
    ordered = {about.name: given[about.name] for about in algorithm.params if about.name in given}
    return Named(_text(algorithm, ordered), algorithm, ordered, _digest(algorithm.name))


def _refuse_missing(name: str, text: str, known: Mapping[str, core.Algorithm]) -> None:
    if (needed := {**PRODUCTION, **STACKS}.get(name)) and name not in known:
        raise InputError("this build lacks it", value=text, allowed=f"a build with {needed}")
    if found := _CHECKOUT.fullmatch(text.strip()):
        stack, path, control = found[1], found[2], found[3]
        allowed = f"{STACK}{stack}/{control} in a build of: make stacks {stack.upper()}={path}"
        raise InputError("a name has no checkout, which is built before", value=text, allowed=allowed)


def _known_name(text: str) -> str:
    """Return the name of an algorithm for an alias or a name in other letter case; another text as it is."""
    known = plugins.known()
    if text in known:
        return text
    small = ALIASES.get(text.strip().lower(), text.strip().lower())
    return small if small in known else text


def _digest(name: str) -> str | None:
    plugin = plugins.by_name().get(name)
    return plugin.digest if plugin else None


def _text(algorithm: core.Algorithm, constants: Mapping[str, float]) -> str:
    inner = ", ".join(f"{name}={units.whole(value)!r}" for name, value in constants.items())
    return f"{algorithm.name}({inner})" if inner else algorithm.name


def _constants(text: str, algorithm: core.Algorithm, inner: str) -> dict[str, float]:
    about = {each.name: each for each in algorithm.params}
    found: dict[str, float] = {}
    for part in inner.split(","):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not (name and equals and value):
            problem = "a variant needs constants with values"
            raise InputError(problem, value=text, allowed=f"{algorithm.name}, or {algorithm.name}(constant=value, ...)")
        if name not in about:
            error = unknown(f"constant of {algorithm.name}", name, about)
            raise InputError(f"{name}: {error.problem}", value=text, allowed=error.allowed or "no constant")
        if name in found:
            raise InputError(f"{name} is there twice", value=text, allowed="each constant once")
        try:
            found[name] = constant(about[name], value)
        except InputError as error:
            raise InputError(f"{name} = {value}: {error.problem}", value=text, allowed=error.allowed) from None
    return found
