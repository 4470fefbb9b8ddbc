"""Names that try to run a script or to leave their folder, and what holds them: a network and campaigns."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import mesonet as mn
from conftest import TINY
from mesonet.campaign import Campaign

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
COMMENT = "<!--<script>"
STYLE = "</style></title><svg onload=alert(1)>"
EXPRESSION = "'+alert(1)+'{{7*7}}${alert(1)}[0].x`"
"""Ends a string of JavaScript, of Vega's expressions and of templates."""
LINK = "javascript:alert(1)"
HOSTILE = (SCRIPT, IMAGE, COMMENT)
MORE = (*HOSTILE, STYLE, EXPRESSION, LINK)
OUTSIDE = ("../../outside", "/outside", "..", ".hidden", "a/b", "a\\b", "CON", "nul.txt", "x" * 300, "Twin", "tWIN")

MODEL = f"""
NAMES = {(*MORE, *OUTSIDE)!r}

def answers(parameters, seed):
    base = sum(parameters[id] * 2**place for place, id in enumerate("abc"))
    more = NAMES.index(parameters["algorithm"])
    return {{name: base * (1 + more * place) + place for place, name in enumerate(NAMES)}}
"""


def write_network(folder: Path) -> Path:
    """Write a topology of which each router has a hostile name."""
    file = folder / "links.csv"
    cells = ['"' + name.replace('"', '""') + '"' for name in MORE]
    links = (f"{one},{other},5" for one, other in pairwise(cells))
    file.write_text("\n".join(("from,to,delay_ms", *links)) + "\n")
    return file


def run_campaign(folder: Path, kind: str, names: tuple[str, str, str] = HOSTILE) -> Campaign:
    """Run an experiment with a hostile title, description, algorithms, factors, responses and units."""
    quoted = {name: json.dumps(name) for name in names}
    lines = [
        'name = "hostile"',
        f"title = {json.dumps(IMAGE)}",
        f"description = {json.dumps(SCRIPT)}",
        f"algorithms = [{', '.join(quoted.values())}]",
        'model = {function = "hostile_model.py:answers"}',
        "[responses]",
        *(f"{name} = {name}" for name in quoted.values()),
        "[design]",
        f'kind = "{kind}"\nruns = 8' if kind != "two-level" else "runs = 8",
        *(f'[[factors]]\nid = "{id}"\nname = {quoted[name]}\nminus = 0.0\nplus = 1.0' for id, name in
          zip("abc", names, strict=True)),
    ]  # fmt: skip
    (folder / "hostile_model.py").write_text(MODEL)
    (folder / "hostile.toml").write_text("\n".join(lines))
    return mn.experiment(folder / "hostile.toml").run(folder / "a/b/c/out", workers=1, progress=False)


def run_replayed(folder: Path, network: Path) -> Campaign:
    """Run a campaign on a hostile network, with traces for the replay."""
    from mesonet.reporting.replay.simulated import record

    file = folder / "tiny.toml"
    file.write_text(TINY.replace("[set]", f"[set]\ntopology = {json.dumps(str(network))}"))
    campaign = mn.experiment(file).run(folder / "out", workers=1, progress=False)
    record(campaign, 1, workers=1)
    return campaign
