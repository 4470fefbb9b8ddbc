"""All mutants of a plug-in, and the check that notices each of them first."""

from __future__ import annotations

import itertools
import math
import random
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesonet import algorithms, plugins
from mesonet._version import __version__
from mesonet.conform.baseline import SCENARIOS, SEEDS, write_baseline
from mesonet.conform.bench import Bench
from mesonet.conform.conformance import plan
from mesonet.conform.finding import ERROR, FAIL
from mesonet.conform.mutants import in_c, in_python
from mesonet.conform.mutants.mutation import Mutation
from mesonet.conform.process import Checker
from mesonet.errors import Broken, InputError
from mesonet.plugins.files import LINUX, MODULE, located
from mesonet.plugins.names import CXX, C
from mesonet.processes import processors
from mesonet.progress import Update

KILLED, SURVIVED, EQUAL, INVALID = "killed", "survived", "same machine code", "does not load"
"""Verdicts on a mutant. One that does not load is refused by the compiler, or by mesonet."""
VERDICTS = (KILLED, SURVIVED, EQUAL, INVALID)
ANY_BASELINE = "tcp"
"""A baseline with the scenarios of all baselines, in place of one that is not written yet."""
SLOWER, LEAST_S = 5.0, 10.0
"""Limit of the processor time of a mutant: a multiple of the time of the original, at least so many s (chosen)."""
UNCHANGED, TOLERATED = "no number changes", "numbers change within their tolerances"
"""Why a mutant survives."""


@dataclass(frozen=True)
class Mutant:
    """A change of the source, and what the checks made of it."""

    mutation: Mutation
    verdict: str  #: one of `VERDICTS`
    by: str  #: name of the check that failed; for a survivor `UNCHANGED` or `TOLERATED`
    why: str = ""  #: finding of the check

    def document(self) -> dict[str, Any]:
        """Return the mutant as plain data."""
        change = self.mutation
        about = {"line": change.line, "before": change.before, "after": change.after}
        return {**about, "verdict": self.verdict, "by": self.by, "why": self.why}


@dataclass(frozen=True)
class Report:
    """Mutants of a plug-in."""

    algorithm: str  #: name of the algorithm, or of the variant
    file: str  #: file that was changed
    of: int  #: number of mutations of the file, those that were not drawn included
    seed: int  #: seed of the draw
    limit: float  #: longest processor time of a mutant, s
    mutants: Sequence[Mutant]  #: in the order of the source

    def count(self, verdict: str) -> int:
        """Return the number of mutants with a verdict."""
        return sum(each.verdict == verdict for each in self.mutants)

    @property
    def share(self) -> float:
        """Part of the killed mutants in those that differ from the original, 0 to 1; 1 if there are none."""
        judged = self.count(KILLED) + self.count(SURVIVED)
        return self.count(KILLED) / judged if judged else 1.0

    def document(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "algorithm": self.algorithm,
            "file": self.file,
            "mesonet": __version__,
            "mutations": self.of,
            "seed": self.seed,
            "cpu_limit_s": self.limit,
            "counts": {verdict: self.count(verdict) for verdict in VERDICTS},
            "killed_share": self.share,
            "mutants": [each.document() for each in self.mutants],
        }


def mutations_of(algorithm: str) -> list[Mutation]:
    """Return the mutations of a plug-in. `algorithm`: name of a plug-in that is loaded, or of a variant."""
    file, part = _located(algorithm)
    source = file.read_bytes()
    return in_python.mutations(source, part) if file.suffix == ".py" else in_c.mutations(file, source)


def drawn(found: Sequence[Mutation], most: int | None, seed: int) -> list[Mutation]:
    """Return at most `most` mutations, drawn with a seed, in the order of the source."""
    if most is None or most >= len(found):
        return list(found)
    return sorted(random.Random(seed).sample(list(found), most))


def judge(
    algorithm: str,
    checks: Mapping[str, Any],
    *,
    most: int | None = None,
    seed: int = 1,
    workers: int | None = None,
    progress: Update | None = None,
) -> Report:
    """Return the verdict on each mutant of a plug-in; an `InputError` if the plug-in itself fails a check.

    Without a baseline among the checks, the numbers of the plug-in without a change are the baseline.

    `algorithm`: name of a plug-in that is loaded, or of a variant. `checks`: arguments of
    `mesonet.conform.conformance.plan`. `most`: largest number of mutants, drawn with `seed`; None: all. `workers`:
    mutants at a time; None: one per processor.
    """
    found, file = mutations_of(algorithm), _located(algorithm)[0]
    plan(algorithm, **{"baseline": ANY_BASELINE, **checks})  # refuses what is wrong before the work
    chosen = drawn(found, most, seed)
    judged: list[Mutant] = []
    with tempfile.TemporaryDirectory() as folder:
        if "baseline" not in checks:
            written = Path(folder) / "baseline.json"
            runs = itertools.count(1)
            step = (lambda: progress(next(runs), len(SCENARIOS) * SEEDS, "baseline")) if progress else None
            write_baseline(Bench(algorithm, values=checks.get("values") or {}), written, step)
            checks = {**checks, "baseline": str(written)}
        trials = _Trials(algorithm, file.read_bytes(), checks, Path(folder))
        trials.begin()
        with ThreadPoolExecutor(workers or processors()) as pool:
            try:
                for each in pool.map(trials.mutant, chosen):
                    judged.append(each)
                    if progress:
                        progress(len(judged), len(chosen), "mutants")
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                trials.stopped = True
                raise
    return Report(algorithm, str(file), of=len(found), seed=seed, limit=trials.limit, mutants=judged)


