"""The replay of traced runs on a map: the recorded runs, the layout of the routers, and the frames in few bytes.

May import `packing`, `campaign_view` and `text` of reporting. `record` simulates the runs again,
`replay_section` returns the section of the page.
"""

from __future__ import annotations

from mesonet.reporting.replay.recorded import ReplayRun, recorded_runs
from mesonet.reporting.replay.section import replay_section
from mesonet.reporting.replay.simulated import record

__all__ = ["ReplayRun", "record", "recorded_runs", "replay_section"]
