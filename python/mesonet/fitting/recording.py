"""Packets of one sender, as a capture shows them: when each left, how large it was, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

FEWEST = 100
"""Fewest full packets from which a path follows (chosen)."""


def behind_handshake(sent_s: np.ndarray, acked_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return times in which the first packet leaves one shortest round trip after 0: the handshake was not seen."""
    later = float(np.nanmin(acked_s - sent_s)) - float(sent_s.min())
    return sent_s + later, acked_s + later


@dataclass(frozen=True)
class Recording:
    """Packets of one flow in the order in which they left, and when the sender learned of each.

    Times are in s from the first packet of the flow. Neither addresses nor content are here.
    """

    file: str  #: name of the file, for messages
    sent_s: np.ndarray  #: when each packet left
    acked_s: np.ndarray  #: when it was acknowledged; NaN if it was lost, or in flight at the end
    lost: np.ndarray  #: True where it was lost
    size: np.ndarray  #: bytes of its IP packet
    payload: np.ndarray  #: bytes of data that it delivered for the first time; 0 for lost and needless packets
    handshake_s: float  #: round trip of the handshake; NaN if unknown
    segment_bytes: int  #: bytes of a full IP packet
    bursts: bool  #: True if the sender hands several packets at once to its interface (segmentation offload)
    marked: bool  #: True if the receiver reported marks (ECN)
    protocol: str  #: TCP, QUIC, samples, or mesonet for its log
    read: int  #: packets of the flow that count here
    total: int  #: packets, or events, of the file
    slack_s: float = 0.0  #: error of round trips
    most_in_flight: float = np.inf  #: packets, where samples show them, lost ones included; infinite: unknown
    notes: tuple[str, ...] = ()  #: sentences on what the file lacks

    @cached_property
    def arrived(self) -> np.ndarray:
        """True where a packet was acknowledged."""
        found: np.ndarray = ~np.isnan(self.acked_s)
        return found

    @cached_property
    def duration_s(self) -> float:
        """Time from the first packet to the last acknowledgement."""
        return float(np.nanmax(self.acked_s))

    @cached_property
    def goodput(self) -> float:
        """Acknowledged packets as full ones per second, in bit/s, from the first data to the last acknowledgement."""
        full = float(self.payload.sum()) / (self.segment_bytes - self.header_bytes) * self.segment_bytes
        return 8 * full / (self.duration_s - float(self.sent_s[0]))

    @cached_property
    def header_bytes(self) -> int:
        """Bytes of headers in a full packet."""
        full = self.size == self.segment_bytes
        carried = self.payload[full & (self.payload > 0)]
        return self.segment_bytes - int(np.median(carried)) if len(carried) else 0

    @cached_property
    def acknowledgements(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Acknowledgements that report arrivals.

        Their times, the bytes that had arrived by then, and the packet that left last among those that they report.
        """
        order = np.flatnonzero(self.arrived)
        order = order[np.lexsort((self.sent_s[order], self.acked_s[order]))]
        times = self.acked_s[order]
        last = np.append(times[1:] > times[:-1], True)
        return times[last], np.cumsum(self.size[order])[last], order[last]

    @cached_property
    def round_trips(self) -> tuple[np.ndarray, np.ndarray]:
        """Times of acknowledgements, and the round trip of the last packet that each reports, s."""
        times, _, packets = self.acknowledgements
        return times, times - self.sent_s[packets]

    def round_trip_at(self, every_s: float) -> np.ndarray:
        """Return the round trips at equal distances in time, s."""
        times, trips = self.round_trips
        at = np.arange(times[0], times[-1], every_s)
        found: np.ndarray = trips[np.searchsorted(times, at, side="right") - 1]
        return found
