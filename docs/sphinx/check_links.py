"""Follow every link of the built site, with its anchor, and every file that a page loads. ``make docs`` runs it.

Pages of other hosts are not fetched. Nothing but a link may lead there: a page loads only files of the site.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data")}
WRITTEN_AS_ONE_FILE = ("sample/",)
"""Parts of the site that mesonet writes, which their own tests check."""


class Page(HTMLParser):
    """Anchors of a page, its links, and the files that it loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the anchor and the links of an element."""
        for name, value in attrs:
            if not value:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif tag == "a" and name == "href":
                self.links.append(value)
            elif (tag, name) in LOADED:
                self.loaded.append(value)


def faults(site: Path) -> list[str]:
    """Return what leads nowhere, with the page that links there."""
    files = sorted(site.rglob("*.html"))
    pages = {file: Page(file) for file in files if not str(file.relative_to(site)).startswith(WRITTEN_AS_ONE_FILE)}
    found = [f"{site}: no pages"] if not pages else []
    for file, page in pages.items():
        here = file.relative_to(site)
        found += [f"{here}: loads {each}" for each in page.loaded if urlsplit(each).netloc]
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{here}: no file {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors | {"top"}:
                found.append(f"{here}: no anchor {link}")
    return sorted(set(found))


def main() -> None:
    """Exit with what leads nowhere."""
    found = faults(Path(sys.argv[1]).resolve())
    if found:
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    main()
