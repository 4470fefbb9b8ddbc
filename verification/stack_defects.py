"""Plant defects in a checkout of quinn, measure which checks of ``mesonet conform`` fail, and write a page::

    make stacks
    python -m verification.stack_defects ../quinn [BASELINE]

It takes a build, a baseline unless one is given, and half a minute for each stack and defect.

A copy of the checkout has all defects. The variable `PLANTED` of the environment turns one of them on; without it, the
copy behaves as the checkout. Afterwards the built module of the package is as before.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mesonet.algorithms import STACKS
from supply.stacks import MODULE, build, checkout

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "stack-checks.md"
SWITCH = """
/// The defect that is on (verification/stack_defects.py).
pub(crate) fn planted(defect: &str) -> bool {
    static CHOSEN: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    CHOSEN.get_or_init(|| std::env::var("PLANTED").unwrap_or_default()) == defect
}

/// Controllers that the process made.
pub(crate) static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// Bytes that a defect adds to the first window.
pub(crate) fn more() -> u64 {
    let number = if planted("count") {
        COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    } else if planted("address") {
        (&raw const COUNT as u64) >> 21 // libraries may begin at multiples of 2 MiB
    } else {
        0
    };
    number % 1024 * 100
}
"""
"""Code at the end of `congestion.rs` of the copy."""
CUBIC, BANDWIDTH = "cubic.rs", "bbr/bw_estimation.rs"
EDITS = (
    (CUBIC, "    current_mtu: u64,\n}", "    current_mtu: u64,\n    acks: u64,\n    is_greedy: bool,\n}"),
    (
        CUBIC,
        "            current_mtu: current_mtu as u64,\n",
        "            current_mtu: current_mtu as u64,\n            acks: 0,\n            is_greedy: false,\n",
    ),
    (CUBIC, "window: config.initial_window,", "window: config.initial_window + super::more(),"),
    (
        CUBIC,
        "        if app_limited\n",
        "        self.acks += 1;\n"
        "        if self.acks == 100 {\n"
        '            self.is_greedy = super::planted("uneven") && rtt.get().as_micros() % 2 == 0;\n'
        "        }\n"
        "        if app_limited\n",
    ),
    (
        CUBIC,
        "cmp::max((window * BETA_CUBIC) as u64, self.minimum_window());",
        "cmp::max(\n"
        "            (window\n"
        "                * match () {\n"
        '                    () if super::planted("beta") => 0.8,\n'
        "                    () if self.is_greedy => 0.98,\n"
        "                    () => BETA_CUBIC,\n"
        "                }) as u64,\n"
        "            self.minimum_window(),\n"
        "        );",
    ),
    (
        BANDWIDTH,
        "    acked_at_last_window: u64,\n",
        "    acked_at_last_window: u64,\n    updated: Option<Instant>,\n",
    ),
    (
        BANDWIDTH,
        "            self.max_filter.update_max(round, bandwidth);\n",
        "            self.max_filter.update_max(round, bandwidth);\n            self.updated = Some(now);\n",
    ),
    (
        BANDWIDTH,
        "    pub(crate) fn get_estimate(&self) -> u64 {\n",
        "    pub(crate) fn get_estimate(&self) -> u64 {\n"
        '        if let (true, Some(then), Some(now)) = (crate::congestion::planted("expires"), self.updated, '
        "self.acked_time) {\n"
        "            if now - then > Duration::from_secs(1) {\n"
        "                return self.max_filter.get() / 3;\n"
        "            }\n"
        "        }\n",
    ),
)
"""Edits of files of `src/congestion`: a text that is there once, and its replacement."""
DEFECTS = {
    "beta": ("backs off to 0.8 of its window in place of 0.7", "stack:quinn/cubic", "baseline/steady"),
    "expires": ("forgets two thirds of its bandwidth after one second", "stack:quinn/bbr", "contract/recovery"),
    "uneven": ("some connections back off to 0.98 of their window", "stack:quinn/cubic", "stack/share"),
    "count": ("a first window that depends on a count of the process", "stack:quinn/cubic", "contract/same-seed"),
    "address": ("a first window that depends on an address", "stack:quinn/cubic", "stack/process"),
}
"""Words, stack and a check that must fail, by value of `PLANTED`."""
HEAD = """# Checks of whole transport stacks: values and power

Written by `verification/stack_defects.py`.

## Values of the stacks

What the [checks of stacks](conform-checks.md) measure with the versions of `make stacks`. Values in bold fail. The last
column has the checks of the contract that fail.

"""
POWER = """
## Defects that are found

Defects are planted in a copy of {version}, which is built as with `make stacks QUINN=PATH`. The first two
rows compare with a baseline of the version without defects, from another build. Without a defect the copy has equal
numbers. What `stack:quinn/bbr` fails without a defect is in the table above.

