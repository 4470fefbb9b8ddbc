"""Checks of mesonet against published results, theory and witnesses: a part of the source checkout, in no wheel."""
