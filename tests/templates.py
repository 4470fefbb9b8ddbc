"""A new response, queue discipline and number of endpoints as edits of the source tree, as CONTRIBUTING has them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Edit:
    """An addition to a file: before each match of `anchor`, of which there must be exactly one.

    `text` may refer to groups of the anchor. A new file has no anchor.
    """

    anchor: str
    text: str


@dataclass(frozen=True)
class Template:
    """Edits by the path of their file, written by hand."""

    edits: Mapping[str, tuple[Edit, ...]]

    def apply(self, tree: Path) -> None:
        """Make the edits in a copy of the source tree."""
        for path, edits in self.edits.items():
            file = tree / path
            for edit in edits:
                if not edit.anchor:
                    assert not file.exists(), path
                    file.write_text(edit.text, encoding="utf-8")
                    continue
                text = file.read_text(encoding="utf-8")
                assert len(re.findall(edit.anchor, text, re.MULTILINE)) == 1, f"{path}: {edit.anchor}"
                found = re.search(edit.anchor, text, re.MULTILINE)
                assert found
                file.write_text(text[: found.start()] + found.expand(edit.text) + text[found.start() :], "utf-8")


def copy(to: Path, *folders: str) -> None:
    """Copy folders and files of the source tree, without what is built for browsers."""
    for name in folders:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        else:
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)


def changed(tree: Path, *folders: str) -> set[str]:
    """Return the files of a copy that are new or differ from the source tree."""
    files = (file for name in folders for file in (tree / name).rglob("*") if file.is_file())
    paths = {file.relative_to(tree).as_posix() for file in files if "__pycache__" not in file.parts}
    return {
        path for path in paths
        if not (ROOT / path).exists() or (ROOT / path).read_bytes() != (tree / path).read_bytes()
    }  # fmt: skip


_DEFINITIONS = "python/mesonet/responses/definitions.py"
_AFTER_THE_LAST = r"^    \*\(_completed_goodput\("


def _counting() -> str:
    """Return the file that counts spurious timeouts."""
    files = (ROOT / "crates/sim/src").rglob("*.rs")
    (found,) = (file for file in files if re.search(_COUNTS, file.read_text(encoding="utf-8"), re.MULTILINE))
    return found.relative_to(ROOT).as_posix()


_COUNTS = r"^( *\S*counters\.)spurious_timeouts \+= 1;\n"

COUNTED = Template(
    {
        "crates/sim/src/measure/counters.rs": (
            Edit(
                r"^}\n\nimpl Counters \{",
                '    /// Spurious timeouts, each twice.\n    template_count: "template_count",\n',
            ),
        ),
        _counting(): (Edit(_COUNTS, r"\1template_count += 2;" + "\n"),),
        _DEFINITIONS: (
            Edit(
                _AFTER_THE_LAST,
                """    Response(
        "template_count", "", "Template of a count", "timeouts/interval", "Spurious timeouts, each twice",
        direction="lower", source="chosen: a template",
    ),
""",
            ),
        ),
    }
)
"""A response that counts an event which was not counted before."""

CALCULATED = Template(
    {
        "crates/sim/src/measure/responses.rs": (
            Edit(
                r'^ *\("timeouts_per_loss", ',
                '            ("template_ratio", c.spurious_timeouts as f64 / c.timeouts as f64),\n',
            ),
        ),
        _DEFINITIONS: (
            Edit(
                _AFTER_THE_LAST,
                """    Response(
        "template_ratio", "", "Template of a ratio", "1", "Spurious timeouts / timeouts",
        direction="lower", source="chosen: a template",
    ),
""",
            ),
        ),
        "tests/test_every_response.py": (
            Edit(
                r'^ *"starved_share": self\.starved\(period\),',
                """            "template_ratio": sums["spurious_timeouts"] / sums["timeouts"]
            if sums["timeouts"]
            else float("nan"),
""",
            ),
        ),
    }
)
"""A response that is calculated from what is counted: a ratio."""

_DISCIPLINE = """//! A template: what finds more work than a threshold is signalled.

use super::constants::constants;
use super::queue::{Arrives, Backlog, Draws, QueueFacts, Verdict, Waiting};
use mesonet_cc::{Picos, picos};
use serde::{Deserialize, Serialize};

constants! {
    /// Delay above which arrivals are signalled, s.
    "template_target" => target: f64, 1e-6 to 10.0;
}

/// The threshold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Template {
    threshold: Picos,
}

impl Template {
    /// The threshold of a queue.
    #[must_use]
    pub fn new(of: &Constants, _: QueueFacts) -> Self {
        Self { threshold: picos(of.target) }
    }
}

impl Arrives for Template {
    fn decide(&mut self, backlog: Backlog, arrival: &Waiting, _: &mut Draws) -> Verdict {
        if backlog.empty_at.saturating_sub(arrival.since) <= self.threshold {
            Verdict::Pass
        } else if arrival.may_be_marked() {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }
}
"""

DISCIPLINE = Template(
    {
        "crates/sim/src/disciplines/template.rs": (Edit("", _DISCIPLINE),),
        "crates/sim/src/disciplines/mod.rs": (
            Edit(r"^mod tail_drop;$", "mod template;\n"),
            Edit(r"(?<=constants: )codel,", "template, "),
            Edit(
                r"^    \}\n    at departure \{\n        /// Controlled",
                "        /// A template.\n        Template(template: template),\n",
            ),
        ),
        "python/mesonet/scenarios/parameters.py": (
            Edit(r'^    "dualpi2": "DualPI2",$', '    "template": "Template",\n'),
            Edit(
                r'^    Parameter\("aqm\.codel_target", ([^,]*), "5 ms", .*\n',
                r"""    Parameter("aqm.template_target", \1, "20 ms", "Template: threshold.", "chosen: a template"),
""",
            ),
        ),
    }
)
"""A queue discipline with a constant."""

PARAMETER = Template(
    {
        "crates/sim/src/scenario.rs": (
            Edit(
                r"(?<=    pub timer_tick: f64,\n)",
                "    /// Time that a test adds to the tick, s.\n    pub template_tick: f64,\n",
            ),
        ),
        "crates/sim/src/scenario/bounds.rs": (
            Edit(
                r'(?<=    from\("transport\.timer_tick", 0\.0, 10\.0\),\n)',
                '    above("transport.template_tick", 0.0, 2.5),\n',
            ),
        ),
        "crates/sim/src/transport/rtt.rs": (
            Edit(r"(?<= tick: picos\(parameters\.timer_tick)", " + parameters.template_tick"),
        ),
        "python/mesonet/scenarios/parameters.py": (
            Edit(
                r"^    # -- how long, what is measured",
                '    Parameter("transport.template_tick", TIME, "3 ms", "Added to the tick.", "a test"),\n',
            ),
        ),
    }
)
"""A number of endpoints."""
