"""Scorecard: claims chosen, judged, and shown as JSON, as a table or as the page ``RESULTS.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from mesonet.errors import InputError
from mesonet.terminal import shown
from verification.scorecard.campaigns import Campaigns, ListedCampaign, load_entries
from verification.scorecard.claims import CLASSES, KINDS, Claim, Number, id_order, load_claims
from verification.scorecard.measurements import Measurement
from verification.scorecard.record import Record, RecordedNumber, commands, read_record
from verification.scorecard.verdicts import NOT_REPRODUCED, NumberVerdict, Verdict, judge, of_claim
from verification.scorecard.witness import VALUES, Witness, read_witness

FOLDER = Path(__file__).parents[1]
"""The claims of this checkout."""

QUICK_S = 45.0
"""Most processor time of all campaigns of the quick claims together, s."""

RECORD = "RESULTS.json"
"""The record, beside the page."""

PARTS = {
    "A": "Arithmetic and configuration",
    "B": "Two flows on a dumbbell (ASME paper, sections 2 and 4)",
    "D": "Experiments 1a and 1b (ASME paper, section 6; NIST SP 500-282, chapter 10)",
    "F": "Flows and segments of experiments 2",
    "G": "Many connections (Qiu, Zhang and Keshav)",
    "H": "FAST TCP (Jin, Wei and Low)",
    "I": "Results about method",
    "K": "A real kernel (Linux 6.18: Reno, CUBIC, BBR)",
    "L": "Goodput latency (NIST SP 500-282, Table 10-1)",
    "T": "Theory",
}


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Claims of a folder, the campaigns that they name, and the record of earlier measurements."""

    claims: tuple[Claim, ...]
    entries: dict[str, ListedCampaign]
    record: Record
    witnesses: Mapping[str, Witness] = field(default_factory=dict)  #: by the name that claims give

    def chosen(self, words: Sequence[str], quick: bool) -> Scorecard:
        """Return some of the claims.

        `words`: ids, parts such as ``G``, ``theory``, or campaigns such as ``many-flows``; all claims without any.
        `quick`: True: only claims whose campaigns take `QUICK_S` together, the cheapest campaigns first.
        """
        kept: dict[str, Claim] = {}
        for word in words:
            part = "T" if word == "theory" else word
            found = [claim for claim in self.claims if part in (claim.id, claim.part) or word in claim.campaigns]
            if not found:
                raise self._unknown(word)
            kept |= {claim.id: claim for claim in found}
        claims = tuple(claim for claim in self.claims if not words or claim.id in kept)
        if quick:
            cheap = self._quick()
            claims = tuple(claim for claim in claims if claim.numbers and cheap.issuperset(claim.campaigns))
        return Scorecard(claims, self.entries, self.record, self.witnesses)

    def judge(self, campaigns: Campaigns) -> dict[str, list[NumberVerdict]]:
        """Return the findings of all claims."""
        return {
            claim.id: judge(claim, campaigns, self.record, self.witnesses.get(claim.witness)) for claim in self.claims
        }

    def document(self, findings: dict[str, list[NumberVerdict]]) -> list[dict[str, Any]]:
        """Return every claim as plain data.

        Id, published and measured value of the first number, verdict, and all numbers, of each claim.
        """
        return [
            {
                "id": claim.id,
                "claim": claim.claim,
                "source": claim.source,
                "kind": claim.kind,
                "setup": claim.setup,
                "published": findings[claim.id][0].published,
                "measured": findings[claim.id][0].measured,
                "verdict": of_claim(findings[claim.id]),
                "explanation": claim.explanation,
                "values": [asdict(finding) for finding in findings[claim.id]],
            }
            for claim in self.claims
        ]

    def rows(self, findings: dict[str, list[NumberVerdict]]) -> tuple[list[str], list[list[Any]]]:
        """Return the table of all numbers."""
        header = ["claim", "kind", "class", "number", "published", "ours", "95 %", "witness", "unit", "verdict"]
        rows = [
            [
                found.id, claim.kind, found.strictness, found.name, found.published, found.measured, _interval(found),
                _witness(found), found.unit,
                _verdict(found) + (f" (recorded, code {found.recorded})" if found.recorded else ""),
            ]
            for claim in self.claims
            for found in findings[claim.id]
        ]  # fmt: skip
        return header, rows

    def unexpected(self, findings: dict[str, list[NumberVerdict]]) -> list[str]:
        """Return lines on claims not reproduced without an explanation, or reproduced with one.

        Lines of text; empty if all is as expected.
        """
        lines = []
        for claim in self.claims:
            verdict = of_claim(findings[claim.id])
            if verdict in NOT_REPRODUCED and not claim.explanation:
                lines.append(f"{claim.id} is not reproduced, and nothing explains it")
            if verdict == "reproduced" and claim.explanation:
                lines.append(f"{claim.id} is reproduced, and an explanation of the opposite exists")
        return lines

    def unrecorded(self, findings: dict[str, list[NumberVerdict]]) -> list[str]:
        """Return the campaigns with users that have no record of the settling of their load."""
        names = dict.fromkeys(
            name
            for claim in self.claims
            for number, found in zip(claim.numbers, findings[claim.id], strict=False)
            if found.measured is not None and found.unsettled is None
            for name in number.campaigns
        )
        return [name for name in names if self.entries[name].has_users]

    def page(self, findings: dict[str, list[NumberVerdict]], campaigns: Campaigns) -> str:
        """Return the page ``RESULTS.md``."""
        verdicts = {claim.id: of_claim(findings[claim.id]) for claim in self.claims}
        lines = [
            "# Results",
            "",
            "Written by `mesonet verify --out verification/RESULTS.md`; nothing in it is written by hand. The "
            "[README](README.md) explains the columns. Classes: "
            + ", ".join(f"{name} {text}" for name, text in CLASSES.items())
            + ". Intervals are of 95 % over the seeds, "
            "or over the conditions where one seed was run. Numbers without one do not depend on chance; numbers of "
            "Part K are means over five runs. The witness is another simulator in the same set-up, with the verdict "
            "that its number has. Conditions whose load had not settled are left out; the table of campaigns at the "
            "end lists them. Campaigns without a record of it are judged with all conditions.",
            "",
            *_counts(self.claims, verdicts),
        ]
        for part, title in PARTS.items():
            claims = [claim for claim in self.claims if claim.part == part]
            if claims:
                lines += ["", f"## {part}. {title}", ""]
                for claim in claims:
                    lines += _section(claim, verdicts[claim.id], findings[claim.id])
        used = dict.fromkeys(name for claim in self.claims for name in claim.campaigns)
        lines += ["", "## Campaigns", ""]
        lines += ["| campaign | command | processor time | made by code | load |", "|---|---|---|---|---|"]
        lines += [self._campaign(self.entries[name], campaigns) for name in used]
        return "\n".join(lines) + "\n"

    def measured(self, findings: dict[str, list[NumberVerdict]], campaigns: Campaigns) -> Record:
        """Return the record with new measurements in place of earlier ones of these claims."""
        rows = {key: row for key, row in self.record.rows.items() if row.claim not in findings}
        for claim in self.claims:
            for number, found in zip(claim.numbers, findings[claim.id], strict=False):
                if found.recorded and (known := self.record.of(number, self.entries)):
                    rows[known.key] = replace(known, claim=claim.id, number=number.name)
                elif number.campaigns and campaigns.are_there(number.campaigns):
                    row = self._recorded(claim, number, found, campaigns)
                    rows[row.key] = row
        return Record(dict(sorted(rows.items(), key=lambda item: id_order(item[1].claim))))

    def _recorded(self, claim: Claim, number: Number, found: NumberVerdict, campaigns: Campaigns) -> RecordedNumber:
        return RecordedNumber(
            claim=claim.id,
            number=number.name,
            measure=number.measure,
            of=number.of,
            commands=commands(number, self.entries),
            codes={name: campaigns.code(name) for name in number.campaigns},
            measurement=Measurement(
                mean=found.measured,
                low=found.low,
                high=found.high,
                seeds=found.seeds,
                conditions=found.conditions,
                reason="" if found.measured is not None else found.reason,
                unsettled=found.unsettled,
            ),
        )

    def _campaign(self, entry: ListedCampaign, campaigns: Campaigns) -> str:
        """Return a row: command and cost of the campaign, version of its code, and conditions that did not settle."""
        there = campaigns.are_there([entry.name])
        code = campaigns.code(entry.name) if there else self.record.code(entry)
        unsettled = campaigns.unsettled(entry.name) if there else self.record.unsettled(entry)
        load = _load(entry, unsettled) if code else ""
        return f"| {entry.name} | `{entry.command}` | {entry.cpu_s:g} s | {code or 'not run'} | {load} |"

    def _unknown(self, word: str) -> InputError:
        """Return the error for an unknown word: nearest names, then allowed words; claims are too many to list."""
        if word in self.entries:
            problem = "no claim is measured in this campaign"
            return InputError(problem, value=word, allowed=f"its own command, {self.entries[word].command}")
        used = dict.fromkeys(name for claim in self.claims for name in claim.campaigns)
        near = get_close_matches(word, [*(claim.id for claim in self.claims), *PARTS, "theory", *used])
        return InputError(
            "unknown claim, part or campaign" + (f" (nearest: {', '.join(near)})" if near else ""),
            value=word,
            allowed=f"a claim such as {self.claims[0].id}; parts {', '.join(PARTS)}; theory; campaigns "
            + ", ".join(used),
        )

    def _quick(self) -> set[str]:
        """Return the cheapest campaigns, `QUICK_S` in all."""
        used = {name for claim in self.claims for name in claim.campaigns}
        total, cheap = 0.0, set()
        for name in sorted(used, key=lambda name: (self.entries[name].cpu_s, name)):
            total += self.entries[name].cpu_s
            if total <= QUICK_S:
                cheap.add(name)
        return cheap


