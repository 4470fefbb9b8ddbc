"""Conformance of one congestion control: a contract, cases of its specification, and a baseline of numbers.

`contract` has the checks that hold for any algorithm, `case` reads the cases of specifications, `baseline` compares
numbers with those of a file. `conformance` plans them; `process` and `worker` are the outside and the inside of the
process that makes them. `report`, `junit`, `qlog` and `traces` write findings and runs. May import everything but the
command line.
"""
