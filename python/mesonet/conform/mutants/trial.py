"""The process that checks one mutant: ``python -m mesonet.conform.mutants.trial``.

Standard input is a JSON object: ``algorithm``, the file of the mutant with its constants; ``plan``, arguments of
`mesonet.conform.conformance.plan`; and ``machine_code``, the digest of what the compiler made of the original (null:
unknown). Each line of standard output is a JSON object. One with ``check`` names the check that begins, so that the
caller knows it if the process dies. The last one has ``verdict``, ``by``, the check that failed, and ``why``, the words
of its finding. A mutant that survives has ``values``, the measured numbers, and ``cpu_s``, its processor time.

The checks come in the order of their cost, and the first that fails ends the process.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Mapping
from typing import Any

from mesonet import algorithms, plugins
from mesonet.conform.baseline import GROUP as BASELINE
from mesonet.conform.bench import Bench
from mesonet.conform.conformance import Plan, check, plan
from mesonet.conform.contract import GROUP as CONTRACT
from mesonet.conform.finding import FAIL, About
from mesonet.errors import InputError, PluginFault
from mesonet.plugins import library
from mesonet.plugins.files import located

KILLED, SURVIVED, EQUAL, INVALID = "killed", "survived", "same machine code", "does not load"
"""Verdicts on a mutant. One that does not load is refused by the compiler, or by mesonet."""


def main() -> None:
    """Check the mutant of standard input."""
    task = json.load(sys.stdin)
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the output of a plug-in is no reply

    def send(message: Mapping[str, Any]) -> None:
        channel.write(json.dumps(message) + "\n")
        channel.flush()

    try:
        chosen = plan(task["algorithm"], **task["plan"])
    except InputError as error:
        send({"verdict": INVALID, "by": "", "why": str(error)})
        return
    code = machine_code(chosen.algorithm)
    if code and code == task["machine_code"]:
        send({"verdict": EQUAL, "by": "", "why": ""})
        return
    bench, values = Bench(chosen.algorithm, values=chosen.values), {}
    for about in by_cost(chosen, bench):
        send({"check": about.name})
        try:
            found = check(chosen, about.name, bench)
        except (InputError, PluginFault) as error:
            send({"verdict": KILLED, "by": about.name, "why": str(error)})
            return
        if found.verdict == FAIL:
            send({"verdict": KILLED, "by": about.name, "why": found.why})
            return
        values[about.name] = dict(found.values)
    survivor = {"machine_code": code, "values": values, "cpu_s": time.process_time()}
    send({"verdict": SURVIVED, "by": "", "why": "", **survivor})


def machine_code(algorithm: str) -> str | None:
    """Return the digest of the library that was compiled from a plug-in; None for a class in Python."""
    plugin = plugins.by_name()[algorithms.resolve(algorithm).algorithm.name]
    file, part, _ = located(plugin.file)
    if file.suffix == ".py":
        return None
    return hashlib.sha256(library.compiled(file, plugin.digest, part).read_bytes()).hexdigest()


def by_cost(chosen: Plan, bench: Bench) -> list[About]:
    """Return the checks of a plan: the contract, then the others by the segments that their runs can carry."""
    costs = {each.about.name: (each.scenario, each.values) for suite in chosen.suites for each in suite.cases}

    def cost(about: About) -> float:
        if about.group == CONTRACT:
            return 0.0
        scenario = bench.scenario(*costs.get(about.name, (f"{BASELINE}/{about.id}", {})))
        return float(scenario.value("network.speed")) * float(scenario.value("time.duration"))

    return sorted((each for each in chosen.checks() if each.name not in chosen.skip), key=cost)


if __name__ == "__main__":
    main()
