"""The playground as one HTML file: the simulator, scenarios, lessons and scripts; it loads nothing from outside."""

from __future__ import annotations

import itertools
import json
import tomllib
from functools import cache, partial
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mesonet import core
from mesonet.assets import asset, carrier, render
from mesonet.browser import module
from mesonet.charts import in_page
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.reporting import packing
from mesonet.reporting.page.document import FOLDER as REPORT
from mesonet.scenarios.parameters import discipline_title
from mesonet.scenarios.scenario import Scenario, load_scenario

STYLES = ("playground.css",)
SCRIPTS = ("charts.js", "settings.js", "scenario.js", "results.js", "playground.js")
"""Scripts in their order: what one declares, the later ones use."""
DATA_ID = "playground-data"
_asset = partial(asset, "mesonet.playground")
PRESET = "linux"
NETWORKS = {
    "dumbbell": ("bottleneck", {"trace.every": "50 ms"}),
    "abilene": ("abilene", {"trace.every": "200 ms", "measurement.interval": "200 ms"}),
}
"""By name on the page: the built-in scenario and changes of it."""
DISCIPLINES = ("drop_tail", "red", "pie", "codel", "fq_codel", "dualpi2")
"""Queue disciplines to choose from."""


def write_playground(path: Path | str) -> Path:
    """Write the playground."""
    if not module.is_built():
        raise InputError("the package has no simulator for browsers", value=str(path), allowed="after `make wasm`")
    with places.file(path) as aside:
        aside.write_text(playground_html(), encoding="utf-8")
    return Path(path)


def playground_html() -> str:
    """Return the page."""
    style = "".join(map(_asset, STYLES))
    unpack = asset(REPORT, "unpack.js")
    script = "\n".join([unpack, *map(module.script, module.SCRIPTS), *map(_asset, SCRIPTS)])
    carried = {**module.carriers(), DATA_ID: packing.pack(playground_data())}
    return render(
        "mesonet.playground",
        "playground.html",
        policy=in_page.content_policy([script], [style], simulator=True),
        style=style,
        carriers=Markup("\n").join(itertools.starmap(carrier, carried.items())),
        script=script,
        size=f"{module.built().page_bytes / 1000:.0f} kB",
    )


@cache
def playground_data() -> dict[str, Any]:
    """Return what the scripts of the page need.

    Canonical scenarios by network; titles of algorithms, with their constants, and of queue disciplines; the lessons.
    """
    return {
        "scenarios": {name: json.loads(_scenario(*about).to_json()) for name, about in NETWORKS.items()},
        "algorithms": [
            {"name": name, "title": algorithm.title, "parameters": _constants(name)}
            for name, algorithm in core.algorithms().items()
        ],
        "disciplines": {name: discipline_title(name) for name in DISCIPLINES},
        "lessons": tomllib.loads(_asset("lessons.toml"))["lesson"],
    }


def _scenario(base: str, values: dict[str, Any]) -> Scenario:
    return load_scenario(base).with_values({"preset": PRESET, **values})


def _constants(algorithm: str) -> dict[str, float]:
    """Return the constants of an algorithm under the preset of the page."""
    chosen = _scenario("bottleneck", {"algorithms": algorithm})
    constants: dict[str, float] = json.loads(chosen.to_json())["algorithms"][0]["parameters"]
    return constants
