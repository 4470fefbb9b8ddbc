"""Scores of congestion controls that programs write: a contract, hidden paths, bad paths and a part of a suite.

`admission` searches the file of a candidate, `cells` draws hidden paths and scores runs on them, `evidence` compares by
a suite, `stages` makes the runs of one candidate, `sandbox` confines a process to them. `worker` makes a process for
each candidate, and `score` is all of it from the outside. May import everything but the command line.
"""
