"""Scenarios: every parameter of one network, its unit, bounds and source; built-in ones are in ``builtin``.

May import the ground, `mesonet.topologies` and `mesonet.responses`. `scenario.scenario` makes a `scenario.Scenario`
from a name, a file or values; `parameters` lists the single values, `settings` everything that a path can name.
"""
