"""Every claim, through the campaigns that it names: ``make verify``.

The verdict follows from the numbers. A claim that is not reproduced explains what was tried; one that is reproduced
explains nothing, so that an explanation that has become out of date is noticed.
"""

from __future__ import annotations

import pytest
from measures import Campaigns
from scorecard import CLASSES, Claim, judge, load_all, reproduced

from mesonet.experiment import experiment

CLAIMS = load_all()


@pytest.fixture(scope="session")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> Campaigns:
    """The campaigns that the claims name, run once."""
    folder = tmp_path_factory.mktemp("campaigns")
    for name in sorted({value.of["experiment"] for claim in CLAIMS for value in claim.values}):
        done = experiment(name).run(folder / name, progress=False)
        assert done.counts["done"] == len(done.runs)
    return Campaigns(folder)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_claim(claim: Claim, campaigns: Campaigns) -> None:
    verdicts = judge(claim, campaigns)
    shown = "\n".join(
        f"{v.name}: published {v.published}, ours {v.measured:.4g}, {v.verdict}" for v in verdicts if v.unit
    )
    assert reproduced(verdicts) != bool(claim.explanation), f"{claim.claim}\n{shown}\n{claim.explanation}"


def test_claims_say_where_they_are_from_and_why_they_tolerate_what_they_do() -> None:
    for claim in CLAIMS:
        assert claim.source, claim.id
        assert claim.setup, claim.id
        assert all(value.because and value.strictness in CLASSES for value in claim.values), claim.id
