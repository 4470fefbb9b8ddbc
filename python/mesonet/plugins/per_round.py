"""For plug-ins in plain Python that act once per round trip, such as agents that learn.

A plug-in is a class. The simulator makes an object for each flow, and calls it at the end of each round trip::

    from mesonet.plugins.per_round import Param, PerRound


    class Mine(PerRound):
        '''The title.'''

        params = (Param("target", "queueing delay that is kept", 0.01, 0.0, 1.0, unit="s"),)

        def on_round(self, config, round):
            self.cwnd += 1 if round.rtt < round.min_rtt + config.target else -1

Nothing is compiled: any Python will do, NumPy and other libraries too. A call costs some microseconds of Python, beside
nothing for the acknowledgements between two calls. The facts of the class are those of `mesonet.plugins.python`.
"""

from __future__ import annotations

from typing import Any

from mesonet.plugins.params import Param

__all__ = ["ALTERNATE", "ECN", "FAST_RETRANSMIT", "SLOW_START", "STANDARD", "TIMEOUT", "Param", "PerRound"]

SLOW_START, STANDARD, ALTERNATE = 0, 1, 2
"""Values of `PerRound.phase`."""
FAST_RETRANSMIT, TIMEOUT, ECN = 0, 1, 2
"""Values of `loss.cause`."""


class PerRound:
    """A congestion control whose functions are called by the interpreter; one object for each flow."""

    cwnd: float  #: Congestion window, segments; a call may change it. Values above the largest window are lowered.
    ssthresh: float  #: Slow-start threshold, segments. Nothing but the algorithm uses it.
    pacing_rate: float  #: segments/s; 0: segments leave back to back within the window
    phase: int  #: `SLOW_START`, `STANDARD` or `ALTERNATE`, at first the last one; responses count flows by phase

    def init(self, config: Any, start: Any) -> None:
        """Begin a flow, whose window is set.

        `config`: constants by name, and ``max_cwnd`` in segments. `start`: ``struct mesonet_start``; ``seed`` begins a
        random generator of the flow.
        """

    def on_round(self, config: Any, round: Any) -> None:
        """Act on the round trip that ended.

        `round`: ``struct mesonet_round`` of ``mesonet_cc.h``: what was acknowledged, lost and marked, and round-trip
        times.
        """
        raise NotImplementedError

    def on_loss(self, config: Any, loss: Any) -> None:
        """Act on a loss, a timeout or a mark, at once. By default as standard TCP (RFC 5681).

        `loss`: ``struct mesonet_loss``.
        """
        if loss.cause != TIMEOUT or loss.first_timeout:
            self.ssthresh = max(self.cwnd / 2, 2.0)
        self.cwnd = 1.0 if loss.cause == TIMEOUT else self.ssthresh
