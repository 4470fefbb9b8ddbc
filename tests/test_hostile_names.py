"""Names from files of others: no script runs from a page that shows them, and no file lands outside its folder."""

from __future__ import annotations

import json
import re
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

import mesonet as mn
from hostile import COMMENT, HOSTILE, IMAGE, MORE, OUTSIDE, SCRIPT, run_campaign, run_replayed, write_network
from mesonet import plots
from mesonet.campaign import Campaign
from mesonet.evidence.plan import campaign_name
from mesonet.evidence.suite import criteria, suite_of
from mesonet.files.names import distinct, file_stem, name_part
from mesonet.maps.network import network_map
from mesonet.reporting import write_analysis, write_report
from mesonet.reporting.campaign_view.sampled import is_sampled
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.folder.gallery import Extent, FigureFile, figures_of

pytestmark = pytest.mark.process


class Elements(HTMLParser):
    """The elements of a page as a browser sees them, with their attributes, and the text outside scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data if self.seen and self.seen[-1][0] not in ("script", "style") else ""

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.seen)


def assert_harmless(page: str) -> Elements:
    """No name became an element, an attribute that runs, or the end of a script."""
    assert SCRIPT not in page
    assert COMMENT not in page
    found = Elements(page)
    assert found.count("img") == 0
    assert not [name for _, given in found.seen for name in given if name.startswith("on")]
    return found


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("network"))


@pytest.fixture(scope="module", params=["two-level", "latin-hypercube"])
def campaign(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """A hostile campaign; tests only read it."""
    found = run_campaign(tmp_path_factory.mktemp("hostile"), request.param)
    assert found.counts["done"] == 24
    return found


def test_a_page_of_a_map_runs_no_script_of_a_router(network: Path) -> None:
    chosen = mn.scenario("abilene", topology=str(network))
    plain = mn.scenario("abilene")
    drawn = {name: plots.topology(network_map(each, each.describe())) for name, each in
             (("hostile", chosen), ("plain", plain))}  # fmt: skip
    page = plots.to_html(drawn["hostile"])
    assert SCRIPT not in page
    assert COMMENT not in page
    assert Elements(page).count("script") == Elements(plots.to_html(drawn["plain"])).count("script") == 3
    definition = re.search(r'<script type="application/json" id="definition">(.*?)</script>', page)
    assert definition is not None
    named = {row["router"] for row in json.loads(definition[1])["datasets"]["routers"]}
    assert named == set(MORE), "the page draws the names as they are"


def test_a_drawing_of_a_map_holds_names_as_text(network: Path) -> None:
    chosen = mn.scenario("abilene", topology=str(network))
    drawn = ElementTree.fromstring(plots.to_svg(plots.topology(network_map(chosen, chosen.describe()))))
    tags = {each.tag.rpartition("}")[2] for each in drawn.iter()}
    assert not tags & {"script", "img", "image", "foreignObject"}
    texts = [each.text or "" for each in drawn.iter() if each.tag.endswith("}text")]
    for name in HOSTILE:  # long names end in an ellipsis
        assert any(text.startswith(name[:12]) for text in texts)


def test_the_report_shows_names_as_text(campaign: Campaign, tmp_path: Path) -> None:
    found = assert_harmless(write_report(campaign, tmp_path / "report.html").read_text())
    assert SCRIPT in found.text
    assert IMAGE in found.text


def test_the_replay_shows_names_of_routers_as_text(network: Path, tmp_path: Path) -> None:
    campaign = run_replayed(tmp_path, network)
    found = assert_harmless(write_report(campaign, tmp_path / "report.html").read_text())
    assert f"{SCRIPT} (plain)" in found.text or f"{SCRIPT} (backbone)" in found.text


def test_names_of_responses_stay_inside_the_folder_of_results(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "a" / "b" / "c" / "out"
    monkeypatch.setattr("mesonet.reporting.folder.analysis_files.figures_of", each_kind_and_name_once)
    written = write_analysis(campaign, out, figures="all", workers=1)
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == set(written)
    assert all(out / "analysis" in file.parents for file in written)
    for file in written:
        assert ".." not in file.parts
        assert not set("<>\"'&|?*:") & set(str(file.relative_to(out)))
        if file.suffix == ".svg":
            tags = {each.tag.rpartition("}")[2] for each in ElementTree.fromstring(file.read_text()).iter()}
            assert not tags & {"script", "img", "foreignObject"}
        assert all(len(part.encode()) < 255 for part in file.parts)
    folded = {str(file).casefold() for file in written}
    assert len(folded) == len(written), "no file replaces another where case is ignored"
    assert any("tWIN-" in file.name for file in written) or is_sampled(campaign)
    index = (out / "analysis" / "index.md").read_text()
    assert not re.search(r"(?<!\\)<(script|img|!--)", index)


def each_kind_and_name_once(view: CampaignView, extent: Extent, responses: Sequence[str] | None) -> list[FigureFile]:
    """The figures of the catalogue that are the first of their kind, or the first with a name.

    Names of the other files are checked without drawing them.
    """
    every = figures_of(view, extent, responses)
    assert len({figure.name.casefold() for figure in every}) == len(every)
    for figure in every:
        assert re.fullmatch(r"[\w .,+=()/-]+", figure.name)
        assert ".." not in figure.name.split("/")
        assert all(len(part.encode()) < 200 for part in figure.name.split("/"))
    chosen: dict[str, FigureFile] = {}
    for figure in every:
        kind, selection = figure.make.args
        for reason in (kind.id, *(f"{key} {value}" for key, value in selection.items())):
            chosen.setdefault(reason, figure)
    assert set(OUTSIDE) | set(MORE) <= {reason.removeprefix("response ") for reason in chosen}
    return list({figure.name: figure for figure in chosen.values()}.values())


@pytest.mark.parametrize("name", ["loss_rate", "mean wait", "a,b (c)", "tcp=0.8 cubic=0.2", "_x", "x_", "é", "7"])
def test_common_names_are_names_of_files(name: str) -> None:
    assert file_stem(name) == name


def test_other_names_become_names_of_files_of_their_own() -> None:
    more = ["", " ", ".", "a:b", "a_b", "con|", "x\n", "x ", "x." * 40 + "x" * 300, "\0", "a\0b", "é" * 80, "字" * 300]
    names = [*HOSTILE, *OUTSIDE, *more, "\ud800", "/", "//etc", "C:\\x", "~", "-rf", "$HOME", "x.", "..."]
    stems = [file_stem(name) for name in names]
    assert len(set(stems)) == len(names)
    for stem in stems:
        assert re.fullmatch(r"\w[\w .,+=()-]*", stem), stem
        assert len(stem.encode()) < 110, "two of them and an ending fit into a file name"
        assert stem[-1] not in " ."


def test_parts_of_names_are_different_where_texts_are() -> None:
    texts = ["x-y", "x_y", "x y", "x.y", "x", "x-", "tcp(increase=4)", "tcp(increase=4.0)", "a" * 300, "a" * 299, ""]
    found = [name_part(text) for text in texts]
    assert len(set(found)) == len(texts)
    assert found[:2] == ["x-y", "x_y"]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{0,50}", part) for part in found)
    criterion = next(each for each in criteria(suite_of("rfc9743")) if each.kind == "beside")
    assert campaign_name(criterion, "x-y") != campaign_name(criterion, "x_y")


@pytest.mark.parametrize("name", ["CON", "con", "nul.txt", "Aux.", "COM1", "lpt9.x.y", "COM¹", "prn .txt", "CONIN$"])
def test_devices_of_windows_are_no_names_of_files(name: str) -> None:
    stem = file_stem(name)
    assert "-" in stem
    assert stem.partition(".")[0].upper() not in {"CON", "NUL", "AUX", "COM1", "LPT9", "COM¹", "PRN", "CONIN$"}


@pytest.mark.parametrize("name", ["console", "com", "com10", "null", "auxiliary", "lpt"])
def test_names_like_devices_stay(name: str) -> None:
    assert file_stem(name) == name


def test_names_that_differ_in_case_or_accents_only_get_files_of_their_own() -> None:
    paths = [("a/Load", "1"), ("a/load", "2"), ("b/load", "3"), ("é", "4"), ("e\u0301", "5"), ("ﬁx", "6"), ("FIX", "7")]
    found = distinct(paths)
    assert found[2] == "b/load"
    assert len({unicodedata.normalize("NFKC", name).casefold() for name in found}) == len(paths)
    assert distinct([("x", "1"), ("x", "1")]) == ["x", "x"], "one content is one file"
    assert distinct(paths) == found


def test_a_name_with_nul_does_not_abort_the_drawing(network: Path) -> None:
    chosen = mn.scenario("abilene")
    chart = plots.topology(network_map(chosen, chosen.describe())).properties(title="a\0b")
    assert "a\ufffdb" in plots.to_svg(chart)
    assert plots.to_png(chart).startswith(b"\x89PNG")
