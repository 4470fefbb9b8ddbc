"""The twenty factors of the study, and the class of a factor of an experiment."""

from __future__ import annotations

import re

from msgspec import Struct


class Factor(Struct, frozen=True, omit_defaults=True):
    """Something that an experiment sets to one of two levels or more.

    `id` is a short name, such as ``X1``. `path` is the scenario path that the factor sets; several paths have commas
    between them. `minus` and `plus` are the levels -1 and +1 as text, with their units, and `inner` the levels between.
    """

    id: str
    name: str
    path: str
    minus: str
    plus: str
    inner: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that the factor sets; a path such as ``links["A","B"].capacity`` keeps its comma."""
        return tuple(part.strip() for part in re.split(r",(?![^\[]*\])", self.path))

    @property
    def levels(self) -> tuple[str, ...]:
        """All levels as text, from minus to plus."""
        return (self.minus, *self.inner, self.plus)


_LARGER_FILES = "users.document_probability, users.service_pack_probability, users.movie_probability"

FACTORS: tuple[Factor, ...] = (
    Factor("X1", "Network speed", "network.speed", "800 seg/ms", "1600 seg/ms"),
    Factor("X2", "Propagation delay multiplier", "network.delay_multiplier", "1", "2"),
    Factor("X3", "Buffer size", "network.buffer", "1 bdp/sqrt(n)", "1 bdp"),
    Factor("X4", "Topology", "topology", "abilene", "isp"),
    Factor("X5", "Mean Web object size", "users.web_object_size", "75 segments", "150 segments"),
    Factor("X6", "Larger files", _LARGER_FILES, "0.02, 0.002, 0.0002", "0.04, 0.004, 0.0004"),
    Factor("X7", "Mean think time", "users.think_time", "2 s", "5 s"),
    Factor("X8", "Patience", "users.patience_probability", "0", "1"),
    Factor("X9", "Spatiotemporal congestion", "users.jumbo_period", "2", "0"),
    Factor("X10", "Long-lived flows", "users.long_lived_flows", "3", "0"),
    Factor("X11", "Probability of a fast interface", "users.fast_interface_probability", "0.2", "0.8"),
    Factor("X12", "Multiplier on the number of sources", "users.source_multiplier", "2", "3"),
    Factor("X13", "Distribution of sources", "users.source_distribution", "0.1, 0.6, 0.3", "1/3, 1/3, 1/3"),
    Factor("X14", "Distribution of receivers", "users.receiver_distribution", "0.6, 0.2, 0.2", "1/3, 1/3, 1/3"),
    Factor("X15", "Mix of algorithms", "algorithms", "tcp=0.8, ctcp=0.2", "tcp=0.2, ctcp=0.8"),
    Factor("X16", "Initial congestion window", "transport.initial_window", "2 segments", "8 segments"),
    Factor("X17", "Initial slow-start threshold", "transport.initial_ssthresh", "43 segments", "2147483648 segments"),
    Factor("X18", "Measurement interval", "measurement.interval", "200 ms", "1 s"),
    Factor("X19", "Simulated time", "time.duration", "25 min", "50 min"),
    Factor("X20", "Start-up", "users.start", "thinking", "half_early"),
)
"""X1 to X20 with the levels of the sensitivity analysis (ASME paper, Table 5)."""

LEVELS_SOURCE = {
    "X13": "assumed; ASME paper Table 5 has the words Web-centric and peer-to-peer",
    "X14": "assumed; ASME paper Table 5 has the words Web-centric and peer-to-peer",
    "X17": "ASME paper Table 5: 43 and more than 10^9",
}
"""Where the levels come from if not from the ASME paper, Table 5."""
