"""Checkouts of transport stacks in place of the pinned versions: `make stacks QUINN=PATH`."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from mesonet.algorithms import STACKS
from mesonet.cli.verbs import main
from supply.stacks import ROOT, checkout, digest, with_paths
from verification.stack_defects import DEFECTS, EDITS, SWITCH, planted

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("cargo") is None, reason="no Rust"),
]
MANIFEST = '[package]\nname = "quinn-proto"\nversion = "0.12.3"\nedition = "2021"\n'


@pytest.fixture
def quinn(tmp_path: Path) -> Path:
    crate = tmp_path / "quinn-proto"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text(MANIFEST)
    (crate / "src" / "lib.rs").write_text("pub fn one() {}\n")
    return tmp_path


def test_a_checkout_has_its_version_and_a_hash_of_its_sources(quinn: Path) -> None:
    found = checkout("quinn", quinn)
    assert found.label == f"quinn-proto 0.12.3+{digest(quinn / 'quinn-proto')}"
    (quinn / "quinn-proto" / "src" / "lib.rs").write_text("pub fn two() {}\n")
    assert checkout("quinn", quinn).digest != found.digest


def test_the_folder_of_the_crate_stands_for_its_checkout(quinn: Path) -> None:
    assert checkout("quinn", quinn / "quinn-proto") == checkout("quinn", quinn)


def test_planted_defects_are_edits_of_the_copy_only(tmp_path: Path) -> None:
    sources = tmp_path / "a checkout" / "quinn-proto" / "src"
    (sources / "congestion" / "bbr").mkdir(parents=True)
    (sources / "congestion.rs").write_text("mod cubic;\n")
    for name in {each for each, _, _ in EDITS}:
        (sources / "congestion" / name).write_text("".join(before for each, before, _ in EDITS if each == name))
    before = digest(sources.parent)
    copy = planted(tmp_path / "a checkout", tmp_path / "copy") / "quinn-proto" / "src" / "congestion"
    assert digest(sources.parent) == before
    for name, _, after in EDITS:
        assert after in (copy / name).read_text()
    planted_names = set(re.findall(r'planted\("(\w+)"\)', SWITCH + "".join(after for _, _, after in EDITS)))
    assert planted_names == {*DEFECTS}
    (sources / "congestion" / "cubic.rs").write_text("")
    with pytest.raises(SystemExit, match=r"cubic\.rs: .* is there 0 times; the edits fit 0\.11\.19"):
        planted(tmp_path / "a checkout", tmp_path / "other")


def test_a_checkout_stands_in_place_of_the_pinned_version_and_no_other(quinn: Path) -> None:
    before = (ROOT / "crates" / "stacks" / "Cargo.toml").read_text()
    after = with_paths(before, {"quinn": checkout("quinn", quinn)})
    changed = [pair for pair in zip(before.splitlines(), after.splitlines(), strict=True) if pair[0] != pair[1]]
    ((old, new),) = changed
    assert old.startswith('quinn-proto = { version = "=')
    assert f'path = "{quinn}/quinn-proto"' in new


def test_a_folder_that_is_no_checkout_is_refused(quinn: Path, tmp_path: Path) -> None:
    with pytest.raises(
        SystemExit, match=r"QUINN = .*/nowhere': no quinn-proto/Cargo.toml. Allowed: a checkout of quinn"
    ):
        checkout("quinn", tmp_path / "nowhere")
    (quinn / "Cargo.toml").write_text(MANIFEST.replace("quinn-proto", "other"))
    (quinn / "src").mkdir()
    (quinn / "src" / "lib.rs").write_text("")
    with pytest.raises(SystemExit, match=r"no crate smoltcp\. Allowed: a checkout of smoltcp"):
        checkout("smoltcp", quinn)
    (quinn / "quinn-proto" / "Cargo.toml").write_text("[package")
    with pytest.raises(SystemExit, match="cargo cannot read it"):
        checkout("quinn", quinn)


def test_a_manifest_without_the_pinned_version_is_refused(quinn: Path) -> None:
    with pytest.raises(SystemExit, match=r'quinn-proto has no pinned version; allowed: "=X\.Y\.Z"'):
        with_paths("[dependencies]\n", {"quinn": checkout("quinn", quinn)})


def test_the_workflow_builds_both_versions_and_compares_them() -> None:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((ROOT / "examples" / "conform" / "stack.yml").read_text())
    (job,) = workflow["jobs"].values()
    commands = [shlex.split(line) for step in job["steps"] for line in step.get("run", "").splitlines()]
    paths = {step["with"]["path"] for step in job["steps"] if step.get("uses", "").startswith("actions/checkout")}
    assert {"before", "after", "mesonet"} == paths
    builds = [words for words in commands if words[:2] == ["make", "stacks"]]
    assert builds == [["make", "stacks", "QUINN=../before"], ["make", "stacks", "QUINN=../after"]]
    verb = main.get_command(None, "conform")  # type: ignore[arg-type]
    assert verb is not None
    before, after = (verb.make_context("conform", words[2:]).params for words in commands if "conform" in words)
    assert str(before["write_baseline"]) == after["baseline"] == "before.json"
    assert str(after["junit"]) == "conform.xml"
    for control in job["strategy"]["matrix"]["control"]:
        assert before["algorithm"].replace("${{ matrix.control }}", control) in STACKS
