"""The fit of a capture: estimates, verdict of the gate, and answers, in words and as plain data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mesonet import algorithms
from mesonet.files import places
from mesonet.fitting.estimates import Estimate, PathEstimate, estimate
from mesonet.fitting.gate import Gate, chosen
from mesonet.fitting.paths import AMPLE, DROP_TAIL, FittedPath, file_text, fitted
from mesonet.fitting.readers import read
from mesonet.fitting.recording import Recording
from mesonet.fitting.what_if import Answer, answers
from mesonet.words import percent

NEVER_KNOWN = (
    "fair queueing with competitors (looks like a slower link); smooth cross traffic (looks like another rate)"
)
"""What no capture of one flow shows."""
COUNTED = {"TCP": "packets", "QUIC": "events", "mesonet": "events", "samples": "samples"}
"""Parts of a file, by the protocol of its flow."""
PATH, PAGE = "path.toml", "replay.html"


@dataclass(frozen=True)
class Fit:
    """Fit of a capture.

    Attributes
    ----------
    recording
        The packets of the flow.
    found
        The estimates of the path.
    path
        The path with its most probable values.
    gate
        The verdict on it.
    answers
        The outcomes of other controls, one for each that was named.
    """

    recording: Recording
    found: PathEstimate
    path: FittedPath
    gate: Gate
    answers: tuple[Answer, ...]

    def sentences(self) -> list[str]:
        """Return the fit in lines of text.

        Returns
        -------
        The lines: what was read, rate, round trip, buffer, losses, verdict, what is not identified, answers.
        """
        lines = [
            self._read(),
            *(f"note: {note}" for note in self.recording.notes),
            *self.estimates(),
            self._losses(),
            self._replay(),
            f"not identified: {NEVER_KNOWN}",
        ]
        return lines + [line for answer in self.answers for line in _answer_lines(answer)]

    def estimates(self) -> list[str]:
        """Return the estimates with their intervals in lines of text.

        Returns
        -------
        The lines: rate of each level, base round trip, buffer, discipline of the queue, random loss.
        """
        return [
            *self._levels(),
            f"base round trip {_shown(self.found.base_s, 1e3, 1)} ms",
            self._buffer(),
            self._queue(),
            f"random loss {_shown(self.found.random_loss, 100, 3)} %",
        ]

    def row(self) -> list[str | float]:
        """Return the fit as a row of a table.

        Returns
        -------
        Control, rate in Mbit/s (mean over time), base round trip in ms, buffer in packets, random loss
        in %, and the verdict.
        """
        found, duration_s = self.found, self.recording.duration_s
        ends = [*(each.start_s for each in found.levels[1:]), duration_s]
        mean = sum(each.rate.value * (end - each.start_s) for each, end in zip(found.levels, ends, strict=True))
        return [
            self.gate.control,
            1e-6 * mean / duration_s,
            1e3 * found.base_s.value,
            f"{'' if found.is_buffer_known else 'at least '}{found.buffer.value:.0f}",
            100 * found.random_loss.value,
            "passed" if self.gate.passed else f"failed: {self.gate.reason}",
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the fit as plain data.

        Returns
        -------
        ``read``, ``total``, ``estimates``, ``gate`` and ``answers``. Rates are in bit/s, times in s, the buffer in
        packets; an interval without an upper end has None there.
        """
        found, gate = self.found, self.gate
        goodput, trip = gate.errors
        return {
            "read": self.recording.read,
            "total": self.recording.total,
            "protocol": self.recording.protocol,
            "duration_s": self.recording.duration_s,
            "notes": list(self.recording.notes),
            "estimates": {
                "levels": [{"start_s": each.start_s, "rate": _plain(each.rate)} for each in found.levels],
                "base_s": _plain(found.base_s),
                "buffer": _plain(found.buffer),
                "random_loss": _plain(found.random_loss),
                "packet_bytes": self.path.segment_bytes,
                "busy": found.busy,
                "events": found.events,
                "full_events": found.full_events,
                "lost": found.lost,
                "lost_at_full": found.lost_at_full,
                "suspected": list(found.suspected),
            },
            "gate": {
                "control": gate.control,
                "guessed": gate.is_guessed,
                "disciplines": [each.discipline for each in (self.path, *gate.others)] if gate.passed else [],
                "passed": gate.passed,
                "reason": gate.reason,
                "goodput_error": goodput,
                "round_trip_error": trip,
                "recorded": asdict(gate.recorded),
                "replayed": asdict(gate.replay.outcome),
            },
            "answers": [asdict(answer) for answer in self.answers],
        }

    def write(self, out: str | Path) -> Path:
        """Write the path as a scenario file, and a page with the figure of capture and replay.

        Parameters
        ----------
        out
            The folder.

        Returns
        -------
        The scenario file, ``path.toml``. The page is ``replay.html`` beside it.

        Raises
        ------
        InputError
            If the folder cannot be written to.
        """
        from mesonet.fitting.page import html

        with places.folder(out) as folder:
            target = places.inside(folder, PATH)
            with places.file(target) as aside:
                text = file_text(self.path, self.gate.control, self._title(), self._comments())
                aside.write_text(text, encoding="utf-8")
            page = html(
                self.recording,
                self.path,
                self.gate,
                self.answers,
                file=PATH,
                lines=[self._replay(), self._read(), self._losses()],
                comments=self._comments(),
                unknown=[*self.recording.notes, *self._open(), *NEVER_KNOWN.split("; ")],
            )
            with places.file(places.inside(folder, PAGE)) as aside:
                aside.write_text(page, encoding="utf-8")
        return target

    def _read(self) -> str:
        recording = self.recording
        return (
            f"read {recording.read:,} of {recording.total:,} {COUNTED[recording.protocol]} ({recording.protocol}, "
            f"{recording.duration_s:.2f} s)"
        )

    def _losses(self) -> str:
        found = self.found
        return (
            f"losses: {found.lost}, of which {found.lost_at_full} at a full queue ({found.full_events} of "
            f"{found.events} loss events)"
        )

    def _replay(self) -> str:
        gate = self.gate
        goodput, trip = gate.errors
        guessed = f" (guessed among {', '.join(gate.tried)})" if gate.is_guessed else ""
        verdict = "PASSED" if gate.passed else f"FAILED: {gate.reason}"
        return (
            f"replay of {gate.control}{guessed}: goodput {percent(100 * goodput, sign=True)}, median round trip "
            f"{percent(100 * trip, sign=True)}, lost {gate.replay.outcome.lost} of {gate.recorded.lost}: {verdict}"
        )

    def _open(self) -> list[str]:
        """Return what this capture leaves open."""
        return [*([] if self.found.is_buffer_known else [self._buffer()]), *self.found.suspected]

    def _levels(self) -> list[str]:
        levels = self.found.levels
        if len(levels) == 1:
            return [f"rate {_shown(levels[0].rate, 1e-6, 2)} Mbit/s"]
        return [f"rate from {each.start_s:.2f} s: {_shown(each.rate, 1e-6, 2)} Mbit/s" for each in levels]

    def _buffer(self) -> str:
        buffer, size = self.found.buffer, self.path.segment_bytes
        if not self.found.is_buffer_known:
            return f"buffer at least {buffer.low:.0f} packets: no queue was seen full twice"
        in_ms = 8e3 * buffer.value * size / self.found.rate.value
        return f"buffer {_shown(buffer, 1, 0)} packets, {buffer.value * size / 1e3:.0f} kB, {in_ms:.0f} ms"

    def _queue(self) -> str:
        if self.path.discipline != DROP_TAIL:
            return "queue like CoDel: a drop-tail queue does not reproduce the capture"
        if self.gate.others:
            return "queue drop-tail or like CoDel: both reproduce the capture"
        return "queue drop-tail" if self.gate.passed else "queue unknown"

    def _title(self) -> str:
        verdict = "passed" if self.gate.passed else "FAILED"
        return (
            f"A path fitted to {self.recording.read:,} packets of a capture; replay of {self.gate.control}: {verdict}"
        )

    def _comments(self) -> dict[str, str]:
        """Return how each value of the scenario was found, by its path."""
        found = self.found
        buffer = "at losses" if found.lost_at_full else f"that waited, times {AMPLE}"
        return {
            "algorithms": f"of the capture{', guessed' if self.gate.is_guessed else ''}",
            "network.speed": f"acknowledged bytes while packets waited: {'; '.join(self._levels())}",
            "network.delay_multiplier": f"base round trip in ms, less a service: {_shown(found.base_s, 1e3, 2)}",
            "network.buffer": f"packets {buffer}: {self._buffer()}",
            "aqm.discipline": self._queue(),
            "impairments.loss": f"losses at a queue that was not full: {_shown(found.random_loss, 100, 3)} %",
            "impairments.capacity": "the rate by the clock of the flow",
            "transport.segment_bytes": "a full packet: the largest segment of the handshake, and headers",
            "transport.burst": "the capture has no packet of several segments",
        }


