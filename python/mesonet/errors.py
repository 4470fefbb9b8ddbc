"""Errors that users can put right themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mesonet.visible import on_one_line
from mesonet.words import folded


@dataclass(eq=False)
class InputError(ValueError):
    """A value that mesonet cannot accept.

    Parameters
    ----------
    problem
        The problem, in one clause.
    file
        The file that holds the value, or the option that gave it (``--set``).
    path
        The scenario or experiment path, such as ``network.speed`` or ``factors[2].plus``.
    value
        The value as the user wrote it.
    allowed
        Allowed values, in words.
    """

    problem: str
    file: str | None = None
    path: str | None = None
    value: Any = None
    allowed: str | None = None

    def __str__(self) -> str:
        where = ": ".join(on_one_line(part) for part in (self.file, self.path) if part)
        if self.value is not None:
            where += f" = {_shown(self.value)}" if where else _shown(self.value)
        message = f"{where}: {self.problem}" if where else self.problem
        return f"{message}. Allowed: {self.allowed}" if self.allowed else message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.file, self.path, self.value, self.allowed)

    def located(self, *, file: str | Path | None = None, path: str | None = None) -> InputError:
        """Return this error with the file and the path filled in where they are still unknown.

        Parameters
        ----------
        file, path
            The places to fill in.

        Returns
        -------
        Another error.
        """
        return InputError(
            self.problem,
            self.file or (str(file) if file is not None else None),
            self.path or path,
            self.value,
            self.allowed,
        )

    def below(self, path: str) -> InputError:
        """Return this error with the path of a value before the place in the value, unless the place is in a file.

        Parameters
        ----------
        path
            The path of the value, such as ``flows[0]``.

        Returns
        -------
        Another error, or this one.
        """
        if self.file is not None:
            return self
        inner = self.path or ""
        dot = "" if not inner or inner.startswith("[") else "."
        return InputError(self.problem, None, f"{path}{dot}{inner}", self.value, self.allowed)


class Broken(RuntimeError):
    """Failure of a process or a cluster that runs a model or a campaign; no value of the user is to blame."""


class PluginFault(RuntimeError):
    """A plug-in left a window that is not allowed; the message names plug-in, event, flow and simulated time."""


def needs_extra(what: str, extra: str) -> ImportError:
    """Return the error for an optional package that is not installed.

    Examples
    --------
    >>> print(needs_extra("a Dask cluster", "dask"))
    a Dask cluster needs an optional package: pip install "mesonet[dask]"
    """
    return ImportError(f'{what} needs an optional package: pip install "mesonet[{extra}]"')


def unknown(what: str, value: str, known: Iterable[str], **where: Any) -> InputError:
    """Return the error for an unknown name. It lists the nearest names, and all names of a short list.

    `what`: kind of the name, such as ``algorithm``. `where`: ``file`` and ``path`` of the error.

    Examples
    --------
    >>> print(unknown("algorithm", "cubik", ["tcp", "cubic"]))
    "cubik": unknown algorithm (nearest: cubic). Allowed: tcp, cubic
    """
    names = list(known)
    by_folded = {folded(name): name for name in names}
    near = [by_folded[each] for each in get_close_matches(folded(value), by_folded, n=3, cutoff=0.5)]
    problem = f"unknown {what}" + (f" (nearest: {', '.join(near)})" if near else "")
    allowed = ", ".join(names if len(names) <= 50 else near or names[:50])
    return InputError(problem, value=value, allowed=allowed, **where)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = on_one_line(f'"{value}"' if isinstance(value, str) else str(value))
    return text if len(text) <= 120 else text[:117] + "..."
