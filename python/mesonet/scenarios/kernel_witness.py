"""Witnesses of the preset ``linux``: measurements of a kernel, or its documentation, for each value that it sets.

A value that this table lists without a witness follows from the sources of Linux or from an RFC. `notes` names it.
"""

from __future__ import annotations

from mesonet.scenarios.parameters import PARAMETERS
from mesonet.scenarios.scenario import Scenario

PRESET = "linux"
GROUPS = ("connection.", "transport.")
"""Parameters of connections and of the sender: the preset has a value for each of them."""

_QUEUE, _RULES, _BURSTS = "linux-6.18.csv", "linux-6.18-rules.csv", "linux-6.18-bursts.csv"
_SYSCTL = "Documentation/networking/ip-sysctl.rst"
_NONE = ("", "")
_UNUSED = ("unused", "")
"""Without effect in the preset."""

WITNESSES = {
    "connection.establish": (_RULES, "0 SYNs lost"),
    "connection.syn_timeout": (_RULES, "SYNs never answered"),
    "connection.syn_linear_timeouts": (_RULES, "SYNs never answered"),
    "connection.syn_attempts": (_SYSCTL, "tcp_syn_retries"),
    "connection.retry_rule": (_RULES, "1 SYNs lost"),
    "connection.window_after_retry": (_RULES, "2 SYNs lost"),
    "connection.ecn": _NONE,
    "transport.initial_window": (_RULES, "0 SYNs lost"),
    "transport.initial_ssthresh": _NONE,
    "transport.saved_window": _UNUSED,
    "transport.saved_rtt": _UNUSED,
    "transport.receiver_window": _NONE,
    "transport.segment_bytes": (_QUEUE, "reno buffer 67"),
    "transport.recovery": (_SYSCTL, "tcp_sack"),
    "transport.prr": _NONE,
    "transport.loss_detection": (_SYSCTL, "tcp_recovery"),
    "transport.rack_timer_margin": (_RULES, "reordering timer, 20 ms"),
    "transport.rack_timer_tick": (_RULES, "reordering timer, 40 ms"),
    "transport.second_reduction": (_RULES, "retransmission lost twice"),
    "transport.probe_ack_delay": _NONE,
    "transport.delayed_acks": (_QUEUE, "reno buffer 67"),
    "transport.ack_delay": _NONE,
    "transport.quick_acks": (_RULES, "receive window grows"),
    "transport.receive_buffer": (_RULES, "receive window grows"),
    "transport.slow_start_max_acked": _NONE,
    "transport.sack_compression": (_SYSCTL, "tcp_comp_sack_delay_ns"),
    "transport.timestamp_tick": (_RULES, "1 SYNs lost"),
    "transport.unpaced_segments": _NONE,
    "transport.burst": (_BURSTS, "reno 50 Mb/s gso"),
    "transport.burst_time": (_BURSTS, "reno 100 Mb/s gso"),
    "transport.duplicate_threshold": (_SYSCTL, "tcp_reordering"),
    "transport.limited_transmit": _UNUSED,
    "transport.undo": _NONE,
    "transport.recover_guard": _UNUSED,
    "transport.initial_rto": _NONE,
    "transport.min_rto": (_SYSCTL, "tcp_rto_min_us"),
    "transport.max_rto": (_SYSCTL, "tcp_rto_max_ms"),
    "transport.rto_floor": (_RULES, "0 SYNs lost"),
    "transport.rto_restart": _NONE,
    "transport.rtt_samples": _NONE,
    "transport.timer_tick": _UNUSED,
    "transport.ack_rtt": _NONE,
    "transport.timeout_rule": (_RULES, "retransmission lost after a timeout"),
    "transport.idle_restart": (_RULES, "idle after 2 lost SYNs"),
    "transport.reduce_from": (_QUEUE, "cubic buffer 67"),
    "transport.window_growth": (_QUEUE, "reno buffer 67"),
    "transport.grow_only_if_cwnd_limited": (_RULES, "window partly used"),
    "transport.window_use": (_RULES, "window partly used"),
    "transport.grow_at_recovery_exit": _NONE,
    "transport.max_cwnd": _UNUSED,
    "transport.slow_start": (_RULES, "0 SYNs lost"),
    "transport.limited_slow_start_from": _UNUSED,
    "transport.hystart_min_threshold": _UNUSED,
    "transport.hystart_max_threshold": _UNUSED,
    "transport.hystart_divisor": _UNUSED,
    "transport.hystart_samples": _UNUSED,
    "transport.hystart_css_divisor": _UNUSED,
    "transport.hystart_css_rounds": _UNUSED,
    "transport.hystart_max_acked": _UNUSED,
}
"""By path: a table of `verification/witness/kernel` and its scenario, or a file of the kernel and a name in it."""


def needed() -> list[str]:
    """Return the paths whose value in the preset needs a witness, or a note that it has none."""
    return [path for path, parameter in PARAMETERS.items() if path.startswith(GROUPS) or PRESET in parameter.presets]


def notes(chosen: Scenario) -> list[str]:
    """Return a note on the values of the preset that no kernel witnesses; empty for other presets."""
    if chosen.preset != PRESET:
        return []
    without = [path for path, witness in WITNESSES.items() if witness == _NONE and path not in chosen.settings]
    return [f"preset {PRESET}: no measurement of a kernel and no document of it confirms {', '.join(without)}"]
