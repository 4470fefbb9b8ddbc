"""Applications and transports of explicit flows: the keys of ``[[flows]]`` for what hands a flow its data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.scenarios.kinds.choice import Choice
from mesonet.scenarios.kinds.count import COUNT
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.ladder import LADDER
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.kinds.segments import SEGMENTS
from mesonet.scenarios.kinds.time import TIME
from mesonet.scenarios.ladders import LADDERS

TRANSPORTS = ("tcp", "udp")
"""Transport protocols; the first is the default."""


_OF = "flows[].application"
"""Path of an application; the rest of the path of a key is its place there."""
_VIDEO = f"{_OF}.source.video"
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
    "video": {
        "ladder": Key(
            f"{_VIDEO}.ladder", LADDER, next(iter(LADDERS)),
            "Bitrates in which the video is offered, from low to high, or the name of a published ladder.",
            "; ".join(f"`{name}`: {ladder.source}" for name, ladder in LADDERS.items()),
        ),
        "chunk_time": Key(
            f"{_VIDEO}.chunk_time", TIME, "4 s",
            "Duration of a chunk, which the player fetches at once; the segments of a chunk are rounded up.",
            "Huang et al. 2014, A Buffer-Based Approach to Rate Adaptation: 4 s",
        ),
        "playback_buffer": Key(
            f"{_VIDEO}.playback_buffer", TIME, "30 s",
            "Most video that the player holds; it asks for a chunk as soon as the chunk fits.",
            "hls.js: `maxBufferLength`; dash.js: `bufferTimeAtTopQuality`",
        ),
        "startup_buffer": Key(
            f"{_VIDEO}.startup_buffer", TIME, "2.5 s", "Video in the buffer with which the playback begins.",
            "ExoPlayer: `DEFAULT_BUFFER_FOR_PLAYBACK_MS`",
        ),
        "resume_buffer": Key(
            f"{_VIDEO}.resume_buffer", TIME, "5 s", "Video in the buffer with which it continues after a stall.",
            "ExoPlayer: `DEFAULT_BUFFER_FOR_PLAYBACK_AFTER_REBUFFER_MS`",
        ),
        "abr": Key(
            f"{_VIDEO}.abr", Choice("buffer", "rate", "fixed", name="abr"), "buffer",
            "What chooses the bitrate of a chunk: the buffer (BBA-0), the throughput, or `rung`.",
            "Huang et al. 2014, algorithm 1",
        ),
        "reservoir": Key(
            f"{_VIDEO}.abr.buffer.reservoir", NUMBER, 0.375,
            "Part of the buffer, less the next chunk, up to which the lowest bitrate is chosen.",
            "Huang et al. 2014: 90 of 240 s",
        ),
        "cushion": Key(
            f"{_VIDEO}.abr.buffer.cushion", NUMBER, 0.525,
            "Part of it above `reservoir` in which the bitrate rises to the highest.",
            "Huang et al. 2014: 126 of 240 s",
        ),
        "rate_chunks": Key(
            f"{_VIDEO}.abr.rate.rate_chunks", COUNT, 20, "Last chunks of whose throughputs the harmonic mean is taken.",
            "Jiang et al. 2012, FESTIVE: 20",
        ),
        "rate_safety": Key(
            f"{_VIDEO}.abr.rate.rate_safety", NUMBER, 0.85,
            "The bitrate is the highest up to this part of the harmonic mean.", "Jiang et al. 2012, FESTIVE: 0.85",
        ),
        "rung": Key(f"{_VIDEO}.abr.fixed.rung", COUNT, None, "Place of the bitrate in the ladder, from 1.", _GIVEN),
    },
}  # fmt: skip
"""Keys by application."""

ABR = APPLICATIONS["video"]["abr"]
"""Choice of the bitrates of a video; a constant of a rule has a path below."""
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
    keys = own_keys(given)
    for key in KEYS:
        if key in given and key not in keys and key in OF_APPLICATIONS:
            problem = f"not a key of the application {name}"
            if key in APPLICATIONS[name]:
                problem += f" with abr = {given.get('abr', ABR.default)}"
            raise InputError(problem, path=key, value=given[key], allowed=_with_application(key))
    application: dict[str, Any] = {}
    for key, about in keys.items():
        *above, last = about.path.removeprefix(f"{_OF}.").split(".")
        place = application
        for part in above:
            place = place.setdefault(part, {})
        value = _value(key, given.get(key), name, about, segment_bytes)
        place[last] = {value: {}} if about is ABR else value
    found["application"] = application
    return found


def own_keys(given: Mapping[str, Any]) -> Mapping[str, Key]:
    """Return the keys of the application of a flow, without the constants of other rules than its `abr`."""
    keys = APPLICATIONS.get(given.get("application", ""), {})
    rules = {"", given.get("abr", ABR.default)}
    return {key: about for key, about in keys.items() if _rule(about) in rules}


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
            of = f"`{name}`, `abr = {rule}`" if (rule := _rule(about)) else f"`{name}`"
            cells = (of, f"`{key}`", about.kind.name, default, about.allowed, about.doc, about.source)
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _rule(key: Key) -> str:
    """Return the `abr` that a key is a constant of; empty for any other key."""
    _, _, below = key.path.partition(f"{ABR.path}.")
    return below.partition(".")[0]


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
    rule = f' and abr = "{_rule(OF_APPLICATIONS[key])}"' if _rule(OF_APPLICATIONS[key]) else ""
    return f"{key} with {' or '.join(names)}{rule}"
