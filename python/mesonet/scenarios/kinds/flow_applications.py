"""Applications and transports of explicit flows: the keys of ``[[flows]]`` for what hands a flow its data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.scenarios.kinds.choice import Choice
from mesonet.scenarios.kinds.count import COUNT
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.kinds.segments import SEGMENTS
from mesonet.scenarios.kinds.time import TIME

TRANSPORTS = ("tcp", "udp")
"""Transport protocols; the first is the default."""


_OF = "flows[].application"
"""Path of an application; the rest of the path of a key is its place there."""
_LAW = Choice("constant", "exponential")
_GIVEN = "given by the user"
_COMMON = {
    "late_after": Key(
        f"{_OF}.late_after", TIME, "250 ms",
        "A message that is delivered later than this after it was handed over is late.",
        "draft-huitema-ccwg-c4-test: late frames of real-time flows",
    ),
    "report_interval": Key(
        f"{_OF}.report_interval", TIME, "5 s",
        "Time between two reports of the receiver to the circuit breaker that observes a `udp` flow.",
        "RFC 3550 section 6.2: the recommended minimum",
    ),
}  # fmt: skip

APPLICATIONS: Mapping[str, Mapping[str, Key]] = {
    "frames": {
        "frame_rate": Key(f"{_OF}.source.frames.rate", NUMBER, None, "Frames per second.", _GIVEN),
        "frame_size": Key(
            f"{_OF}.source.frames.size", SEGMENTS, None, "Size of a frame; its segments are rounded up.", _GIVEN
        ),
        "key_frame_size": Key(
            f"{_OF}.source.frames.key_size", SEGMENTS, "",
            "Size of a key frame; without it all frames are equal.", _GIVEN,
        ),
        "key_frame_every": Key(
            f"{_OF}.source.frames.key_every", COUNT, 1,
            "Every so-manyth frame is a key frame, the first one included.", _GIVEN,
        ),
        **_COMMON,
    },
    "constant": {
        "rate": Key(
            f"{_OF}.source.constant.rate", RATE, None, "Rate at which single segments are handed over.", _GIVEN
        ),
        **_COMMON,
    },
    "on_off": {
        "burst_size": Key(
            f"{_OF}.source.on_off.burst_size", SEGMENTS, "",
            "Mean size of a burst that is handed over at once; its segments are rounded up.", _GIVEN,
        ),
        "burst_time": Key(
            f"{_OF}.source.on_off.burst_time", TIME, "",
            "Mean duration of a burst, in place of a size. The flow has data without end in it without `rate`.", _GIVEN,
        ),
        "burst": Key(
            f"{_OF}.source.on_off.burst", _LAW, "constant",
            "Distribution of the size or the duration; draws are named by seed, flow and number of the burst.",
            "chosen: equal bursts; `exponential` is ns-2: Application/Traffic/Exponential",
        ),
        "rate": Key(
            f"{_OF}.source.on_off.rate", RATE, "", "Rate at which single segments are handed over during `burst_time`.",
            _GIVEN,
        ),
        "idle_time": Key(
            f"{_OF}.source.on_off.idle_time", TIME, None,
            "Mean time from the end of a burst, as the application sees it, to the beginning of the next.", _GIVEN,
        ),
        "idle": Key(
            f"{_OF}.source.on_off.idle", _LAW, "exponential",
            "Distribution of the idle time; draws are named by seed, flow and number of the burst.",
            "ns-2: Application/Traffic/Exponential",
        ),
        **_COMMON,
    },
}  # fmt: skip
"""Keys by application."""

OF_APPLICATIONS = {key: about for keys in reversed(tuple(APPLICATIONS.values())) for key, about in keys.items()}
"""Keys of all applications; keys of the same name have the same kind and range."""
KEYS = {
    "application": Key(_OF, Choice(*APPLICATIONS, name="application"), ""),
    "transport": Key("flows[].transport", Choice(*TRANSPORTS, name="transport"), TRANSPORTS[0]),
    **{key: OF_APPLICATIONS[key] for keys in APPLICATIONS.values() for key in keys},
}
"""All keys, in order."""


def parse(given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
    """Return the application and the transport of a flow as the simulator reads them, without the defaults."""
    found: dict[str, Any] = {}
    transport = given.get("transport", TRANSPORTS[0])
    if transport not in TRANSPORTS:
        raise unknown("transport", str(transport), TRANSPORTS, path="transport")
    if transport != TRANSPORTS[0]:
        found["transport"] = transport
    name = given.get("application")
    if name is None:
        if not OF_APPLICATIONS.keys().isdisjoint(given):
            extra = next(key for key in KEYS if key in given and key in OF_APPLICATIONS)
            allowed = _with_application(extra)
            raise InputError("a key of an application", path=extra, value=given[extra], allowed=allowed)
        return found
    if not isinstance(name, str) or name not in APPLICATIONS:
        raise unknown("application", str(name), tuple(APPLICATIONS), path="application")
    keys = APPLICATIONS[name]
    for key in KEYS:
        if key in given and key not in keys and key in OF_APPLICATIONS:
            problem = f"not a key of the application {name}"
            raise InputError(problem, path=key, value=given[key], allowed=_with_application(key))
    application: dict[str, Any] = {}
    for key, about in keys.items():
        *above, last = about.path.removeprefix(f"{_OF}.").split(".")
        place = application
        for part in above:
            place = place.setdefault(part, {})
        place[last] = _value(key, given.get(key), name, about, segment_bytes)
    found["application"] = application
    return found


def show(flow: Mapping[str, Any]) -> str:
    """Return the application, the transport and the receiver of a parsed flow in words.

    Text that follows the ends of the flow; empty for a flow that has the defaults.
    """
    words = [
        *flow.get("application", {}).get("source", {}),
        *filter(None, [flow.get("transport"), flow.get("receiver")]),
    ]
    return f" ({', '.join(words)})" if words else ""


def reference_lines() -> list[str]:
    """Return the section of the reference on applications."""
    lines = [
        "## flows: applications",
        "",
        "Keys of `[[flows]]` for what hands a flow its data. `application` names one of the rows. Without it the",
        "flow has data without end, or `size`. `transport` is `tcp` or `udp`; `udp` needs an application with a rate.",
        "",
        "| application | key | kind | default | allowed | meaning | source of the default |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, keys in APPLICATIONS.items():
        for key, about in keys.items():
            default = {None: "required", "": "none"}.get(about.default, f"`{about.default}`")
            cells = (f"`{name}`", f"`{key}`", about.kind.name, default, about.allowed, about.doc, about.source)
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _value(key: str, given: Any, application: str, about: Key, segment_bytes: float) -> Any:
    """Return the value of a key in base units; None without one."""
    value = about.default if given is None else given
    if value is None:
        raise InputError(f"the application {application} needs this key", path=key, allowed=about.allowed)
    if value == "" and given is None:
        return None
    try:
        return about.parse(value, segment_bytes)
    except InputError as error:
        raise error.below(key) from None


def _with_application(key: str) -> str:
    names = [f'application = "{name}"' for name, keys in APPLICATIONS.items() if key in keys]
    return f"{key} with {' or '.join(names)}"
