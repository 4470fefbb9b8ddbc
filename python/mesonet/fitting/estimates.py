"""Estimates of the path of a recording: rate over time, round trip, buffer, random loss; each with an interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np

from mesonet.errors import InputError
from mesonet.fitting.recording import Recording

LEAST_BUSY = 0.05
"""Share of the time in which a queue must wait for a rate to be identified (chosen)."""
FEWEST_EVENTS = 2
"""Loss events at one level of the queue from which it counts as full (chosen): one may be a coincidence."""
NEAR = 0.03
"""Relative distance of two levels of a full queue (chosen)."""
STEP = 0.04
"""Smallest relative step of a rate (chosen): noise of captures is below 1 %."""
_FILLS = f"a transfer that fills its link for {100 * LEAST_BUSY:g} % of the time"
_AHEAD = 100  # packets whose acknowledgements show whether one came late
_SLICE = 20  # packets over which a rate is taken
_LEVEL_S = 0.5  # shortest level that is looked for, s
_FEWEST_SLICES = 8  # slices on each side of a step
_SIGMAS = 6.0
_QUARTERS = 1.349  # distance of the quartiles of a normal distribution, in standard deviations
_ERROR = 0.001  # relative error of a rate where a queue always waits (measured on captures of a kernel)
_BINS = 0.02  # width of a bin of rates, relative
_MODE = 0.05  # share of the gaps that make a mode
SHARED = "competing load or jitter: the queue serves others, or pauses, between packets of the flow"
POLICER = "a policer: packets are lost where the flow is fastest, without a queue"
_SHORT = 3.0
"""Most packets in a queue before losses by a policer (chosen)."""
_CERTAIN = 2
"""Fewest losses at a full queue (chosen)."""
_CHANCE = 0.01
"""Probability below which losses at one level of the queue are not random ones (chosen)."""
_AT_ONCE = 10
"""Most packets since the queue was empty from whose round trips the base follows (chosen): an initial window."""
_CLOCK_S = 2e-4
"""Error of the times of a host, s: .16 ms at most on captures of a kernel."""
_SHARED = 0.85  # rate over the rate of the closest gaps below which others share the queue
_SHARED_TIME = 0.25


@dataclass(frozen=True)
class Estimate:
    """A value with the interval that the recording leaves."""

    value: float
    low: float
    high: float  #: infinite if nothing in the recording bounds it

    def within(self, other: float) -> bool:
        """Return True if a value lies in the interval."""
        return self.low <= other <= self.high


@dataclass(frozen=True)
class Level:
    """Rate of the queue from an instant on."""

    start_s: float  #: on the clock of the flow, at the queue
    rate: Estimate  #: bit/s


@dataclass(frozen=True)
class PathEstimate:
    """The path of a recording."""

    levels: tuple[Level, ...]
    base_s: Estimate  #: round trip without waiting and without the service of a packet
    buffer: Estimate  #: full packets that wait
    random_loss: Estimate  #: probability
    busy: float  #: share of the time in which a queue waits
    events: int  #: loss events
    full_events: int  #: of them, those at a full queue
    lost: int
    lost_at_full: int
    suspected: tuple[str, ...]  #: what else the recording looks like

    @property
    def rate(self) -> Estimate:
        """Rate of the first level, bit/s."""
        return self.levels[0].rate

    @property
    def is_buffer_known(self) -> bool:
        """True if the recording shows a full queue."""
        return bool(np.isfinite(self.buffer.high))


def estimate(recording: Recording) -> PathEstimate:
    """Return the path of a recording; refuse one that never fills its link."""
    busy = _busy(recording)
    if not len(busy.end_s):
        raise InputError(
            "no packet waits in a queue: the rate of the link is unknown", file=recording.file, allowed=_FILLS
        )
    share = float(busy.length_s.sum()) / recording.duration_s
    if share < LEAST_BUSY:
        policed = f"; {POLICER}" if _policed(recording) else ""
        problem = (
            f"packets wait in a queue for {100 * share:.1f} % of the time: the rate of the link is unknown{policed}"
        )
        raise InputError(problem, file=recording.file, allowed=_FILLS)
    shared = _shared(busy)
    levels = (Level(0.0, shared),) if shared else _levels(busy, share, recording)
    base_s = _base(recording, levels)
    occupied = _occupied(recording, levels, base_s.value)
    losses = _losses(recording, occupied)
    if np.isfinite(recording.most_in_flight):
        # What was in flight above the product of rate and round trip was in the queue, or lost.
        rate = max(level.rate.value for level in levels)
        most = recording.most_in_flight - rate * base_s.value / 8 / recording.segment_bytes
        buffer = losses["buffer"]
        losses["buffer"] = replace(buffer, high=max(buffer.high, most)) if np.isfinite(buffer.high) else buffer
    # Random losses behind the queue were served, too.
    served = 1 + losses["random_loss"].value
    levels = tuple(replace(each, rate=replace(each.rate, high=served * each.rate.high)) for each in levels)
    suspected = [SHARED] if shared else []
    if losses["lost"] > 2 * losses["lost_at_full"] and not shared and _policed(recording, occupied):
        suspected.append(POLICER)
    if recording.marked:
        suspected.append("marks (ECN): the queue signals before it is full")
    return PathEstimate(levels=levels, base_s=base_s, busy=share, suspected=tuple(suspected), **losses)


def _policed(recording: Recording, occupied: np.ndarray | None = None) -> bool:
    """Return True if losses are where the sending rate is highest, with hardly a queue: a policer."""
    from scipy.stats import binom

    lost = np.flatnonzero(recording.lost)
    if occupied is not None:
        known = np.flatnonzero(recording.arrived)
        before = known[np.clip(np.searchsorted(known, lost), 1, len(known)) - 1]
        if not len(lost) or np.median(occupied[before]) > _SHORT:
            return False
    times, trips = recording.round_trips
    trip_s = trips[np.searchsorted(times, recording.sent_s).clip(0, len(trips) - 1)]
    before = np.searchsorted(recording.sent_s, recording.sent_s - trip_s)
    rate = (np.arange(len(before)) - before) / trip_s
    _, first = np.unique(_events(recording, lost), return_index=True)
    high = int((rate[lost[first]] > np.quantile(rate, 0.75)).sum())
    return bool(len(first) and binom.sf(high - 1, len(first), 0.25) < _CHANCE / 10)


@dataclass(frozen=True)
class _Busy:
    """Intervals between acknowledgements in which the queue was never empty."""

    end_s: np.ndarray
    length_s: np.ndarray
    size: np.ndarray  #: bytes that left the queue


def _busy(recording: Recording) -> _Busy:
    times, arrived, _ = recording.acknowledgements
    _, trips = recording.round_trips
    gaps = np.diff(times)
    # The packet was in the queue before its predecessor left.
    waits = (trips[1:] - trips.min() > gaps + recording.slack_s) & (gaps > 0)
    return _Busy(times[1:][waits], gaps[waits], np.diff(arrived)[waits].astype(float))


def _levels(busy: _Busy, share: float, recording: Recording) -> tuple[Level, ...]:
    clock, size = np.append(0.0, np.cumsum(busy.length_s)), np.append(0.0, np.cumsum(busy.size))
    # Of an average link, so that a level has enough packets at any of its rates.
    slice_s = max(_LEVEL_S / _FEWEST_SLICES, _SLICE * recording.segment_bytes * clock[-1] / size[-1])
    slice_s = min(slice_s, float(clock[-1]))
    at = slice_s * np.arange(int(clock[-1] / slice_s) + 1)
    sizes = np.interp(at, clock, size)
    rates = 8 * np.diff(sizes) / slice_s
    base_s = float(recording.round_trips[1].min())
    smooth = _smoothed(np.log(rates))
    steps = _steps(smooth)
    while small := _smallest(smooth, steps):
        steps.remove(small)
    spans = zip([0, *steps], [*steps, len(rates)], strict=True)
    levels: list[Level] = []
    for first, last in spans:
        # The slices beside a step may hold a part of both levels.
        own = rates[first + (first > 0) : last - (last < len(rates))]
        sigma = float(np.subtract(*np.quantile(own, [0.75, 0.25]))) / _QUARTERS
        # An acknowledgement of one packet that comes late looks like a slow queue.
        middle = float(np.median(own))
        own = own[np.abs(own - middle) <= max(3 * sigma, STEP * middle)]
        value = float(own.mean())
        half = 2 * sigma / float(np.sqrt(len(own))) + _ERROR / share * value
        start_s = 0.0
        if levels:
            before = levels[-1].rate.value
            ends = float(at[first - 1]), float(at[first + 1])
            between = 8 * float(sizes[first + 1] - sizes[first - 1])
            step_s = (between - value * (ends[1] - ends[0])) / (before - value)
            start_s = float(np.interp(ends[0] + step_s, clock[1:], busy.end_s)) - base_s
            start_s = max(start_s, levels[-1].start_s + slice_s)
        levels.append(Level(start_s, Estimate(value, value - half, value + half)))
    return tuple(levels)


def _smoothed(values: np.ndarray) -> np.ndarray:
    """Return the medians of five values each: acknowledgements that come late in a bunch are no step."""
    if len(values) < 5:
        return values
    padded = np.pad(values, 2, "edge")
    found: np.ndarray = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    return found


def _smallest(values: np.ndarray, steps: list[int]) -> int | None:
    """Return the smallest step if it is too small."""
    means = [float(np.median(part)) for part in np.split(values, steps)]
    sizes = np.abs(np.diff(means))
    return steps[int(np.argmin(sizes))] if len(sizes) and sizes.min() < STEP else None


def _steps(values: np.ndarray, first: int = 0) -> list[int]:
    """Return the places at which the level of values changes, by binary segmentation."""
    count = len(values)
    if count < 2 * _FEWEST_SLICES:
        return []
    places = np.arange(_FEWEST_SLICES, count - _FEWEST_SLICES + 1)
    sums = np.cumsum(values)
    left = sums[places - 1] / places
    right = (sums[-1] - sums[places - 1]) / (count - places)
    gain = (left - right) ** 2 * places * (count - places) / count
    best = int(np.argmax(gain))
    noise = float(np.median(np.abs(np.diff(values)))) + 1e-3
    if abs(left[best] - right[best]) < STEP or np.sqrt(gain[best]) < _SIGMAS * noise:
        return []
    place = int(places[best])
    return [*_steps(values[:place], first), first + place, *_steps(values[place:], first + place)]


def _shared(busy: _Busy) -> Estimate | None:
    """Return the rate of a link whose queue others share: packets of the flow follow one another at it; None: alone.

    The fastest mode of the gaps between acknowledgements is compared with the rate of the flow, second by second.
    """
    order = np.log(8 * busy.size / busy.length_s) / _BINS
    whole_s = shared_s = 0.0
    closest = []
    parts = min(len(order) // (2 * _SLICE), int(busy.end_s[-1] - busy.end_s[0]))
    for part in np.array_split(np.arange(len(order)), max(1, parts)):
        least = order[part].min()
        bins = np.bincount(np.round(order[part] - least).astype(int))
        modes = np.flatnonzero(np.convolve(bins, np.ones(3), "same") >= _MODE * len(part))
        if not len(modes):
            continue
        # The largest bin of the mode, not its faster slope.
        top = modes[-1] - int(np.argmax(bins[max(0, modes[-1] - 2) : modes[-1] + 1][::-1]))
        closest.append(float(np.exp((top + least) * _BINS)))
        length_s = float(busy.length_s[part].sum())
        whole_s += length_s
        shared_s += length_s * (8 * busy.size[part].sum() / length_s < _SHARED * closest[-1])
    if whole_s <= 2 * _LEVEL_S or shared_s <= _SHARED_TIME * whole_s:
        return None
    low, value, high = (float(each) for each in np.quantile(closest, [0.1, 0.5, 0.9]))
    return Estimate(value, low * (1 - _BINS), high * (1 + _BINS))


def _base(recording: Recording, levels: tuple[Level, ...]) -> Estimate:
    times, _, packets = recording.acknowledgements
    _, trips = recording.round_trips
    starts = [level.start_s for level in levels]
    rates = np.array([level.rate.value for level in levels])
    service_s = 8 * recording.size / rates[np.searchsorted(starts, recording.sent_s, side="right") - 1]
    behind_s, since = _behind(recording.sent_s, service_s)
    # Beside a step, the rate that served a packet is not certain.
    certain = np.all([np.abs(times - start_s) > _LEVEL_S / 2 for start_s in [-1.0, *starts[1:]]], axis=0)
    # A lost packet may not have been at the queue. An acknowledgement of two packets reports the second one.
    clean = recording.sent_s < recording.sent_s[recording.lost].min(initial=min([np.inf, *starts[1:]]) - _LEVEL_S)
    early = certain & clean[packets]
    early &= since[packets] <= since[packets][early].min(initial=_AT_ONCE) + 1
    bound = float((trips - service_s[packets])[certain].min())
    if recording.slack_s:  # smoothed round trips hide the shortest one, which is that of a packet that waits for none
        bound = min(bound, recording.handshake_s - float(service_s[packets].min()))
    least = float((trips - behind_s[packets])[early].min(initial=bound))
    # A SYN is small, but waits for clocks and interrupts as data does.
    longest = float(np.nanmin([trips.min(), recording.handshake_s]))
    return Estimate(least, least - _CLOCK_S, max(least, longest))


def _behind(sent_s: np.ndarray, service_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the time that each packet takes at the queue, s, and the packets before it since the queue was empty.

    Source: Lindley 1952: the queue works off what was sent, as its running minimum shows.
    """
    ahead = np.append(0.0, np.cumsum(service_s[:-1])) - sent_s
    least = np.minimum.accumulate(ahead)
    place = np.arange(len(ahead))
    return ahead - least + service_s, place - np.maximum.accumulate(np.where(ahead <= least, place, 0))


