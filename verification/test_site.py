"""The documentation site, built: pages on a phone, with nothing from other hosts and no error of a script."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SITE = ROOT / "target" / "docs" / "site"
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
WIDTH = 390
"""Width of a phone, in pixels."""


@pytest.fixture(scope="module")
def site() -> Path:
    subprocess.run(["make", "--silent", "docs"], cwd=ROOT, check=True)
    return SITE


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_no_page_scrolls_sideways_or_loads_from_elsewhere(site: Path) -> None:
    api = pytest.importorskip("playwright.sync_api")
    files = [file for file in sorted(site.rglob("*.html")) if "sample" not in file.parts]
    files.remove(site / "index.html")  # it leads on to docs/index.html
    assert len(files) > 80
    found: list[str] = []
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 844})
        page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: found.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else found.append(asked.url))
        for file in files:
            page.goto(file.as_uri())
            if page.evaluate("document.documentElement.scrollWidth") > WIDTH:
                found.append(f"{file.relative_to(site)} scrolls sideways")
        browser.close()
    assert found == []
