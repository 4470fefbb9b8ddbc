"""Record of measurements, so that a number needs no campaign of hours to be shown again.

The key of a number is its measure, its arguments and the commands of its campaigns. If one of them has changed, the
earlier measurement no longer counts. Claims and limits may change; verdicts are not recorded but follow anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.errors import InputError
from verification.scorecard.claims import Number
from verification.scorecard.measurements import Measurement

if TYPE_CHECKING:
    from verification.scorecard.campaigns import ListedCampaign


@dataclass(frozen=True)
class RecordedNumber:
    """A measurement of a number and its origin."""

    claim: str  #: `claim`, `number`: the claim and the name of the number, for readers of the record
    number: str
    measure: str  #: `measure`, `of`: as in `verification.scorecard.claims.Number`
    of: Mapping[str, Any]
    #: `commands`, `codes`: command that made each campaign, and version of its code, by name of the campaign.
    commands: Mapping[str, str]
    codes: Mapping[str, str]
    measurement: Measurement

    @property
    def key(self) -> str:
        """Key of the number in the record."""
        return _key(self.measure, self.of, self.commands)


@dataclass(frozen=True)
class Record:
    """Measurements by their keys."""

    rows: Mapping[str, RecordedNumber] = field(default_factory=dict)

    def of(self, number: Number, entries: Mapping[str, ListedCampaign]) -> RecordedNumber | None:
        """Return the recorded measurement of a number.

        The row; None if there is none, or one of its campaigns has changed.
        """
        return self.rows.get(_key(number.measure, number.of, commands(number, entries)))

    def code(self, entry: ListedCampaign) -> str | None:
        """Return the version of the code that made a campaign. None if no number of the campaign is recorded."""
        for row in self.rows.values():
            if row.commands.get(entry.name) == entry.command:
                return row.codes[entry.name]
        return None

    def unsettled(self, entry: ListedCampaign) -> Sequence[int] | None:
        """Return the conditions of a campaign whose load had not settled.

        Numbers from 1; None if no number of the campaign has a record of it.
        """
        for row in self.rows.values():
            if row.commands.get(entry.name) == entry.command and row.measurement.unsettled is not None:
                return row.measurement.unsettled[entry.name]
        return None

    def only(self, claims: Iterable[str]) -> Record:
        """Return the rows of some claims."""
        kept = set(claims)
        return Record({key: row for key, row in self.rows.items() if row.claim in kept})

    def write(self, path: Path) -> None:
        """Write the record as JSON, one row a line."""
        lines = [json.dumps(_document(row), ensure_ascii=False) for row in self.rows.values()]
        path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def read_record(path: Path) -> Record:
    """Return the record of a file. Empty without a file."""
    if not path.exists():
        return Record()
    try:
        rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        found = [RecordedNumber(**{**row, "measurement": Measurement(**row["measurement"])}) for row in rows]
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"no record of measurements: {error}", file=str(path), allowed="what mesonet verify --out writes"
        ) from None
    return Record({row.key: row for row in found})


def commands(number: Number, entries: Mapping[str, ListedCampaign]) -> dict[str, str]:
    """Return the commands that make the campaigns of a number."""
    return {name: entries[name].command for name in number.campaigns}


def _document(row: RecordedNumber) -> dict[str, Any]:
    """Return a row as plain data, without the entry on its load if that is not known."""
    content = asdict(row)
    if content["measurement"]["unsettled"] is None:
        del content["measurement"]["unsettled"]
    return content


def _key(measure: str, of: Mapping[str, Any], commands: Mapping[str, str]) -> str:
    return json.dumps([measure, of, commands], sort_keys=True)
