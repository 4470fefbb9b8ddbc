"""Verdicts and settings in the words of readers who decide: units of networks, no numbers of factors."""

from __future__ import annotations

import re
from math import isfinite

from mesonet import units
from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, DEPENDS, NO_WORSE, WORSE
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.verdicts.verdict import MARGIN, NOT_JUDGED, Change, Part, Verdict
from mesonet.words import counted, percent

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
    text = verdict.verdict
    if text == NOT_JUDGED or not compared:
        return f"{text}{': no throughput was measured' if verdict.without_throughput else ''}."
    same = [change for change in compared if change.verdict == text] or compared
    if text == DEPENDS and verdict.split:
        return f"{plain(view, verdict.words)}; {_sides(view, verdict.split)}."
    if text == WORSE:
        return f"{text}; {_moves(max(same, key=lambda change: change.harm))}."
    if text == BETTER:
        rest = f"no response is worse by more than {percent(MARGIN)}"
        return f"{text}; {_moves(min(same, key=lambda change: change.harm))}; {rest}."
    if text == NO_WORSE:
        most = max(compared, key=lambda change: change.harm)
        return f"{text}: no response is worse by more than {percent(MARGIN)}; at most, {_moves(most)}."
    most = max(same, key=lambda change: change.possible)
    if text == AT_MARGIN:
        return f"{text} of {percent(MARGIN)}; {_moves(most)}."
    return f"{text} whether {_doubt(most)} by more than {percent(MARGIN)}; {_moves(most, 'it')}{settles(most)}."


def settles(change: Change) -> str:
    """Return the runs that would settle a change, as the end of a sentence; empty if the number is not known."""
    if not change.replicates:
        return ""
    more = counted(change.replicates, "more replicate")
    return f"; {more} of {counted(change.conditions, 'condition')} would settle this if the means stayed"


def _doubt(change: Change) -> str:
    return f"{change.title} {'rises' if change.lower_is_better else 'falls'}"


def _moves(change: Change, title: str = "") -> str:
    """Return the direction and the size of a change in words, with its interval; `title` stands for the response."""
    title = title or change.title
    moved = f"{_moved(title, change.mean)}{' on average' if abs(change.mean) >= 0.05 else ''}"
    if not (isfinite(change.low) and isfinite(change.high)):
        return f"{moved} (interval not known)"
    return f"{moved} (95 % interval: {_signed(change.low)} to {percent(change.high, sign=True)})"


def _moved(title: str, mean: float) -> str:
    if abs(mean) < 0.05:
        return f"{title} stays equal"
    return f"{title} {'rises' if mean > 0 else 'falls'} by {percent(abs(mean))}"


def _signed(value: float) -> str:
    return percent(value, sign=True).removesuffix(" %")


def _sides(view: CampaignView, change: Change) -> str:
    """Return the changes on both sides of a factor, without its short name."""
    beyond, within = change.beyond, change.within
    if beyond is None or within is None:
        return _moves(change)
    first = f"{_moved(change.title, beyond.mean)} {_where(view, beyond)}"
    return f"{first}, {_moved('it', within.mean)} {_where(view, within)}"


def _where(view: CampaignView, part: Part) -> str:
    interval = f"{_signed(part.low)} to {percent(part.high, sign=True)}"
    return f"with {plain(view, part.level)} (95 % interval: {interval})"
