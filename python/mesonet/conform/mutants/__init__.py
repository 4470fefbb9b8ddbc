"""Mutants of a plug-in: its source with one small change each, and the checks of `mesonet.conform` that notice it.

`mutation` has the changes of numbers and operators, `in_c` and `in_python` find their places in a source.
`mutants` checks each in a process of its own. May import the rest of `mesonet.conform`.
"""
