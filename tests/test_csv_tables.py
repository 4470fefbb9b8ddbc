"""Cells of CSV files: no text is a formula to a spreadsheet, and numbers stay numbers."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from mesonet.files.csv_tables import write_csv

PAGE = Path(__file__).parents[1] / "python" / "mesonet" / "reporting" / "page" / "unpack.js"
FORMULAS = ["=1+1", "+a", "-a", "@SUM(A1)", "\tx", "\rx", "\nx", "-", '=HYPERLINK("http://x","y")', "-1+1", "+1 seg/s"]
PLAIN = ["a=1", "1", "-1", "+2.5", "-3.5e-4", ".5", "'=1", "", "Ünïcode", "a,b"]


def test_no_text_begins_as_a_formula(tmp_path: Path) -> None:
    texts = [*FORMULAS, *PLAIN]
    numbers = [-float(number) for number in range(len(texts))]
    table = pl.DataFrame({"=name": texts, "number": numbers, "none": [None] * len(texts)})
    write_csv(table, tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["'=name", "number", "none"]
    assert [row[0] for row in rows] == [*(f"'{text}" for text in FORMULAS), *PLAIN]
    assert [float(row[1]) for row in rows] == numbers
    assert {row[2] for row in rows} == {""}


@pytest.mark.parametrize("table", [pl.DataFrame(), pl.DataFrame({"a": []}, schema={"a": pl.String})])
def test_empty_tables_are_as_before(tmp_path: Path, table: pl.DataFrame) -> None:
    write_csv(table, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == table.write_csv()


@pytest.mark.process
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_cells_of_pages_are_the_same() -> None:
    source = PAGE.read_text()
    function = source[source.index("function csvCell") :]
    values = [*FORMULAS, *PLAIN, -1.5, None, True]
    program = f"{function}\nconsole.log(JSON.stringify({json.dumps(values)}.map(csvCell)))"
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    cells = next(iter(csv.reader([",".join(json.loads(done.stdout))])))
    assert cells == [*(f"'{text}" for text in FORMULAS), *PLAIN, "-1.5", "", "true"]