def load_scorecard(folder: Path = FOLDER) -> Scorecard:
    """Return the scorecard of all claims of a folder with ``claims`` and ``campaigns.toml``."""
    if not ((folder / "claims").is_dir() and (folder / "campaigns.toml").is_file()):
        raise InputError(
            "no claims here", path="--claims", value=str(folder), allowed="a folder with claims and campaigns.toml"
        )
    claims = tuple(load_claims(folder / "claims"))
    record = read_record(folder / RECORD).only(claim.id for claim in claims)
    names = dict.fromkeys(claim.witness for claim in claims if claim.witness)
    witnesses = {name: read_witness(folder / "witness" / name / VALUES) for name in names}
    return Scorecard(claims, load_entries(folder / "campaigns.toml"), record, witnesses)


def _load(entry: ListedCampaign, unsettled: Sequence[int] | None) -> str:
    """Return the conditions of a campaign whose load had not settled, in words."""
    if not entry.has_users:
        return "given"
    if unsettled is None:
        return "not recorded"
    return f"not settled in {', '.join(map(str, unsettled))}" if unsettled else "settled"


def _interval(found: NumberVerdict) -> str:
    if found.low is None or found.high is None:
        return f"{found.seeds} seed" if found.seeds == 1 else ""
    over = f"{found.conditions} conditions" if found.conditions else f"{found.seeds}"
    return f"{shown(found.low)} to {shown(found.high)} ({over})"


