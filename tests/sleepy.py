"""A model for tests of what can go wrong: it sleeps, writes down that it was called, and misbehaves on demand.

It is imported by worker processes: standard library only.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

TOML = """
name = "sleepy"
title = "Runs that take a moment"
model = {{function = "sleepy.py:sleep"}}
replicates = {replicates}

[parameters]
pause = {pause}
folder = "{folder}"
{more}

[[factors]]
id = "a"
minus = 1
plus = 2

[[factors]]
id = "b"
minus = 10
plus = 20
"""


def sleep(parameters, seed):
    """Notes the call, then does what `parameters` say for the condition; answers the sum of both factors."""
    here = f"{parameters['a']}-{parameters['b']}"
    note = Path(parameters["folder"], "calls.txt")
    with note.open("a") as file:
        file.write(f"begin {here} {seed} {os.getpid()}\n")
    time.sleep(parameters["pause"])
    if parameters.get("crash") == here:
        os.kill(os.getpid(), signal.SIGKILL)
    if parameters.get("hang") == here:
        time.sleep(3600)
    if parameters.get("greedy") == here:
        hoard = []
        while True:
            hoard.append(b"x" * 20_000_000)
            time.sleep(0.02)
    with note.open("a") as file:
        file.write(f"end {here} {seed} {os.getpid()}\n")
    return {"sum": parameters["a"] + parameters["b"], "seed": seed % 1000}


def busy(folder):
    """Numbers of the processes that are in the middle of a run, or died there."""
    note, inside = Path(folder, "calls.txt"), {}
    for line in note.read_text().splitlines() if note.exists() else ():
        kind, *_, process = line.split()
        inside[int(process)] = kind == "begin"
    return {process for process, is_inside in inside.items() if is_inside}


def calls(folder, what="begin"):
    """How often each run was begun, or ended: by condition and seed."""
    counted = {}
    note = Path(folder, "calls.txt")
    for line in note.read_text().splitlines() if note.exists() else ():
        kind, here, seed, _ = line.split()
        if kind == what:
            counted[here, seed] = counted.get((here, seed), 0) + 1
    return counted
