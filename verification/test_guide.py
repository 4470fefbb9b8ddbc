"""The guide to adding a congestion control, followed to the letter in a copy of the sources."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from page_blocks import ROOT, blocks

GUIDE = ROOT / "docs" / "how-to" / "add-a-congestion-control.md"


def test_the_example_builds_and_keeps_what_every_algorithm_has_to(tmp_path: Path) -> None:
    for name in ("Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "crates", tmp_path / "crates")
    file, module, entry = (block.code for block in blocks(GUIDE) if block.language == "rust")
    sources = tmp_path / "crates" / "cc" / "src"
    name = re.search(r"pub mod (\w+);", module)[1]  # type: ignore[index]
    (sources / "algorithms" / f"{name}.rs").write_text(file)
    add_line(sources / "algorithms" / "mod.rs", "pub mod illinois;\n", module)
    add_line(sources / "registry.rs", "    Illinois =>", entry)
    for command in (
        ["fmt", "--all", "--", "--check"],
        ["clippy", "--quiet", "-p", "mesonet-cc", "--all-targets", "--", "-D", "warnings"],
        ["test", "--quiet", "-p", "mesonet-cc", "--lib", "--test", "all", "contract"],
    ):
        done = subprocess.run(["cargo", *command], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"cargo {' '.join(command)}\n{done.stdout}\n{done.stderr}"
    shown = subprocess.run(
        ["cargo", "run", "--quiet", "-p", "mesonet-cc", "--example", "acknowledgements"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert name in shown.stdout.split()


def add_line(path: Path, before: str, line: str) -> None:
    text = path.read_text()
    assert text.count(before) == 1, f"{path}: where {line.strip()} belongs"
    path.write_text(text.replace(before, line + before))
