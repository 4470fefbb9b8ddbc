"""Conformance of one congestion control: a contract, cases of its specification, and a baseline of numbers.

`contract` has the checks that hold for any algorithm, `case` reads the cases of specifications, `baseline` compares
numbers with those of a file. `running` makes the runs and returns findings; `junit`, `qlog` and `traces` write them for
other tools. May import everything but the command line.
"""
