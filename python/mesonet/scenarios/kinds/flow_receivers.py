"""Receivers of explicit flows that misbehave: the keys ``receiver`` and ``ack_pieces`` of ``[[flows]]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.scenarios.kinds.choice import Choice
from mesonet.scenarios.kinds.count import COUNT
from mesonet.scenarios.kinds.key import Key

RECEIVERS: Mapping[str, str] = {
    "standard": "It acknowledges as the transport of the scenario has receivers do.",
    "ack_division": "In place of each acknowledgement it sends `ack_pieces`, each for a piece of what is acknowledged.",
    "optimistic": "It acknowledges each segment when the segment would arrive if there were no queue, whether or not "
    "it arrives: the sender sees neither queues nor losses.",
    "ignores_ce": "It does not report marks.",
}
"""Receivers with their meaning; the first is the default."""

KEYS = {
    "receiver": Key("flows[].receiver", Choice(*RECEIVERS, name="receiver"), "standard"),
    "ack_pieces": Key("flows[].ack_pieces", COUNT, ""),
}
"""Keys of a receiver."""


def parse(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the receiver of a flow, without the defaults; keys that are not in `KEYS` are left to others."""
    receiver = given.get("receiver", "standard")
    if receiver not in RECEIVERS:
        raise unknown("receiver", str(receiver), tuple(RECEIVERS), path="receiver")
    pieces = given.get("ack_pieces")
    if receiver != "ack_division":
        if pieces is not None:
            problem, only = "a key of another receiver", 'ack_pieces with receiver = "ack_division"'
            raise InputError(problem, path="ack_pieces", value=pieces, allowed=only)
        return {} if receiver == "standard" else {"receiver": receiver}
    if pieces is None:
        raise InputError("ack_division needs this key", path="ack_pieces", allowed=KEYS["ack_pieces"].allowed)
    try:
        return {"receiver": receiver, "ack_pieces": KEYS["ack_pieces"].parse(pieces)}
    except InputError as error:
        raise error.below("ack_pieces") from None


def reference_lines() -> list[str]:
    """Return the section of the reference on receivers."""
    return [
        "",
        "## flows: receivers",
        "",
        "Values of the key `receiver` of `[[flows]]` (Savage et al. 1999, TCP Congestion Control with a Misbehaving",
        f"Receiver). `ack_pieces` is {KEYS['ack_pieces'].allowed}.",
        "",
        "| receiver | what it does |",
        "|---|---|",
        *(f"| `{name}` | {meaning} |" for name, meaning in RECEIVERS.items()),
    ]