def _counts(claims: Sequence[Claim], verdicts: dict[str, Any]) -> list[str]:
    """Return a table of the number of claims of each part and kind by verdict."""
    columns = get_args(Verdict)
    lines = [f"| part | kind | {' | '.join(columns)} |", "|---|---|" + "---|" * len(columns)]
    rows = [(part, kind, [claim for claim in claims if (claim.part, claim.kind) == (part, kind)])
            for part in PARTS for kind in KINDS]  # fmt: skip
    rows += [("all", kind, [claim for claim in claims if claim.kind == kind]) for kind in KINDS]
    rows += [("all", "both", list(claims))]
    for part, kind, of_row in rows:
        if of_row:
            found = [verdicts[claim.id] for claim in of_row]
            lines.append(f"| {part} | {kind} | " + " | ".join(str(found.count(each)) for each in columns) + " |")
    return lines


def _section(claim: Claim, verdict: str, findings: Sequence[NumberVerdict]) -> list[str]:
    lines = [
        f"### {claim.id}: {verdict}",
        "",
        claim.claim,
        "",
        f"Source: {claim.source}. {claim.kind.capitalize()}.",
        "",
    ]
    lines += [f"Set-up: {claim.setup.rstrip('.')}.", ""]
    if not claim.numbers:
        return [*lines, f"Not evaluated: {claim.not_evaluated}", ""]
    lines += ["| number | class | published | ours | 95 % (seeds) | witness | unit | verdict | tolerance because |"]
    lines += ["|---|---|---|---|---|---|---|---|---|"]
    for number, found in zip(claim.numbers, findings, strict=True):
        cells = [found.name, found.strictness, found.published, shown(found.measured), _interval(found)]
        cells += [_witness(found), found.unit, _verdict(found), number.because]
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    lines.append("")
    if claim.explanation:
        lines += [f"Explanation: {claim.explanation}", ""]
    return lines


def _verdict(found: NumberVerdict) -> str:
    return found.verdict + (f": {found.reason}" if found.reason else "")


def _witness(found: NumberVerdict) -> str:
    """Return the measurement of the witness, its verdict against the limits, and its name."""
    if not found.witnessed_by:
        return ""
    return f"{shown(found.witness)}, {found.witness_verdict} ({found.witnessed_by})"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
