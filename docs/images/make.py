"""Make the pictures of this folder and the lines of the README about them: run the demo, and picture its report.

``make images`` after a change that moves results or pages. It needs Chromium and some minutes. ``demo.json`` records
what the picture shows; `tests/test_images.py` compares the record with the README, the picture and new simulations.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import mesonet
from mesonet.experiments.base import Designed

HERE = Path(__file__).parent
README = HERE.parents[1] / "README.md"
RECORD = HERE / "demo.json"
BLOCK = re.compile(r"^```text demo\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
CHECKED = (1, 18)
"""Conditions whose first replicate is simulated again by the test: one with losses, and one without."""
RESPONSES = ("slowdown_mean", "loss_rate", "queueing_delay")


def main(folder: Path) -> None:
    """Run the demo into a folder, and write the pictures, the record and the README."""
    experiment = mesonet.experiment("demo")
    campaign = experiment.run(folder)
    page = mesonet.report(campaign, folder / "report.html")
    picture(page, HERE / "report.png", size=(1366, 860))
    playground = folder / "playground.html"
    subprocess.run([sys.executable, "-m", "mesonet", "playground", "--out", str(playground)], check=True)
    picture(playground, HERE / "playground.png", size=(1200, 740), address="#first=bbr&second=cubic", wait_s=10.0)
    found = mesonet.verdict(campaign)
    record = {
        "answers": {each["algorithm"]: each["recommendation"] for each in found},
        "pictures": {name: digest(HERE / name) for name in ("report.png", "playground.png")},
        "values": values(experiment),
    }
    RECORD.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    block = f"```text demo\n{lines(record['answers'])}```\n"
    README.write_text(BLOCK.sub(lambda _: block, README.read_text(encoding="utf-8"), count=1), encoding="utf-8")


def values(experiment: Designed) -> dict[str, dict[str, float]]:
    """Return responses of the first replicate of the checked conditions, by condition and algorithm."""
    found = {}
    plan = experiment.plan().filter(replicate=1)
    for condition in CHECKED:
        for algorithm in experiment.algorithms:
            seed = int(plan.filter(condition=condition, algorithm=algorithm)["seed"].item())
            result = mesonet.simulate(experiment.condition(condition, algorithm), seed=seed)
            found[f"{condition} {algorithm}"] = {name: result.value(name) for name in RESPONSES}
    return found


def lines(answers: dict[str, str]) -> str:
    """Return the lines of the README."""
    wrapped = (textwrap.fill(f"{name}: {answer}", 100, subsequent_indent="  ") for name, answer in answers.items())
    return "".join(f"{text}\n" for text in wrapped)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def picture(page: Path, out: Path, *, size: tuple[int, int], address: str = "", wait_s: float = 2.0) -> None:
    """Write a picture of a page as a browser shows it after some time."""
    from playwright.sync_api import sync_playwright

    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"no browser: install one of {', '.join(BROWSERS)}")
    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        shown = opened.new_page(viewport={"width": size[0], "height": size[1]})
        shown.goto(f"{page.resolve().as_uri()}{address}")
        shown.wait_for_timeout(1000 * wait_s)
        shown.screenshot(path=out)
        opened.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
