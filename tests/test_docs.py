"""The code blocks of the documentation run, in order, each page in a folder of its own; its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from page_blocks import PAGES, ROOT, blocks, commands_of_mesonet, run, shortened

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("few_figures")]


def test_commands_are_found() -> None:
    assert commands_of_mesonet('mesonet run a \\\n --set x="2 s"  # why\n\nmesonet report b\n') == [
        ["mesonet", "run", "a", "--set", "x=2 s"], ["mesonet", "report", "b"],
    ]  # fmt: skip
    assert commands_of_mesonet("mkdir a\nmesonet run a\n") == []
    assert commands_of_mesonet("mesonet run a | head\n") == []


def test_what_is_simulated_is_shortened() -> None:
    assert shortened('mesonet run a --duration "10 s" --set warmup="1 s"\n') == (
        'mesonet run a --duration "2 s" --set warmup="1 s"\n'
    )
    assert (
        shortened('demo = mn.experiment("demo", duration="5 s")\n')
        == 'demo = mn.experiment("demo", replicates=1, duration="2 s")\n'
    )
    demo = "mesonet experiment run demo --out small"
    assert shortened(f"{demo}\n") == "mesonet experiment run demo --replicates 1 --out small\n"
    for whole in (f"{demo} --replicates 3\n", f"{demo} --until decided\n"):
        assert shortened(whole) == whole
    plan = "mesonet experiment plan demo"
    assert shortened(f"{plan}  # a table\n{plan} --pilot 1\n") == f"{plan} --pilot 0  # a table\n{plan} --pilot 1\n"
    for whole in ('mesonet run a --duration "60 s"\n', 'mesonet run a --set think_time="5 s"\n'):
        assert shortened(whole) == whole


@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(block.runs for block in blocks(p))], ids=lambda p: str(p.relative_to(ROOT))
)
def test_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(page, tmp_path)


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_how_to_is_in_the_table_of_how_tos() -> None:
    folder = ROOT / "docs" / "how-to"
    table = (folder / "README.md").read_text()
    missing = {page.name for page in folder.glob("*.md") if f"]({page.name})" not in table}
    assert missing == {"README.md"}


def test_no_merge_was_left_half_done() -> None:
    marks = ("<" * 7, ">" * 7)
    for folder in ("docs", "crates", "python", "tests", "verification", "benches", "examples"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".md", ".rs", ".py", ".toml", ".js", ".css"):
                assert not any(line.startswith(marks) for line in path.read_text().splitlines()), path