def _occupied(recording: Recording, levels: tuple[Level, ...], base_s: float) -> np.ndarray:
    """Return the full packets in the queue behind each packet's arrival there, its own included; NaN if it was lost.

    They are the bytes that left the queue from its arrival until its own departure: by the acknowledgements, and by the
    rate. Acknowledgements that come late make either larger, so that the smaller one holds.
    """
    order = np.flatnonzero(recording.arrived)
    order = order[np.lexsort((recording.sent_s[order], recording.acked_s[order]))]
    size, late_s = recording.size[order], recording.acked_s[order]
    starts = np.array([level.start_s for level in levels])
    rates = np.array([level.rate.value for level in levels]) / 8
    service = size / rates[np.searchsorted(starts, late_s - base_s, side="right").clip(1) - 1]
    acked_s, left = _punctual(late_s, np.cumsum(service)), np.cumsum(size)
    sent_s = recording.sent_s[order]
    counted = left - np.interp(sent_s + base_s, acked_s, left, left=0.0)
    ends = np.append(starts, recording.duration_s)
    served = np.append(0.0, np.cumsum(np.diff(ends) * rates))
    by_rate = np.interp(acked_s - base_s, ends, served) - np.interp(sent_s, ends, served)
    occupied = np.full(len(recording.sent_s), np.nan)
    occupied[order] = np.minimum(counted, by_rate) / recording.segment_bytes
    return occupied


