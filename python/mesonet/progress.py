"""Progress of a long task on stderr: a bar with the time left on a terminal, else a plain line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType

Update = Callable[[float, float, str], None]
"""Called with the done part of a task, its total (any unit) and a note."""

QUIET_S = 2.0
"""Nothing is shown for tasks that end sooner."""
_LINE_EVERY_S = 30.0
_LEAST_SHARE, _LEAST_S = 0.09, 300.0
"""Share of a task and time, s, before which its pace gives no time left (chosen)."""


class Progress:
    """Shows the progress of one task. Use it as a context manager; `enabled` False shows nothing."""

    def __init__(self, title: str, enabled: bool = True) -> None:
        self._title, self._enabled = title, enabled
        self._began = time.monotonic()
        self._next_line = self._began + QUIET_S
        self._bar: _Bar | None = None
        self._first: tuple[float, float] | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def update(self, done: float, total: float, note: str = "") -> None:
        """Show the progress: as a bar on a terminal, else as a line at most every 30 s.

        `done`, `total`: done part and whole, in any unit; a total of 0 counts as done.
        """
        elapsed, share = time.monotonic() - self._began, done / total if total else 1.0
        self._first = self._first or (elapsed, share)
        if not self._enabled or elapsed < QUIET_S:
            return
        if sys.stderr.isatty():
            self._bar = self._bar or _Bar(self._title)
            self._bar.show(share, self._left(elapsed, share), note)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _LINE_EVERY_S
            left = self._left(elapsed, share)
            sys.stderr.write(
                f"{self._title}: {share:.0%} after {duration(elapsed)}{', about ' if left else ''}{left}"
                f"{'; ' if note else ''}{note}\n"
            )
            sys.stderr.flush()

    def write(self, line: str) -> None:
        """Print a line above the progress."""
        if not self._enabled:
            return
        if self._bar:
            self._bar.write(line)
        else:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    def _left(self, elapsed: float, share: float) -> str:
        """Return the time left at the pace since the first update: what was done before may have been found done."""
        began, before = self._first or (0.0, 0.0)
        if share <= before:
            began, before = 0.0, 0.0
            if share < _LEAST_SHARE:  # the first step of a run can take minutes, and has no pace
                return ""
        if share - before < _LEAST_SHARE and elapsed - began < _LEAST_S:
            return ""
        return f"{duration((elapsed - began) * (1 - share) / (share - before))} left" if share > 0 else ""


class _Bar:
    """A bar of rich on stderr."""

    def __init__(self, title: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[note]}"),
        )
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(title, total=1.0, left="", note="")
        self._progress.start()

    def show(self, share: float, left: str, note: str) -> None:
        self._progress.update(self._task, completed=share, left=left, note=note)

    def write(self, line: str) -> None:
        self._progress.console.print(line, markup=False, highlight=False)

    def stop(self) -> None:
        self._progress.stop()


def duration(seconds: float) -> str:
    """Return a time in words, to a second, a minute or, from two days on, a tenth of a day.

    The time with its unit. `seconds`: time, s, at least 0.

    Examples
    --------
    >>> duration(90), duration(5400), duration(200_000)
    ('90 s', '90 min', '2.3 days')
    """
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s" if seconds >= 10 or whole == seconds else f"{seconds:.2g} s"
    if whole >= 48 * 3600:
        return f"{seconds / 86400:.1f} days"
    return f"{whole // 60} min" if whole < 7200 else f"{whole // 3600} h {whole % 3600 // 60} min"
