"""Simulation of one scenario: run it, interrupt and resume it, read its tables.

May import the ground, `mesonet.responses` and `mesonet.scenarios`. `simulate.simulate` runs a scenario,
`result.Result` holds its tables, `checkpoint` its snapshots, `provenance` what code ran where.
"""
