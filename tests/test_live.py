"""The simulator in the report: the numbers of the table, changed runs, and the page without it."""

from __future__ import annotations

import math
import shutil

import pytest

import mesonet as mn
from conftest import drawing_few_figures
from firefox import Firefox
from mesonet.browser import module
from mesonet.reporting import write_report
from mesonet.reporting.live.section import digest
from mesonet.reporting.replay.simulated import record
from test_browser import CHROMIUM, PATIENCE_MS, browser, until  # noqa: F401
from test_playground import FIREFOX, REQUIRED

pytestmark = pytest.mark.process


def test_the_digest_depends_on_names_and_bits():
    rows = [("measured\tloss_rate", 0.1), ("measured\trtt", math.nan), ("run\tx", None)]
    assert digest(rows) == digest([(name, None if name.endswith("rtt") else value) for name, value in rows])
    assert digest(rows) != digest([(name, value and math.nextafter(value, 1)) for name, value in rows])


@pytest.fixture(scope="module")
def pages(shared, tiny_campaign):
    """A campaign with a replay: its report with the simulator, and without it."""

    def make(folder):
        campaign = mn.load(shutil.copytree(tiny_campaign, folder / "out"))
        record(campaign, 4, workers=1)
        with drawing_few_figures():
            write_report(campaign, folder / "live.html")
            write_report(campaign, folder / "plain.html", live=False)

    return shared.folder("report-live", make)


def test_the_size_of_the_simulator_is_stated_and_can_be_left_out(pages):
    live, plain = ((pages / name).read_text() for name in ("live.html", "plain.html"))
    assert f"({round(module.built().page_bytes / 1000)} kB)" in live
    assert "wasm-unsafe-eval" in live
    for part in ("wasm-unsafe-eval", module.MODULE_ID, 'id="live"', "worker-src"):
        assert part not in plain
    assert 'id="replay"' in plain


@pytest.fixture
def page(browser, pages):  # noqa: F811
    context = browser.new_context(viewport={"width": 1366, "height": 768}, offline=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto((pages / "live.html").as_uri())
    page.locator("#replay").scroll_into_view_if_needed()
    page.wait_for_selector("#replay[data-ready]")
    page.wait_for_selector("#live[data-ready]")
    yield page
    assert errors == []
    context.close()


def simulate(page, kind):
    page.click("#live-run")
    page.wait_for_selector(f"#live-equal[data-equal={kind}]:not([hidden])")


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
@pytest.mark.parametrize("algorithm", ["tcp", "scalable"])
@pytest.mark.parametrize("condition", ["1", "4"])
def test_the_page_has_the_numbers_of_the_table(page, condition, algorithm):
    page.select_option("#live [name=condition]", condition)
    page.select_option("#live [name=algorithm]", algorithm)
    simulate(page, "yes")
    assert "bit for bit" in page.inner_text("#live-equal")
    for row in page.locator("#live-table tbody tr").all():
        cells = row.locator("td").all_inner_texts()
        assert cells[1] == cells[2]


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
def test_a_changed_run_is_beside_the_incumbent_in_the_replay(page):
    page.select_option("#live [name=condition]", "4")
    page.select_option("#live [name=algorithm]", "scalable")
    page.fill("#live [name=buffer]", "0.2")
    page.select_option("#live [name=discipline]", "codel")
    page.fill("#live [name=share]", "30")
    simulate(page, "changed")
    shown = page.locator("#replay [data-side] select").evaluate_all("all => all.map(e => e.selectedOptions[0].text)")
    assert shown == ["tcp, condition 4", "scalable, condition 4, buffers x 0.2, CoDel, share 30 % (simulated here)"]
    picture = "document.querySelector('#difference canvas').toDataURL()"
    before = page.evaluate(picture)
    page.focus("#replay-time")
    page.keyboard.press("End")
    until(page, f"(before) => {picture} !== before", arg=before)
    assert " minus tcp, condition 4. " in page.inner_text("#difference figcaption")


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
def test_the_title_of_a_run_has_the_settings_with_which_it_began(page):
    page.select_option("#live [name=condition]", "4")
    page.fill("#live [name=buffer]", "0.2")
    page.evaluate(
        """() => {
            document.querySelector('#live-run').click();
            document.querySelector('#live [name=buffer]').value = '5';
            document.querySelector('#live [name=discipline]').value = 'codel';
        }"""
    )
    page.wait_for_selector("#live-equal[data-equal=changed]:not([hidden])")
    shown = page.locator("#replay [data-side='1'] select").evaluate("select => select.selectedOptions[0].text")
    assert shown == "tcp, condition 4, buffers x 0.2 (simulated here)"


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
def test_a_page_from_plain_http_says_that_it_cannot_compare(page):
    page.evaluate("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    simulate(page, "unknown")
    assert page.inner_text("#live-equal").endswith("only from a file or over https.")


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
def test_every_drawing_is_inverted_in_dark_colours(page):
    page.click("#theme")
    filters = page.locator("canvas").evaluate_all("all => all.map((each) => getComputedStyle(each).filter)")
    assert {*filters} == {"invert(0.91) hue-rotate(180deg)"}


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
def test_a_share_that_is_no_number_is_refused(page):
    page.click("#live [name=share]")
    page.keyboard.type("30e")
    simulate(page, "refused")
    assert 'Share = "": not allowed. Allowed: 0 to 100' in page.inner_text("#live-equal")


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
@pytest.mark.parametrize(("name", "value"), [("buffer", "1000"), ("buffer", ""), ("share", "101"), ("share", "-1")])
def test_a_bad_number_is_refused_in_words(page, name, value):
    page.fill(f"#live [name={name}]", value)
    simulate(page, "refused")
    assert f'"{value}": not allowed. Allowed: ' in page.inner_text("#live-equal")


@pytest.mark.browser
@pytest.mark.skipif(not FIREFOX and not REQUIRED, reason="no Firefox")
def test_firefox_has_the_numbers_of_the_table(pages, tmp_path):
    with Firefox(FIREFOX, tmp_path) as window:
        window.open((pages / "live.html").as_uri())
        window.evaluate("document.querySelector('#replay').scrollIntoView()")
        window.wait("document.querySelector('#live').dataset.ready === 'true'")
        window.evaluate("document.querySelector('#live-run').click()")
        window.wait("document.querySelector('#live-equal').dataset.equal === 'yes'")
        assert "bit for bit" in window.evaluate("document.querySelector('#live-equal').textContent")
