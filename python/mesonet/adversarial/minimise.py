"""Simplest path that is nearly as bad as a path: phases and episodes are dropped, then numbers are rounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from mesonet.adversarial.judge import COPIES, SIMPLEST, Judge
from mesonet.adversarial.path import EPISODES, ChangingPath, Phase, is_time

KEPT = 0.9
"""Part of the median score that remains (chosen)."""
_ROUNDINGS_S = (1.0, 0.5, 0.1)
_DIGITS = (1, 2)


def minimised(judge: Judge, path: ChangingPath) -> ChangingPath:
    """Return the path with fewer and rounder numbers; the path itself if its copies have no harm."""
    enough = KEPT * judge.medians([path], COPIES, (SIMPLEST,))[0]
    if enough <= 0:
        return path
    while simpler := _best(
        judge, [each for each in dict.fromkeys(_smaller(path)) if _size(each) < _size(path)], enough
    ):
        path = simpler
    for name in path.numbers():
        for rounder in _rounder(path, name):
            if rounder.is_ordered(judge.question.space.duration) and _best(judge, [rounder], enough):
                path = rounder
                break
    return path


def _best(judge: Judge, paths: list[ChangingPath], enough: float) -> ChangingPath | None:
    """Return the path with the highest median, if that is enough."""
    if not paths:
        return None
    score, place = max((score, -place) for place, score in enumerate(judge.medians(paths, COPIES, (SIMPLEST,))))
    return paths[-place] if score >= enough else None


def _smaller(path: ChangingPath) -> Iterator[ChangingPath]:
    """Yield the paths that lack an episode, a phase, or a difference between two phases."""
    for part in EPISODES:
        for place in range(len(getattr(path, part))):
            yield path.without(part, place)
    phases = path.phases
    for place in range(1, len(phases)):
        before, here = phases[place - 1], phases[place]
        yield _with_phases(path, (*phases[:place], *phases[place + 1 :]))
        yield _with_phases(path, (*phases[: place - 1], replace(here, start=before.start), *phases[place + 1 :]))
    for place, each in enumerate(phases):
        others = [*({"delay": 0.0} for _ in [each] if each.delay)]
        for near in phases[max(0, place - 1) : place]:
            others += [
                {key: getattr(near, key)} for key in ("rate", "delay") if getattr(near, key) != getattr(each, key)
            ]
        for other in others:
            yield _with_phases(path, (*phases[:place], replace(each, **other), *phases[place + 1 :]))
    if path.join:
        yield replace(path, join=0.0)


def _size(path: ChangingPath) -> int:
    """Return the number of changes and episodes of a path."""
    pairs = list(pairwise(path.phases))
    changes = sum((a.rate != b.rate) + (a.delay != b.delay) for a, b in pairs)
    return len(pairs) + changes + len(path.losses) + len(path.outages) + len(path.cross) + bool(path.join)


def _with_phases(path: ChangingPath, phases: tuple[Phase, ...]) -> ChangingPath:
    """Return the path with other phases; equal neighbours are merged, and a delay of all joins the round trip."""
    kept = [
        each
        for place, each in enumerate(phases)
        if not place or replace(each, start=phases[place - 1].start) != phases[place - 1]
    ]
    common = min(each.delay for each in kept)
    return replace(
        path,
        round_trip=path.round_trip + common,
        phases=tuple(replace(each, delay=each.delay - common) for each in kept),
    )


def _rounder(path: ChangingPath, name: str) -> Iterator[ChangingPath]:
    """Yield the paths with a number that has fewer digits, the roundest first."""
    value = path.numbers()[name]
    if is_time(name):
        found = [round(value / step) * step for step in _ROUNDINGS_S]
    else:
        found = [float(f"{value:.{digits}g}") for digits in _DIGITS]
    for number in dict.fromkeys(found):
        if number > 0 and number != value:
            yield path.with_number(name, round(number, 6))
