"""Columns of the response space of a campaign: a response in a period, or a goodput of a flow group."""

from dataclasses import dataclass

from mesonet.responses.definitions import Response
from mesonet.responses.sets import SetMember
from mesonet.words import period_title

#: The period that everything starts with.
WHOLE = "measured"


@dataclass(frozen=True)
class Column:
    """Response in a period; `name` is unique among the columns and can stand in a file name."""

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
    """Return the column of a network response that a response set asks for."""
    if not member.period:
        return of_period(about, WHOLE, about.unit, member.symbol)
    title = f"{about.title}, period {member.period}"
    name = f"{about.name}_period_{member.period}"
    return Column(name, member.symbol, title, about.unit, period_title(member.period), about.name, member.period)


def of_period(about: Response, period: str, unit: str, symbol: str) -> Column:
    """Return the column of a response that has its own name: one period is asked for."""
    return Column(about.name, symbol, about.title, unit, period_title(period), about.name, period)
