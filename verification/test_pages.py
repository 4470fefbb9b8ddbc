"""The blocks of the documentation that take long run, and every picture of the gallery is made again."""

from __future__ import annotations

from pathlib import Path

import pytest

from page_blocks import PAGES, ROOT, blocks, run
from test_gallery import gallery, same_picture

SLOW = [page for page in PAGES if any(block.slow for block in blocks(page)) and "gallery" not in page.parts]


@pytest.mark.parametrize("page", SLOW, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs_with_its_slow_blocks(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(page, tmp_path, slow=True)


def test_every_picture_of_the_gallery_is_made_again(tmp_path: Path) -> None:
    made = gallery.make(gallery.entries(), tmp_path)
    assert len(made) >= 20
    for name, picture in made.items():
        same_picture(picture, name)