def fit(
    capture: str | Path,
    *,
    flow: int | None = None,
    control: str | None = None,
    what_if: Sequence[str] = (),
    progress: Callable[[float, float], None] | None = None,
) -> Fit:
    """Return the fit of a capture; `mesonet.fit` describes it."""
    named = None if control is None else algorithms.resolve(control).name
    others = [algorithms.resolve(each).name for each in what_if]
    recording = read(Path(capture), flow)
    found = estimate(recording)
    path, gate = chosen(recording, found, fitted(recording, found), named)
    answered = answers(found, path, gate, others, progress) if others else []
    return Fit(recording, found, path, gate, tuple(answered))


def _shown(estimate: Estimate, factor: float, digits: int) -> str:
    """Return an estimate with its interval, such as ``20.00 (19.99..20.01)``."""
    value, low, high = (f"{factor * each:.{digits}f}" for each in (estimate.value, estimate.low, estimate.high))
    return f"{value} ({low}..{high})"


def _plain(estimate: Estimate) -> dict[str, float | None]:
    high = estimate.high if estimate.high < float("inf") else None
    return {"value": estimate.value, "low": estimate.low, "high": high}


def _answer_lines(answer: Answer) -> list[str]:
    goodput = " to ".join(f"{1e-6 * end:.2f}" for end in answer.goodput)
    trip = " to ".join(f"{1e3 * end:.1f}" for end in answer.round_trip_s)
    expected = answer.expected
    of_goodput, of_trip = (percent(100 * error) for error in answer.widened)
    return [
        f"what if {answer.control}: goodput {goodput} Mbit/s, median round trip {trip} ms, {answer.lost[0]} to "
        f"{answer.lost[1]} packets lost; on the fitted path {1e-6 * expected.goodput:.2f} Mbit/s, "
        f"{1e3 * expected.round_trip_s:.1f} ms, {expected.lost} lost "
        f"({answer.paths} paths; widened by {of_goodput} of goodput and {of_trip} of the round trip)",
        *(f"warning: {text}" for text in answer.warnings),
    ]