def _punctual(times: np.ndarray, served_s: np.ndarray) -> np.ndarray:
    """Return when acknowledgements would have come without pauses of the machine.

    The next ones show it: they cannot follow faster than the queue serves. `served_s`: time of service up to each.
    """
    ahead = np.pad(times - served_s, (0, _AHEAD), "edge")
    found: np.ndarray = np.lib.stride_tricks.sliding_window_view(ahead, _AHEAD + 1).min(axis=1) + served_s
    return np.maximum.accumulate(found)


class _Losses(TypedDict):
    buffer: Estimate
    random_loss: Estimate
    events: int
    full_events: int
    lost: int
    lost_at_full: int


def _losses(recording: Recording, occupied: np.ndarray) -> _Losses:
    """Return buffer, random loss and counts of losses."""
    lost = np.flatnonzero(recording.lost)
    known = np.flatnonzero(recording.arrived)
    after = np.clip(np.searchsorted(known, lost), 1, len(known) - 1)
    at_loss = np.fmax(occupied[known[after - 1]], occupied[known[after]])
    event = _events(recording, lost)
    names = np.unique(event)
    highest = float(np.nanmax(occupied))
    buffer, full = Estimate(highest, highest - 1, np.inf), np.zeros(len(lost), bool)
    exposed = len(recording.sent_s)
    if len(names):
        level = max(float(np.median(at_loss[event == name])) for name in names)
        near = max(2.0, NEAR * level)
        at_level = at_loss >= level - near
        if recording.slack_s:  # when each loss was is not known, only its event
            at_level = np.isin(event, event[at_level])
        # If many packets found more in the queue and were not dropped, it was not full.
        above = int((occupied > level + near).sum())
        below = int((occupied < level - near).sum() + (~at_level).sum())
        if above < len(lost) and _full(int(at_level.sum()), int((~at_level).sum()), len(known) - above, below):
            full, exposed = at_level, below
            events = len(np.unique(event[full]))
            low, middle, high = np.quantile(at_loss[full & (at_loss >= level - near)], [0.1, 0.5, 0.9])
            # The packet in service takes no place, and a part of it is left.
            value, least = float(np.floor(middle)), float(np.floor(low)) - 1
            buffer = Estimate(value, least, float(np.ceil(high)) if events >= FEWEST_EVENTS else np.inf)
    random = len(lost) - int(full.sum())
    return {
        "buffer": buffer,
        "random_loss": Estimate(random / max(1, exposed), *_poisson(random, max(1, exposed))),
        "events": len(names),
        "full_events": len(np.unique(event[full])),
        "lost": len(lost),
        "lost_at_full": int(full.sum()),
    }


