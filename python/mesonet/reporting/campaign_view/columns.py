"""Columns of the response space of a campaign: a response in a period, or a goodput of a flow group."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mesonet.responses.definitions import Response
from mesonet.responses.sets import SetMember
from mesonet.words import period_title

#: The whole measured time, with which figures and tables begin.
WHOLE = "measured"


@dataclass(frozen=True)
class Column:
    """Response in a period; `name` is unique among the columns and can be part of the name of a file."""

    name: str
    symbol: str
    title: str
    unit: str
    set: str  #: set of responses that the column belongs to, such as "measured period 1"
    response: str
    period: str

    @property
    def label(self) -> str:
        """Symbol and title."""
        return f"{self.symbol} {self.title}".strip()


def of_member(about: Response, member: SetMember) -> Column:
    """Return the column of a network response that a response set contains."""
    if not member.period:
        return replace(of_period(about, WHOLE), symbol=member.symbol)
    title = f"{about.title}, period {member.period}"
    name = f"{about.name}_period_{member.period}"
    return Column(
        name=name,
        symbol=member.symbol,
        title=title,
        unit=about.unit,
        set=period_title(member.period),
        response=about.name,
        period=member.period,
    )


def of_period(about: Response, period: str) -> Column:
    """Return the column of a response that keeps its own name, because only one period is used."""
    return Column(
        name=about.name,
        symbol=about.symbol,
        title=about.title,
        unit=about.unit,
        set=period_title(period),
        response=about.name,
        period=period,
    )
