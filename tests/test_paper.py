"""The paper: its form, its references, and the place of each of its numbers in the repository."""

from __future__ import annotations

import csv
import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "paper"
PAPER = (FOLDER / "paper.md").read_text()
BIBLIOGRAPHY = (FOLDER / "paper.bib").read_text()
FRONT, BODY = PAPER.split("---\n", maxsplit=2)[1:]
_found = importlib.util.spec_from_file_location("paper", ROOT / "docs" / "sphinx" / "paper.py")
assert _found
assert _found.loader
paper = importlib.util.module_from_spec(_found)
_found.loader.exec_module(paper)

with (FOLDER / "numbers.csv").open(newline="") as file:
    NUMBERS = list(csv.DictReader(file))

NAMES = r"RFC 9743|500-282|Linux 6\.18|ns-[23]|s2n-quic|M/D/1|@\w+"
"""Names with digits, which are no numbers."""


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_the_form_is_complete() -> None:
    about = yaml.safe_load(FRONT)
    assert about["bibliography"] == "paper.bib"
    assert about["title"] == yaml.safe_load((ROOT / "CITATION.cff").read_text())["title"]
    authors = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["authors"]
    assert [author["name"] for author in about["authors"]] == [author["name"] for author in authors]
    assert {author["affiliation"] for author in about["authors"]} == {each["index"] for each in about["affiliations"]}
    assert re.findall(r"^# (.*)", BODY, re.MULTILINE) == [
        "Summary", "Statement of need", "State of the field", "Software design", "Validation", "Limitations",
        "Acknowledgements", "References",
    ]  # fmt: skip
    assert 750 <= len(BODY.split()) <= 1750, "words that the journal allows"


def test_every_citation_has_its_reference_and_every_reference_is_cited() -> None:
    known = paper.entries(BIBLIOGRAPHY)
    assert set(re.findall(r"@(\w+)", BODY)) == set(known)
    assert BIBLIOGRAPHY.count("\n@") + 1 == len(known), "an entry cannot be read"
    for key, entry in known.items():
        assert {"author", "title", "year"} <= set(entry), key


@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: row["paper"])
def test_a_number_is_in_the_file_that_it_comes_from(row: dict[str, str]) -> None:
    assert row["paper"] in one_line(BODY)
    assert row["there"] in one_line((ROOT / row["file"]).read_text())


def test_every_number_has_its_file() -> None:
    left = one_line(BODY)
    for row in NUMBERS:
        left = left.replace(row["paper"], "")
    assert re.findall(r"\S*\d\S*", re.sub(NAMES, "", left)) == []


def test_the_power_of_the_contract_is_counted() -> None:
    page = (ROOT / "docs" / "reference" / "conform-power.md").read_text().split("\n## ")[1]
    rows = [line.split("|")[2:-1] for line in page.splitlines() if line.startswith("| ")][1:]
    seen = sum(any(cell.strip() == "x" for cell in row) for row in rows)
    assert f"finds {seen} of {len(rows)} controls" in one_line(BODY)


def test_the_page_has_links_to_its_references() -> None:
    shown = paper.page(PAPER, BIBLIOGRAPHY)
    assert shown.startswith("# mesonet: what happens")
    assert "@" not in shown
    assert "([Mills et al., 2010](#mills2010study); [Mills et al., 2011](#mills2011predicting))" in shown
    assert "Ware et al. ([2019](#ware2019beyond)) argue" in shown
    assert "(mills2010study)=\nMills, Kevin L.; Filliben" in shown
    assert "\n## Summary\n" in shown
    with pytest.raises(ValueError, match="not in the bibliography: nobody1999"):
        paper.page(PAPER.replace("@qiu2001many", "@nobody1999"), BIBLIOGRAPHY)
