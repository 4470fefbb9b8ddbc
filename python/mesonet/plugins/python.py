"""For plug-ins in Python: constants, and the rules that most algorithms share.

A plug-in is a class. numba compiles its functions to the C interface; ``mesonet_cc.h`` documents events and fields. The
functions get the state of the flow (`self`), the constants and rules of the scenario, and the event::

    from mesonet.plugins.python import Param


    class Mine:
        '''The title.'''

        name = "mine"  # in results; by default the name of the class in lower case
        params = (Param("gain", "growth per round trip", 1.0, 0.0, 100.0, unit="segments"),)
        state = {"rounds": int}  # fields of a flow beside its window: float, int or bool, 0 at the start

        def on_ack(self, config, ack):
            self.rounds += ack.round_start
            self.cwnd += config.gain * ack.acked / self.cwnd

        def on_loss(self, config, loss):
            self.cwnd = self.ssthresh = max(self.cwnd / 2, 2)

Functions are `init`, `on_ack`, `on_loss`, `on_idle`, `on_send` and `on_segment_lost` with an event. `on_timer` and
`on_recovery_exit` get an instant in s, `undo` gets the state before the loss. `report` sets `mode` and `bandwidth` of
its third argument, for traces: mode 1 is the first name of `modes`, 0 is none. Facts are `name`, `title`, `source`,
`params`, `state`, `modes`, `codepoint` (``none``, ``ect0``, ``ect1``), `timer_period` in s, and the flags
`wants_delivery_rate`, `wants_sends`, `manages_recovery`, `grows_after_mark`, `loss_after_mark`.

The functions are compiled. They work with numbers, and keep no state but `self`. Numbers divide as in C, by 0 without
an exception. The module needs numba, ``pip install "mesonet[python-cc]"``.
"""

from __future__ import annotations

from typing import Any

from numba.extending import register_jitable

from mesonet.plugins.params import Param

__all__ = [
    "ALTERNATE", "ECN", "FAST_RETRANSMIT", "SLOW_START", "STANDARD", "TIMEOUT", "Param", "back_off", "basis", "bound",
    "may_grow", "slow_start",
]  # fmt: skip

SLOW_START, STANDARD, ALTERNATE = 0, 1, 2
"""Values of `flow.phase`."""
FAST_RETRANSMIT, TIMEOUT, ECN = 0, 1, 2
"""Values of `loss.cause`."""
_RFC, _RFC2581, _OWN_REDUCTION = 0, 1, 2


@register_jitable
def bound(config: Any, cwnd: float) -> float:
    """Return the nearest window that is allowed, from 1 to the largest window of the scenario.

    Parameters
    ----------
    config
        Rules of the scenario.
    cwnd
        A window, segments.

    Returns
    -------
    Segments.
    """
    return max(min(cwnd, config.max_cwnd), 1.0)


@register_jitable
def may_grow(config: Any, ack: Any) -> bool:
    """Return True if an acknowledgement may raise the window.

    Parameters
    ----------
    config
        Rules of the scenario.
    ack
        The acknowledgement.

    Returns
    -------
    False in recovery, and while something other than the window limits the flow (RFC 7661).
    """
    return ack.in_recovery == 0 and (ack.cwnd_limited != 0 or config.grow_if_cwnd_limited == 0)


@register_jitable
def slow_start(flow: Any, config: Any, acked: int) -> int:
    """Raise cwnd by slow start (RFC 5681) up to ssthresh.

    Parameters
    ----------
    flow
        State of the flow.
    config
        Rules of the scenario.
    acked
        Segments that were acknowledged.

    Returns
    -------
    The acknowledged segments that are left for congestion avoidance.

    Notes
    -----
    It has no limit for an acknowledgement; the built-in algorithms have ``transport.slow_start_max_acked``.

    Call it on a line of its own. ``flow.cwnd += slow_start(...)`` reads cwnd before the call and overwrites the growth.
    """
    room = flow.ssthresh - flow.cwnd
    if not room > 0.0:
        return int(acked)
    if acked <= room:
        flow.cwnd = bound(config, flow.cwnd + acked)
        return 0
    flow.cwnd = bound(config, flow.ssthresh)
    return int((acked - room) * acked / acked)  # rounded as in the built-in algorithms


@register_jitable
def basis(flow: Any, config: Any, loss: Any) -> float:
    """Return the window from which a reduction starts.

    Parameters
    ----------
    flow
        State of the flow.
    config
        Rules of the scenario.
    loss
        The loss.

    Returns
    -------
    cwnd, or the segments in flight if they are less and ``transport.reduce_from`` is ``flight``.
    """
    if config.reduce_from_flight != 0:
        return min(float(loss.in_flight), flow.cwnd)
    return float(flow.cwnd)


@register_jitable
def back_off(flow: Any, config: Any, loss: Any, reduced: float, standard: float) -> None:
    """Set cwnd and ssthresh after a loss, a timeout or a mark.

    Parameters
    ----------
    flow
        State of the flow.
    config
        Rules of the scenario.
    loss
        The loss.
    reduced
        Window after a loss, segments; at least 2 are kept.
    standard
        ssthresh after a timeout where ``transport.timeout_rule`` is that of RFC 5681, segments.
    """
    if loss.cause != TIMEOUT:
        flow.ssthresh = max(reduced, 2.0)
        flow.cwnd = bound(config, flow.ssthresh)
        return
    restart, ssthresh = 1.0, reduced
    if config.timeout_rule in (_RFC, _RFC2581):
        ssthresh = standard
    elif config.timeout_rule == _OWN_REDUCTION:
        restart = flow.initial
        ssthresh = max(reduced, restart)
    if loss.first_timeout != 0 or config.timeout_rule == _RFC2581:
        flow.ssthresh = max(ssthresh, 2.0)
    flow.cwnd = bound(config, restart)
