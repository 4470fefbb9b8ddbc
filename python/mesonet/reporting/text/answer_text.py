"""Verdicts and settings in the words of readers who decide: units of networks, no numbers of factors."""

from __future__ import annotations

import re
from math import isfinite

from mesonet import units
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.verdicts.verdict import MARGIN, MIXED, NO_HARM, NOT_JUDGED, WORSE, Change, Verdict
from mesonet.words import counted, number, percent

_RATE = re.compile(r"(-?[\d.,]+(?:e[+-]?\d+)?) ?(?:seg|segments)/(ms|s)\b")
_PRODUCT = re.compile(r"([\d.]+) bdp(/sqrt\(n\))?")


def in_words(level: str, segment_bytes: float | None) -> str:
    """Return a setting in units of networks.

    Examples
    --------
    >>> in_words("40 seg/ms", 1500), in_words("1 bdp", 1500)
    ('480 Mbit/s', 'one bandwidth-delay product')
    >>> in_words("1 bdp/sqrt(n)", None)
    'one bandwidth-delay product divided by the square root of the number of flows'
    """

    def rate(match: re.Match[str]) -> str:
        per_second = float(match[1].replace(",", "")) * (1000 if match[2] == "ms" else 1)
        return match[0] if segment_bytes is None else units.RATE.familiar(per_second, segment_bytes)

    def product(match: re.Match[str]) -> str:
        many = "one bandwidth-delay product" if float(match[1]) == 1 else f"{match[1]} bandwidth-delay products"
        return many + (" divided by the square root of the number of flows" if match[2] else "")

    return _PRODUCT.sub(product, _RATE.sub(rate, level))


def plain(view: CampaignView, text: str) -> str:
    """Return a text with settings in units of networks, without the short names of factors.

    `text`: text such as ``network speed (X1) at 40 seg/ms``.
    """
    for factor in view.campaign.factors:
        text = text.replace(f" ({factor.id})", "")
    return in_words(text, view.segment_bytes)


def replacement_sentence(view: CampaignView, verdict: Verdict) -> str:
    """Return the verdict on a replacement as one sentence with the change that matters most and its interval."""
    compared = [change for change in verdict.changes if change.compared]
    if verdict.verdict == NOT_JUDGED or not compared:
        return f"{verdict.verdict}{': no throughput was measured' if verdict.without_throughput else ''}."
    most = max(compared, key=lambda change: change.harm)
    text = verdict.verdict
    if verdict.verdict == WORSE:
        most = max((c for c in compared if c.is_harmful), key=lambda change: change.harm, default=most)
    elif verdict.verdict == MIXED:
        parts = [c for c in compared if c.part]
        if parts:
            most = max(parts, key=lambda change: change.harm)
            return f"{text}; {_part(view, most)}."
        most = max(compared, key=lambda change: (change.worse, change.harm))
        if not most.worse:
            return f"{text}; {_moves(most)}."
        where = f"{most.title} is worse in {most.worse} of {counted(most.compared, 'condition')}"
        return f"{text}; {where}; {_moves(most, 'it')}."
    elif verdict.verdict == NO_HARM:
        return f"{text}: no response is worse by more than {percent(MARGIN)}; at most, {_moves(most)}."
    else:
        most = max(compared, key=lambda change: change.high if isfinite(change.high) else change.harm)
        doubt = _doubt(most)
        return f"{text}{doubt}; {_moves(most, 'it' if doubt else '')}{_dominated(most)}."
    return f"{text}; {_moves(most)}."


def _doubt(change: Change) -> str:
    """Return which harm cannot be excluded, as the end of a clause; empty if the noise alone is too large."""
    if change.high <= MARGIN:
        return ""
    return f" whether {change.title} {'rises' if change.lower_is_better else 'falls'} by more than {percent(MARGIN)}"


def _dominated(change: Change) -> str:
    """Return the condition that makes most of the mean, as the end of a sentence; empty without one."""
    if change.dominant is None:
        return ""
    condition, share = change.dominant
    return f"; condition {condition} makes {percent(share)} of the mean"


def _moves(change: Change, title: str = "") -> str:
    """Return the direction and the size of a change in words, with its interval; `title` stands for the response."""
    title = title or change.title
    if abs(change.mean) < 0.05:
        moved = f"{title} stays equal"
    else:
        moved = f"{title} {'rises' if change.mean > 0 else 'falls'} by {percent(abs(change.mean))} on average"
    if not (isfinite(change.low) and isfinite(change.high)):
        return f"{moved} (interval not known)"
    low, high = change.interval
    return f"{moved} (95 % interval: {_signed(low)} to {percent(high, sign=True)})"


def _signed(value: float) -> str:
    return percent(value, sign=True).removesuffix(" %")


def _part(view: CampaignView, change: Change) -> str:
    """Return the change at the level at which it is worst, without the short name of the factor."""
    part = change.part
    if part is None:
        return _moves(change)
    level = plain(view, part.level)
    moved = f"{change.title} {'rises' if part.mean > 0 else 'falls'} by {percent(abs(part.mean))}"
    where = f"in the {number(part.conditions)} conditions with {level}"
    low, high = (part.low, part.high) if change.lower_is_better else (-part.high, -part.low)
    return f"{moved} {where} (95 % interval: {_signed(max(-100.0, low))} to {percent(high, sign=True)})"
