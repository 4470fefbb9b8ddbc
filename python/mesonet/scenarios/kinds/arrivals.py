"""Open-loop arrivals (path ``arrivals``): flows that begin at random instants, by process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.errors import InputError
from mesonet.scenarios.kinds.choice import Choice
from mesonet.scenarios.kinds.drawn import DRAWN
from mesonet.scenarios.kinds.flow_rate import FLOW_RATE
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.matrix import Matrix
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.optional import Optional
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.kinds.routers import ROUTERS
from mesonet.scenarios.kinds.sizes import SIZES
from mesonet.scenarios.kinds.tables import Tables
from mesonet.scenarios.kinds.text import Text
from mesonet.scenarios.kinds.time import TIME

_ALLOWED = "a list of [[arrivals]] in a TOML file"
_MOST_SHOWN = 5
"""Processes that a text lists."""
_PROCESS = Choice("poisson", "bursty", name="process")
"""Laws of the time between two arrivals."""
_MATRIX = Matrix("arrivals[].matrix")
_QUEUE = Text("place", "not the name of a queue", 'a router, a port such as "A -> B", or a link such as "A - B"')

KEYS = {
    "from": Key(
        "arrivals[].from", ROUTERS, "",
        "Access routers where flows begin: a name, a list of names, or `all`.", "`from` and `to`, or `matrix`",
    ),
    "to": Key(
        "arrivals[].to", ROUTERS, "",
        "Access routers of the receivers, in the same form. Every ordered pair of different routers has equal weight.",
        "`from` and `to`, or `matrix`",
    ),
    "matrix": Key(
        "arrivals[].matrix", _MATRIX, "",
        "Demands between routers, in the forms of `users.traffic`: a file, or `[[arrivals.matrix]]`. Flows of a pair "
        "arrive at its rate divided by their mean size. A router without hosts of its own stands for the access "
        "routers below it, as in `users.traffic`. With `rate`, or `load` and `of`, demands divide the flows, and may "
        "be shares.",
        "this, or `from` and `to`",
    ),
    "factor": Key(
        "arrivals[].factor", NUMBER, "", "Multiplies the rates of `matrix`.",
        "1; excludes `rate` and `load`",
    ),
    "rate": Key(
        "arrivals[].rate", FLOW_RATE, "", "Flows per second, over all pairs, such as `200 flows/s`.",
        "this, `load`, or rates of `matrix`",
    ),
    "load": Key(
        "arrivals[].load", NUMBER, "",
        "Data that the flows offer to `of` as a share of its speed at the start of the run. The mean size and the "
        "part of the flows that cross `of` give the rate.",
        "this, `rate`, or rates of `matrix`",
    ),
    "of": Key(
        "arrivals[].of", _QUEUE, "",
        "The queue of the load: a router (`network.queue = router`), a port such as `A -> B` or `B -> hosts`, or a "
        "link such as `A - B` (`network.queue = port`). Of a link it is the direction that more of the flows cross.",
        "with `load`",
    ),
    "sizes": Key(
        "arrivals[].sizes", SIZES, "",
        "Flow sizes: `web_search`, `data_mining`, `cache_follower`, the path of a CSV file, a size, or a table. The "
        "columns of a file are `probability` and `size_bytes`, or `size` with a unit; it is linear between rows. A "
        "table has `law = exponential` with `mean`, or `law = pareto` with `mean` and `shape`. A flow has whole "
        "segments, rounded up.",
        "required",
    ),
    "process": Key(
        "arrivals[].process", _PROCESS, "poisson",
        "Time between two arrivals at a router: `poisson` exponential, `bursty` log-normal.",
        "Poisson: the usual model of independent users",
    ),
    "sigma": Key(
        "arrivals[].sigma", NUMBER, "2", "Standard deviation of the logarithm of bursty gaps.",
        "Zhao et al., Parsimon, NSDI 2023, whose public artefact has 1 and 2",
    ),
    "start": Key("arrivals[].start", TIME, "0 s", "Instant from which flows arrive.", "chosen"),
    "stop": Key(
        "arrivals[].stop", Optional("never", TIME), "never", "Instant from which no flow arrives.",
        "chosen: the end of the run",
    ),
    "interface": Key("arrivals[].interface", RATE, "80 seg/ms", "Interface rate of each flow.", "as of explicit flows"),
    "algorithm": Key(
        "arrivals[].algorithm", DRAWN, DRAWN.word,
        "Congestion control of the flows; `mix`: drawn for each flow by the shares of the scenario.",
        "as of users",
    ),
}  # fmt: skip
"""Keys of a process, in the order of the reference page."""
_INSTEAD = {
    "matrix": ("from", "to"),
    "from": ("matrix",),
    "to": ("matrix",),
    "factor": ("rate", "load", "of"),
    "rate": ("load", "of", "factor"),
    "load": ("rate", "factor"),
}


class Arrivals(Tables):
    """Kind of lists of processes: times in s, sizes in segments, rates in flows/s and segments/s."""

    name = "arrivals"
    path = "arrivals"
    keys = KEYS
    key_of = "arrivals"
    entry = "process"
    of_files = ("algorithm", "matrix", "sizes")
    instead = _INSTEAD

    def parse(self, value: Any, place: Place) -> Any:
        """Return a mapping for each process, with None for keys that are absent."""
        if not isinstance(value, list | tuple) or not all(isinstance(process, Mapping) for process in value):
            raise InputError("not a list of arrivals", value=value, allowed=_ALLOWED)
        return [self._process(number, given, place.segment_bytes) for number, given in enumerate(value)]

    def allowed(self, path: str) -> str:
        """Return the form, and a path of a single value."""
        return f"{_ALLOWED}, or a value such as arrivals[0].load"

    def show(self, value: Any) -> str:
        """Return one clause per process, or only their number."""
        return f"{len(value)} processes" if len(value) > _MOST_SHOWN else "; ".join(map(_text, value))

    def _process(self, number: int, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
        try:
            self.refuse_unknown(given)
            ends = ("from", "to") if given.get("matrix") is None else ()
            for key in (*ends, "sizes"):
                if given.get(key) is None:
                    need = f"{key}, or a matrix" if key in ends else key
                    raise InputError(f"arrivals need {need}", path=key, allowed=KEYS[key].doc)
            return {key: self.value_of(given, key, segment_bytes) for key in KEYS}
        except InputError as error:
            raise error.below(f"[{number}]") from None


def _text(process: Mapping[str, Any]) -> str:
    amounts = [
        "" if process["rate"] is None else FLOW_RATE.show(process["rate"]),
        "" if process["load"] is None else f"load {NUMBER.show(process['load'])} of {process['of']}",
        "" if process["factor"] is None else f"factor {NUMBER.show(process['factor'])}",
    ]
    law = process["process"] + (f" (sigma {process['sigma']:g})" if process["process"] == "bursty" else "")
    parts = [law, *filter(None, amounts), SIZES.show(process["sizes"])]
    return f"{ends_text(process)}: {', '.join(parts)}"


def ends_text(process: Mapping[str, Any]) -> str:
    """Return the text for the routers between which the flows of a parsed process run."""
    if process["matrix"] is not None:
        return _MATRIX.show(process["matrix"])
    return f"{ROUTERS.show(process['from'])} to {ROUTERS.show(process['to'])}"


ARRIVALS = Arrivals()
