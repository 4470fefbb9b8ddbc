"""Changes during a run: speeds of routers; delays, costs and states of links; each from an instant on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.choice import Choice
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.link import LINK
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.kinds.tables import Tables
from mesonet.scenarios.kinds.text import Text
from mesonet.scenarios.kinds.time import TIME

_ALLOWED = "a list of [[network.changes]] in a TOML file"
_FORMS = 'router = "A" with speed or factor, or link = ["A", "B"] with delay, factor, cost or state'
_PAIRS = (
    ("router", "speed"), ("router", "factor"),
    ("link", "delay"), ("link", "factor"), ("link", "cost"), ("link", "state"),
)  # fmt: skip
_ROUTER = Text("router", "not the name of a router", 'a router of the topology, such as "A"')
_STATE = Choice("up", "down", name="state of a link")
_OF_ROUTES = {"cost": NUMBER, "state": _STATE}
"""Keys of a change of routes; in the canonical form where they are given. A link that is down loses what leaves."""
_KEYS = {key: Key(f"network.changes[].{key}", kind, "") for key, kind in {
    "time": TIME, "router": _ROUTER, "link": LINK, "speed": RATE, "delay": TIME, "factor": NUMBER, **_OF_ROUTES,
}.items()}  # fmt: skip


class Changes(Tables):
    """Kind of lists of changes: each has a time, a router or a link, and what changes.

    Times and delays are in s, speeds in segments/s. A factor multiplies the speed or the delay at the start.
    """

    name = "changes"
    path = "network.changes"
    keys = _KEYS
    key_of = "a change"
    entry = "change"

    def parse(self, value: Any, place: Place) -> Any:
        """Return a mapping for each change, with None for keys that are absent."""
        if value in ("none", ""):
            return []
        if not isinstance(value, list | tuple) or not all(isinstance(change, Mapping) for change in value):
            raise InputError("not a list of changes", value=value, allowed=_ALLOWED)
        return [self._change(number, change, place.segment_bytes) for number, change in enumerate(value)]

    def allowed(self, path: str) -> str:
        """Return the form."""
        return _ALLOWED

    def show(self, value: Any) -> str:
        """Return one clause per change."""
        return "; ".join(map(_text, value)) or "none"

    def _change(self, number: int, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
        try:
            self.refuse_unknown(given)
            known = {key for key, value in given.items() if value is not None}
            if known not in ({"time", *pair} for pair in _PAIRS):
                raise InputError("a change needs a time, what changes, and how", value=given, allowed=_FORMS)
            always = {key: None for key in self.keys if key not in _OF_ROUTES}
            return always | {key: self.parse_key(key, given[key], segment_bytes) for key in self.keys if key in known}
        except InputError as error:
            raise error.below(f"[{number}]") from None


def _text(change: Mapping[str, Any]) -> str:
    what = change["router"] or LINK.show(change["link"])
    if change.get("state") is not None:
        how = change["state"]
    elif change.get("cost") is not None:
        how = f"cost {NUMBER.show(change['cost'])}"
    elif change["factor"] is not None:
        how = f"x {NUMBER.show(change['factor'])}"
    elif change["speed"] is not None:
        how = RATE.show(change["speed"])
    else:
        how = TIME.show(change["delay"])
    return f"{what}: {how} from {TIME.show(change['time'])}"


CHANGES = Changes()
