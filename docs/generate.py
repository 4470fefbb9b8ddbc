"""Write the files that are made from the code: pages of docs/reference, schemas of campaign files, data of tests."""

from __future__ import annotations

import json
from pathlib import Path

import mesonet
from mesonet.campaign.documents import DOCUMENTS
from mesonet.campaign.record import schema
from mesonet.cli.reference import pages
from mesonet.scenarios.canonical import plain
from mesonet.scenarios.parameters import PARAMETERS

for name, text in pages().items():
    (Path(__file__).parent / "reference" / name).write_text(text, encoding="utf-8")
for name in DOCUMENTS:
    file = Path(mesonet.__file__).parent / "campaign" / f"{name}.schema.json"
    file.write_text(json.dumps(schema(name), indent=2) + "\n", encoding="utf-8")

# The tests of the simulator have the defaults of the package.
aqm = {
    path.removeprefix("aqm."): plain(parameter.parse(parameter.default))
    for path, parameter in sorted(PARAMETERS.items())
    if path.startswith("aqm.")
}
file = Path(__file__).parents[1] / "crates/sim/tests/common/aqm.json"
file.write_text(json.dumps(aqm, indent=2) + "\n", encoding="utf-8")
