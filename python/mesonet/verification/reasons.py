"""Reasons why a number has no verdict."""


class NotEvaluated(Exception):
    """Error of a number that cannot be measured: the reason, or a way to measure it."""


class NotRun(NotEvaluated):
    """The campaign of a number is not there and takes too long to be run."""
