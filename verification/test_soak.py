"""Soak test: an hour of kills, damage and restarts, after which a campaign has the bytes of an undisturbed one.

In each round a driver of a campaign of the simulator starts, and it or its workers are killed at random moments (signal
9) or told to end (SIGTERM, Ctrl-C). Then files of the folder are damaged: a flipped bit, a lost end, a lost file.
``MESONET_SOAK_S`` is the duration in s, ``MESONET_SOAK_SEED`` the seed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil

import mesonet
from commands import ENVIRONMENT, MESONET
from conftest import TINY

DURATION_S = float(os.environ.get("MESONET_SOAK_S", "3600"))
SEED = int(os.environ.get("MESONET_SOAK_SEED", "1"))
REPLICATES = 10
"""Of 8 runs: 80 runs of about half a second."""
LONGEST_S = 600.0
"""Most time of a command that nothing disturbs, s."""


def tables(folder: Path) -> dict[str, bytes]:
    """Every table of every run by its place."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.glob("runs/*/*.parquet"))}


def flip(draw: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def damage(draw: random.Random, folder: Path) -> str | None:
    """Damage a file of the folder; return what was done to which kind of file."""
    of_the_campaign = [file for name in ("experiment.json", "provenance.json") if (file := folder / name).exists()]
    of_runs = [file for file in folder.glob("runs/*/*") if file.is_file()]
    files = [file for file in (of_the_campaign if draw.random() < 0.2 else of_runs) if file.stat().st_size]
    if not files:
        return None
    file = draw.choice(files)
    what = draw.choice(["bit", "end", "file"] if file.parent != folder else ["bit"])
    if what == "bit":
        file.write_bytes(flip(draw, file.read_bytes()))
    elif what == "end":
        file.write_bytes(file.read_bytes()[: draw.randrange(file.stat().st_size)])
    else:
        file.unlink()
    return f"{what} of {file.name}"


def disturb(draw: random.Random, driver: subprocess.Popen[bytes]) -> str | None:
    """Kill or end the driver or a process of it; None if it has ended by itself."""
    time.sleep(draw.uniform(0.1, 4.0))
    if driver.poll() is not None:
        return None
    what = draw.choice(["worker", "driver", "SIGTERM", "SIGINT"])
    if what == "worker":
        for each in psutil.Process(driver.pid).children()[:1]:
            each.kill()
    elif what == "driver":
        driver.kill()
    else:
        driver.send_signal(signal.Signals[what])
    return what


def test_an_hour_of_kills_damage_and_restarts(
    tmp_path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    draw, done = random.Random(SEED), Counter[str]()
    file, folder = tmp_path / "tiny.toml", tmp_path / "out"
    file.write_text(TINY.replace("seed = 5", f"seed = 5\nreplicates = {REPLICATES}"))
    mesonet.experiment(file).run(tmp_path / "undisturbed", workers=2, progress=False)
    command = [*MESONET, "experiment", "run", str(file), "--out", str(folder), "--workers", "2", "--tries", "1000"]

    def run() -> subprocess.CompletedProcess[str]:
        """Run the command; remove a damaged provenance, as the how-to says."""
        result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=LONGEST_S)
        if result.returncode == 2 and "provenance.json: " in result.stderr:
            (folder / "provenance.json").unlink()
            done["provenance.json removed"] += 1
            return run()
        return result

    end = time.monotonic() + DURATION_S
    while time.monotonic() < end:
        with (tmp_path / "log.txt").open("a") as log:
            driver = subprocess.Popen(command, env=ENVIRONMENT, stdout=log, stderr=log)
        while what := disturb(draw, driver):
            done[what] += 1
        driver.wait(LONGEST_S)
        for _ in range(draw.randrange(6)):
            if what := damage(draw, folder):
                done[what] += 1
        if draw.random() < 0.2:
            result = run()
            assert result.returncode == 0, result.stderr
            assert tables(folder) == tables(tmp_path / "undisturbed")
            done["whole again"] += 1
    result = run()
    assert result.returncode == 0, result.stderr
    verified = subprocess.run(
        [*MESONET, "experiment", "status", str(folder), "--verify"], env=ENVIRONMENT, timeout=LONGEST_S
    )
    assert verified.returncode == 0
    assert tables(folder) == tables(tmp_path / "undisturbed")
    assert mesonet.load(folder).counts == {"done": 8 * REPLICATES, "failed": 0, "missing": 0}
    left = [each.name for each in (folder / "runs").iterdir() if each.name.startswith((".lease-", ".tmp-"))]
    assert not left
    record_testsuite_property("soak", dict(done))
    print(dict(done))  # noqa: T201 - shown with -s
    assert sum(done.values()) > DURATION_S / 60, "it was disturbed at least once a minute"
