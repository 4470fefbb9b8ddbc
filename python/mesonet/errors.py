"""Errors that users can put right themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any


@dataclass(eq=False)
class InputError(ValueError):
    """A value that mesonet cannot accept.

    Parameters
    ----------
    problem
        What is wrong, in one clause.
    file
        The file that holds the value, or how it came in (``--set``).
    path
        The scenario or experiment path, such as ``network.speed`` or ``factors[2].plus``.
    value
        The value as the user wrote it.
    allowed
        What would be accepted, in words.
    """

    problem: str
    file: str | None = None
    path: str | None = None
    value: Any = None
    allowed: str | None = None

    def __str__(self) -> str:
        where = ": ".join(part for part in (self.file, self.path) if part)
        if self.value is not None:
            where += f" = {_shown(self.value)}" if where else _shown(self.value)
        message = f"{where}: {self.problem}" if where else self.problem
        return f"{message}. Allowed: {self.allowed}" if self.allowed else message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.file, self.path, self.value, self.allowed)

    def located(self, *, file: str | Path | None = None, path: str | None = None) -> InputError:
        """Return this error with the file and the path filled in where they are still unknown."""
        return InputError(
            self.problem,
            self.file or (str(file) if file is not None else None),
            self.path or path,
            self.value,
            self.allowed,
        )


class Broken(RuntimeError):
    """Failure of what runs a model or a campaign: no value is to blame, and the message has all that is known."""


def unknown(what: str, value: str, known: Iterable[str], **where: Any) -> InputError:
    """Return the error for a name that is not in `known`; it names the nearest ones, then all of a short list."""
    names = list(known)
    near = get_close_matches(value, names, n=3, cutoff=0.5)
    problem = f"unknown {what}" + (f" (nearest: {', '.join(near)})" if near else "")
    allowed = ", ".join(names if len(names) <= 40 else near or names[:40])
    return InputError(problem, value=value, allowed=allowed, **where)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 120 else text[:117] + "..."
