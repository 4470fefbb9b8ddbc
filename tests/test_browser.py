"""The report in Chromium, from disk, with the network off."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

import pytest

import fonts
import mesonet as mn
from commands import PATIENCE_S
from conftest import drawing_few_figures
from fake_campaign import RESPONSES, fake_campaign
from mesonet.reporting import write_report
from mesonet.reporting.replay.simulated import prepare, record
from pages import report_of
from test_report import FIGURES, WITHOUT_CONDITIONS

#: Chromium without the processes of its windows, where it is installed: the tests take a sixth less processor time.
NAMES = ("chromium-headless-shell", "chromium")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name) or shutil.which(f"/usr/bin/{name}"))), "")
pytestmark = [
    pytest.mark.browser,
    # Where a browser must be there (MESONET_REQUIRE_BROWSER), its absence is an error and not a skip.
    pytest.mark.skipif(not CHROMIUM and not os.environ.get("MESONET_REQUIRE_BROWSER"), reason="no Chromium"),
]
sync_api = pytest.importorskip("playwright.sync_api")

#: Without the pages of the address bar, for which a whole Chromium starts a process with each window: half the time of
#: a test.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup",
]

#: Chromium has this long for each step.
PATIENCE_MS = 1000 * PATIENCE_S

#: Marks of a figure that the reader sees: ring and band of the highlight are drawn with no opacity until they are lit.
COUNT_LIT = """(figure) => [...document.querySelectorAll(
        `#${figure} path[stroke="#E69F00"], #${figure} path[fill="#fdf0d5"]`)]
    .filter((path) => (path.getAttribute('stroke-opacity') ?? '1') !== '0'
                   && (path.getAttribute('opacity') ?? '1') !== '0').length"""


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, env=fonts.of_the_machine(), timeout=PATIENCE_MS
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(shared):
    return report_of(shared, "synthetic")


@pytest.fixture(scope="module")
def replayed(shared, tiny_campaign):
    """The report of a real campaign with a replay."""

    def make(folder):
        campaign = mn.load(shutil.copytree(tiny_campaign, folder / "out"))
        record(campaign, 4, workers=1)
        write_report(campaign, folder / "report.html")

    return shared.folder("report-replayed", make) / "report.html"


MARKS = """
name = "marks"
title = "Drops or marks"
scenario = "dumbbell"
algorithms = ["tcp"]
[set]
"network.queue" = "port"
"network.speed" = "24 Mbit/s"
"aqm.ecn" = true
flows = [{from = "A", to = "B", interface = "1 Gbit/s", count = 4}]
"time.duration" = "6 s"
"time.warmup" = "0 s"
[[factors]]
id = "discipline"
path = "aqm.discipline"
minus = "drop_tail"
plus = "codel"
[[factors]]
id = "buffer"
path = "network.buffer"
minus = "20 ms"
plus = "100 ms"
"""


@pytest.fixture(scope="module")
def marking_report(shared):
    """The report of a campaign with a factor for the discipline, and its replay as `mesonet report` chooses it."""

    def make(folder):
        (folder / "marks.toml").write_text(MARKS)
        campaign = mn.experiment(folder / "marks.toml").run(folder / "out", workers=1)
        prepare(campaign)
        write_report(campaign, folder / "report.html")

    return shared.folder("report-marking", make) / "report.html"


@pytest.fixture
def marking(browser, marking_report):
    """The open report with marks, scrolled to the replay."""
    for page in opened(browser, marking_report):
        page.locator("#replay").scroll_into_view_if_needed()
        page.wait_for_selector("#replay[data-ready]")
        yield page


@pytest.fixture(scope="module")
def sampled_report(shared):
    """The report of a campaign with points between the levels."""
    return report_of(shared, "sampled")


@pytest.fixture
def page(browser, report):
    """The open report of the synthetic campaign."""
    yield from opened(browser, report)


@pytest.fixture
def replay(browser, replayed):
    """The open report with a replay, scrolled there."""
    for page in opened(browser, replayed):
        page.locator("#replay").scroll_into_view_if_needed()
        page.wait_for_selector("#replay[data-ready]")
        yield page


def opened(browser, report, before="", **options):
    """The open page, after a script of ours; at the end it must have had no error and asked for nothing.

    A script or style that the policy of the page refuses is an error on its console.
    """
    context = browser.new_context(
        offline=True, viewport={"width": 1366, "height": 900}, accept_downloads=True, **options
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    complaints, requests = [], []
    page.on("console", lambda message: message.type in ("error", "warning") and complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(error.stack or str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.add_init_script(before)
    page.goto(report.as_uri() + "#open=statistician")
    page.wait_for_selector("html[data-ready]")
    yield page
    assert complaints == []
    assert [url for url in requests if not url.startswith(("file:", "blob:file:", "blob:null"))] == []
    context.close()


def until(page, expression, arg=None):
    """Wait until an expression is true: `wait_for_function` evaluates text, which the policy of the page refuses."""
    deadline = time.monotonic() + PATIENCE_S
    while not page.evaluate(expression, arg):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(20)


FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def settle(page):
    """Wait until the page has drawn once more, and what watches its sizes has been called."""
    page.evaluate(FRAMES)


def draw(page, *names):
    for name in names or FIGURES:
        page.locator(f"#{name}").scroll_into_view_if_needed()
        page.wait_for_selector(f"#{name}[data-ready] .plot :is(svg, canvas)")


def choose(page, what, value):
    page.select_option(f'select[data-state="{what}"]', value)


def drawing(page, name):
    return page.locator(f"#{name} .plot").inner_html()


def point_at(page, mark):
    """Move to a mark, away from the bar at the top, and wait for its tooltip."""
    mark.evaluate("(each) => each.scrollIntoView({block: 'center'})")
    mark.hover(force=True)
    page.wait_for_selector("#vg-tooltip-element.visible")


def until_redrawn(page, name, before):
    until(page, "([name, before]) => document.querySelector(`#${name} .plot`).innerHTML !== before", [name, before])


def test_every_figure_is_drawn(page):
    draw(page)
    for name in FIGURES:
        marks = page.locator(f"#{name} svg g[class*='role-mark'] > *").count()
        assert marks > 8 or page.locator(f"#{name} canvas").count(), name
        assert page.locator(f"#{name} .heading").inner_text()
        assert len(page.locator(f"#{name} .caption").inner_text()) > 20


def test_figures_wait_until_they_come_near_the_screen(page):
    page.wait_for_timeout(500)
    drawn = page.locator("figure[data-ready]").count()
    assert drawn < len(FIGURES)
    page.click("#show-all")
    until(page, f"document.querySelectorAll('figure[data-ready]').length === {len(FIGURES)}")


def test_the_figures_to_decide_by_are_drawn_before_the_reader_comes_to_them(page):
    page.set_viewport_size({"width": 390, "height": 300})
    shown = "[...document.querySelectorAll('figure[data-figure]')].filter((each) => !each.closest('#statistician'))"
    until(page, f"{shown}.length === 6 && {shown}.every((each) => each.dataset.ready)")


def test_pointing_at_a_condition_highlights_it_in_the_other_figures(page):
    page.set_viewport_size({"width": 1366, "height": 30000})
    draw(page)
    shown = [name for name in FIGURES if name not in WITHOUT_CONDITIONS]
    assert all(page.evaluate(COUNT_LIT, name) == 0 for name in shown)
    point = page.locator("#responses svg .mark-symbol.role-mark path").first
    point.hover(force=True)
    until(page, f"({COUNT_LIT})('main-effects') === 9")
    condition = page.input_value('select[data-state="hl"]')
    assert condition != "0"
    for name in shown:
        until(page, f"({COUNT_LIT})('{name}') > 0")
    assert page.locator(f'tr.highlighted[data-condition="{condition}"]').count() == 1
    assert page.locator("tr.highlighted").count() == 1
    assert page.locator("#said").inner_text().startswith(f"Condition {condition}: ")


def test_the_rings_mark_the_levels_of_the_condition(page):
    draw(page, "main-effects")
    rings = []
    for condition in ("1", "2"):
        before = drawing(page, "main-effects")
        choose(page, "hl", condition)
        until_redrawn(page, "main-effects", before)
        until(page, f"({COUNT_LIT})('main-effects') === 9")
        rings.append(
            page.evaluate(
                """() => [...document.querySelectorAll('#main-effects path[stroke="#E69F00"]')]
                    .filter((path) => path.getAttribute('stroke-opacity') !== '0')
                    .map((path) => path.getAttribute('transform'))"""
            )
        )
    matrix = fake_campaign().design.matrix
    different = int((matrix[0] != matrix[1]).sum())
    assert len(set(rings[0]) ^ set(rings[1])) == 2 * different == 8


def test_hovering_shows_values(page):
    draw(page, "condition-response")
    point_at(page, page.locator("#condition-response svg .mark-text.role-mark text", has_text="▲fast").first)
    tip = page.locator("#vg-tooltip-element").inner_text()
    assert "relative effect" in tip
    assert "fast" in tip


def test_selects_change_the_figure_its_text_and_its_data(page):
    draw(page, "main-effects")
    page.click("#main-effects summary")
    for what, value in (("response", "rtt"), ("algorithm", "fast"), ("period", "2")):
        before = drawing(page, "main-effects"), page.locator("#main-effects .heading").inner_text()
        table = page.locator("#main-effects details table").inner_text()
        choose(page, what, value)
        until_redrawn(page, "main-effects", before[0])
        assert page.locator("#main-effects .heading").inner_text() != before[1]
        assert page.locator("#main-effects details table").inner_text() != table
    assert page.locator("#main-effects .heading").inner_text() == "Round-trip time, fast, measured period 2"
    assert "Round-trip time, ms" in page.locator("#main-effects svg").text_content()


def test_the_vertical_axis_says_what_the_figure_shows(page):
    """That of a figure that follows the choice is the response; scores of components stay what they are."""
    draw(page, "main-effects", "effects-pc1", "effects-pc2")
    for response in ("loss_rate", "rtt"):
        choose(page, "response", response)
        title = next(each.title for each in RESPONSES if each.name == response)
        page.locator("#main-effects").scroll_into_view_if_needed()
        until(page, f"document.querySelector('#main-effects .plot').textContent.includes('{title}')")
        draw(page, "effects-pc1", "effects-pc2")
        for component in (1, 2):
            marks = drawing(page, f"effects-pc{component}")
            assert title not in marks
            assert f"PC{component}" in marks


def test_a_response_without_the_chosen_period_takes_one_that_it_has(page):
    draw(page, "main-effects")
    choose(page, "period", "2")
    choose(page, "response", "total_flows_completed")
    assert page.input_value('select[data-state="period"]') == "run"
    assert "whole run" in page.locator("#main-effects .heading").inner_text()
    assert page.locator("#condition-response .heading").inner_text() == "Not available for this selection"
    choose(page, "response", "loss_rate")
    assert page.input_value('select[data-state="period"]') == "measured"


def test_a_drawn_figure_out_of_sight_follows_too_because_it_may_be_printed(page):
    draw(page)
    before = drawing(page, "main-effects")
    page.locator("#provenance").scroll_into_view_if_needed()
    settle(page)
    page.evaluate(
        """() => { const select = document.querySelector('select[data-state="response"]');
                   select.value = 'rtt'; select.dispatchEvent(new Event('change')); }"""
    )
    until_redrawn(page, "main-effects", before)
    box = page.locator("#main-effects").bounding_box()
    assert box["y"] + box["height"] < -400, "the figure is far above the screen"
    before = drawing(page, "responses")
    page.evaluate(
        """() => { const select = document.querySelector('select[data-factor="X1"]');
                   select.value = '1'; select.dispatchEvent(new Event('change')); }"""
    )
    until_redrawn(page, "responses", before)


def test_keys_step_through_the_conditions(page):
    draw(page, "responses")
    page.focus("#responses")
    values = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "]", "["):
        page.keyboard.press(key)
        values.append(page.input_value('select[data-state="hl"]'))
    assert values[0] != values[1]
    assert values[0] == values[2] == values[4]
    assert values[1] == values[3]
    assert page.locator("#said").inner_text().startswith(f"Condition {values[4]}: ")
    page.keyboard.press("Escape")
    assert page.input_value('select[data-state="hl"]') == "0"
    assert page.locator("#said").inner_text() == ""


def test_an_address_opened_in_a_tab_with_the_report_is_followed(page):
    url = page.url.partition("#")[0]
    value = "(name) => document.querySelector(`.controls select[data-state=${name}]`).value"
    shown = "document.querySelectorAll('tr[data-condition]:not([hidden])').length"
    first = page.evaluate(value, "response")
    choose(page, "algorithm", "fast")
    until(page, "location.hash.includes('algorithm=fast')")
    page.evaluate("window.same = true")
    page.goto(f"{url}#response=rtt&hl=3&theme=dark&with.X1.=1")
    until(page, f"{shown} === 16")
    assert [page.evaluate(value, name) for name in ("response", "hl")] == ["rtt", "3"]
    assert page.evaluate(value, "algorithm") == "tcp"
    assert page.get_attribute("html", "data-theme") == "dark"
    assert not page.evaluate("document.getElementById('statistician').open")
    choose(page, "hl", "5")
    until(page, "location.hash.includes('hl=5')")
    assert page.evaluate("location.hash") == "#response=rtt&hl=5&theme=dark&with.X1.=1"
    page.go_back()
    until(page, f"{shown} === 32")
    assert [page.evaluate(value, name) for name in ("response", "hl", "algorithm")] == [first, "0", "fast"]
    assert page.get_attribute("html", "data-theme") is None
    assert page.evaluate("document.getElementById('statistician').open")
    assert page.evaluate("window.same"), "the page was not loaded again"


@pytest.mark.parametrize("fragment", ["#at={}", "#{}"])
def test_a_page_opens_at_the_place_of_its_address(browser, report, fragment):
    for page in opened(browser, report):
        url = page.url.partition("#")[0]
        place = f"section-{FIGURES[len(FIGURES) // 2]}"
        page.goto("about:blank")
        page.goto(url + fragment.format(place))
        page.wait_for_selector("html[data-ready]")
        settle(page)
        assert 0 <= page.evaluate("(id) => document.getElementById(id).getBoundingClientRect().top", place) < 120


def test_a_browser_that_cannot_unpack_the_page_says_so(browser, report):
    page = browser.new_context(offline=True).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script("delete window.DecompressionStream")
    page.goto(report.as_uri())
    until(page, "document.getElementById('said').textContent.startsWith('This page needs a newer browser')")
    page.context.close()


def test_filter_by_setting(page):
    draw(page, "condition-response")
    page.click(".controls summary")
    page.select_option('select[data-factor="X1"]', "1")
    page.select_option('select[data-factor="X2"]', "-1")
    assert page.locator("#said").inner_text() == "8 of 32 conditions are shown."
    until(
        page,
        """[...document.querySelectorAll('#condition-response text')]
            .filter((text) => /^[0-9]+$/.test(text.textContent)).length === 8""",
    )
    assert page.locator("tr[data-condition]:visible").count() == 8


@pytest.mark.parametrize(
    ("which", "suffix", "begins"),
    [("shown", ".csv", "place,factor"), ("all", ".csv", "response,period"), ("svg", ".svg", "<svg")],
)
def test_downloads(page, which, suffix, begins, tmp_path):
    draw(page, "main-effects")
    page.click("#main-effects summary")
    with page.expect_download() as waiting:
        page.click(f'#main-effects [data-download="{which}"]')
    download = waiting.value
    assert download.suggested_filename.endswith(suffix)
    path = tmp_path / "file"
    download.save_as(path)
    text = path.read_text(encoding="utf-8").replace("key_", "")
    assert begins in text.splitlines()[0]
    if which == "shown":
        assert "Network speed" in text


@pytest.mark.parametrize("width", [390, 768, 1366])
def test_the_page_does_not_scroll_sideways(page, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.click("#show-all")
    until(page, f"document.querySelectorAll('figure[data-ready]').length === {len(FIGURES)}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("which", ["report", "replayed", "sampled_report"])
@pytest.mark.parametrize("style", ["letter-spacing: .25em", "font-family: monospace", "font-size: 24px"])
def test_the_page_fits_a_phone_with_wide_letters(browser, which, style, request):
    """How wide a letter is depends on the browser and on the fonts that are installed."""
    for page in opened(browser, request.getfixturevalue(which), bypass_csp=True):  # for the style that is added
        page.add_style_tag(content=f"* {{ {style} !important; }}")
        page.evaluate("for (const part of document.querySelectorAll('.controls details')) part.open = true")
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 844})
            settle(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("which", ["report", "replayed", "sampled_report"])
def test_paper_shows_all_of_every_figure(browser, which, request):
    """A4 less its margins is 688 by 1017 px: nothing is wider, no figure is higher, and nothing is left to scroll."""
    for page in opened(browser, request.getfixturevalue(which)):
        page.click("#show-all")
        count = page.locator("figure[data-figure]").count()
        until(page, f"document.querySelectorAll('figure[data-ready]').length === {count}")
        page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true")
        page.set_viewport_size({"width": 688, "height": 1017})
        page.emulate_media(media="print")
        settle(page)
        found = page.evaluate(
            """() => {
                const outside = (box) => box.left < -0.5 || box.right > 688.5;
                const figures = [...document.querySelectorAll('.plot :is(svg, canvas)')];
                const hides = (box) => box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
                const clips = (box) => getComputedStyle(box).overflow !== 'visible' && hides(box);
                return {
                    wide: document.documentElement.scrollWidth,
                    figures: figures.length,
                    cut: figures.filter((each) => outside(each.getBoundingClientRect())).length,
                    high: figures.filter((each) => each.getBoundingClientRect().height > 1017).length,
                    clipped: [...document.querySelectorAll('.plot, .scroll')].filter(clips).length,
                };
            }"""
        )
        assert found == {"wide": 688, "figures": count, "cut": 0, "high": 0, "clipped": 0}


def printed_pages(page):
    """Return the number of the printed page on which each heading is, from the outline of the printed document."""
    document = page.pdf(format="A4", outline=True, tagged=True).decode("latin-1")
    leaves = re.findall(r"(\d+) 0 obj\s*<</Type /Page\b", document)
    places = {number: place for place, number in enumerate(leaves, start=1)}
    return {title: places[number] for title, number in re.findall(r"/Title \((.*?)\)\n/Dest \[(\d+) 0 R", document)}


def test_the_first_printed_page_holds_the_answer(page):
    found = printed_pages(page)
    (answer,) = (title for title in found if title.startswith("What happens if"))
    assert found[answer] == 1
    assert found["In short"] <= found["Verdict on deployment"]


def test_a_wide_figure_is_printed_on_a_page_on_its_side(page):
    page.click("#show-all")
    until(page, "document.getElementById('show-all').disabled")
    widths = page.evaluate(
        """() => [...document.querySelectorAll('section:has(> figure[data-figure])')].map((section) =>
               [section.querySelector('.plot :is(svg, canvas)').clientWidth, section.classList.contains('wide')])"""
    )
    assert {wide for width, wide in widths if width < 900} == {False}
    assert [wide for width, wide in widths if width > 1200] == [True] * sum(width > 1200 for width, _ in widths)


def test_tables_inside_verdicts_have_headings_on_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("for (const part of document.querySelectorAll('.verdicts details')) part.open = true")
    settle(page)
    for table in page.locator(".judged").all():
        assert table.locator("thead th").first.inner_text() == "response"
        heads, cells = (
            [cell.bounding_box()["x"] for cell in table.locator(f"{part} tr").first.locator("th, td").all()]
            for part in ("thead", "tbody")
        )
        assert heads == cells, "each heading stands over its column"
        box = table.locator("xpath=..")
        assert box.evaluate("(box) => box.scrollHeight <= box.clientHeight + 1"), "no row is cut"
    captions = page.evaluate(
        """() => [...document.querySelectorAll('main caption')].filter((each) => each.checkVisibility())
               .map((each) => each.getBoundingClientRect().right)"""
    )
    assert captions
    assert max(captions) <= 390


def test_a_figure_that_is_not_drawn_says_so(page):
    content = "(figure) => getComputedStyle(document.querySelector(`#${figure} .plot`), '::after').content"
    last = page.locator("figure[data-figure]").last.get_attribute("id")
    assert "drawing" in page.evaluate(content, last)
    draw(page, last)
    assert "drawing" not in page.evaluate(content, last)


PICTURE = "(side) => document.querySelectorAll('#replay .map')[side].toDataURL()"
#: Painted points of the left map that are red: rings of routers that drop.
RED = """() => { const canvas = document.querySelector('#replay .map');
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const points = copy.getImageData(0, 0, canvas.width, canvas.height).data; let red = 0;
    for (let i = 0; i < points.length; i += 4)
      red += points[i] > 190 && points[i + 1] > 60 && points[i + 1] < 120 && points[i + 2] < 40;
    return red; }"""


def at(page, share):
    page.evaluate(
        """(share) => { const slider = document.getElementById('replay-time');
            slider.value = Math.round(share * slider.max); slider.dispatchEvent(new Event('input')); }""",
        share,
    )
    settle(page)


def test_the_replay_plays_and_stops(replay):
    before = [replay.evaluate(PICTURE, side) for side in (0, 1)]
    replay.click("#replay-play")
    until(replay, "Number(document.getElementById('replay-time').value) > 5")
    assert replay.locator("#replay-play").get_attribute("aria-pressed") == "true"
    assert all(replay.evaluate(PICTURE, side) != before[side] for side in (0, 1)), "both maps follow one time"
    replay.click("#replay-play")
    replay.wait_for_timeout(200)
    place = replay.input_value("#replay-time")
    replay.wait_for_timeout(300)
    assert replay.input_value("#replay-time") == place
    assert replay.locator("#replay-now").inner_text().endswith(" s")


SECOND_IS_LATE = """
const read = Response.prototype.arrayBuffer;
let calls = 0;
Response.prototype.arrayBuffer = async function () {
  const first = calls++ === 0;
  const bytes = await read.call(this);
  if (first) window.hasFirst = true;
  else await new Promise((letGo) => (window.letGo = letGo));
  return bytes;
};
"""


def test_maps_wait_until_both_runs_are_unpacked(browser, replayed):
    shown = "document.querySelector('#replay .map').getAttribute('aria-label')"
    for page in opened(browser, replayed, before=SECOND_IS_LATE):
        page.locator("#replay").scroll_into_view_if_needed()
        until(page, "Boolean(window.hasFirst && window.letGo)")
        page.set_viewport_size({"width": 800, "height": 844})
        page.locator("#replay-time").dispatch_event("input")
        settle(page)
        assert page.evaluate(shown) is None
        page.evaluate("window.letGo()")
        page.wait_for_selector("#replay[data-ready]")
        assert page.evaluate(shown).startswith("Map of ")


def test_a_run_that_is_still_unpacked_can_be_downloaded(browser, shared, tiny_campaign):
    def make(folder):
        campaign = mn.load(shutil.copytree(tiny_campaign, folder / "out"))
        for condition in (1, 4):
            record(campaign, condition, workers=1)
        with drawing_few_figures():
            write_report(campaign, folder / "report.html", live=False)

    four_runs = shared.folder("report-four-runs", make) / "report.html"
    third_is_late = SECOND_IS_LATE.replace("calls++ === 0", "calls++ < 2")
    for page in opened(browser, four_runs, before=third_is_late):
        page.locator("#replay").scroll_into_view_if_needed()
        page.wait_for_selector("#replay[data-ready]")
        page.select_option("#replay-router", index=1)
        page.wait_for_selector("#replay-series:not([hidden])")
        page.locator("#replay [data-side] select").first.select_option("tcp, condition 4")
        with page.expect_download() as caught:
            page.click("#replay-series button")
            page.evaluate("window.letGo()")
        assert '"tcp, condition 4"' in Path(caught.value.path()).read_text()


def test_the_time_slider_works_by_keyboard_and_says_the_time(replay):
    replay.focus("#replay-time")
    replay.keyboard.press("End")
    until(replay, "document.getElementById('replay-time').getAttribute('aria-valuetext') === '2 seconds'")
    assert replay.locator("#replay .map").first.get_attribute("aria-label").startswith("Map of tcp, condition 4 at 2 s")


def test_maps_show_drops_where_the_traces_have_them(replay):
    at(replay, 0)
    calm = replay.evaluate(RED)
    printed = replay.locator("#replay figcaption").first
    assert "most dropped: none" in printed.inner_text()
    for step in range(1, 100):
        at(replay, step / 100)
        if "most dropped: none" not in printed.inner_text():
            break
    assert re.search(r"most dropped: \w+ \d", printed.inner_text())
    assert replay.evaluate(RED) > calm + 50


def test_two_algorithms_stand_side_by_side(replay):
    values = replay.eval_on_selector_all("#replay figure select", "all => all.map((select) => select.value)")
    assert values == ["0", "1"]
    at(replay, 0.9)
    assert replay.evaluate(PICTURE, 0) != replay.evaluate(PICTURE, 1)
    flows = [replay.locator("#replay .states").nth(side).get_attribute("aria-label") for side in (0, 1)]
    assert all(re.search(r"condition 4 at 1.8 seconds: \d+ connecting, \d+ initial slow start", text) for text in flows)
    replay.select_option('#replay [data-side="1"] select', "0")
    until(replay, f"({PICTURE})(0) === ({PICTURE})(1)")


@pytest.fixture(scope="module")
def uneven(shared, replayed):
    """The report of a campaign with runs of 2 s in its replay, and a run of 1 s with more rows."""

    def make(folder):
        campaign = mn.load(shutil.copytree(replayed.parent / "out", folder / "out"))
        short = mn.scenario("abilene", algorithm="tcp", duration="1 s", base_sources=2)
        short = short.set("trace.routers", "all").set("trace.every", "4 ms")
        mn.simulate(short).write(campaign.path / "replay" / "short")
        with drawing_few_figures():
            write_report(campaign, folder / "report.html")

    return shared.folder("report-uneven", make) / "report.html"


def test_the_time_of_a_replay_is_that_of_the_longer_run(browser, uneven):
    for page in opened(browser, uneven):
        page.locator("#replay").scroll_into_view_if_needed()
        page.wait_for_selector("#replay[data-ready]")
        for side, other in ((0, "0"), (1, "1")):
            page.select_option(f'#replay [data-side="{side}"] select', label="short")
            page.select_option(f'#replay [data-side="{1 - side}"] select', other)
            at(page, 1)
            assert page.inner_text("#replay-now") == "2.0 s"


def test_a_click_on_a_router_shows_its_time_series(replay, tmp_path):
    at(replay, 0.9)
    assert replay.locator("#replay-series").is_hidden()
    where = replay.evaluate(
        """() => { const canvas = document.querySelector('#replay .map');
            const box = canvas.getBoundingClientRect(); return [box.width, box.height]; }"""
    )
    found = None
    for x in range(10, int(where[0]), 12):
        replay.locator("#replay .map").first.click(position={"x": x, "y": where[1] * 0.5}, force=True)
        if replay.input_value("#replay-router") != "-1":
            found = replay.input_value("#replay-router")
            break
    assert found is not None
    replay.wait_for_selector("#replay-series:not([hidden])")
    name = replay.locator(f'#replay-router option[value="{found}"]').inner_text().split(" ")[0]
    assert replay.locator("#replay-series h3").inner_text().startswith(name)
    with replay.expect_download() as waiting:
        replay.click("#replay-series button")
    waiting.value.save_as(tmp_path / "series.csv")
    lines = (tmp_path / "series.csv").read_text().splitlines()
    assert lines[0].startswith("time_s,router,run,queue")
    assert len(lines) == 1 + 2 * 200
    replay.select_option("#replay-router", "-1")
    replay.wait_for_selector("#replay-series", state="hidden")


def test_hovering_a_router_shows_its_values(replay):
    at(replay, 0.5)
    box = replay.locator("#replay .map").first.bounding_box()
    for x in range(4, int(box["width"]), 6):
        replay.mouse.move(box["x"] + x, box["y"] + box["height"] * 0.5)
        if replay.locator("#replay-tip").is_visible():
            break
    tip = replay.locator("#replay-tip").inner_text()
    assert re.search(r"queue .* %.*\ndropped .* %.*\nbusy .* %", tip)


def test_the_values_beside_a_resting_pointer_follow_the_time(replay):
    at(replay, 1)
    box = replay.locator("#replay .map").first.bounding_box()
    tip = replay.locator("#replay-tip")
    places = ((x, y) for y in range(20, int(box["height"]), 40) for x in range(4, int(box["width"]), 6))
    for x, y in places:
        replay.mouse.move(box["x"] + x, box["y"] + y)
        if tip.is_visible() and re.search(r"busy [1-9]", tip.inner_text()):
            break
    assert re.search(r"busy [1-9]", tip.inner_text())
    at(replay, 0)
    assert "busy 0 %" in tip.inner_text(), "the network is empty at first"


def test_the_replay_shows_marks_beside_drops(marking):
    titles = marking.eval_on_selector_all("#replay figure select", "all => all.map((s) => s.selectedOptions[0].text)")
    assert titles[0].endswith("drop_tail")
    assert titles[1].endswith("codel")
    printed = [marking.locator("#replay figcaption").nth(side) for side in (0, 1)]
    for step in range(1, 60):
        at(marking, step / 60)
        if "most marked: none" not in printed[1].inner_text():
            break
    assert re.search(r"most marked: A \d", printed[1].inner_text())
    assert "most marked: none" in printed[0].inner_text(), "drop-tail marks nothing"
    marking.select_option("#replay-router", "0")
    marking.wait_for_selector("#replay-series:not([hidden])")
    series = marking.locator("#replay-series canvas")
    assert re.search(r"dropped .* %.* marked .* %.* busy", series.get_attribute("aria-label"))
    assert series.bounding_box()["height"] == 440, "four panels"


def test_an_answer_on_disciplines_fits_a_phone(marking):
    assert marking.locator("#disciplines").inner_text() == "Which queue discipline, for whom?"
    marking.set_viewport_size({"width": 390, "height": 844})
    settle(marking)
    assert marking.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1366])
def test_the_replay_fits_the_screen(replay, width):
    replay.set_viewport_size({"width": width, "height": 844})
    settle(replay)
    assert replay.evaluate("document.documentElement.scrollWidth") <= width
    one, other = (replay.locator("#replay .map").nth(side).bounding_box() for side in (0, 1))
    assert (other["y"] > one["y"] + one["height"]) is (width == 390), "one below the other on a phone"


@pytest.mark.parametrize("width", [390, 1366])
def test_the_page_has_no_fault_that_an_accessibility_checker_finds(replay, width):
    """axe-core with its rules of WCAG 2 and of good practice, everything drawn and opened.

    It takes nine tenths of its time for contrast, which `contrast.js` checks, inside of figures too.
    """
    checker = pytest.importorskip("axe_playwright_python.sync_playwright")
    replay.set_viewport_size({"width": width, "height": 844})
    replay.click("#show-all")
    count = replay.locator("figure[data-figure]").count()
    until(replay, f"document.querySelectorAll('figure[data-ready]').length === {count}")
    replay.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    rules = {"color-contrast": {"enabled": False}}
    found = checker.Axe().run(replay, options={"resultTypes": ["violations"], "rules": rules}).response["violations"]
    assert [(each["id"], each["nodes"][0]["target"]) for each in found] == []


def test_tabs_go_through_the_page_in_the_order_in_which_it_is_read(page):
    """Nothing takes the focus out of turn, what can be used has a name, and each figure can be reached."""
    order = page.evaluate(
        """() => [...document.querySelectorAll('a, button, select, input, summary, [tabindex]')]
            .filter((element) => element.tabIndex >= 0 && element.checkVisibility())
            .map((element) => [element.tabIndex, element.tagName, element.id,
                element.getAttribute('aria-label') || element.closest('label')?.textContent || element.textContent])"""
    )
    assert {index for index, *_ in order} == {0}
    assert [who for _, _, *who in order if not who[1].strip()] == []
    figures = page.locator("figure[data-figure]").evaluate_all("all => all.map((figure) => figure.id)")
    assert sorted(figures) == sorted(FIGURES)
    assert [id_ for _, tag, id_, _ in order if tag == "FIGURE"] == figures
    page.focus(f"#{figures[0]}")
    sections = [f"section-{name}" for name in figures]
    seen = []
    for _ in range(6):
        page.keyboard.press("Tab")
        seen.append(sections.index(page.evaluate("document.activeElement.closest('section').id")))
    assert seen == sorted(seen)
    assert seen[-1] > 0
    live = page.locator("#said")
    assert (live.get_attribute("role"), live.get_attribute("aria-live")) == ("status", "polite")


def test_a_figure_says_what_it_shows(page):
    draw(page, "main-effects")
    label = page.locator("#main-effects").get_attribute("aria-label")
    assert "Loss rate, tcp, whole measured time" in label
    assert "has the largest effect" in label
    choose(page, "response", "rtt")
    until(page, "document.getElementById('main-effects').getAttribute('aria-label').startsWith('Round-trip time, tcp')")


def test_figures_of_users_follow_their_selects(browser, shared):
    for page in opened(browser, report_of(shared, "mixed")):
        count = page.locator("figure[data-figure]").count()
        page.click("#show-all")
        until(page, f"document.querySelectorAll('figure[data-ready]').length === {count}")
        page.locator("#goodput").scroll_into_view_if_needed()
        before = drawing(page, "goodput")
        page.select_option('#section-goodput select[data-state="file"]', "document")
        until(page, "(b) => document.querySelector('#goodput .plot').innerHTML !== b", arg=before)
        assert "document" in page.locator("#goodput .heading").inner_text()
        assert page.input_value('#section-differences select[data-state="file"]') == "document", "one choice for all"
        page.locator("#rank-matrix").scroll_into_view_if_needed()
        choose(page, "algorithm", "fast")
        until(page, "document.querySelector('#rank-matrix .heading').textContent.endsWith('fast')")


@pytest.mark.parametrize(
    "kind", ["nothing done", "one algorithm", "two algorithms", "no factors", "responses that nobody answered"]
)
def test_lesser_campaigns_are_drawn_without_an_error(browser, shared, kind):
    path = report_of(shared, kind)
    context = browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(error.stack or str(error)))
    page.goto(path.as_uri() + "#open=statistician")
    count = page.locator("figure[data-figure]").count()
    if count:
        page.wait_for_selector("html[data-ready]")
        page.click("#show-all")
        until(page, f"document.querySelectorAll('figure[data-ready]').length === {count}")
        if page.locator('select[data-state="response"] option[value="rtt"]').count():
            choose(page, "response", "rtt")
    page.wait_for_timeout(500)
    assert complaints == []
    assert (count == 0) is (kind == "nothing done")
    assert page.locator("#summary dt").count() >= 1
    context.close()


def test_the_report_of_points_follows_response_condition_and_range(browser, sampled_report):
    for page in opened(browser, sampled_report):
        page.set_viewport_size({"width": 1366, "height": 3600})
        draw(page, "sensitivity", "points", "responses", "scatter")
        marks = page.locator("#points svg .mark-symbol.role-mark path:not([stroke='#E69F00'])")
        assert marks.count() == 3 * 32, "a panel per factor, a mark per run"
        before = drawing(page, "points")
        choose(page, "response", "bent")
        until_redrawn(page, "points", before)
        assert "Bent" in page.locator("#points .heading").inner_text()
        point_at(page, marks.first)
        condition = page.input_value('select[data-state="hl"]')
        assert condition != "0"
        for name, lit in (("points", 6), ("responses", 1), ("scatter", 2)):
            until(page, f"({COUNT_LIT})('{name}') === {lit}")
        page.mouse.move(0, 0)
        point_at(page, page.locator("#scatter svg .mark-symbol.role-mark path:not([stroke='#E69F00'])").first)
        condition = page.input_value('select[data-state="hl"]')
        assert page.locator(f'tr.highlighted[data-condition="{condition}"]').count() == 1
        page.click("text=Show only conditions with")
        page.fill('input[data-factor="x"][data-bound="from"]', "0.25")
        page.fill('input[data-factor="x"][data-bound="to"]', "0.5")
        page.keyboard.press("Tab")
        # Of 16 points in 16 bins each of a sixteenth, four lie in a quarter of the range.
        until(page, "document.querySelectorAll('tr[data-condition]:not([hidden])').length === 4")
        until(
            page,
            """document.querySelectorAll(
            "#points svg .mark-symbol.role-mark path:not([stroke='#E69F00'])").length === 3 * 8""",
        )
        assert page.locator("#sensitivity svg .mark-text.role-mark text").count() == 9, "a table of factors stays"
        page.locator("#sensitivity svg .mark-text.role-mark text").first.click(force=True)
        until(page, "document.querySelector('select[data-state=response]').value === 'steep'")


@pytest.mark.parametrize("which", ["report", "replayed", "sampled_report"])
def test_text_has_the_contrast_that_wcag_asks_for(browser, which, request):
    judge = (Path(__file__).parent / "contrast.js").read_text().partition("*/")[2]
    for page in opened(browser, request.getfixturevalue(which), bypass_csp=True):  # for the style that is added
        page.click("#show-all")
        drawn = page.locator("figure[data-figure]").count()
        until(page, f"document.querySelectorAll('figure[data-ready]').length === {drawn}")
        choose(page, "hl", "3")
        page.wait_for_selector("tr.highlighted")
        page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        seen = page.evaluate(judge)
        assert seen["count"] > 300
        assert seen["found"] == []
        # The rule itself: grey text that falls short is found.
        page.add_style_tag(content=".caption { color: #9a9a9a; }")
        assert {wanted for _, wanted, _, _ in page.evaluate(judge)["found"]} == {4.5}


def test_on_a_phone_the_bar_leaves_room_and_hints_stand_over_what_is_wider(page):
    page.set_viewport_size({"width": 390, "height": 844})
    draw(page, "responses", "youden")
    choose(page, "hl", "5")
    until(page, "document.getElementById('said').textContent.startsWith('Condition 5')")
    assert page.locator("#said").bounding_box()["height"] <= 60, "two lines at most"
    assert "loss rate" in page.locator("#said").text_content().lower(), "a listener hears all of it"
    wider = page.evaluate(
        """() => [...document.querySelectorAll('.hint')].map((hint) => {
            const box = hint.nextElementSibling;
            return [box.checkVisibility() && box.scrollWidth > box.clientWidth, hint.checkVisibility(), box.className];
        })"""
    )
    tables = [(scrolls, shown) for scrolls, shown, name in wider if name == "scroll" and (scrolls or shown)]
    assert (True, True) in tables, "the table of conditions is wider than a phone"
    assert all(scrolls == shown for scrolls, shown in tables)
    page.set_viewport_size({"width": 1366, "height": 900})
    settle(page)
    assert not any(page.evaluate("[...document.querySelectorAll('.hint')].map((hint) => hint.checkVisibility())"))


def test_ticks_of_the_youden_plot_do_not_touch(page):
    draw(page, "youden")
    before = drawing(page, "youden")
    choose(page, "response", "segments_entering")
    until_redrawn(page, "youden", before)
    assert "egments" in page.locator("#youden .heading").inner_text()
    gaps = page.evaluate(
        """() => {
            const texts = [...document.querySelectorAll('#youden g.role-axis-label text')];
            const labels = texts.map((text) => text.getBoundingClientRect());
            const low = Math.max(...labels.map((box) => box.top));
            const across = labels.filter((box) => low - box.top < 3 && box.width).sort((a, b) => a.left - b.left);
            return across.slice(1).map((box, place) => box.left - across[place].right);
        }"""
    )
    assert len(gaps) >= 2
    assert min(gaps) > 0
