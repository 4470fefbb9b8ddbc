"""Mutants of a plug-in: its source with one small change each, and the checks of `mesonet.conform` that notice it.

`mutation` has the changes of numbers and operators, `in_c` and `in_python` find their places in a source. `trial` is
the process that checks one mutant, `mutants` makes all trials. May import the rest of `mesonet.conform`.
"""
