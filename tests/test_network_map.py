"""Networks as tables and drawings: what is counted below a router, and that no two labels overlap."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import combinations, product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fragments import holds
from mesonet import plots
from mesonet.cli.verbs import main
from mesonet.maps.layout import FONT_SIZE, layout, text_width
from mesonet.maps.network import NetworkMap, map_rows, network_map
from mesonet.scenarios.scenario import Scenario, scenario

SVG = "{http://www.w3.org/2000/svg}"


def mapped(chosen: Scenario) -> NetworkMap:
    return network_map(chosen, chosen.describe())


def check(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)])


def test_rows_count_what_hangs_below() -> None:
    shown = mapped(scenario("abilene", delay_multiplier=2))
    rows = map_rows(shown)
    assert rows[0] == ["A Seattle", "backbone", "B 20.1, D 28.97", "2", "10/2/0", "1,320"]
    assert rows[1] == ["B Sunnyvale", "backbone", "A 20.1, C 8.882, D 26.54", "2", "10/3/1", "1,860"]
    assert sum(router.sources for router in shown.routers) == 17_460
    assert [sum(router.below[name] for router in shown.routers) for name in shown.routers[0].below] == [22, 105, 28, 6]


def test_a_network_of_several_classes_is_shown_as_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("name,class\na,fast\nA,backbone\nB,backbone\nb,direct\n")
    (tmp_path / "links.csv").write_text("from,to,delay_ms\nA,B,3\nA,a,0.1\nB,b,0\n")
    shown = mapped(scenario("abilene", topology=str(tmp_path)))
    assert {row[0]: row[1:] for row in map_rows(shown)} == {
        "A": ["backbone", "B 3, a 0.1", "0", "0/0/0", "0"],
        "B": ["backbone", "A 3, b 0", "0", "0/0/0", "0"],
        "a": ["fast access", "A 0.1", "0", "0/0/0", "360"],
        "b": ["direct access", "B 0", "0", "0/0/0", "180"],
    }
    drawn = ElementTree.fromstring(plots.to_svg(plots.topology(shown)))
    assert {"backbone", "fast access", "direct access"} <= {text.text for text in drawn.iter(f"{SVG}text")}


def test_hubs_list_some_neighbours_and_count_the_rest(tmp_path: Path) -> None:
    (tmp_path / "star.csv").write_text("from,to,delay_ms\n" + "".join(f"hub,{n},1\n" for n in range(12)))
    row = map_rows(mapped(scenario("abilene", topology=str(tmp_path / "star.csv"))))[0]
    assert row[2] == "0 1, 1 1, 2 1, 3 1, 4 1, 5 1, 6 1, 7 1 and 4 more"


@pytest.mark.slow
@pytest.mark.parametrize(
    "topology",
    ["abilene", "isp", "dumbbell", "topohub:sndlib/geant", "topohub:sndlib/nobel-eu", "topohub:sndlib/brain"],
)
def test_no_two_labels_of_a_drawing_overlap(topology: str) -> None:
    shown = mapped(scenario("abilene", topology=topology))
    drawn = layout(shown)
    assert None not in drawn.router_labels
    assert drawn.link_labels.count(None) <= len(shown.links) / 10
    labels = [label for label in (*drawn.router_labels, *drawn.link_labels) if label]
    boxes = [(label.x, label.y, label.width, FONT_SIZE) for label in labels]
    routers = [(x, y, 2 * radius, 2 * radius) for (x, y), radius in zip(drawn.points, drawn.radii, strict=True)]
    for one, other in [*combinations(boxes, 2), *product(boxes, routers)]:
        beside = abs(one[0] - other[0]) >= (one[2] + other[2]) / 2
        assert beside or abs(one[1] - other[1]) >= (one[3] + other[3]) / 2, (one, other)
    for x, y, width, height in boxes:
        assert width / 2 <= x <= drawn.width - width / 2
        assert height / 2 <= y <= drawn.height - height / 2


@pytest.mark.parametrize(("text", "width"), [("A Seattle", 4.058), ("14.5", 1.946), ("NETNOD", 4.222)])
def test_widths_of_texts_are_not_below_those_of_the_font(text: str, width: float) -> None:
    """`width`: sum of the advance widths of Arial in units of the font size, from its metrics."""
    assert width <= text_width(text) / FONT_SIZE <= 1.15 * width


def test_routers_of_one_place_stand_apart(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("name,latitude,longitude\nA,1,1\nB,1,1\nC,1,1\nD,2,5\n")
    (tmp_path / "links.csv").write_text("from,to\nA,B\nB,C\nC,D\n")
    points = layout(mapped(scenario("abilene", topology=str(tmp_path)))).points
    assert len({(round(x), round(y)) for x, y in points}) == 4


@pytest.mark.parametrize(("links", "on_a_line"), [("C,A B,C B,D", "ACBD"), ("A,B B,C C,D D,A", "")])
def test_chains_without_places_are_a_line_and_others_a_circle(tmp_path: Path, links: str, on_a_line: str) -> None:
    (tmp_path / "c.csv").write_text("from,to,delay_ms\n" + "".join(f"{ends},1\n" for ends in links.split()))
    shown = mapped(scenario("abilene", topology=str(tmp_path / "c.csv")))
    points = dict(zip("".join(router.name for router in shown.routers), layout(shown).points, strict=True))
    if on_a_line:
        assert len({y for _, y in points.values()}) == 1
        along = "".join(sorted(points, key=lambda name: points[name][0]))
        assert along in (on_a_line, on_a_line[::-1])
    else:
        middle = [sum(point[axis] for point in points.values()) / 4 for axis in (0, 1)]
        away = [((x - middle[0]) ** 2 + (y - middle[1]) ** 2) ** 0.5 for x, y in points.values()]
        assert away == pytest.approx([away[0]] * 4)


def test_north_is_up_and_a_map_over_the_antimeridian_stays_in_one_piece(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("name,latitude,longitude\nFiji,-18,178\nTonga,-21,-175\nSamoa,-14,-172\n")
    (tmp_path / "links.csv").write_text("from,to\nFiji,Tonga\nTonga,Samoa\n")
    fiji, tonga, samoa = layout(mapped(scenario("abilene", topology=str(tmp_path)))).points
    assert fiji[0] < tonga[0] < samoa[0]
    assert samoa[1] < fiji[1] < tonga[1]


@pytest.mark.parametrize(
    ("suffix", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("html", b"<!doctype html>")]
)
def test_check_draws(tmp_path: Path, suffix: str, start: bytes) -> None:
    file = tmp_path / f"map.{suffix}"
    result = check("abilene", "--draw", file)
    assert result.exit_code == 0
    assert result.stdout.endswith(f"written to {file}\n")
    written = file.read_bytes()
    assert written.startswith(start)
    assert b"https://cdn" not in written


def test_the_drawing_names_routers_and_delays() -> None:
    texts = [
        each.text
        for each in ElementTree.fromstring(plots.to_svg(plots.topology(mapped(scenario("abilene"))))).iter(f"{SVG}text")
    ]
    assert {"A Seattle", "K New York", "14.5", "2.32"} <= set(texts)
    assert any(holds(text, "11 routers, 14 links", "delay in ms", "share", "17,460 sources") for text in texts)


def test_a_drawing_of_another_form_is_refused(tmp_path: Path) -> None:
    result = check("abilene", "--draw", tmp_path / "map.gif")
    assert result.exit_code == 2
    assert holds(result.stderr, "not a form", "Allowed: .svg, .png, .pdf, .html")
