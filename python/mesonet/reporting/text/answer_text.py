"""Verdicts and settings in the words of readers who decide: units of networks, no numbers of factors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite

from mesonet import units
from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, DEPENDS, WORSE
from mesonet.analysis.decisions.length import OBJECTS
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.verdicts.checks import condition_checks, length_checks
from mesonet.reporting.verdicts.comparisons import REPLACEMENT
from mesonet.reporting.verdicts.looks import looks_of
from mesonet.reporting.verdicts.quantities import NETWORK
from mesonet.reporting.verdicts.verdict import HIGHER, LOWER, NOT_JUDGED, Change, Part, Verdict
from mesonet.words import capitalised, counted, listed, number, percent, uncapitalised

_RATE = re.compile(r"(-?[\d.,]+(?:e[+-]?\d+)?) ?(?:seg|segments)/(ms|s)\b")
#: Largest harm that is not excluded, in %, for which a number means something: more is not known.
LARGEST = 300.0
#: All conditions have equal weights; the page explains it below its table.
OVER = " in the mean over conditions"
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


def recommendation(view: CampaignView, verdict: Verdict, beside: Verdict | None = None) -> str:
    """Return what to do, the change that decides it with its interval, and what is gained or lost with it.

    `beside`: the verdict on the flows that keep the incumbent and compete with the same algorithm; None without one.
    """
    objection = _objections(view).get((verdict.name, verdict.against), "")
    return objection + _recommended(view, verdict, beside)


@cached
def _objections(view: CampaignView) -> dict[tuple[str, str], str]:
    """Return a sentence for each comparison that longer runs or new conditions object to."""
    looks = looks_of(view.campaign)
    sentences: dict[tuple[str, str], str] = {}
    if looks is None:
        return sentences
    for kind, check in (("runs four times as long", length_checks), ("new conditions", condition_checks)):
        found = check(view.campaign, looks)
        objections = [each for each in found.each if each.label == OBJECTS] if found else []
        for place in dict.fromkeys(each.comparison for each in objections):
            of = looks.each[place]
            titles = listed([each.title for each in objections if each.comparison == place])
            sentences[of.name, of.pairs.comparison.against] = f"Do not decide yet: {kind} object ({titles}). "
    return sentences


def _recommended(view: CampaignView, verdict: Verdict, beside: Verdict | None) -> str:
    every = [change for each in (verdict, beside) if each is not None for change in each.changes if change.compared]
    changes = [change for change in every if not change.neutral]
    if every and not changes:
        return _undirected(every)
    by_label = {label: [c for c in changes if c.verdict == label] for label in (WORSE, DEPENDS, BETTER, AT_MARGIN)}
    worse = sorted(by_label[WORSE], key=lambda c: (c.topic in NETWORK, -c.harm))
    better = sorted(by_label[BETTER], key=lambda c: (c.topic in NETWORK, c.harm))
    split = sorted(by_label[DEPENDS], key=lambda c: not c.harmful)
    gained = [change for change in better if change.topic not in NETWORK]
    if verdict.verdict == NOT_JUDGED or not changes:
        why = "no goodput was measured" if verdict.without_throughput else "values are missing"
        return f"{capitalised(NOT_JUDGED)}: {why}."
    if worse and worse[0].topic in NETWORK and gained:
        return f"A trade: {_moves(gained[0])}, but {_moves(worse[0])}{_others(verdict)}."
    if worse:
        gain = f"; {_short(view, better[0])}" if better else ""
        return f"{_prefer(view, verdict, False)}: {_moves(worse[0])}{gain}{_others(verdict)}."
    if split and split[0].harmful:
        gain = f"; {_short(view, better[0])}" if better else ""
        return f"{_prefer_where(view, verdict, split[0])}{gain}{_doubt_of_users(changes)}{_others(verdict)}."
    unclear = [change for change in changes if change.verdict == CANNOT_TELL]
    if unclear:
        most = max(unclear, key=lambda c: (c.topic not in NETWORK, c.possible))
        rest = f", and {counted(len(unclear) - 1, 'more response')}" if len(unclear) > 1 else ""
        doubt = f"{_doubt(most)} cannot be excluded{rest}{settles(most)}"
        if gained and not any(change.harm > verdict.margin for change in unclear):
            return f"Probably {uncapitalised(_prefer(view, verdict, True))}: {_moves(gained[0])}; {doubt}."
        return f"Do not decide yet: {doubt}{f'; proved is that {_moves(better[0])}' if better else ''}."
    if near := by_label[AT_MARGIN]:
        return f"At the margin of {percent(verdict.margin)}: {_moves(near[0])}; more runs would hardly change this."
    nothing = f"no response is worse by more than {percent(verdict.margin)}"
    if better:
        also = f"; {_short(view, split[0])}" if split else ""
        return f"{_prefer(view, verdict, True)}: {_moves(better[0])}{also}; {nothing}{_others(verdict)}."
    if split:
        where = f" with {plain(view, split[0].beyond.level)}" if split[0].beyond else ""
        return f"{_prefer(view, verdict, True)}{where}: there {_sides(view, split[0])}; {nothing}."
    most = max(changes, key=lambda change: change.harm)
    return f"Either: {nothing}, and no gain beyond it is proved; at most, {_moves(most)}{_others(verdict)}."


def _undirected(changes: Sequence[Change]) -> str:
    """Return the largest proved changes of responses of which neither direction is better."""
    moved = sorted((c for c in changes if c.verdict in (HIGHER, LOWER)), key=lambda c: -abs(c.mean))
    better = "no response has a direction"
    if not moved:
        return f"No response is proved to change beyond the margin; {better}."
    return f"{capitalised('; '.join(_moves(change) for change in moved[:2]))}; {better}."


def _prefer(view: CampaignView, verdict: Verdict, chosen: bool) -> str:
    if verdict.question == REPLACEMENT:
        return f"Replace {verdict.against}" if chosen else f"Keep {verdict.against}"
    return f"Prefer {plain(view, verdict.name if chosen else verdict.against)}"


def _prefer_where(view: CampaignView, verdict: Verdict, change: Change) -> str:
    """Return which scenario to prefer at the levels with proved harm, and the changes there and elsewhere."""
    where = f" with {plain(view, change.beyond.level)}" if change.beyond else ""
    return f"{_prefer(view, verdict, False)}{where}: there {_sides(view, change)}"


def _doubt_of_users(changes: Sequence[Change]) -> str:
    """Return the largest harm to users that is not excluded, as the end of a sentence."""
    unclear = [change for change in changes if change.verdict == CANNOT_TELL and change.topic not in NETWORK]
    if not unclear:
        return ""
    most = max(unclear, key=lambda change: change.possible)
    return f"; {_doubt(most)} cannot be excluded"


def _others(verdict: Verdict) -> str:
    """Return who gains most and who pays most among users, as the end of a sentence."""
    parts = []
    if verdict.payers:
        parts.append(f"most is paid by {_who(verdict.payers[0])}")
    if verdict.gainers:
        parts.append(f"most is gained by {_who(verdict.gainers[0])}")
    return f"; {' and '.join(parts)}" if parts else ""


def _who(change: Change) -> str:
    what, _, who = change.title.partition(" of ")
    return f"{who} ({what} {percent(change.mean, sign=True)})"


def _short(view: CampaignView, change: Change) -> str:
    """Return a change without its interval, at the level with the largest change if it depends on one."""
    if change.beyond:
        return f"{_moved(change.title, change.beyond.mean)} with {plain(view, change.beyond.level)}"
    return f"{change.title} {'falls' if change.mean < 0 else 'rises'} by {percent(abs(change.mean))}"


def settles(change: Change) -> str:
    """Return the runs that would settle a change, as the end of a sentence; empty if the number is not known."""
    if not change.replicates:
        return ""
    more = counted(change.replicates, "more replicate")
    runs = counted(2 * change.replicates * change.conditions, "run")
    cost = f", {cost_text(change.cost)} of processor time" if change.cost else ""
    where = counted(change.conditions, "condition")
    return f"; {more} of {where} ({runs}{cost}) would settle this if the means stayed"


def cost_text(seconds: float) -> str:
    """Return a processor time in words.

    Examples
    --------
    >>> cost_text(42.3), cost_text(600), cost_text(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{number(seconds, 2)} s"
    return f"{number(seconds / 60, 2)} min" if seconds < 7200 else f"{number(seconds / 3600, 2)} h"


def _doubt(change: Change) -> str:
    """Return the largest harm that is not excluded."""
    moved = f"a {'rise' if change.lower_is_better else 'fall'} of {change.title} by"
    if not change.possible <= LARGEST:
        return f"{moved} more than {percent(LARGEST)}"
    return f"{moved} up to {percent(max(change.possible, 0.0))}"


def _moves(change: Change, title: str = "") -> str:
    """Return the direction and the size of a change in words, with its interval; `title` stands for the response."""
    title = title or change.title
    moved = f"{_moved(title, change.mean)}{OVER if abs(change.mean) >= 0.05 and change.compared > 1 else ''}"
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
    """Return the changes on both sides of a factor, without its short name; the first side has been named before."""
    beyond, within = change.beyond, change.within
    if beyond is None or within is None:
        return _moves(change)
    first = f"{_moved(change.title, beyond.mean)} ({_interval(beyond)})"
    return f"{first}; with {plain(view, within.level)} it {_moved('', within.mean).strip()} ({_interval(within)})"


def _interval(part: Part) -> str:
    return f"95 % interval: {_signed(part.low)} to {percent(part.high, sign=True)}"
