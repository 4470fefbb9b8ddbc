"""Every claim that takes ten minutes or less, through the campaigns that it names: ``make verify``.

The verdict follows from the numbers. A claim that is not reproduced explains what was tried; one that is reproduced
explains nothing, so that an explanation that has become out of date is noticed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from verification.scorecard.campaigns import Campaigns
from verification.scorecard.claims import Claim
from verification.scorecard.scorecard import load_scorecard
from verification.scorecard.verdicts import judge, of_claim

CARD = load_scorecard(Path(__file__).parent)
LONGEST_S = 600.0


@pytest.fixture(scope="session")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> Campaigns:
    """The campaigns that the claims name, run when they are first asked for."""
    return Campaigns(CARD.entries, tmp_path_factory.mktemp("campaigns"), LONGEST_S, progress=False)


@pytest.mark.parametrize("claim", CARD.claims, ids=lambda claim: claim.id)
def test_claim(claim: Claim, campaigns: Campaigns) -> None:
    findings = judge(claim, campaigns)
    shown = "\n".join(f"{found.name}: published {found.published}, ours {found.measured}" for found in findings)
    outcome = f"{claim.claim}\n{shown}\n{claim.explanation}"
    assert of_claim(findings) != "not reproduced" or claim.explanation, outcome
    assert of_claim(findings) != "reproduced" or not claim.explanation, outcome
