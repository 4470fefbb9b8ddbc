"""Why a number has no verdict."""


class NotEvaluated(Exception):
    """A number cannot be measured: says why, or what would measure it."""
