"""The replay of traced runs on a map: the recorded runs, the layout of the routers, and the frames in few bytes."""

from mesonet.reporting.replay.recorded import ReplayRun, recorded_runs
from mesonet.reporting.replay.section import replay_section

__all__ = ["ReplayRun", "recorded_runs", "replay_section"]