@dataclass
class _Trials:
    """Processes that check the mutants of a plug-in, each in a folder of its own."""

    algorithm: str
    source: bytes
    checks: Mapping[str, Any]
    folder: Path
    limit: float = math.inf  #: longest processor time of a mutant, s
    original: Mapping[str, Any] = field(default_factory=dict)  #: reply for the source without a change
    stopped: bool = False  #: True ends all trials

    def begin(self) -> None:
        """Check the source without a change."""
        self.original = self._reply(self.source)
        if self.original["verdict"] != SURVIVED:
            why = ": ".join(filter(None, (self.original["by"], self.original["why"])))
            allowed = "a plug-in that passes its checks without a change, or --skip CHECK"
            raise InputError(f"fails without a change: {why}", None, "--mutants", self.algorithm, allowed)
        self.limit = max(LEAST_S, SLOWER * self.original["cpu_s"])

    def mutant(self, mutation: Mutation) -> Mutant:
        """Return the verdict on a mutant."""
        reply = self._reply(mutation.applied(self.source))
        by = reply["by"]
        if reply["verdict"] == SURVIVED:
            by = UNCHANGED if reply["values"] == self.original["values"] else TOLERATED
        return Mutant(mutation, reply["verdict"], by, reply["why"])

    def _reply(self, source: bytes) -> dict[str, Any]:
        """Return the verdict on a source, by the first check that fails, and what was measured."""
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            asked = {"algorithm": _copied(self.algorithm, source, Path(place)), **self.checks}
            # Hundreds of libraries that no later run needs stay out of the cache.
            environment = {"XDG_CACHE_HOME": str(self.folder)}
            limit = None if math.isinf(self.limit) else self.limit
            with Checker(asked, None, None, is_mutant=True, cpu_limit=limit, environment=environment) as checker:
                return self._judged(checker)

    def _judged(self, checker: Checker) -> dict[str, Any]:
        try:
            outline = checker.outline()
        except InputError as error:
            return {"verdict": INVALID, "by": "", "why": str(error)}
        except Broken as error:
            return {"verdict": KILLED, "by": "start", "why": str(error)}
        code, values = outline.machine_code, {}
        if code and code == self.original.get("machine_code"):
            return {"verdict": EQUAL, "by": "", "why": ""}
        for about in outline.checks:
            found = checker.finding(about, stopped=lambda: self.stopped)
            if found.verdict in (FAIL, ERROR):
                return {"verdict": KILLED, "by": about.name, "why": found.why}
            values[about.name] = dict(found.values)
        survivor = {"machine_code": code, "values": values, "cpu_s": checker.cpu_s}
        return {"verdict": SURVIVED, "by": "", "why": "", **survivor}


def _located(algorithm: str) -> tuple[Path, str]:
    """Return the file of a plug-in whose source can be changed, and the class in it, ``linux`` or nothing."""
    plugin = plugins.by_name().get(algorithms.resolve(algorithm).algorithm.name)
    file, part, _ = located(plugin.file) if plugin else (Path(algorithm), "", "")
    if file.suffix not in (*C, *CXX, ".py"):
        allowed = "a plug-in in C, C++ or Python, such as my_cc.c or my_cc.py:MyCC"
        raise InputError("no source that can be changed", None, "--mutants", algorithm, allowed)
    return file, part


def _copied(algorithm: str, source: bytes, place: Path) -> str:
    """Write a source into a folder in which the other files are links; return it as the text of an algorithm."""
    file, part = _located(algorithm)
    for other in file.parent.iterdir():
        if other != file:
            (place / other.name).symlink_to(other)
    (place / file.name).write_bytes(source)
    named = algorithms.resolve(algorithm)
    constants = named.name.removeprefix(named.algorithm.name)
    if part == MODULE:
        return f"{LINUX}{place / file.name}{constants}"
    return f"{place / file.name}{':' if part else ''}{part}{constants}"
