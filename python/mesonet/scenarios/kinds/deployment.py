"""Deployments: the share of the units that use an algorithm, by time and place (path ``deployment``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.algorithm import ALGORITHM
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.probability import PROBABILITY
from mesonet.scenarios.kinds.routers import ALL, ROUTERS
from mesonet.scenarios.kinds.tables import Tables
from mesonet.scenarios.kinds.time import TIME

_ALLOWED = "a list of [[deployment]] in a TOML file"
_MOST_SHOWN = 20
"""Entries that a text lists."""

KEYS = {
    "time": Key(
        "deployment[].time", TIME, "0 s",
        "Instant from which the entry holds. A flow takes its algorithm when it begins, and keeps it.",
        "chosen: from the start",
    ),
    "at": Key(
        "deployment[].at", ROUTERS, ALL,
        "Places: a name or a list of names. A router stands for all access routers below it; `normal`, `fast`, "
        "`direct` and `plain` for the access routers of the class; `all` for all. The place of a unit is its home end "
        "(`users.assignment`), and of a user's source its access router. At each place the entry with the latest time "
        "holds, of equal times the last in the list.",
        "chosen: everywhere",
    ),
    "algorithm": Key(
        "deployment[].algorithm", ALGORITHM, "",
        "The algorithm that the share of the units uses. The others keep the mix of `algorithms` without it, in "
        "proportion.",
        "required",
    ),
    "share": Key("deployment[].share", PROBABILITY, "", "Share of the units.", "required"),
}  # fmt: skip
"""Keys of an entry, in the order of the reference page."""


class Deployment(Tables):
    """Kind of lists of shares by time and place: times in s."""

    name = "deployment"
    path = "deployment"
    keys = KEYS
    key_of = "a deployment"
    entry = "entry of a deployment"
    of_files = ("algorithm",)

    def parse(self, value: Any, place: Place) -> Any:
        """Return a mapping for each entry."""
        if value in ("none", ""):
            return []
        if not isinstance(value, list | tuple) or not all(isinstance(entry, Mapping) for entry in value):
            raise InputError("not a list of shares by time and place", value=value, allowed=_ALLOWED)
        return [self._entry(number, entry, place.segment_bytes) for number, entry in enumerate(value)]

    def allowed(self, path: str) -> str:
        """Return the form, and a path of a single value."""
        return f"{_ALLOWED}, or a value such as deployment[0].share"

    def show(self, value: Any) -> str:
        """Return one clause per entry, in the order of time."""
        if len(value) > _MOST_SHOWN:
            return f"{len(value)} entries"
        return "; ".join(map(_text, sorted(value, key=lambda entry: entry["time"])))

    def _entry(self, number: int, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
        try:
            self.refuse_unknown(given)
            for key in ("algorithm", "share"):
                if given.get(key) is None:
                    raise InputError(f"a deployment needs {key}", path=key, allowed=KEYS[key].doc.partition(".")[0])
            return {key: self.value_of(given, key, segment_bytes) for key in KEYS}
        except InputError as error:
            raise error.below(f"[{number}]") from None


def _text(entry: Mapping[str, Any]) -> str:
    where = "" if entry["at"] == [ALL] else f" at {ROUTERS.show(entry['at'])}"
    return f"{100 * entry['share']:g} % {entry['algorithm']}{where} from {TIME.show(entry['time'])}"


DEPLOYMENT = Deployment()
