"""Pages with hostile names in Chromium: nothing but the page's own scripts runs, and the figures are drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mesonet as mn
from conftest import Shared
from hostile import COMMENT, EXPRESSION, HOSTILE, LINK, MORE, STYLE, run_campaign, run_replayed, write_network
from mesonet import plots
from mesonet.maps.network import network_map
from mesonet.reporting import write_report
from test_browser import CHROMIUM, PATIENCE_MS, browser, opened, pytestmark, until  # noqa: F401

#: Marks pointed at in each figure: a tooltip is where a name could become an element.
MOST_MARKS = 40


@pytest.fixture(scope="module")
def pages(shared: Shared) -> Path:
    """Every page that the package writes, with hostile names wherever a file of others may have names."""

    def make(folder: Path) -> None:
        network = write_network(folder)
        chosen = mn.scenario("abilene", topology=str(network))
        plots.save(plots.topology(network_map(chosen, chosen.describe())), folder / "map.html")
        campaigns = (
            ("two-level", HOSTILE),
            ("two-level", (STYLE, EXPRESSION, LINK)),
            ("latin-hypercube", (STYLE, EXPRESSION, COMMENT)),
        )
        for place, (kind, names) in enumerate(campaigns):
            (folder / str(place)).mkdir()
            write_report(run_campaign(folder / str(place), kind, names), folder / f"report-{place}.html")
        (folder / "replayed").mkdir()
        write_report(run_replayed(folder / "replayed", network), folder / "replay.html")

    return shared.folder("hostile-pages", make)


def watched(browser: Any, page: Path) -> Iterator[Any]:  # noqa: F811
    """The open page. No name runs, becomes an element or is refused by the policy: it is text to begin with."""
    dialogs: list[str] = []
    for opened_page in opened(browser, page):
        opened_page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        yield opened_page
        assert (
            opened_page.evaluate(
                """[...document.querySelectorAll('*')].filter((element) =>
                ['IMG', 'IFRAME', 'OBJECT', 'EMBED', 'BASE'].includes(element.tagName)
                || /^javascript:/i.test(element.getAttribute('href') ?? '')
                || [...element.attributes].some(({ name }) => name.startsWith('on'))).map((each) => each.outerHTML)"""
            )
            == []
        )
    assert dialogs == []


#: Points at marks, as a pointer would, wherever they are; returns the texts of the tooltips.
POINT = """({ where, most }) => [...document.querySelectorAll(`${where} svg .role-mark > *`)]
.slice(0, most).map((mark) => {
    const { left, top } = mark.getBoundingClientRect();
    mark.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: left, clientY: top }));
    return document.querySelector('#vg-tooltip-element.visible')?.textContent ?? '';
})"""


def test_a_map_runs_nothing_under_the_pointer_or_when_it_is_saved(browser: Any, pages: Path) -> None:  # noqa: F811
    for page in watched(browser, pages / "map.html"):
        texts = page.evaluate(POINT, {"where": "#chart", "most": 100})
        shown = {name for name in MORE if any(f"router{name}" in text for text in texts)}
        assert shown == set(MORE)
        for form in ("svg", "png"):
            with page.expect_download() as waiting:
                page.click(f'[data-form="{form}"]')
            assert waiting.value.suggested_filename == f"links.{form}"


@pytest.mark.parametrize("name", ["report-0", "report-1", "report-2", "replay"])
def test_a_report_runs_nothing(browser: Any, pages: Path, name: str) -> None:  # noqa: F811
    for page in watched(browser, pages / f"{name}.html"):
        page.click("#show-all")
        until(page, "!document.querySelector('figure[data-figure]:not([data-ready])')")
        page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true")
        figures = page.locator("figure[data-figure]").evaluate_all("(all) => all.map(({ id }) => id)")
        assert len(figures) > 3
        texts = [page.evaluate(POINT, {"where": f"#{each}", "most": MOST_MARKS}) for each in figures]
        assert sum(text != "" for shown in texts for text in shown) > MOST_MARKS
        for choice in page.locator("select[data-state]").all():
            if choice.is_visible():
                choice.select_option(index=choice.locator("option").count() - 1)
        if name == "replay":
            page.locator("#replay").scroll_into_view_if_needed()
            page.wait_for_selector("#replay[data-ready]")
            page.select_option("#replay-router", "1")
            page.locator("#replay .map").first.hover()
            assert MORE[1] in page.locator("#replay-series h3").text_content()


@pytest.mark.parametrize("name", ["map", "report-0", "replay"])
def test_the_policy_refuses_what_was_not_escaped(browser: Any, pages: Path, name: str) -> None:  # noqa: F811
    """The second line of defence: markup that got into a page runs nothing and loads nothing."""
    context = browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto((pages / f"{name}.html").as_uri())
    page.wait_for_selector("html[data-ready]")
    found = page.evaluate(
        """async () => {
            const refused = [];
            document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
            const box = document.createElement('div');
            document.body.append(box);
            box.innerHTML = '<img src=x onerror="window.ran = 1"><p style="color: red">x</p><iframe src="x.html">';
            const script = document.createElement('script');
            script.textContent = 'window.ran = 2';
            document.body.append(script);
            const link = document.createElement('a');
            link.href = 'javascript:window.ran=3';
            link.click();
            await new Promise((resolve) => setTimeout(resolve, 500));
            return { ran: window.ran ?? null, refused };
        }"""
    )
    assert found["ran"] is None
    assert {"script-src-attr", "script-src-elem", "style-src-attr", "img-src", "frame-src"} <= set(found["refused"])
    context.close()
