"""A figure of the folder: its name, its question, and how to draw it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: An Altair chart, and the sentence under it.
ChartAndCaption = tuple[Any, str]


@dataclass(frozen=True)
class Drawable:
    """Figure that can be drawn."""

    name: str  #: path below the folder of figures, without ending
    question: str  #: what it answers
    make: Callable[[], ChartAndCaption]  #: chart and caption
    family: str = ""  #: of figures that differ only in what is selected
    selection: Mapping[str, str] = field(default_factory=dict)
