"""Fates of the packets of TCP: which transmission of each segment arrived, and when the sender learned of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Sent:
    """Transmissions, each of one segment at most, in the order in which they left."""

    time_s: np.ndarray
    start: np.ndarray  #: number of the first byte, from 0
    end: np.ndarray  #: number behind the last byte


@dataclass(frozen=True)
class Answers:
    """Acknowledgements in the order in which they came."""

    time_s: np.ndarray
    up_to: np.ndarray  #: number behind the last byte of which all before arrived
    blocks: np.ndarray  #: first byte and byte behind the last of selective blocks, shape (answers, blocks, 2); 0: none


@dataclass(frozen=True)
class Fates:
    """Fate of each transmission."""

    acked_s: np.ndarray  #: when its arrival was reported; NaN if it did not arrive, or a copy had arrived before
    lost: np.ndarray


def pieces(time_s: np.ndarray, start: np.ndarray, length: np.ndarray, segment: int) -> Sent:
    """Return transmissions of one segment each. `length`: bytes of data, of several segments with offload."""
    count = -(-length // segment)
    which = np.repeat(np.arange(len(start)), count)
    place = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    first = start[which] + place * segment
    return Sent(time_s[which], first, np.minimum(first + segment, start[which] + length[which]))


def fates(sent: Sent, answers: Answers) -> Fates:
    """Return the fate of each transmission.

    A segment was delivered by its last copy that left a round trip or more before it was acknowledged. Earlier copies
    were lost; later ones were needless.
    """
    segment, arrived_s = _arrivals(sent, answers)
    copies = np.bincount(segment)[segment]
    trips = (arrived_s[segment] - sent.time_s)[copies == 1]
    shortest = 0.9 * float(np.nanmin(trips, initial=np.inf))
    order = np.lexsort((sent.time_s, segment))
    early = sent.time_s[order] + (shortest if np.isfinite(shortest) else 0.0) <= arrived_s[segment[order]]
    known = ~np.isnan(arrived_s[segment[order]])
    first = np.append(True, segment[order][1:] != segment[order][:-1])
    last = np.append(first[1:], True)
    next_early = np.append(early[1:], False) & ~last
    delivered = known & ((early & ~next_early) | (first & ~early))
    # The last copy of a segment that was never acknowledged may be in flight.
    lost = np.where(known, next_early, ~last)
    acked_s = np.full(len(segment), np.nan)
    acked_s[order[delivered]] = arrived_s[segment[order[delivered]]]
    is_lost = np.zeros(len(segment), bool)
    is_lost[order] = lost
    return Fates(acked_s, is_lost)


def _arrivals(sent: Sent, answers: Answers) -> tuple[np.ndarray, np.ndarray]:
    """Return the segment of each transmission, and when each segment was first acknowledged; NaN: never."""
    starts, first, segment = np.unique(sent.start, return_index=True, return_inverse=True)
    ends = sent.end[first]
    highest = np.maximum.accumulate(answers.up_to)
    place = np.searchsorted(highest, ends)
    arrived_s = np.append(answers.time_s, np.inf)[place]
    for row in np.flatnonzero(answers.blocks[:, 0, 1]):
        for begin, end in answers.blocks[row]:
            if end > highest[row]:
                own = slice(np.searchsorted(starts, begin), np.searchsorted(ends, end, side="right"))
                np.minimum(arrived_s[own], answers.time_s[row], out=arrived_s[own])
    return segment, np.where(np.isinf(arrived_s), np.nan, arrived_s)
