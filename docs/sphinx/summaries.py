"""The directive ``summary``: a table of all names of a module, functions before classes, with their first sentences.

Its option `first` names what most programs need; these names lead the table.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.ext.autosummary import Autosummary


class Summary(Autosummary):
    """The table of autosummary, whose names are those of the module."""

    required_arguments = 1
    has_content = False
    option_spec: ClassVar[Any] = {"first": directives.unchanged, "only": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the table; refuse a name that the module does not offer."""
        module = importlib.import_module(self.arguments[0])
        first = self.options.get("first", "").split()
        if unknown := sorted(set(first) - set(module.__all__)):
            raise self.error(f"{module.__name__} does not offer {', '.join(unknown)}")
        names = first if "only" in self.options else ordered(module, first)
        self.options["nosignatures"] = True
        self.content = StringList(
            [f"~{module.__name__}.{name}" for name in names], source=str(self.env.doc2path(self.env.docname))
        )
        return super().run()


def ordered(module: Any, first: list[str]) -> list[str]:
    """Return the functions and classes that a module offers: the first ones, then functions, classes and errors."""

    def place(name: str) -> tuple[int, str]:
        value = getattr(module, name)
        kind = 0 if not inspect.isclass(value) else 2 if issubclass(value, BaseException) else 1
        return kind, name.lower()

    offered = [
        name for name in module.__all__ if inspect.isclass(getattr(module, name)) or callable(getattr(module, name))
    ]
    return [*first, *sorted((name for name in offered if name not in first), key=place)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the directive."""
    app.add_directive("summary", Summary)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
