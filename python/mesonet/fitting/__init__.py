"""From a capture of one flow to the path that it took: readers, estimates, the replay that judges them, what-ifs.

A reader returns a `Recording` (`recording.py`), and all else follows from it: `estimates.py` describes the path,
`paths.py` makes scenarios of it, `gate.py` replays the captured control there, `what_if.py` asks for other controls.
Imports simulation and charts; nothing here knows the command.
"""
