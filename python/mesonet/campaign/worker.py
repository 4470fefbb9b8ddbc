"""One run in a process of its own: ``python -m mesonet.campaign.worker FOLDER KEY`` with the run on standard input.

A process per run keeps a crash to one run and makes its peak memory its own. Imports only what a run needs.
"""

from __future__ import annotations

import json
import sys
import traceback

from mesonet import provenance
from mesonet.campaign.ledger import Ledger
from mesonet.result import write_parquet
from mesonet.simulate import simulate_json


def main(folder: str, key: str) -> int:
    """Simulates and writes the run; returns 1, with the reason written, if that fails."""
    ledger = Ledger(folder)
    task = json.load(sys.stdin)
    started = provenance.now()
    try:
        result = simulate_json(task["scenario"], task["seed"])
        with ledger.writing(key) as aside:
            (aside / "run.json").write_text(result.run_json())
            write_parquet(result.responses, aside / "responses.parquet")
            write_parquet(result.groups, aside / "groups.parquet")
            for name in ledger.document().get("keep", ()):
                write_parquet(getattr(result, name), aside / f"{name}.parquet")
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        details = {"traceback": traceback.format_exc(), "started": started, "finished": provenance.now()}
        ledger.fail(key, message, {**details, "seed": task["seed"]})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
