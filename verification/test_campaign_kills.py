"""A campaign under 100 random kills: nothing is lost, and nothing is made twice without need.

Processes that make runs and whole drivers are killed at random moments (signal 9); a killed driver is started again,
sometimes two at a time. In the end every run must be there, whole, and with the answer that only it has.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

import mesonet
import sleepy
from commands import ENVIRONMENT, MESONET
from test_faults import write

KILLS = 100
REPLICATES = 125
"""Of 4 conditions: 500 runs."""


def makers(driver: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(driver.pid).children() if driver.poll() is None else []


def test_a_hundred_kills(tmp_path: Path, record_testsuite_property: Callable[[str, object], None]) -> None:
    seed = int(os.environ.get("MESONET_KILL_SEED", "1"))
    draw = random.Random(seed)
    file = write(tmp_path, replicates=REPLICATES, pause=0.15)
    command = [*MESONET, "experiment", "run", str(file), "--out", str(tmp_path / "out"), "--tries", "100"]
    command += ["--workers", "2"]

    def start() -> subprocess.Popen[bytes]:
        with (tmp_path / "log.txt").open("a") as log:
            return subprocess.Popen(command, env=ENVIRONMENT, stdout=log, stderr=log)

    drivers = [start()]
    kills = lost = 0
    while kills < KILLS:
        time.sleep(draw.uniform(0.2, 1.5))
        drivers = [driver for driver in drivers if driver.poll() is None]
        while len(drivers) < (2 if draw.random() < 0.3 else 1):
            drivers.append(start())
        victim = draw.choice(drivers)
        if draw.random() < 0.3:
            lost += len(makers(victim))
            victim.kill()
            victim.wait()
        elif workers := makers(victim):
            lost += 1
            draw.choice(workers).kill()
        else:
            continue
        kills += 1
    for driver in drivers:
        driver.wait(600)
    final = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=600)
    assert final.returncode == 0, final.stderr
    campaign = mesonet.load(tmp_path / "out")
    assert campaign.counts == {"done": 4 * REPLICATES, "failed": 0, "missing": 0}
    assert campaign.response("seed")["value"].to_list() == [seed % 1000 for seed in campaign.runs["seed"]]
    sums = dict(zip(range(1, 5), (11, 12, 21, 22), strict=True))
    assert campaign.response("sum")["value"].to_list() == [sums[number] for number in campaign.runs["condition"]]
    begun = sleepy.calls(tmp_path)
    assert len(begun) == 4 * REPLICATES
    extra = sum(begun.values()) - len(begun)
    record_testsuite_property("made again", f"{extra} for {lost} processes that died in {kills} kills")
    assert extra > KILLS / 10, "most kills met a process in the middle of a run"
    assert extra <= lost, f"{extra} runs were made again for {lost} processes that died"
    left = [path for path in (tmp_path / "out" / "runs").iterdir() if path.name.startswith(".lease-")]
    assert not left
