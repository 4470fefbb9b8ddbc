"""What the reader of an analysis may choose: from where on responses say the same, and algorithms are a group."""

from dataclasses import dataclass

from mesonet.analysis.clustering import CUT
from mesonet.analysis.correlation import STUDY_THRESHOLD
from mesonet.errors import InputError


@dataclass(frozen=True)
class Thresholds:
    """Those of the study unless others are given; InputError for one that does not lie between 0 and 1."""

    correlation: float = STUDY_THRESHOLD  #: |r| above which two responses say the same
    cut: float = CUT  #: share of the largest distance below which algorithms are a group

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < 1:
                raise InputError("not a share", path=name, value=value, allowed="between 0 and 1")


DEFAULTS = Thresholds()
