"""The analysis of a designed experiment that is a table: levels and blocks from its columns, then the ten steps.

May import what `mesonet.analysis` may, and its steps.
"""
