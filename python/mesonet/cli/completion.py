"""Names that a shell may complete. Where no name begins as typed, the shell completes paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

Completion = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completion(names: Callable[[], Iterable[str]], separators: str = "") -> Completion:
    """Return a completion of one name, or of the last name in a list with these separators."""

    def complete(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
        begin = max(typed.rfind(each) for each in separators) + 1 if separators else 0
        done, last = typed[:begin], typed[begin:]
        found = [CompletionItem(done + name) for name in names() if name.startswith(last)]
        return found or [CompletionItem(typed, type="file")]

    return complete


def _builtins(*folders: str) -> list[str]:
    from mesonet.files.toml import builtin_names

    return sorted(name for folder in folders for name in builtin_names(folder))


def _scenarios() -> list[str]:
    from mesonet.files.toml import EXPERIMENTS, SCENARIOS

    return _builtins(SCENARIOS, EXPERIMENTS)


def _experiments() -> list[str]:
    from mesonet.files.toml import EXPERIMENTS

    return _builtins(EXPERIMENTS)


def _algorithms() -> Iterable[str]:
    from mesonet import core

    return core.algorithms()


def _settings() -> list[str]:
    from mesonet.scenarios.parameters import PARAMETERS

    return [f"{path}=" for path in PARAMETERS]


def _suites() -> Iterable[Any]:
    from mesonet.evidence.suite import suites

    return suites()


def _terms() -> Iterable[str]:
    from mesonet.cli.glossary import names

    return names()


SCENARIO = _completion(_scenarios)
EXPERIMENT = _completion(_experiments)
ALGORITHM = _completion(_algorithms)
ALGORITHMS = _completion(_algorithms, ", ")
SETTING = _completion(_settings)
SUITE = _completion(_suites)
TERM = _completion(_terms)
