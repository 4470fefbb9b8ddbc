"""Scenarios: everything that defines one simulated network, as typed data with units and sources.

A `Scenario` remembers only values that were set. All other values are looked up for the canonical form, so that a
preset may be chosen before or after any other value.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from mesonet import algorithms, core, numpy_data, units
from mesonet.errors import InputError
from mesonet.files.toml import (
    EXPERIMENTS,
    SCENARIOS,
    builtin_folder,
    builtin_names,
    builtin_titles,
    find_toml,
    identity,
    is_builtin,
    read_toml,
)
from mesonet.scenarios import access, canonical, constants, impairment_sets, link_values, settings
from mesonet.scenarios.by_column import Table, column
from mesonet.scenarios.canonical import plain
from mesonet.scenarios.kinds import flows
from mesonet.scenarios.parameters import PARAMETERS, Derived, Parameter
from mesonet.scenarios.settings import Setting

_ENTRY = re.compile(r"(arrivals|deployment)\[\d+\]\.\w+")
"""Path of a key of an entry; paths of the simulator may be longer, such as ``arrivals[0].matrix[1].to``."""


@dataclass(frozen=True)
class Explained:
    """Value of a scenario and its source."""

    path: str  #: full path of the value
    value: str  #: the value with its unit, as text
    source: str  #: source of the value: a file, an option, or the source of its default


@dataclass(frozen=True)
class Scenario:
    """Network, its users and its measurements. Immutable; `set` and `with_values` return another scenario.

    Attributes
    ----------
    name
        Built-in name, or name of the file without its ending.
    title
        Title in words.
    settings
        Values that were set, by full path.
    file
        The user's file that it was read from; None for a built-in scenario.
    """

    name: str
    title: str = ""
    settings: Mapping[str, Setting] = field(default_factory=dict, repr=False)
    file: str | None = field(default=None, repr=False)

    def set(self, path: str, value: Any, source: str = "set in code", directory: Path | None = None) -> Scenario:
        """Return this scenario with one value changed.

        Parameters
        ----------
        path
            A full path such as ``network.speed`` or any unique last part of one, such as ``speed``. A path such as
            ``flows[0].count`` names one value of an entry of a list; entries count from 0.
        value
            Text with a unit (``"1600 seg/ms"``), or a bare number where the value has no unit.
        source
            Where the value comes from, for `explain` and for messages.
        directory
            The folder that paths of files start from; None: the working directory.

        Returns
        -------
        Another scenario.

        Raises
        ------
        InputError
            If the path is unknown or ambiguous, or the value is not allowed there.
        """
        return self.with_values({path: value}, source, directory)

    def with_values(
        self, values: Mapping[str, Any], source: str = "set in code", directory: Path | None = None
    ) -> Scenario:
        """Return this scenario with several values changed.

        Parameters
        ----------
        values
            Values by path, each as for `set`.
        source
            Where the values come from, for `explain` and for messages.
        directory
            As for `set`.

        Returns
        -------
        Another scenario.

        Raises
        ------
        InputError
            As `set`.
        """
        return self._with(values, source, directory)

    def _with(
        self, values: Mapping[str, Any], source: str, directory: Path | None, *, full_paths: bool = False
    ) -> Scenario:
        """Return this scenario with values changed. `full_paths`: a last part of a path does not stand for it."""
        changed = dict(self.settings)
        together: dict[str, str] = {}
        for path in settings.plugins_first(values):
            value = numpy_data.plain(values[path])
            try:
                settings.resolve(path, value)
                full = settings.refuse_together(path, together)
                if full_paths and full != path:
                    raise InputError("write the full path", path=path, allowed=full)
                settings.put(changed, full, value, source, directory)
            except InputError as error:
                raise (error if error.file else error.located(file=_file(source), path=path)) from None
        return replace(self, settings=changed)

    def value(self, path: str) -> Any:
        """Return the value in force at a path.

        Parameters
        ----------
        path
            A full path or the unique last part of one.

        Returns
        -------
        The value in base units: s, segments, segments/s, plain numbers.

        Raises
        ------
        InputError
            If there is no such path, or more than one.
        """
        found = self._value(path)
        return list(found) if isinstance(found, Table) else found

    def _value(self, path: str) -> Any:
        """Return the value, and explicit flows as they are kept."""
        if constants.of_variant(path):
            return self._constant_of_variant(path)
        path = settings.resolve(path)
        if inside := settings.entry(path):
            given = self.settings[inside.whole].given if inside.whole in self.settings else []
            try:
                return inside.kind.value_at(given, inside.number, inside.key, self.segment_bytes)
            except InputError as error:
                raise error.located(path=path) from None
        return self._of_parameter(path, settings.parameter(path))

    def _of_parameter(self, path: str, parameter: Parameter) -> Any:
        """Return the value of a parameter or a list at its full path."""
        if setting := self.settings.get(path):
            same = self.segment_bytes == units.SEGMENT_BYTES
            return setting.value if same else parameter.parse(setting.given, self.segment_bytes)
        default = parameter.default_for(self.preset)
        if default is None and link_values.parameter(path):
            return None  # the value of the topology
        return default.compute(self.value(default.path)) if isinstance(default, Derived) else parameter.parse(default)

    @property
    def segment_bytes(self) -> float:
        """Bytes in a segment."""
        setting = self.settings.get("transport.segment_bytes")
        return float(setting.value if setting else units.SEGMENT_BYTES)

    @property
    def preset(self) -> str:
        """Name of the preset that values come from if they were not set."""
        setting = self.settings.get("preset")
        return str(setting.value if setting else PARAMETERS["preset"].default)

    def canonical(self) -> dict[str, Any]:
        """Return every value in base units: the input of the simulator.

        Returns
        -------
        Nested plain data.

        Raises
        ------
        InputError
            If single values are allowed but contradict each other.
        """
        return canonical.content(self.to_json())

    def _tree(self) -> dict[str, Any]:
        """Return the canonical form without explicit flows."""
        tree = {name: {**value} if isinstance(value, dict) else value for name, value in _defaults(self.preset).items()}
        for path in (*_derived(self.preset), *self.settings):
            if path in PARAMETERS and path not in access.PATHS:
                section, _, name = path.rpartition(".")
                (tree[section] if section else tree)[name] = plain(self._of_parameter(path, PARAMETERS[path]))
        tree["topology"] = plain(self.network.topology)
        if processes := self.value("arrivals"):
            tree["arrivals"] = [plain(process) for process in processes]
        if entries := self.value("deployment"):
            tree["deployment"] = [plain(entry) for entry in entries]
        if of_links := {path: plain(self.value(path)) for path in link_values.paths(self.settings)}:
            tree["links"] = link_values.entries(of_links)
        if sets := self.impairment_sets():
            tree["impairment_sets"] = {
                name: {path.rpartition(".")[2]: plain(self.value(path)) for path in impairment_sets.paths(name)}
                for name in sets
            }
        if of_homes := self.network.impairment_sets:
            tree.setdefault("impairment_sets", {}).update({name: plain(values) for name, values in of_homes.items()})
        tree["algorithms"] = [
            {"name": name, "share": plain(share), "parameters": self._constants(name), **_plugin(name)}
            for name, share in self._mix()
        ]
        return tree

    def to_json(self) -> str:
        """Return the canonical form as text: equal scenarios have equal text.

        Returns
        -------
        JSON.

        Raises
        ------
        InputError
            As `canonical`.
        """
        self.check()
        return self._text

    @cached_property
    def _text(self) -> str:
        return canonical.text(self._tree(), "flows", self._value("flows"))

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical form, in hexadecimal."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def impairment_sets(self) -> list[str]:
        """Return the names of the sets of impairments.

        Returns
        -------
        Names, sorted; without ``[impairments]``, which has none.

        Raises
        ------
        InputError
            If a set does not name its links.
        """
        try:
            return impairment_sets.names(self.settings)
        except InputError as error:
            raise error.located(file=self.file or f"scenario {self.name}") from None

    @cached_property
    def network(self) -> access.Network:
        """The network that the simulator gets: the topology, with the access of `tiers.access`."""
        return access.network(self.value)

    def describe(self) -> dict[str, Any]:
        """Return the numbers that follow from the scenario: routers, speeds, buffers, sources, paths and warnings.

        Returns
        -------
        Plain data, in base units.

        Raises
        ------
        InputError
            If the simulator refuses the scenario.
        """
        try:
            return core.describe(self.to_json())
        except InputError as error:
            raise self.located(error) from None

    def located(self, error: InputError) -> InputError:
        """Return an error of the simulator with the file and the value that it is about, where they are known.

        Parameters
        ----------
        error
            An error with a path of this scenario.

        Returns
        -------
        The same error, with more places filled in.
        """
        if of_link := link_values.named(error.path or "", self.settings):
            file, note = self._place_to_change(of_link)
            value = error.value or self.settings[of_link].text
            return InputError(error.problem + note, error.file or file, of_link, value, error.allowed)
        if (error.path or "").startswith(f"impairments.{access.PATH}"):
            return self.located(replace(error, path=str(error.path).removeprefix("impairments.")))
        path, bracket, rest = (error.path or "").partition("[")
        path = "topology" if path.startswith("topology.") else path
        setting = self.settings.get(path)
        file, note = self._place_to_change(path)
        if setting and path == "flows" and bracket and not error.file:
            return flows.located(error, setting.given).located(file=file)
        value = None
        if setting and (key := _ENTRY.match(error.path or "")):
            given = self.value(key[0])
            shown = settings.at(key[0])
            value = shown.show(given) if given is None else shown.kind.show_at(given, key.string[key.end() :])
        elif _base(path) in PARAMETERS or path in settings.TABLES:
            value = settings.parameter(path).kind.show_at(self.value(path), bracket + rest)
        return InputError(error.problem + note, error.file or file, error.path, error.value or value, error.allowed)

    def explain(self) -> list[Explained]:
        """Return every value as text and its source.

        Returns
        -------
        Single values first, then algorithms, flows, arrivals, the deployment and constants.
        """
        rows = [self._explained(path) for path in (*PARAMETERS, *settings.WHOLES)]
        rows += [self._explained(path) for path in link_values.paths(self.settings)]
        for name in self.impairment_sets():
            rows += [self._explained(path) for path in impairment_sets.paths(name)]
        for name, _ in self._mix():
            rows += [
                self._explained_constant(f"parameters.{name}.{constant.name}")
                for constant in algorithms.resolve(name).algorithm.params
            ]
        return rows

    def unused(self, used: Iterable[str] = ()) -> list[str]:
        """Return the paths of constants that are set and have no effect: no flow uses the algorithm.

        Parameters
        ----------
        used
            Algorithms that are used in addition to those of the scenario.

        Returns
        -------
        Full paths, in the order in which they were set.
        """
        names = {*used, *(name for name, _ in self._mix())}
        return [path for path in self.settings if constants.is_idle(path, names)]

    def refuse_unused(self, paths: Iterable[str]) -> None:
        """Raise an `InputError` if a path is a constant of an algorithm that no flow uses.

        Parameters
        ----------
        paths
            Full paths or unique last parts.

        Raises
        ------
        InputError
            For the first such path.
        """
        used = [name for name, _ in self._mix()]
        for path in map(settings.resolve, paths):
            if constants.is_idle(path, used):
                raise self._contradiction(path, *constants.why_idle(path, used))

    def check(self) -> None:
        """Raise an `InputError` if single values are allowed but contradict each other.

        Raises
        ------
        InputError
            With the path, and the file where it is known.
        """
        self._checked  # noqa: B018 - checks when it is first read

    @cached_property
    def _checked(self) -> None:
        """None; a scenario with thousands of flows is checked once."""
        try:
            core.check(self._text)
        except InputError as error:
            shortened = "time.duration" in self.settings and self.settings["time.duration"].source == "--duration"
            if shortened and (error.path or "").endswith("].start"):
                self._refuse_late_flows(self.value("time.duration"))
            raise self.located(error) from None

    def _constant_of_variant(self, path: str) -> float:
        text, name = constants.parts(path)
        named = algorithms.resolve(text)
        if name in named.constants:
            return named.constants[name]
        return float(self.value(f"parameters.{named.algorithm.name}.{name}"))

    def _refuse_late_flows(self, duration: float) -> None:
        """Raise InputError for flows that start after the end; it blames the option that shortens the run."""
        for number, flow in enumerate(self.value("flows")):
            if flow["start"] > duration:
                start = units.TIME.show(flow["start"])
                where = flows.name(self.settings["flows"].given, number)
                problem = f"the run ends before {where} starts at {start}"
                last = units.TIME.show(max(each["start"] for each in self.value("flows")))
                raise self._contradiction("time.duration", problem, f"at least {last}")

    def _explained(self, path: str) -> Explained:
        parameter = settings.parameter(path)
        text = parameter.show(self.value(path)) or "none"
        if path in self.settings:
            return Explained(path, text, self.settings[path].source)
        source = parameter.source_for(self.preset) or "default"
        default = parameter.default_for(self.preset)
        if isinstance(default, Derived):
            source = f"{default.text}; {source}"
        return Explained(path, text, f"preset {self.preset}: {source}" if parameter.presets else source)

    def _explained_constant(self, path: str) -> Explained:
        algorithm, constant = constants.parts(path)
        named = algorithms.resolve(algorithm)
        if constant in named.constants:
            return Explained(path, units.number_text(named.constants[constant]), f"in the name {named.name}")
        return replace(self._explained(f"parameters.{named.algorithm.name}.{constant}"), path=path)

    def _mix(self) -> list[tuple[str, float]]:
        """Return the mix, and with share 0 the algorithms that only flows, arrivals and the deployment name."""
        mix = list(self.value("algorithms"))
        lists = ("flows", "arrivals", "deployment")
        alone = (name for path in lists for name in column(self._value(path), "algorithm") if name)
        return mix + [(name, 0.0) for name in dict.fromkeys(alone) if name not in dict(mix)]

    def _constants(self, algorithm: str) -> dict[str, Any]:
        """Return the constants of an algorithm or a variant: in its name, else as set, else of the preset."""
        named, preset = algorithms.resolve(algorithm), self.preset
        defaults = {about.name: about.default(preset) for about in named.algorithm.params}
        section = f"parameters.{named.algorithm.name}."
        given = {
            path.removeprefix(section): setting.value
            for path, setting in self.settings.items()
            if path.startswith(section)
        }
        return {name: units.whole(value) for name, value in {**defaults, **given, **named.constants}.items()}

    def _contradiction(self, path: str, problem: str, allowed: str) -> InputError:
        setting = self.settings.get(path)
        file, note = self._place_to_change(path)
        return InputError(problem + note, file, path, setting.text if setting else None, allowed)

    def _place_to_change(self, path: str) -> tuple[str, str]:
        """Return the file or option in which a user can change the scenario, and a note if the value is elsewhere."""
        built_in = {f"{name}.toml" for folder in (SCENARIOS, EXPERIMENTS) for name in builtin_names(folder)}
        sources = {key: _file(setting.source) for key, setting in self.settings.items()}
        own = sources.get(path)
        users = list(dict.fromkeys(each for each in (self.file, *sources.values()) if each and each not in built_in))
        if own in users or not users:
            return own or f"scenario {self.name}", ""
        if own:
            return ", ".join(users), f" ({path} is set in {own})"
        return ", ".join(users), f" ({path} has its default)" if path in PARAMETERS and path not in sources else ""


def scenario(name_or_path: str | Path, /, **overrides: Any) -> Scenario:
    """Return a built-in scenario or one from a TOML file.

    Parameters
    ----------
    name_or_path
        A built-in name (see `names`) or the path of a TOML file.
    **overrides
        Values by path or unique last part of one, such as ``duration="5 min"`` or ``algorithm="cubic"``.

    Returns
    -------
    The scenario, checked.

    Raises
    ------
    InputError
        If there is no such scenario or a value is not allowed; the message names file, path, value and what is allowed.

    Examples
    --------
    >>> scenario("abilene", duration="5 min").value("duration")
    300.0
    """
    loaded = load_scenario(str(name_or_path))
    loaded = loaded.with_values(overrides) if overrides else loaded
    loaded.refuse_unused(overrides)
    loaded.check()
    return loaded


def names() -> dict[str, str]:
    """Return the built-in scenarios."""
    return builtin_titles(SCENARIOS)


def load_scenario(name: str, beside: Path | None = None, above: Sequence[tuple[str, Path | None]] = ()) -> Scenario:
    """Return a built-in scenario or one from a TOML file, with each value checked by itself only.

    `above`: files that have this scenario as their base, each with its folder.
    """
    if is_builtin(name, SCENARIOS):
        return _builtin(name)
    return _of_file(*find_toml(name, SCENARIOS, "scenario", beside), above)


@cache  # thousands of small runs may begin with a scenario each
def _builtin(name: str) -> Scenario:
    return _of_file(*find_toml(name, SCENARIOS, "scenario"))


def _of_file(text: str, file: str, directory: Path | None, above: Sequence[tuple[str, Path | None]] = ()) -> Scenario:
    """Return the scenario of the text of a TOML file."""
    chain = (*above, (file, directory))
    if identity(file, directory) in (identity(*each) for each in above):
        problem = f"the scenario is its own base: {' -> '.join(each for each, _ in chain)}"
        raise InputError(problem, file=above[0][0], path="base")
    table = read_toml(text, file)
    for key in ("base", "title", "description"):
        if key in table and not isinstance(table[key], str):
            raise InputError("not text", file=file, path=key, value=table[key], allowed="text in quotes")
    try:
        base = load_scenario(table.pop("base"), directory, chain) if "base" in table else None
    except InputError as error:
        raise error.located(file=file, path="base") if error.file is None else error from None
    title = table.pop("title", base.title if base else "")
    table.pop("description", None)
    start = Scenario(Path(file).stem, title, base.settings if base else {}, None if directory is None else file)
    values = settings.flatten(table)
    if base is None and not values:
        raise InputError("a scenario without values", file, allowed='values, or a base such as base = "abilene"')
    return start._with(values, f"set in {file}", directory or builtin_folder(SCENARIOS), full_paths=True)


@cache
def _defaults(preset: str) -> dict[str, Any]:
    """Return the tree of the defaults of a preset that the simulator reads; None where they follow from a value."""
    tree: dict[str, Any] = {}
    for path, parameter in PARAMETERS.items():
        if path not in access.PATHS:
            section, _, name = path.rpartition(".")
            default = None if path in _derived(preset) else parameter.parse(parameter.default_for(preset))
            (tree.setdefault(section, {}) if section else tree)[name] = plain(default)
    return tree


@cache
def _derived(preset: str) -> tuple[str, ...]:
    """Return the paths of the defaults of a preset that follow from other values."""
    return tuple(path for path in PARAMETERS if isinstance(PARAMETERS[path].default_for(preset), Derived))


def _base(path: str) -> str:
    """Return the parameter of a value of a set of impairments; of a path of the simulator, which may be any text."""
    try:
        return impairment_sets.base(path)
    except InputError:
        return path


def _plugin(name: str) -> dict[str, str]:
    """Return the entry of the canonical form for an algorithm that is a plug-in: the digest of its file."""
    digest = algorithms.resolve(name).plugin
    return {} if digest is None else {"plugin": digest}


def _file(source: str) -> str | None:
    """Return the file or option that a source names."""
    return None if source == "set in code" else source.removeprefix("set in ")
