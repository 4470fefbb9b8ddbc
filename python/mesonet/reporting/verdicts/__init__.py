"""Verdicts on the deployment of an algorithm, with their power."""
