"""The evidence reports of all built-in algorithms as one table: docs/reference/evidence.md.

``python -m verification.evidence_table FOLDER [--search] [ALGORITHM ...]`` runs what is missing in FOLDER, renews the
rows of the algorithms in ``tables/evidence.csv``, and writes the page. Without algorithms it takes all of them. The
searches for the worst cell take as long as all other criteria: ``--search`` runs them alone, nothing else does.
"""

from __future__ import annotations

import csv
import sys
from datetime import date
from pathlib import Path

from mesonet import core
from mesonet._version import __version__
from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, NO_WORSE, WORSE
from mesonet.evidence.evaluation import evaluate
from mesonet.evidence.plan import AGAINST, plan
from mesonet.evidence.suite import DEFAULT, criteria, suite_of
from mesonet.evidence.verdicts import NOT_EVALUATED, NOT_RUN
from mesonet.words import listed

TABLE = Path(__file__).parent / "tables" / "evidence.csv"
PAGE = Path(__file__).parent.parent / "docs" / "reference" / "evidence.md"
COLUMNS = ("algorithm", "section", "verdict", "harmful", "comparisons", "worst_harm", "why", "version", "date")
_MARKS = {NO_WORSE: "–", BETTER: "+", CANNOT_TELL: "?", AT_MARGIN: "±", NOT_EVALUATED: "?"}
_HEADING = """# Evidence about the built-in algorithms

Written by `verification/evidence_table.py`.

Verdicts of `mesonet evidence` with up to {replicates} replicates, against {against}, for each algorithm by criterion of
RFC 9743. A number means “worse”: it is the largest harm of a cell that is worse. – means “no worse”, + “better”, ± “at
the margin”, ? “cannot tell”. Criteria that nothing is simulated for are left out. An algorithm that is an incumbent is
compared with other runs of itself, too.{missing}

{measured}

Evidence is not certification, and the RFC has no thresholds: [how to read it](../how-to/evidence.md). The table has
what gets worse, not what gets better, and margins are choices.

Repeat it, or a single column with the name of an algorithm:

```sh elsewhere
python -m verification.evidence_table evidence-reports
python -m verification.evidence_table evidence-reports --search
```
"""


def measured(algorithm: str, out: Path, search: bool) -> list[dict[str, str]]:
    """Run the report of an algorithm, or its searches; return its rows."""
    sections = [each.id for each in criteria(suite_of(DEFAULT)) if (each.kind == "search") == search]
    chosen = plan(algorithm, only=",".join(sections), until_decided=not search)

    def told(line: str) -> None:
        sys.stderr.write(f"{algorithm}: {line}\n")

    _, findings = evaluate(chosen, out / f"{'search' if search else 'evidence'}-{algorithm}", told=told)
    rows = []
    version = f"{__version__}, code {core.code_version()[:12]}"
    for each in findings:
        if each.verdict == NOT_RUN:
            continue
        harmful = [cell for cell in each.cells if cell.verdict == WORSE]
        worst = max((cell.harm for cell in harmful), default=None)
        values = (
            algorithm, each.criterion.id, each.verdict, str(len(harmful)), str(len(each.cells)),
            "" if worst is None else f"{worst:.3f}", each.why, version, date.today().isoformat(),
        )  # fmt: skip
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def read() -> list[dict[str, str]]:
    """Return the rows of the table."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page(rows: list[dict[str, str]]) -> str:
    """Return the page of the table."""
    suite = suite_of(DEFAULT)
    names = _named(rows)
    cells = {(row["section"], row["algorithm"]): row for row in rows}
    lines = ["| criterion | " + " | ".join(f"`{name}`" for name in names) + " |", "|---" * (len(names) + 1) + "|"]
    for each in criteria(suite):
        if each.runs:
            marks = [_mark(cells.get((each.id, name))) for name in names]
            lines.append(f"| {each.id} {each.title} | " + " | ".join(marks) + " |")
    rest = [f"`{name}`" for name in core.algorithms() if name not in names]
    is_whole = all((each.id, name) in cells for each in criteria(suite) if each.runs for name in names)
    missing = f" Not run yet: {', '.join(rest)}." if rest else ""
    missing += "" if is_whole else " Cells without a mark are not run yet."
    against = " and ".join(f"`{name}`" for name in AGAINST)
    heading = _HEADING.format(replicates=suite.quick, against=against, missing=missing, measured=_measured(rows, names))
    return heading + "\n" + "\n".join(lines) + "\n\n" + _worst(rows, names)


def _named(rows: list[dict[str, str]]) -> list[str]:
    """Return the algorithms of rows in the order of columns; those that this build lacks come last."""
    return sorted({row["algorithm"]: None for row in rows}, key=_place)


def _place(name: str) -> tuple[int, str]:
    order = list(core.algorithms())
    return (order.index(name), name) if name in order else (len(order), name)


def _measured(rows: list[dict[str, str]], names: list[str]) -> str:
    """Return version and date of the measurements, a line for each."""
    searches = {each.id for each in criteria(suite_of(DEFAULT)) if each.kind == "search"}
    by_time: dict[tuple[str, str, bool], dict[str, None]] = {}
    for row in sorted(rows, key=lambda row: names.index(row["algorithm"])):
        by_time.setdefault((row["date"], row["version"], row["section"] in searches), {})[row["algorithm"]] = None
    lines = []
    for (day, version, is_search), found in sorted(by_time.items(), reverse=True):
        of = listed([f"`{name}`" for name in found]) if len(found) < len(names) else "all algorithms"
        what = f"{'The search for the worst cell' if is_search else 'The verdicts'} of {of}"
        lines.append(f"* {what}: {day}, mesonet {version}.")
    return "\n".join(["Measured:", "", *lines])


def _mark(row: dict[str, str] | None) -> str:
    if row is None:
        return ""
    return f"**{float(row['worst_harm']):.0%}**" if row["verdict"] == WORSE else _MARKS[row["verdict"]]


def _worst(rows: list[dict[str, str]], names: list[str]) -> str:
    """Return the reasons of all verdicts “worse”, by algorithm."""
    lines = ["## Where", "", "The worst cell of each criterion that is worse, by algorithm.", ""]
    for name in names:
        found = [
            f"* {row['section']}: {row['why']}" for row in rows if row["algorithm"] == name and row["verdict"] == WORSE
        ]
        lines += [f"### {name}", "", *(found or ["Worse by no criterion."]), ""]
    return "\n".join(lines).rstrip() + "\n"


def main(folder: Path, search: bool, names: list[str]) -> None:
    """Renew the rows of some algorithms, and the page."""
    sections = [each.id for each in criteria(suite_of(DEFAULT))]
    for name in names or list(core.algorithms()):
        new = measured(name, folder, search)
        renewed = {row["section"] for row in new}
        rows = [row for row in read() if row["algorithm"] != name or row["section"] not in renewed] + new
        rows.sort(key=lambda row: (_place(row["algorithm"]), sections.index(row["section"])))
        TABLE.parent.mkdir(exist_ok=True)
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0]), "--search" in given, [name for name in given[1:] if name != "--search"])
