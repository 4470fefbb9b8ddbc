"""Sentences on a grid that can be quoted: highest and lowest mean, largest change along each factor, algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mesonet.campaign.tidy import FactorLevels
from mesonet.reporting.campaign_view.flow_groups import replicates_text
from mesonet.reporting.campaign_view.grid import Grid, is_count, title_of
from mesonet.words import capitalised, counted, difference, quantity, span, verb

#: Responses on the first screen.
FIRST = 2
#: Part of the largest value within which values count as equal: rounding of sums.
_EQUAL = 1e-9
_START = ' Flows that start at random, such as flows[0].start_within = "1 s", make replicates differ.'


@dataclass(frozen=True)
class GridAnswer:
    """Sentences on one response of a grid."""

    response: str
    title: str
    sentences: tuple[str, ...]


def grid_answers(grid: Grid, responses: Sequence[str]) -> list[GridAnswer]:
    """Return the sentences on responses of the main period."""
    titles = grid.view.responses
    return [GridAnswer(name, titles[name].title, tuple(_sentences(grid, name))) for name in responses]


def note(grid: Grid) -> str:
    """Return how means and intervals are made, in words."""
    view = grid.view
    by_response = {name: grid.notes(name) for name in grid.key_responses}
    remarks = list(dict.fromkeys(remark for each in by_response.values() for remark in each))
    unknown = [view.label_of(name) for name, each in by_response.items() if len(each) == len(view.algorithms)]
    replicates = replicates_text(view.campaign)
    text = (
        f"{counted(view.campaign.rows.conditions, 'combination')} of levels, "
        f"{replicates} {'replicate' if replicates == '1' else 'replicates'} of each. "
        "A change along a factor is a mean over the combinations of the other factors."
    )
    if len(unknown) == len(by_response):
        return f"{text} {' '.join(remarks)}{_START if any('random' in each for each in remarks) else ''}"
    return (
        f"{text} In brackets are intervals of 95 % from the replicates. The intervals of all changes of one factor "
        "hold together. A combination counts as a rise or a fall if its own interval excludes 0."
        + (f" Not known is the interval of: {', '.join(unknown)}." if unknown else "")
    )


def changes_text(grid: Grid, response: str, period: str) -> str:
    """Return the changes of a response along all factors, for each algorithm."""
    return " ".join(_changes(grid, response, period, name) for name in grid.view.algorithms).strip()


def _sentences(grid: Grid, response: str) -> list[str]:
    view, period = grid.view, grid.view.main_period
    title, unit = view.title_of(response), view.unit_of(response)
    found = []
    for name in view.algorithms:
        means = grid.means(response, period, name, tuple(grid.names))
        whose = f"With {name}, the" if len(view.algorithms) > 1 else "The"
        known = np.flatnonzero(np.isfinite(means.mean))
        if not len(known):
            found.append(f"{whose} {title} has no value.")
            continue
        values = means.mean[known]
        if np.ptp(values) <= _EQUAL * np.abs(values).max():
            found.append(f"{whose} {title} is {quantity(float(values[0]), unit)} everywhere.")
            continue
        texts = [
            f"{quantity(float(means.mean[n]), unit)}{_between(float(means.low[n]), float(means.high[n]), unit)}, with "
            f"{grid.condition_words(int(n))}"
            for n in (known[np.argmax(values)], known[np.argmin(values)])
        ]
        extremes = f"{whose} mean {title.removeprefix('mean ')} is highest, {texts[0]}. It is lowest, {texts[1]}."
        found.append(f"{extremes} {_changes(grid, response, period, name, whose=False)}".strip())
    return [*found, *_against(grid, response)]


def _between(low: float, high: float, unit: str) -> str:
    """Return an interval in brackets; empty without one, or if both ends have one text."""
    if not (np.isfinite(low) and np.isfinite(high)):
        return ""
    text = span(low, high, unit)
    return f" ({text})" if " to " in text else ""


def _changes(grid: Grid, response: str, period: str, algorithm: str, *, whose: bool = True) -> str:
    """Return the largest change along each factor, the largest first; proved changes before all others.

    `whose`: the first sentence names the algorithm.
    """
    changes, unit = grid.changes(response, period, algorithm), grid.view.unit_of(response)
    rows = [(each, n) for each in grid.factors if (n := changes.largest(each.factor.id)) is not None]
    rows.sort(key=lambda pair: -abs(float(changes.change[pair[1]])))
    proved, doubtful = [], []
    for each, n in rows:
        first, second = int(changes.first[n]), int(changes.second[n])
        change, low, high = (float(column[n]) for column in (changes.change, changes.low, changes.high))
        rises, falls = int(changes.rises[n]), int(changes.falls[n])
        if change < 0 and each.numbers is None:  # words have no order: the change is shown as a rise
            first, second, change, low, high, rises, falls = second, first, -change, -high, -low, falls, rises
        ends = f"from {_from_to(grid, each, first, second)}"
        if low <= 0 <= high:
            doubtful.append(f"{ends} ({_span_of_differences(low, high, unit)})")
            continue
        moved = "rises" if change > 0 else "falls"
        counts = _directions(int(changes.cells[n]), rises, falls)
        proved.append(f"{ends} it {moved} by {_size(change, low, high, unit, counts)}")
    if doubtful:
        proved.append(f"no change is proved {'; '.join(doubtful)}")
    named = f"with {algorithm}, " if whose and len(grid.view.algorithms) > 1 and proved else ""
    return " ".join(f"{capitalised(text)}." for text in [f"{named}{proved[0]}", *proved[1:]]) if proved else ""


def _from_to(grid: Grid, each: FactorLevels, first: int, second: int) -> str:
    """Return two levels of a factor, such as ``2 to 50 flows`` or ``buffer size 100 kB to 1 bdp``."""
    texts = each.texts[first], each.texts[second]
    words = grid.level_words(each, first), grid.level_words(each, second)
    if is_count(each) and each.numbers is not None:
        return f"{each.numbers[first]:g} to {words[1]}"
    return f"{words[0]} to {words[1]}" if words == texts else f"{title_of(each)} {texts[0]} to {texts[1]}"


def _size(change: float, low: float, high: float, unit: str, more: str = "") -> str:
    """Return the size of a change with its interval, whatever its sign. `more`: text behind the interval."""
    size = difference(abs(change), unit)
    text = ""
    if np.isfinite(low) and np.isfinite(high):
        ends = sorted((abs(low), abs(high)))
        text = _span_of_differences(ends[0], ends[1], unit)
    brackets = "; ".join(part for part in (text if " to " in text else "", more) if part)
    return f"{size} ({brackets})" if brackets else size


def _span_of_differences(low: float, high: float, unit: str) -> str:
    if unit != "1":
        return span(low, high, unit)
    texts = [difference(value, unit).split(" ")[0] for value in (low, high)]
    return difference(high, unit) if texts[0] == texts[1] else f"{texts[0]} to {texts[1]} percentage points"


def _directions(cells: int, rises: int, falls: int) -> str:
    """Return in how many combinations a change has each direction, unless all agree or none has one."""
    if cells < 2 or max(rises, falls) in (0, cells):
        return ""
    parts = [f"{word} in {count}" for word, count in (("rises", rises), ("falls", falls)) if count]
    return f"{' and '.join(parts)} of {cells} combinations"


def _against(grid: Grid, response: str) -> list[str]:
    """Return how the algorithms differ, each from the first."""
    view = grid.view
    first, unit, title = view.algorithms[0], view.unit_of(response), view.title_of(response)
    found = []
    for name in view.algorithms[1:]:
        if (both := grid.differences(response, name, first)) is None:
            continue
        mean, each = both
        value, low, high = (float(column[0]) for column in (mean.mean, mean.low, mean.high))
        if low <= 0 <= high:
            shown = _span_of_differences(low, high, unit)
            text = f"no difference between {name} and {first} is proved in the mean ({shown})"
        else:
            side = "higher" if value > 0 else "lower"
            text = f"with {name} it is {_size(value, low, high, unit)} {side} than with {first} in the mean"
        more, less, of = int((each.low > 0).sum()), int((each.high < 0).sum()), int(np.isfinite(each.mean).sum())
        if np.isfinite(each.low).any() and of > 1:
            rest = of - more - less
            text += (
                f". Of {of} combinations it is higher in {more}, lower in {less}, and {rest} {verb(rest, 'show')} none"
            )
        if of > 1 and np.nanmax(np.abs(each.mean)) > 0:
            widest = int(np.nanargmax(np.abs(each.mean)))
            size, side = difference(abs(float(each.mean[widest])), unit), "higher" if each.mean[widest] > 0 else "lower"
            ends = _between(float(each.low[widest]), float(each.high[widest]), "" if unit == "1" else unit)
            text += f". The largest difference is {size} {side}, with {grid.condition_words(widest)}"
            text += (
                ""
                if ends and np.sign(each.low[widest]) == np.sign(each.high[widest])
                else ", not proved"
                if ends
                else ""
            )
        found.append(f"{capitalised(title)}: {text}.")
    return found
