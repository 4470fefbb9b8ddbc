"""Series of pandas, whose values belong to labels and not to places."""

from __future__ import annotations

from typing import Any

from mesonet.errors import InputError


def by_label(values: Any, others: Any, path: str) -> Any:
    """Return values in the order of the labels of others, or of 0, 1, 2 and so on if others have no labels.

    Values without labels are returned unchanged. `values`, `others`: arrays, or data of pandas. `path`: name of the
    argument in a refusal.
    """
    own = _labels(values)
    if own is None:
        return values
    labels = _labels(others)
    wanted = list(range(len(own))) if labels is None else labels
    if own == wanted:
        return values
    if len(own) != len(wanted) or len(set(own)) != len(own) or set(own) != set(wanted):
        which = "0, 1, 2 and so on" if labels is None else "the labels of the other rows"
        allowed = f"{which}, each once; values alone are in the order of the rows: {path}.to_numpy()"
        raise InputError("labels that match no rows", path=f"{path}.index", value=own[:5], allowed=allowed)
    return values.loc[wanted]


def _labels(values: Any) -> list[Any] | None:
    return list(values.index) if hasattr(values, "reindex") else None
