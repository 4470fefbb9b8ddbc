"""Receivers of explicit flows that misbehave: the keys ``receiver`` and ``ack_pieces`` of ``[[flows]]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.scenarios import ranges

RECEIVERS: Mapping[str, str] = {
    "standard": "It acknowledges as the transport of the scenario has receivers do.",
    "ack_division": "In place of each acknowledgement it sends `ack_pieces`, each for a piece of what is acknowledged.",
    "optimistic": "It acknowledges each segment when the segment would arrive if there were no queue, whether or not "
    "it arrives: the sender sees neither queues nor losses.",
    "ignores_ce": "It does not report marks.",
}
"""Receivers with their meaning; the first is the default."""

KEYS = ("receiver", "ack_pieces")
"""Keys of a receiver."""


def parse(path: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the receiver of a flow.

    Parameters
    ----------
    path
        Path of the flow, for messages.
    given
        Keys of the flow; those that are not in `KEYS` are left to others.

    Returns
    -------
    The keys as the simulator reads them; without the defaults.

    Raises
    ------
    InputError
        If the receiver is unknown, ``ack_pieces`` is missing, out of its range, or belongs to no such receiver.
    """
    receiver = given.get("receiver", "standard")
    if receiver not in RECEIVERS:
        raise unknown("receiver", str(receiver), tuple(RECEIVERS), path=f"{path}.receiver")
    pieces = given.get("ack_pieces")
    if receiver != "ack_division":
        if pieces is not None:
            problem, only = "a key of another receiver", 'ack_pieces with receiver = "ack_division"'
            raise InputError(problem, path=f"{path}.ack_pieces", value=pieces, allowed=only)
        return {} if receiver == "standard" else {"receiver": receiver}
    if pieces is None:
        allowed = ranges.allowed("flows[].ack_pieces", "count")
        raise InputError("ack_division needs this key", path=f"{path}.ack_pieces", allowed=allowed)
    try:
        parsed = ranges.parse("flows[].ack_pieces", "count", pieces)
    except InputError as error:
        raise InputError(error.problem, error.file, f"{path}.ack_pieces", error.value, error.allowed) from None
    return {"receiver": receiver, "ack_pieces": parsed}


def reference_lines() -> list[str]:
    """Return the section of the reference on receivers.

    Returns
    -------
    Lines of Markdown.
    """
    allowed = ranges.allowed("flows[].ack_pieces", "count")
    return [
        "",
        "## flows: receivers",
        "",
        "Values of the key `receiver` of `[[flows]]` (Savage et al. 1999, TCP Congestion Control with a Misbehaving",
        f"Receiver). `ack_pieces` is {allowed}.",
        "",
        "| receiver | what it does |",
        "|---|---|",
        *(f"| `{name}` | {meaning} |" for name, meaning in RECEIVERS.items()),
    ]