def _full(at_level: int, elsewhere: int, near: int, below: int) -> bool:
    """Return True if losses at a level of the queue are more than random ones, whose rate those elsewhere show.

    `near`, `below`: packets that found the queue at the level, and below it.
    """
    from scipy.stats import poisson

    expected = elsewhere / max(1, below) * max(0, near - below)
    return at_level >= _CERTAIN and bool(poisson.sf(at_level - 1, expected) < _CHANCE)


def _events(recording: Recording, lost: np.ndarray) -> np.ndarray:
    """Return the number of the loss event of each lost packet: losses of one round trip are one event."""
    times, trips = recording.round_trips
    numbers, number, begin = np.zeros(len(lost), int), -1, -np.inf
    for place, at in enumerate(recording.sent_s[lost]):
        trip = trips[min(int(np.searchsorted(times, at)), len(trips) - 1)]
        if at > begin + trip:
            number, begin = number + 1, at
        elif recording.slack_s:  # retransmissions of one event, as samples show them, take several round trips
            begin = at
        numbers[place] = number
    return numbers


def _poisson(count: int, of: int) -> tuple[float, float]:
    """Return the interval of a share at 95 % by the exact limits of a Poisson count (Garwood 1936)."""
    from scipy.stats import chi2

    low = float(chi2.ppf(0.025, 2 * count)) / 2 if count else 0.0
    return low / of, float(chi2.ppf(0.975, 2 * count + 2)) / 2 / of
