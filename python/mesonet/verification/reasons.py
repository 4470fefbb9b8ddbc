"""Why a number has no verdict."""


class NotEvaluated(Exception):
    """A number cannot be measured: says why, or what would measure it."""


class NotRun(NotEvaluated):
    """The campaign of a number is not there and takes too long to be run."""
