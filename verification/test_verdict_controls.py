"""Controls of the verdict: an aggressive AIMD must be found harmful beside CUBIC, and standard TCP must not.

They run two small campaigns (a minute of processor time). `make verify` calls them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import mesonet as mn
from mesonet.analysis.decisions.decision import CANNOT_TELL, DEPENDS, NO_WORSE, WORSE
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.verdict_text import reasons
from mesonet.reporting.verdicts.verdict import NOT_JUDGED, Verdict, harm_to_competitors, verdicts


def judged(folder: Path, **values: float) -> tuple[Verdict, Verdict]:
    """Run the control with other constants of the newcomer; return the verdicts on competition and replacement."""
    experiment = mn.experiment(
        "harmful-control", values={f"parameters.tcp.{name}": value for name, value in values.items()}
    )
    view = CampaignView(experiment.run(folder, workers=2, progress=False))
    (beside,), (replaced,) = harm_to_competitors(view), verdicts(view)
    return beside, replaced


def test_an_aggressive_newcomer_is_found_harmful(tmp_path: Path) -> None:
    beside, replaced = judged(tmp_path / "campaign")
    assert beside.verdict == WORSE, reasons(beside)
    assert any("document" in change.title and change.verdict == WORSE for change in beside.changes)
    assert replaced.verdict in (WORSE, DEPENDS), reasons(replaced)


@pytest.mark.parametrize("decrease", [0.5])
def test_standard_tcp_is_not(tmp_path: Path, decrease: float) -> None:
    beside, _ = judged(tmp_path / "campaign", increase=1, decrease=decrease)
    assert beside.verdict in (NO_WORSE, CANNOT_TELL, NOT_JUDGED), reasons(beside)
