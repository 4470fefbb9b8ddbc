"""Loss and queue of one on-off flow of datagrams, in closed form.

The flow hands over r segments per second while it is on, the line serves c. Queues count the segment in service: the
largest is K = places + 1. Data count as a fluid: a result may be off by a segment.
"""

from __future__ import annotations

import math

from verification.witness.on_off.onoff import OnOff

SHARE = 0.95
"""Share of the time of the percentile."""


def numbers(setup: OnOff) -> dict[str, float]:
    """Return the compared numbers of a set-up that has a closed form; empty for all others.

    Source: a periodic flow fills a buffer at r - c and empties it at c. For exponential times and a buffer without end,
    P(queue > x) = rho exp(-eta x) with eta = mu / (r - c) - lambda / c and rates mu = 1 / on, lambda = 1 / off: Anick,
    Mitra and Sondhi 1982, Stochastic Theory of a Data-Handling System with Multiple Sources, for one source.
    """
    if setup.transport != "udp" or setup.flows > 1:
        return {}
    r, c, k = setup.pps, setup.line, setup.places + 1.0
    rho = r * setup.share_on / c
    if not setup.off_s:
        # Of an overloaded line, a place is free from a departure to the next arrival: half of 1 / r.
        busy = (rho, float(rho > 1 - SHARE)) if r <= c else (k - c / (2 * r), k)
        return _found(setup, max(0.0, 1 - c / r), *busy)
    if setup.law == "exponential":
        eta = 1 / (setup.on_s * (r - c)) - 1 / (setup.off_s * c)
        return _found(setup, 0, rho / eta, max(0.0, math.log(rho / (1 - SHARE)) / eta))
    period = setup.on_s + setup.off_s
    top = min(k, (r - c) * setup.on_s)
    rising, falling = top / (r - c), top / c
    full = setup.on_s - rising
    mean = (top * (rising + falling) / 2 + top * full) / period
    above = (1 - SHARE) * period
    p95 = top if full >= above else top * (1 - (above - full) / (rising + falling))
    return _found(setup, (r - c) * full / (r * setup.on_s), mean, p95)


def _found(setup: OnOff, loss: float, mean: float, p95: float) -> dict[str, float]:
    offered = setup.pps * setup.share_on
    return {
        "offered": offered,
        "on": setup.share_on,
        "delivered": offered * (1 - loss),
        "loss": 100 * loss,
        "queue_mean": mean,
        "queue_p95": p95,
    }
