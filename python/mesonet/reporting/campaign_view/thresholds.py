"""Thresholds that users may choose: of correlations of similar responses, and of groups of algorithms."""

from __future__ import annotations

from dataclasses import dataclass

from mesonet.analysis.clustering import CUT
from mesonet.analysis.correlation import STUDY_THRESHOLD
from mesonet.errors import InputError


@dataclass(frozen=True)
class Thresholds:
    """Thresholds, by default of the study.

    Raises an InputError for a threshold that is not between 0 and 1.
    """

    correlation: float = STUDY_THRESHOLD  #: |r| above which two responses are similar
    cut: float = CUT  #: share of the largest distance below which algorithms are a group

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < 1:
                raise InputError("not a share", path=name, value=value, allowed="between 0 and 1")


DEFAULTS = Thresholds()
