"""Settings of factors as text."""

from __future__ import annotations

from mesonet.reporting.campaign_view.values import Values, factor_title, level_text

Settings = tuple[tuple[str, int], ...]  # a factor and its level, -1 or +1


def spelt_settings(view: Values, settings: Settings) -> str:
    """Return settings with the values of their levels.

    Text such as ``network speed (X1) at 40 seg/ms and not algorithm tcp``; ``all`` without a setting. `settings`:
    factors, or ``algorithm NAME``, with their levels.
    """

    def one(name: str, level: int) -> str:
        if name.startswith("algorithm "):
            return f"{'' if level > 0 else 'not '}{name}"
        return f"{factor_title(view, name)} at {level_text(view, name, level)}"

    return " and ".join(one(name, level) for name, level in settings) or "all"


def question_title(view: Values, name: str) -> str:
    """Return the title of a question of a rule: an algorithm, or a factor."""
    return name if name.startswith("algorithm ") else factor_title(view, name)
