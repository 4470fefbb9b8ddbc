"""Comparisons in words: counts that the tables repeat, absolute values before any ratio."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, NO_WORSE, WORSE
from mesonet.analysis.decisions.power import needed
from mesonet.evidence.cells import CellComparison, ReportedValue
from mesonet.evidence.measures import unit
from mesonet.evidence.plan import ONLY
from mesonet.words import counted, percent, quantity, span

Group = tuple[str, list[CellComparison]]
"""Comparisons with one level in common, and the level in words, such as ``at buffer 1 bdp`` or ``against tcp``."""


def reason(verdict: str, cells: Sequence[CellComparison], observations: Sequence[ReportedValue]) -> str:
    """Return why a criterion has its verdict: in how many comparisons, and the cell behind it."""
    return f"{count(verdict, cells)} {_behind(verdict, cells, observations)}"


def count(verdict: str, cells: Sequence[CellComparison]) -> str:
    """Return how many comparisons have a verdict, and where.

    Such as ``“worse” in 5 of 6 comparisons: 4 of 4 at buffer 0.25 bdp, 1 of 2 at buffer 4 bdp.``
    """
    having = sum(cell.verdict == verdict for cell in cells)
    text = f"“{verdict}” in {having} of {counted(len(cells), 'comparison')}"
    groups = by_factor(cells, lambda cell: cell.verdict == verdict)
    numbers = [(sum(cell.verdict == verdict for cell in group), len(group), name) for name, group in groups]
    parts = [f"{some} of {every} {name}" for some, every, name in numbers if some]
    text += f": {', '.join(parts)}" if parts else ""
    still_open = sum(cell.verdict == CANNOT_TELL for cell in cells)
    if verdict == WORSE and still_open:
        text += f"; “{CANNOT_TELL}” in {still_open}"
    return f"{text}."


def by_factor(cells: Sequence[CellComparison], has: Callable[[CellComparison], bool]) -> list[Group]:
    """Return the comparisons by the levels of the factor that separates those that have a property; empty if none does.

    A factor of the scenario, the incumbent or the measure.
    """
    ways: list[Callable[[CellComparison], str]] = [
        lambda cell: f"in {cell.measure.title}",
        lambda cell: f"against {cell.incumbent}",
        *(_level(place) for place in range(min(len(cell.cell.levels) for cell in cells))),
    ]
    share = sum(map(has, cells)) / len(cells)
    best: list[Group] = []
    most = 1e-9
    for way in ways:
        groups: dict[str, list[CellComparison]] = {}
        for cell in cells:
            groups.setdefault(way(cell), []).append(cell)
        between = sum(len(group) * (sum(map(has, group)) / len(group) - share) ** 2 for group in groups.values())
        if between > most + 1e-9:
            best, most = list(groups.items()), between
    return best


def _level(place: int) -> Callable[[CellComparison], str]:
    return lambda cell: f"at {cell.cell.levels[place]}"


def leading(cells: Sequence[CellComparison]) -> CellComparison:
    """Return the comparison that is worse and matters most to users.

    Of the first measure that is worse: a criterion lists its measures by their effect on users.
    """
    having = [cell for cell in cells if cell.verdict == WORSE]
    order = list(dict.fromkeys(cell.measure for cell in cells))
    first = min((cell.measure for cell in having), key=order.index)
    return max((cell for cell in having if cell.measure is first), key=lambda cell: cell.effect)


def _behind(verdict: str, cells: Sequence[CellComparison], observations: Sequence[ReportedValue]) -> str:
    """Return the cell behind a verdict in words."""
    if verdict == WORSE:
        worst = leading(cells)
        there = _elsewhere(worst, cells, observations)
        return f"The worst: {sentence(worst)}, {_where(worst)}.{there}"
    if verdict == CANNOT_TELL:
        those = [cell for cell in cells if cell.verdict == CANNOT_TELL]
        widest = max(those, key=lambda cell: (not cell.compared, cell.missing > 0, cell.high))
        values = sentence(widest) if widest.compared else widest.measure.title
        return f"The widest: {values}, {_where(widest)}: {_open(widest)}."
    largest = max(cells, key=lambda cell: cell.harm)
    if verdict == AT_MARGIN:
        edge = max((cell for cell in cells if cell.verdict == AT_MARGIN), key=lambda cell: cell.harm)
        return f"{sentence(edge)}, margin {percent(100 * edge.measure.margin)}, {_where(edge)}."
    excluded = f"The largest harm: {sentence(largest)}, {_where(largest)}."
    if verdict == NO_WORSE:
        return excluded
    best = min((cell for cell in cells if cell.verdict == BETTER), key=lambda cell: cell.high)
    return f"The best: {sentence(best)}, {_where(best)}. {excluded}"


def _elsewhere(worst: CellComparison, cells: Sequence[CellComparison], observations: Sequence[ReportedValue]) -> str:
    """Return the gains in the worst cell, proved or not, and what is reported about it, as a sentence."""
    same = [cell for cell in cells if (cell.label, cell.incumbent) == (worst.label, worst.incumbent)]
    texts = [sentence(cell) for cell in same if cell.harm < 0]
    texts += [
        f"{each.observed.title} is {_instead(each.tested, each.reference, unit(each.observed.value))}"
        for each in observations
        if (each.label, each.incumbent) == (worst.label, worst.incumbent) and not each.word
    ]
    return f" In this cell {'; '.join(texts)}." if texts else ""


def _open(cell: CellComparison) -> str:
    """Return why a cell has no verdict, and what would settle it."""
    if not cell.compared:
        return "no value"
    if cell.missing:
        return f"{cell.missing} of {cell.missing + cell.compared} pairs of runs have no value"
    more = needed(cell.decision)
    high = percent(100 * cell.high)
    why = "hardly any harm is excluded" if high == "100 %" else f"a harm of {high} is not excluded"
    return f"{why}; {counted(more.replicates, 'more replicate')} would settle it" if more else why


def _where(cell: CellComparison) -> str:
    return f"against {cell.incumbent}{at(cell.label, ',')}"


def at(label: str, before: str = "") -> str:
    """Return a cell for use in a sentence, such as ``, at buffer 1 bdp``; empty for the only cell."""
    return "" if label == ONLY else f"{before} at {label}"


def sentence(cell: CellComparison) -> str:
    """Return the change of a cell in words.

    Such as ``goodput of the incumbent is 0.4 instead of 1 Mbit/s, a harm of 60 % (40 to 80 %)``.
    """
    values = _instead(cell.tested, cell.reference, unit(cell.measure.value))
    harm = f"{'a harm' if cell.harm >= 0 else 'a gain'} of {percent(100 * abs(cell.harm))}"
    low, high = (-cell.high, -cell.low) if cell.harm < 0 else (cell.low, cell.high)
    return f"{cell.measure.title} is {values}, {harm} ({span(low, high, '1')})"


def _instead(tested: float, reference: float, of: str) -> str:
    """Return two values with one unit, such as ``0.4 instead of 1 Mbit/s``."""
    first, second = quantity(tested, of), quantity(reference, of)
    tail = "" if of == "1" else f" {of}"
    return f"{first.removesuffix(tail)} instead of {second}"
