"""The runs that are not done, for threads and clusters that take one after another."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable

from mesonet.campaign.attempt import Outcome
from mesonet.campaign.backlog import Backlog, Watch
from mesonet.campaign.ledger import Run
from mesonet.progress import Progress

_LOOK_AGAIN_S = 1.0
"""Time until a run that another runner makes is tried again, s."""
_STOPPED_AGAIN = 100
"""Most repetitions of a run that was ended from outside, against endless loops."""


class Agenda:
    """Runs in the order of a backlog; shows on a progress bar how they end."""

    def __init__(self, backlog: Backlog, progress: Progress, watch: Watch | None = None) -> None:
        self._backlog, self._progress, self._watch = backlog, progress, watch
        self._done: list[Run] = []
        self._waiting = [(0.0, place, run) for place, run in enumerate(backlog.runs)]
        self._next_place = len(self._waiting)
        self._out = 0
        self._ended: BaseException | bool = False
        self._changed = threading.Condition()
        self._again: dict[str, int] = {}
        self._costs = {run.key: backlog.costs.of(run.condition) for run in backlog.runs}
        self._total = sum(self._costs.values())
        self._spent, self._finished, self._failed = 0.0, 0, 0
        self._shares: dict[str, Callable[[], float]] = {}

    @property
    def stopped(self) -> bool:
        """True if no more runs are given out, so that runners end the runs in progress."""
        return self._ended is not False

    @property
    def over(self) -> bool:
        """True if all runs are finished."""
        with self._changed:
            return not self._waiting and not self._out

    def next(self) -> Run | None:
        """Return the next run, as soon as there is one. None when all are finished, or after `stop`."""
        with self._changed:
            while not self.stopped:
                if (run := self._pop()) or (not self._waiting and not self._out):
                    return run
                self._changed.wait(max(0.01, self._waiting[0][0] - time.monotonic()) if self._waiting else None)
            return None

    def next_now(self) -> Run | None:
        """Return the next run without waiting. None if there is none now."""
        with self._changed:
            return None if self.stopped else self._pop()

    def follow(self, run: Run, share: Callable[[], float]) -> None:
        """Count the finished share of a run in the progress until the run ends.

        `share`: returns its finished share, 0 to 1.
        """
        with self._changed:
            self._shares[run.key] = share

    def end(self, run: Run, ending: Outcome) -> None:
        """Record the outcome of a run; give the run again if another try may succeed."""
        with self._changed:
            self._out -= 1
            self._shares.pop(run.key, None)
            again = self._is_again(run, ending)
            if again:
                self._next_place += 1
                later = time.monotonic() + (_LOOK_AGAIN_S if ending == "busy" else 0.0)
                heapq.heappush(self._waiting, (later, self._next_place, run))
            else:
                self._finished += 1
                self._failed += ending != "done"
                if ending == "done":
                    self._done.append(run)
                self._spent += self._costs[run.key]
            self._changed.notify_all()
        self._show()

    def stop(self, error: BaseException | None = None) -> None:
        """Stop giving out runs."""
        with self._changed:
            if self._ended is False:
                self._ended = error or True
            self._changed.notify_all()

    def show(self, more: str = "") -> None:
        """Show the number of finished runs, and what they show so far. Only one thread may call this."""
        if self._watch:
            with self._changed:
                done, self._done = self._done, []
            for line in self._watch.learn(done):
                self._progress.write(line)
        self._show(more)

    def _show(self, more: str = "") -> None:
        note = f"{self._finished} of {len(self._costs)} runs" + (f", {self._failed} failed" if self._failed else "")
        known = self._watch.note() if self._watch else ""
        note += f"; {known}" if known else ""
        with self._changed:
            begun = sum(self._costs[key] * share() for key, share in self._shares.items())
        self._progress.update(self._spent + begun, self._total, note + (f", {more}" if more else ""))

    def raise_if_stopped(self) -> None:
        """Raise the error given to `stop`, if there was one."""
        if isinstance(self._ended, BaseException):
            raise self._ended

    def _pop(self) -> Run | None:
        if self._waiting and self._waiting[0][0] <= time.monotonic():
            self._out += 1
            return heapq.heappop(self._waiting)[2]
        return None

    def _is_again(self, run: Run, ending: Outcome) -> bool:
        if ending == "stopped":
            self._again[run.key] = self._again.get(run.key, 0) + 1
            return self._again[run.key] < _STOPPED_AGAIN
        return ending == "busy" or (ending == "died" and self._backlog.may_try_again(run))
