"""All that users read of a report, of a folder of an analysis, and of other output."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Words of networks that have no place in the report of anything else.
OF_NETWORKS = re.compile(
    r"\b(tcp|cubic|bbr\w*|congest\w*|networks?|flows?|goodput|sources?|routers?|segments?|queue\w*|incumbents?|"
    r"deploy\w*|traffic|packets?|loss\w*|warm-up|round.trip|interfaces?|users?|simulat\w*|disciplines?|slowdown|"
    r"retransmi\w*|bandwidth|throughput|bits?|bytes?|measured time|kernel)\b",
    re.IGNORECASE,
)


def of_page(page: str) -> Iterator[str]:
    """Yield the texts of a page: of its elements and labels, and of the data of its figures."""
    body = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    for text, label in re.findall(r'>([^<]+)<|aria-label="([^"]*)"', body):
        yield html.unescape(text or label)
    if data := re.search(r'id="page-data"[^>]*>([^<]*)<', page):
        yield from strings(json.loads(gzip.decompress(base64.b64decode(data[1]))))
    for definition in re.findall(r'type="application/json"[^>]*>([^<]*)<', page):
        yield from strings(json.loads(definition))


def of_folder(folder: Path) -> Iterator[str]:
    """Yield the texts of all files of a folder, and their names."""
    for file in sorted(folder.rglob("*")):
        yield file.relative_to(folder).as_posix().replace("_", " ")
        if file.suffix == ".svg":
            for text, label in re.findall(r'>([^<]+)<|aria-label="([^"]*)"', file.read_text()):
                yield html.unescape(text or label)
        elif file.suffix in (".md", ".csv"):
            yield from file.read_text().replace("_", " ").splitlines()


def foreign(texts: Iterator[str], words: re.Pattern[str] = OF_NETWORKS) -> set[str]:
    """Return the texts that hold one of some words, shortened."""
    return {f"{found[0]}: {text[:200]}" for text in texts if (found := words.search(text.replace("_", " ")))}


def strings(value: Any, key: str = "") -> Iterator[str]:
    """Yield the texts of plain data, without keys, names of fields, and expressions of charts."""
    if isinstance(value, str) and key not in ("$schema", "field") and "datum." not in value:
        yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from strings(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part, key)
