"""From a capture of one flow to the path that it took: readers, estimates, the replay that judges them, what-ifs.

A reader (`readers.py`) returns a `Recording`, and all else follows from it: `estimates.py` describes the path,
`paths.py` makes scenarios of it, `gate.py` judges them by replays of the captured control, and `what_if.py` runs other
controls. `fit.py` has the result in words. May import simulation and charts.
"""
