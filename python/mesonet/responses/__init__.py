"""Responses and tables of a run: name, unit and meaning of everything that is measured.

May import the ground. `definitions` has the responses, `sets` the groups of the study's papers, `columns` the tables of
a run, `column_meanings` a sentence for each column.
"""
