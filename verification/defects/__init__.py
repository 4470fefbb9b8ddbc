"""Congestion controls with one defect each, which the contract of ``mesonet conform`` must refuse."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent

DEFECTS = {
    "a window of 1 segment": f"{_FOLDER / 'constant.c'}(window=1)",
    "a window of 10 segments": f"{_FOLDER / 'constant.c'}(window=10)",
    "a window of 400 segments": f"{_FOLDER / 'constant.c'}(window=400)",
    "a window of 1e18 segments": f"{_FOLDER / 'constant.c'}(window=1e18)",
    "twice the rate of the link": f"{_FOLDER / 'rate.c'}(rate=3333)",
    "ignores losses": f"{_FOLDER / 'deaf.c'}(sign=0)",
    "ignores timeouts": f"{_FOLDER / 'deaf.c'}(sign=1)",
    "ignores marks, though its segments are ECN-capable": f"{_FOLDER / 'deaf.c'}(sign=2)",
    "keeps its window in recovery": str(_FOLDER / "frozen.c"),
    "doubles its window at losses": f"{_FOLDER / 'doubling.c'}(factor=2)",
    "gives up 5 % of its window at losses": "tcp(decrease=0.05)",
    "begins again at 1 segment after losses, without slow start": str(_FOLDER / "restarting.c"),
    "never grows after its first loss": str(_FOLDER / "sinking.c"),
    "adds 10 segments in each round trip": "tcp(increase=10)",
    "grows in slow start by 10 segments for each segment": f"{_FOLDER / 'leaping.c'}(growth=10)",
    "never leaves slow start": str(_FOLDER / "exponential.c"),
    "a window of 1 segment after 0.4 s": f"{_FOLDER / 'stopping.c'}(after=0.4)",
    "a window of 1 segment after 30 s": f"{_FOLDER / 'stopping.c'}(after=30)",
    "windows of 1 and 1000 segments in turn": f"{_FOLDER / 'swinging.c'}(seconds=1)",
    "a count that all flows share": str(_FOLDER / "shared.c"),
    "a window of 1 segment after a time without data": str(_FOLDER / "idle.c"),
    "never reduces its window after 30 s": f"{_FOLDER / 'bomb.c'}(after=30)",
}
"""Algorithms as text, by their defects in words."""

UNSEEN = {
    "adds 2 segments in each round trip": "tcp(increase=2)",
    "never reduces its window after 250 s": f"{_FOLDER / 'bomb.c'}(after=250)",
    "reduces its window at every second loss only": str(_FOLDER / "alternating.c"),
    "a window of 1 segment after 150 s": f"{_FOLDER / 'stopping.c'}(after=150)",
}
"""Controls with defects that the contract cannot see."""