`stack/hold` has no planted defect: the filter of `stack:noq/bbr3` [forgets its last
probe](../explanation/second-witness.md), and fails it.

"""


def planted(path: Path, copy: Path) -> Path:
    """Copy a checkout of quinn, and plant the defects in the copy."""
    shutil.copytree(path, copy, ignore=shutil.ignore_patterns("target", ".git"))
    sources = copy / "quinn-proto" / "src"
    with (sources / "congestion.rs").open("a", encoding="utf-8") as file:
        file.write(SWITCH)
    for name, before, after in EDITS:
        file = sources / "congestion" / name
        text = file.read_text(encoding="utf-8")
        if text.count(before) != 1:
            raise SystemExit(f"{file}: {before.strip()!r} is there {text.count(before)} times; the edits fit 0.11.19")
        file.write_text(text.replace(before, after), encoding="utf-8")
    return copy


def conform(stack: str, *options: str, defect: str = "") -> list[dict[str, Any]]:
    """Return the findings of a stack in a process of its own."""
    command = [sys.executable, "-m", "mesonet", "conform", stack, "--time-limit", "10 min", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PLANTED": defect})
    if run.returncode not in (0, 1):
        raise SystemExit(f"{stack}: {run.stderr.strip()}")
    found: list[dict[str, Any]] = json.loads(run.stdout)["findings"]
    sys.stderr.write(f"{stack} {defect}: {', '.join(failing(found)) or 'no check fails'}\n")
    return found


def failing(found: list[dict[str, Any]]) -> list[str]:
    """Return the names of the checks that fail."""
    return [f"{each['group']}/{each['id']}" for each in found if each["verdict"] in ("fail", "error")]


def values(stack: str) -> str:
    """Return the row of a stack in the table of values."""
    found = conform(stack, "--json")
    by_name = {each["id"]: each for each in found if each["group"] == "stack"}

    def cell(check: str, name: str, form: str) -> str:
        each = by_name[check]
        text = f"{each['values'][name]:{form}}" if name in each["values"] else "-"
        return f"**{text}**" if each["verdict"] != "pass" and text != "-" else text

    cells = [
        cell("completion", "completed", ".0f"),
        cell("reordering", "utilisation", ".1%"),
        cell("reordering", "spurious_share", ".3%"),
        cell("hold", "utilisation", ".1%"),
        cell("share", "jain", ".3f"),
        cell("share", "lowest", ".0%"),
        cell("share", "lowest_of_all", ".0%"),
        "equal" if by_name["process"]["verdict"] == "pass" else "**differ**",
        ", ".join(f"`{each}`" for each in failing(found) if each.startswith("contract/")) or "none",
    ]
    return f"| `{stack}` | {' | '.join(cells)} |\n"


def power(path: Path, baseline: Path) -> str:
    """Return the table of defects. The module of the package has them while this runs."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        build({"quinn": checkout("quinn", planted(path, Path(folder) / "planted quinn"))}, "release")
        for defect, (words, stack, check) in {"": ("none", "stack:quinn/cubic", ""), **DEFECTS}.items():
            against = ["--baseline", str(baseline)] if defect in ("", "beta") else []
            found = failing(conform(stack, "--json", *against, defect=defect))
            if (check not in found) if check else found:
                raise SystemExit(f"{words}: expected a failure of {check or 'nothing'}, found {found}")
            rows.append(f"| {words} | `{stack}` | {', '.join(f'`{each}`' for each in found) or 'none'} |\n")
    return "| defect | stack | fails |\n|---|---|---|\n" + "".join(rows)


def main(path: Path, known: Path | None = None) -> None:
    """Write the page. `known`: baseline of stack:quinn/cubic without defects, if there is one."""
    columns = (
        "stack", "transfers of 20", "reordering: use", "spurious losses", "hold: use", "share: Jain's index",
        "slowest flow", "slowest of 6 seeds", "other process", "contract",
    )  # fmt: skip
    table = f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n" + "".join(map(values, STACKS))
    version = checkout("quinn", path)
    with tempfile.TemporaryDirectory() as folder:
        baseline, kept = Path(folder) / "before.json", Path(folder) / MODULE.name
        if known is None:
            command = [sys.executable, "-m", "mesonet", "conform", "stack:quinn/cubic", "--write-baseline"]
            subprocess.run([*command, str(baseline)], check=True, stdout=subprocess.DEVNULL)
        shutil.copyfile(MODULE, kept)
        try:
            found = power(path, known or baseline)
        finally:
            shutil.copyfile(kept, aside := MODULE.with_suffix(".new"))
            aside.replace(MODULE)
    PAGE.write_text(HEAD + table + POWER.format(version=f"{version.crate} {version.version}") + found, encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
