"""Kinds of values of a scenario: a file for each kind, which reads its values, shows them and lists what is allowed.

A parameter has a path and a kind (`key.Key`). To add a kind, write a class below `kind.Kind`. May import the ground,
`mesonet.topologies` and `mesonet.scenarios.by_column`.
"""
