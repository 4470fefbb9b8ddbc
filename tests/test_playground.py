"""The playground in real browsers, from disk, with the network off."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firefox import Firefox
from fragments import holds
from mesonet import core
from mesonet.browser import module
from mesonet.cli.verbs import main
from mesonet.playground import document, write_playground
from test_browser import CHROMIUM, PATIENCE_MS, browser, settle, until  # noqa: F401

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox") or ""
REQUIRED = os.environ.get("MESONET_REQUIRE_BROWSER")
SHORT = "first=cubic&second=bbr&duration=10&rate=10"
in_chromium = pytest.mark.skipif(not CHROMIUM and not REQUIRED, reason="no Chromium")
RESULTS = ("document.documentElement.dataset.delivered", "document.querySelector('#results').textContent")
BACKBONE = "network=abilene&first=cubic&second=bbr3&duration=5&rate=500&users=2"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_playground(tmp_path_factory.mktemp("playground") / "playground.html")


def native(scenario: dict[str, Any], seed: int) -> Any:
    """Return the responses of the module that Python uses: period, name and value of each."""
    run = core.module().Simulation(json.dumps(scenario), seed)
    run.advance(math.inf)
    finished = run.finish(["responses"])
    rows = zip(*(finished["responses"][column] for column in ("period", "name", "value")), strict=True)
    return [[period, name, value if math.isfinite(value) else None] for period, name, value in rows]


def test_the_command_writes_it(tmp_path: Path) -> None:
    out = tmp_path / "new" / "p.html"
    done = CliRunner().invoke(main, ["playground", "--out", str(out), "--json"])
    assert json.loads(done.stdout) == {"path": str(out)}
    text = out.read_text()
    assert len(text) < 1_000_000
    assert re.findall(r"(?:src|href)=\"(?!#)", text) == []
    assert f"{module.built().page_bytes / 1000:.0f} kB" in text
    failed = CliRunner().invoke(main, ["playground", "--out", str(tmp_path)])
    assert failed.exit_code == 2


def test_a_package_without_the_module_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_built", lambda: False)
    done = CliRunner().invoke(main, ["playground", "--out", str(tmp_path / "p.html")])
    assert done.exit_code == 2
    assert holds(done.stderr, "no simulator for browsers", "`make wasm`")


def test_scenarios_and_lessons_are_those_of_the_package() -> None:
    data = document.playground_data()
    assert [each["name"] for each in data["algorithms"]] == [*core.algorithms()]
    for scenario in data["scenarios"].values():
        core.module().check(json.dumps(scenario))
    assert [lesson["title"].split(".")[0] for lesson in data["lessons"]] == [*map(str, range(1, 11))]


@pytest.fixture
def tab(browser: Any) -> Any:  # noqa: F811
    context = browser.new_context(viewport={"width": 1366, "height": 768}, offline=True)
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE_MS)
    tab.problems = []
    tab.on("pageerror", lambda error: tab.problems.append(str(error)))
    tab.on("console", lambda line: tab.problems.append(line.text) if line.type == "error" else None)
    yield tab
    context.close()


def finished(tab: Any) -> None:
    tab.wait_for_selector("html[data-delivered]:not([data-running])")


@pytest.mark.browser
@in_chromium
@pytest.mark.parametrize(
    "settings",
    [
        SHORT,
        BACKBONE,
        SHORT.replace("cubic", "prague") + "&discipline=dualpi2",
        SHORT + "&path=detour&flows=5&share=10",
        SHORT + "&path=swing",
    ],
)
def test_a_run_of_the_page_is_the_run_of_the_package(tab: Any, page: Path, settings: str) -> None:
    tab.goto(f"{page.as_uri()}#{settings}&seed=7")
    finished(tab)
    scenario = tab.evaluate("scenarioOf(settings.values, data).scenario")
    found = tab.evaluate("(async () => (await simulator.run(scenarioOf(settings.values, data).scenario, 7)).tables)()")
    rows = zip(*(found["responses"][column] for column in ("period", "name", "value")), strict=True)
    assert [list(row) for row in rows] == native(scenario, 7)
    assert tab.problems == []
    assert "cubic" in tab.inner_text("#results") or "prague" in tab.inner_text("#results")


@pytest.mark.browser
@in_chromium
def test_a_browser_that_cannot_unpack_the_page_says_so(tab: Any, page: Path) -> None:
    tab.add_init_script("delete window.DecompressionStream")
    tab.goto(page.as_uri())
    tab.wait_for_selector("#problem:not([hidden])")
    assert tab.inner_text("#problem").startswith("This page needs a newer browser")


@pytest.mark.browser
@in_chromium
def test_every_lesson_runs_and_sets_steps_of_the_controls(tab: Any, page: Path) -> None:
    tab.goto(page.as_uri())
    for place, lesson in enumerate(document.playground_data()["lessons"], start=1):
        tab.evaluate("delete document.documentElement.dataset.delivered")
        tab.click(f"#lessons nav button:nth-child({place})")
        finished(tab)
        assert lesson["values"].items() <= tab.evaluate("settings.values").items()
        assert tab.is_hidden("#problem")
    assert tab.problems == []


def lesson(tab: Any, page: Path, number: int) -> dict[str, Any]:
    """Run a lesson; return its lines by chart: colours and values."""
    tab.goto(f"{page.as_uri()}#controls")
    tab.wait_for_selector("html[data-ready]")
    tab.click(f"#lessons nav button:nth-child({number})")
    finished(tab)
    lines: dict[str, Any] = tab.evaluate(
        """Object.fromEntries(Object.entries(charts).map(([name, { lines }]) =>
               [name, lines.map(({ colour, x, y }) => ({ colour, x, y }))]))"""
    )
    return lines


@pytest.mark.browser
@in_chromium
def test_it_opens_with_the_first_lesson_running(tab: Any, page: Path) -> None:
    tab.goto(page.as_uri())
    finished(tab)
    assert tab.get_attribute("#lessons nav button:first-child", "aria-pressed") == "true"
    assert all(tab.evaluate("Object.values(charts).map(({ lines }) => lines[0].x.length > 50)"))
    assert "tcp" in tab.inner_text("#results")


@pytest.mark.browser
@in_chromium
def test_two_queues_have_two_lines_of_the_delays_that_the_lesson_names(tab: Any, page: Path) -> None:
    prague, cubic = lesson(tab, page, 7)["queue"]
    late = [[y for x, y in zip(line["x"], line["y"], strict=True) if x > 15] for line in (prague, cubic)]
    mean = [sum(each) / len(each) for each in late]
    assert 0.5 < mean[0] < 2
    assert 12 < mean[1] < 18
    assert prague["colour"] != cubic["colour"]


@pytest.mark.browser
@in_chromium
def test_the_backbone_has_a_line_for_each_algorithm(tab: Any, page: Path) -> None:
    lines = lesson(tab, page, 8)["throughput"]
    assert len({line["colour"] for line in lines}) == 3
    first, second, everybody = (sum(line["y"][-20:]) / 20 for line in lines)
    late = [y for x, y in zip(lines[2]["x"], lines[2]["y"], strict=True) if x > 5]
    assert first + second == pytest.approx(sum(late) / len(late), rel=0.05)
    assert min(first, second) > 0.2 * everybody


@pytest.mark.browser
@in_chromium
def test_the_lesson_on_shares_runs_once_for_each(tab: Any, page: Path) -> None:
    lesson(tab, page, 9)
    until(
        tab,
        "document.querySelectorAll('#results .scroll:first-child tbody tr').length === 4",
    )
    rows = tab.evaluate(
        """[...document.querySelectorAll('#results .scroll:first-child tbody tr')].map((row) =>
               [...row.children].map((cell) => parseFloat(cell.textContent)))"""
    )
    shares, old, new = (list(column) for column in list(zip(*rows, strict=True))[:3])
    assert shares == [1, 10, 50, 90]
    assert old == sorted(old, reverse=True)
    assert new == sorted(new, reverse=True)
    assert all(n > 1 > o for o, n in zip(old, new, strict=True))
    counts = tab.evaluate("STEPS.share.map((share) => flowsOfSecond({ flows: 50, share }))")
    assert counts == [1, 5, 10, 25, 50, 75, 90, 99]
    assert tab.evaluate("STEPS.share.map((share) => flowsOfSecond({ flows: 1, share }))") == [1] * 8


@pytest.mark.browser
@in_chromium
def test_a_lesson_on_shares_ends_when_another_begins(tab: Any, page: Path) -> None:
    tab.goto(f"{page.as_uri()}#controls")
    tab.wait_for_selector("html[data-ready]")
    tab.click("#lessons nav button:nth-child(9)")
    tab.click("#lessons nav button:nth-child(1)")
    finished(tab)
    settle(tab)
    assert tab.evaluate("settings.values.first") == "tcp"
    assert tab.locator("#results .scroll").count() == 1


@pytest.mark.browser
@in_chromium
def test_the_rate_of_a_path_that_changes_is_drawn(tab: Any, page: Path) -> None:
    flow, rate = lesson(tab, page, 10)["throughput"]
    at = dict(zip(rate["x"], rate["y"], strict=True))
    assert [max(y for x, y in at.items() if lo < x < hi) for lo, hi in ((1, 19), (21, 39), (41, 60))] == [20, 5, 20]
    slow = [y for x, y in zip(flow["x"], flow["y"], strict=True) if 25 < x < 39]
    assert max(slow) < 5.1
    assert sum(slow) / len(slow) > 4.9


@pytest.mark.browser
@in_chromium
def test_every_path_is_a_scenario_and_changes_the_run(tab: Any, page: Path) -> None:
    tab.goto(f"{page.as_uri()}#controls")
    tab.wait_for_selector("html[data-ready]")
    made = tab.evaluate(
        """Object.keys(PATHS).map((path) => scenarioOf({ ...DEFAULTS, duration: 20, path }, data).scenario)"""
    )
    assert len({json.dumps(native(scenario, 1)) for scenario in made}) == len(made) == 6


@pytest.mark.browser
@in_chromium
def test_the_address_is_the_whole_state(tab: Any, page: Path) -> None:
    tab.goto(page.as_uri())
    tab.select_option("#first", "vegas")
    tab.select_option("#discipline", "codel")
    tab.click("#run")
    finished(tab)
    address, table = tab.evaluate("location.href"), tab.inner_text("#results")
    tab.goto("about:blank")
    tab.goto(address)
    finished(tab)
    assert tab.inner_text("#results") == table


@pytest.mark.browser
@in_chromium
@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("rate=7", 'rate = "7": not a step of the control. Allowed: 0.5, 1'),
        ("first=cubik", 'first = "cubik": unknown. Allowed: tcp, bic'),
        ("colour=red", 'colour = "red": unknown setting. Allowed: network, first'),
        ("seed=-1", 'seed = "-1": no seed. Allowed: a whole number from 0'),
        ("constructor=1", 'constructor = "1": unknown setting'),
        ("first=<img src=x onerror=alert(1)>", "unknown. Allowed"),
    ],
)
def test_what_an_address_may_not_say_is_refused(tab: Any, page: Path, fragment: str, message: str) -> None:
    tab.goto(f"{page.as_uri()}#{fragment}")
    tab.wait_for_selector("#problem:not([hidden])")
    assert message in tab.inner_text("#problem")
    assert tab.evaluate("settings.address") == "#"
    assert tab.problems == []


@pytest.mark.browser
@in_chromium
def test_the_skip_link_changes_no_setting(tab: Any, page: Path) -> None:
    tab.goto(f"{page.as_uri()}#{SHORT}")
    finished(tab)
    before = tab.evaluate("settings.address")
    tab.focus("a.skip")
    tab.keyboard.press("Enter")
    until(tab, "location.hash === '#controls'")
    settle(tab)
    assert tab.evaluate("document.activeElement.id") == "controls"
    assert tab.evaluate("settings.address") == before
    assert tab.is_hidden("#problem")
    tab.reload()
    tab.wait_for_selector("html[data-ready]")
    assert tab.is_hidden("#problem")
    assert tab.inner_text("#status") == "", "nothing is simulated unasked"


@pytest.mark.browser
@in_chromium
def test_every_number_of_flows_fits_into_every_duration(tab: Any, page: Path) -> None:
    tab.goto(page.as_uri())
    made = tab.evaluate(
        """() => STEPS.flows.flatMap((flows) => STEPS.duration.map((duration) =>
               scenarioOf({ ...DEFAULTS, second: 'bbr', flows, duration }, data).scenario))"""
    )
    for scenario in made:
        core.module().check(json.dumps(scenario))
        starts = [flow["start"] for flow in scenario["flows"]]
        assert starts == sorted({*starts}), "no two flows begin at one instant"
        assert starts[-1] < scenario["time"]["warmup"] < scenario["time"]["duration"] / 2


@pytest.mark.browser
@in_chromium
def test_flows_without_a_round_trip_are_left_out_of_its_mean(tab: Any, page: Path) -> None:
    tab.goto(page.as_uri())
    found = tab.evaluate(
        """() => {
            const row = (time, delivered) => ({ time, delivered, sent: delivered, losses: 0 });
            const [from, last] = [row(2, 0), row(4, 9)];
            const flow = (algorithm, rttSum, rttCount) => ({ algorithm, rttSum, rttCount, from, last });
            const flows = [flow('cubic', 160, 2), flow('cubic', 0, 0), flow('bbr', 0, 0)];
            const [frame] = flowResults(['cubic', 'bbr'], flows, 2, 4);
            return [...frame.querySelectorAll('tbody td:last-child')].map((cell) => cell.textContent);
        }"""
    )
    assert found == ["80 ms", "–"]


@pytest.mark.browser
@in_chromium
def test_small_numbers_keep_three_digits(tab: Any, page: Path) -> None:
    tab.goto(page.as_uri())
    values = tab.evaluate("[0.00040049, 0.3 * 3, 12345.6, 0].map(plain)")
    assert values == ["0.0004", "0.9", "12,300", "0"]


@pytest.mark.browser
@in_chromium
def test_throughput_is_drawn_before_the_last_flow_begins(tab: Any, page: Path) -> None:
    tab.goto(f"{page.as_uri()}#{SHORT}&flows=4")
    finished(tab)
    first = tab.evaluate("charts.throughput.lines.map(({ x }) => x[0])")
    last = tab.evaluate("scenarioOf(settings.values, data).scenario.flows.at(-1).start")
    assert max(first) < 0.5 < 2 < last


@pytest.mark.browser
@in_chromium
def test_the_printed_legend_keeps_its_colours(tab: Any, page: Path) -> None:
    tab.goto(f"{page.as_uri()}#{SHORT}")
    finished(tab)
    tab.emulate_media(media="print")
    assert (
        tab.locator("#legend i").evaluate_all("all => all.map((i) => getComputedStyle(i).printColorAdjust)")
        == ["exact"] * 2
    )


WORKER = """(() => {
  // A clock of its own, on which a simulated second takes 4 ms.
  let clock = 0;
  const [posted, calls] = [[], []];
  const self = { postMessage: (message) => posted.push(message) };
  const performance = { now: () => clock };
  const setTimeout = (call, wait, id) => calls.push([wait, call, id]);
  class MessageChannel {
    port1 = {};
    port2 = { postMessage: (id) => calls.push([0, (data) => this.port1.onmessage({ data }), id]) };
  }
  class Run {
    at = 0;
    time() { return this.at; }
    advance(until) { [clock, this.at] = [clock + 4 * (until - this.at), until]; }
    take() { return '{}'; }
    finish() { return '{}'; }
    performance() { return '{}'; }
    finished() { return false; }
    free() {}
  }
  const wasm_bindgen = { Run };
  %s
  const next = () => {
    const [wait, call, id] = calls.shift();
    clock += wait;
    call(id);
  };
  self.onmessage({ data: { kind: 'run', id: 1, scenario: { time: { duration: 600 } }, seed: 1, pace: 10 } });
  for (let turn = 0; turn < 100; turn++) next();
  self.onmessage({ data: { kind: 'pace', pace: 0 } });
  const [paced] = posted.splice(0).slice(-1);
  while (calls.length) next();
  const times = [paced, ...posted].filter(({ kind }) => kind === 'rows').map(({ time }) => time);
  return times.slice(1).map((time, place) => 4 * (time - times[place]));
})()"""


@pytest.mark.browser
@in_chromium
def test_slices_stay_short_when_a_slow_run_becomes_a_fast_one(tab: Any) -> None:
    slices_ms = tab.evaluate(WORKER % module.script("worker.js"))
    assert len(slices_ms) > 20
    assert max(slices_ms) <= 80


@pytest.mark.browser
@in_chromium
def test_a_run_that_is_stopped_or_replaced_while_loading_never_begins(tab: Any, page: Path) -> None:
    tab.goto(f"{page.as_uri()}#controls")
    tab.wait_for_selector("html[data-ready]")
    found = tab.evaluate(
        """async () => {
            const { scenario } = scenarioOf({ ...DEFAULTS, duration: 5 }, data);
            const stopped = simulator.run(scenario, 1);
            simulator.stop();
            const replaced = simulator.run(scenario, 1);
            const last = simulator.run(scenario, 1);
            const ended = await last;
            const known = (run) => Promise.race([run, Promise.resolve('open')]);
            return [await known(stopped), await known(replaced), ended.kind];
        }"""
    )
    assert found == [None, None, "done"]


@pytest.mark.browser
@in_chromium
def test_a_run_can_be_stopped_and_another_begins(tab: Any, page: Path) -> None:
    tab.goto(page.as_uri())
    tab.check("#slow")
    tab.click("#run")
    until(tab, "document.querySelector('#status').textContent.startsWith('simulated')")
    tab.click("#stop")
    assert tab.inner_text("#status") == "stopped"
    tab.uncheck("#slow")
    tab.click("#run")
    finished(tab)
    assert tab.problems == []


@pytest.mark.browser
@in_chromium
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1366, "dark")])
def test_it_fits_and_an_accessibility_checker_finds_no_fault(tab: Any, page: Path, width: int, scheme: str) -> None:
    checker = pytest.importorskip("axe_playwright_python.sync_playwright")
    tab.set_viewport_size({"width": width, "height": 844})
    tab.emulate_media(color_scheme=scheme)
    tab.goto(f"{page.as_uri()}#{SHORT}")
    finished(tab)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    found = checker.Axe().run(tab, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(each["id"], each["nodes"][0]["target"]) for each in found] == []


@pytest.mark.browser
@in_chromium
@pytest.mark.process
@pytest.mark.skipif(not FIREFOX and not REQUIRED, reason="no Firefox")
def test_firefox_gives_the_same_numbers(tab: Any, page: Path, tmp_path: Path) -> None:
    with Firefox(FIREFOX, tmp_path) as window:
        window.open(f"{page.as_uri()}#{SHORT}&seed=3")
        window.wait("document.documentElement.dataset.delivered > 0")
        assert window.evaluate("document.querySelector('#problem').hidden")
        found = [window.evaluate(each) for each in RESULTS]
    tab.goto(f"{page.as_uri()}#{SHORT}&seed=3")
    finished(tab)
    assert found == [tab.evaluate(each) for each in RESULTS]
