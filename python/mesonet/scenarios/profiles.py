"""Access profiles: rates, buffers and delays of the links of homes, each number with its source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DOCSIS = "draft-white-tsvwg-lld-00: DOCSIS 3.1 has a round trip of about 10 ms on the access link"
_BAD_WIFI = "draft-huitema-ccwg-c4-test: a bad Wi-Fi"
_POLICING = "chosen; Flach et al., SIGCOMM 2016: up to 7 % of connections are policed"
_MOBILE = "arXiv 2507.18834: 5 % of mobile clients have a round trip below 20 ms"
_MOBILE_RATES = "chosen, mean 50 Mbit/s; arXiv 2507.18834: 60 % of mobile clients have less than 50 Mbit/s"
_CHOSEN = "chosen"

PROFILES: Mapping[str, Mapping[str, tuple[Any, str]]] = {
    "cable 50/10": {
        "down": ("50 Mbit/s", _CHOSEN),
        "up": ("10 Mbit/s", _CHOSEN),
        "down_buffer": ("4 MB", "chosen: a large buffer, .64 s at 50 Mbit/s"),
        "up_buffer": ("250 ms", "chosen; White et al., NCTA 2011: buffers of modems are larger than TCP needs"),
        "delay": ("5 ms", _DOCSIS),
    },
    "fibre 1000": {
        "down": ("1000 Mbit/s", _CHOSEN),
        "up": ("1000 Mbit/s", _CHOSEN),
        "down_buffer": ("20 ms", _CHOSEN),
        "up_buffer": ("20 ms", _CHOSEN),
        "delay": ("1 ms", _CHOSEN),
    },
    "dsl": {
        "down": ("12 Mbit/s", "FCC, Measuring Broadband America 2015: most providers of DSL offer at most 12 Mbit/s"),
        "up": ("1 Mbit/s", _CHOSEN),
        "down_buffer": ("200 ms", _CHOSEN),
        "up_buffer": ("500 ms", _CHOSEN),
        "delay": ("10 ms", _CHOSEN),
    },
    "wi-fi": {
        "down": ("100 Mbit/s", _CHOSEN),
        "up": ("100 Mbit/s", _CHOSEN),
        "down_buffer": ("100 ms", _CHOSEN),
        "up_buffer": ("100 ms", _CHOSEN),
        "delay": ("2 ms", _CHOSEN),
        "jitter": ("wifi", _BAD_WIFI),
        "jitter_mean": ("7 ms", _BAD_WIFI),
    },
    "5g": {
        "down_trace": (
            {
                "points": [
                    ["0 s", "60 Mbit/s"], ["4 s", "100 Mbit/s"], ["8 s", "30 Mbit/s"], ["12 s", "50 Mbit/s"],
                    ["16 s", "10 Mbit/s"],
                ],
                "period": "20 s",
            },
            _MOBILE_RATES,
        ),
        "up": ("10 Mbit/s", _CHOSEN),
        "down_buffer": ("3 MB", "chosen: .48 s at the mean rate"),
        "up_buffer": ("500 ms", _CHOSEN),
        "delay": ("15 ms", _MOBILE),
    },
    "policed": {
        "down": ("200 Mbit/s", _CHOSEN),
        "up": ("200 Mbit/s", _CHOSEN),
        "down_buffer": ("20 ms", _CHOSEN),
        "up_buffer": ("20 ms", _CHOSEN),
        "delay": ("1 ms", _CHOSEN),
        "policer": ("50 Mbit/s", _POLICING),
        "policer_burst": ("500 kB", _POLICING),
    },
}  # fmt: skip
"""Keys of `[[tiers.access]]` by profile, as a user would write them, each with its source."""
