"""Responses and tables of a run: name, unit and meaning of everything that is measured.

May import the ground. `definitions` has the responses, `sets` the groups of the study's papers, `tables` the
columns of the tables of a run.
"""
