"""Comparison of two scenarios: paired log ratios, simultaneous intervals, verdicts in both directions, looks, effects.

`pairs` makes pairs of runs, `estimands` the means that are compared, `welch` their intervals. `decision` has the
verdict on one response, `power` the runs that would settle it, `course` its looks. `length` checks the duration of
runs, and `effects` has the model of a design. May import the ground and the other files of `analysis`.
"""
