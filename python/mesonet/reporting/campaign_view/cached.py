"""Methods whose results are kept in their object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

P = ParamSpec("P")
Returned = TypeVar("Returned")
Owner = TypeVar("Owner")


def cached(method: Callable[Concatenate[Owner, P], Returned]) -> Callable[Concatenate[Owner, P], Returned]:
    """Return a method that keeps its results, by arguments, in the object that it belongs to.

    `method`: method whose arguments can be keys of a dictionary, of an object with a ``__dict__``; or a function whose
    first argument is such an object.
    """

    @wraps(method)
    def call(self: Owner, *args: P.args, **named: P.kwargs) -> Returned:
        kept: dict[Any, Returned] = self.__dict__.setdefault("_remembered", {})
        key = method, args, tuple(named.items())
        if key not in kept:
            kept[key] = method(self, *args, **named)
        return kept[key]

    return cast("Callable[Concatenate[Owner, P], Returned]", call)
