"""Applications and transports of explicit flows: the keys of ``[[flows]]`` for what hands a flow its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.scenarios import ranges

TRANSPORTS = ("tcp", "udp")
"""Transport protocols; the first is the default."""


@dataclass(frozen=True)
class ApplicationKey:
    """Key of an application.

    Attributes
    ----------
    kind
        Kind of its value, as in `mesonet.units`.
    path
        Path of the number in a scenario as JSON, below ``flows[].application``; its last part is the name there.
    default
        The value without the key; None: the application needs the key, ``""``: no value.
    doc, source
        Meaning in a sentence, and the source of the default.
    choices
        Allowed words of a choice.
    """

    kind: units.Kind
    path: str
    default: str | float | None
    doc: str
    source: str = ""
    choices: tuple[str, ...] = ()


_GIVEN = "given by the user"
_COMMON = {
    "late_after": ApplicationKey(
        "time", "late_after", "250 ms",
        "A message that is delivered later than this after it was handed over is late.",
        "draft-huitema-ccwg-c4-test: late frames of real-time flows",
    ),
    "report_interval": ApplicationKey(
        "time", "report_interval", "5 s",
        "Time between two reports of the receiver to the circuit breaker that observes a `udp` flow.",
        "RFC 3550 section 6.2: the recommended minimum",
    ),
}  # fmt: skip

APPLICATIONS: Mapping[str, Mapping[str, ApplicationKey]] = {
    "frames": {
        "frame_rate": ApplicationKey("number", "source.frames.rate", None, "Frames per second.", _GIVEN),
        "frame_size": ApplicationKey(
            "segments", "source.frames.size", None, "Size of a frame; its segments are rounded up.", _GIVEN
        ),
        "key_frame_size": ApplicationKey(
            "segments", "source.frames.key_size", "", "Size of a key frame; without it all frames are equal.", _GIVEN
        ),
        "key_frame_every": ApplicationKey(
            "count", "source.frames.key_every", 1,
            "Every so-manyth frame is a key frame, the first one included.", _GIVEN,
        ),
        **_COMMON,
    },
    "constant": {
        "rate": ApplicationKey(
            "rate", "source.constant.rate", None, "Rate at which single segments are handed over.", _GIVEN
        ),
        **_COMMON,
    },
    "on_off": {
        "burst_size": ApplicationKey(
            "segments", "source.on_off.burst_size", "",
            "Mean size of a burst that is handed over at once; its segments are rounded up.", _GIVEN,
        ),
        "burst_time": ApplicationKey(
            "time", "source.on_off.burst_time", "",
            "Mean duration of a burst, in place of a size. The flow has data without end in it without `rate`.", _GIVEN,
        ),
        "burst": ApplicationKey(
            "choice", "source.on_off.burst", "constant",
            "Distribution of the size or the duration; draws are named by seed, flow and number of the burst.",
            "chosen: equal bursts; `exponential` is ns-2: Application/Traffic/Exponential",
            ("constant", "exponential"),
        ),
        "rate": ApplicationKey(
            "rate", "source.on_off.rate", "", "Rate at which single segments are handed over during `burst_time`.",
            _GIVEN,
        ),
        "idle_time": ApplicationKey(
            "time", "source.on_off.idle_time", None,
            "Mean time from the end of a burst, as the application sees it, to the beginning of the next.", _GIVEN,
        ),
        "idle": ApplicationKey(
            "choice", "source.on_off.idle", "exponential",
            "Distribution of the idle time; draws are named by seed, flow and number of the burst.",
            "ns-2: Application/Traffic/Exponential", ("constant", "exponential"),
        ),
        **_COMMON,
    },
}  # fmt: skip
"""Keys by application."""

KEYS = tuple(dict.fromkeys(("application", "transport", *(key for keys in APPLICATIONS.values() for key in keys))))
"""All keys, in order."""
_OF_APPLICATIONS = frozenset(KEYS) - {"application", "transport"}


def parse(path: str, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
    """Return the application and the transport of a flow in base units.

    Parameters
    ----------
    path
        Path of the flow, for messages.
    given
        Keys of the flow; those that are not in `KEYS` are left to others.
    segment_bytes
        Size of a segment of the flow, for sizes in bytes and rates in bits per second.

    Returns
    -------
    ``application`` and ``transport`` as the simulator reads them; keys with their defaults are left out.

    Raises
    ------
    InputError
        If a key is missing or belongs to another application, or a value is out of its range.
    """
    found: dict[str, Any] = {}
    transport = given.get("transport", TRANSPORTS[0])
    if transport not in TRANSPORTS:
        raise unknown("transport", str(transport), TRANSPORTS, path=f"{path}.transport")
    if transport != TRANSPORTS[0]:
        found["transport"] = transport
    name = given.get("application")
    if name is None:
        if not _OF_APPLICATIONS.isdisjoint(given):
            extra = next(key for key in KEYS if key in given and key in _OF_APPLICATIONS)
            raise InputError(
                "a key of an application", path=f"{path}.{extra}", value=given[extra], allowed=_with_application(extra)
            )
        return found
    if name not in APPLICATIONS:
        raise unknown("application", str(name), tuple(APPLICATIONS), path=f"{path}.application")
    keys = APPLICATIONS[name]
    for key in KEYS:
        if key in given and key not in keys and key in _OF_APPLICATIONS:
            raise InputError(
                f"not a key of the application {name}", path=f"{path}.{key}", value=given[key],
                allowed=_with_application(key),
            )  # fmt: skip
    application: dict[str, Any] = {}
    for key, about in keys.items():
        at, *inner = about.path.split(".")
        place = application if not inner else application.setdefault(at, {}).setdefault(inner[0], {})
        place[about.path.rsplit(".", 1)[-1]] = _value(f"{path}.{key}", given.get(key), name, about, segment_bytes)
    found["application"] = application
    return found


def show(flow: Mapping[str, Any]) -> str:
    """Return the application, the transport and the receiver of a parsed flow in words.

    Parameters
    ----------
    flow
        A flow with the values that `parse` returns.

    Returns
    -------
    Text that follows the ends of the flow; empty for a flow that has the defaults.
    """
    words = [
        *flow.get("application", {}).get("source", {}),
        *filter(None, [flow.get("transport"), flow.get("receiver")]),
    ]
    return f" ({', '.join(words)})" if words else ""


def reference_lines() -> list[str]:
    """Return the section of the reference on applications.

    Returns
    -------
    Lines of Markdown.
    """
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
            default = {None: "required", "": "none"}.get(about.default, f"`{about.default}`")  # type: ignore[arg-type]
            allowed = ", ".join(about.choices) or _example(about)
            cells = (f"`{name}`", f"`{key}`", about.kind, default, allowed, about.doc, about.source)
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _value(path: str, given: Any, application: str, about: ApplicationKey, segment_bytes: float) -> Any:
    """Return the value of a key in base units; None without one."""
    value = about.default if given is None else given
    if value is None:
        raise InputError(f"the application {application} needs this key", path=path, allowed=_example(about))
    if value == "" and given is None:
        return None
    try:
        if about.kind == "choice":
            return units.parse(about.kind, value, choices=about.choices)
        return ranges.parse(f"flows[].application.{about.path}", about.kind, value, segment_bytes=segment_bytes)
    except InputError as error:
        raise InputError(error.problem, error.file, path, error.value, error.allowed) from None


def _with_application(key: str) -> str:
    names = [f'application = "{name}"' for name, keys in APPLICATIONS.items() if key in keys]
    return f"{key} with {' or '.join(names)}"


def _example(about: ApplicationKey) -> str:
    return ranges.allowed(f"flows[].application.{about.path}", about.kind)
