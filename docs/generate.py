"""Write the files that are made from the code: pages of docs/reference, schemas of campaign files, a scenario."""

from __future__ import annotations

import json
from pathlib import Path

import mesonet
from mesonet.campaign.documents import DOCUMENTS
from mesonet.campaign.record import schema
from mesonet.cli.reference_pages import DEFAULTS, defaults, pages

for name, text in pages().items():
    (Path(__file__).parent / "reference" / name).write_text(text, encoding="utf-8")
for name in DOCUMENTS:
    file = Path(mesonet.__file__).parent / "campaign" / f"{name}.schema.json"
    file.write_text(json.dumps(schema(name), indent=2) + "\n", encoding="utf-8")
(Path(__file__).parents[1] / DEFAULTS).write_text(defaults(), encoding="utf-8")
