"""Published statements and the measurements of mesonet: claims, the campaigns that they need, verdicts, the scorecard.

May import everything but `mesonet.cli`.

The claims themselves are data in the folder ``verification`` of the source tree: see its README.
"""

from __future__ import annotations

from mesonet.verification.claims import Claim, Number, load_claims
from mesonet.verification.verdicts import NumberVerdict, Verdict, judge

__all__ = ["Claim", "Number", "NumberVerdict", "Verdict", "judge", "load_claims"]
