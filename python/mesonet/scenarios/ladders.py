"""Published bitrate ladders of videos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Ladder:
    """Bitrates in which a video is offered."""

    rates: tuple[int, ...]  #: kbit/s, from low to high
    source: str  #: publication


LADDERS: Mapping[str, Ladder] = {
    "apple": Ladder(
        (145, 365, 730, 1100, 2000, 3000, 4500, 6000, 7800),
        "Apple, HLS Authoring Specification for Apple Devices: average bit rates of H.264 variants",
    ),
    "netflix": Ladder(
        (235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800),
        "Netflix Technology Blog, Per-Title Encode Optimization, 2015: the fixed ladder",
    ),
}
"""Ladders by name; the first is the default."""
