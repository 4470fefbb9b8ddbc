"""Captions of the figures, made from the numbers of the campaign: a file for each file of `figures` with its name.

May import what `text` may. Each function returns plain text.
"""
