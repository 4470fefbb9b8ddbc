"""Published statements against what mesonet measures: the scorecard.

A claim is a file in ``claims/``; what each key means stands in ``README.md``. The verdict follows from the numbers and
is never written by hand::

    python verification/scorecard.py --campaigns FOLDER [--json] [CLAIM ...]

FOLDER holds the campaigns that the claims name, such as ``FOLDER/dumbbell-pairs``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from measures import MEASURES, Campaigns

from mesonet.terminal import write_json, write_table

CLAIMS = Path(__file__).parent / "claims"
CLASSES = {
    "S1": "exact",
    "S2": "tight",
    "S3": "loose",
    "S4": "sign or order",
    "S5": "for the record",
}
_CLAIM_KEYS = {"id", "claim", "source", "setup", "kind", "values"}
_VALUE_KEYS = {"name", "measure", "of", "class", "unit", "because"}
_LIMITS = {"relative", "absolute", "least", "most"}


@dataclass(frozen=True)
class Value:
    """One number of a claim: what is published, what may differ, and how ours is measured."""

    name: str
    measure: str
    of: Mapping[str, Any]  #: arguments of the measure
    strictness: str  #: a key of `CLASSES`
    unit: str
    because: str  #: why this tolerance
    published: float | None
    limits: tuple[float, float]  #: what counts as reproduced


@dataclass(frozen=True)
class Claim:
    """A published statement."""

    id: str
    claim: str
    source: str
    setup: str
    kind: str  #: ``independent``, or ``calibration`` where the number helped to choose a constant of ours
    explanation: str  #: why it is not reproduced and what was tried; empty where it is
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Verdict:
    """What came out for one number of a claim."""

    id: str
    name: str
    published: str
    measured: float | None
    unit: str
    verdict: str  #: ``reproduced``, ``not reproduced``, ``for the record`` or ``not measured``


def load(path: Path) -> Claim:
    """The claim of a file.

    Raises
    ------
    ValueError
        Where the file is not one, with its name and the place in it.
    """
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    _refuse(path, "", _CLAIM_KEYS - {"values"} - set(table), "missing")
    _refuse(path, "", set(table) - _CLAIM_KEYS - {"explanation"}, "unknown")
    if table["id"] != path.stem or table["kind"] not in ("independent", "calibration"):
        raise ValueError(f"{path}: id is not the name of the file, or kind is neither independent nor calibration")
    values = tuple(_value(path, f"values[{place}].", given) for place, given in enumerate(table.get("values", [])))
    text = {name: " ".join(table[name].split()) for name in ("claim", "source", "setup")}
    explanation = " ".join(table.get("explanation", "").split())
    return Claim(table["id"], **text, kind=table["kind"], explanation=explanation, values=values)


def load_all(folder: Path = CLAIMS) -> list[Claim]:
    """Every claim of a folder, by id."""
    return [load(path) for path in sorted(folder.glob("*.toml"), key=lambda p: (p.stem[0], len(p.stem), p.stem))]


def judge(claim: Claim, campaigns: Campaigns) -> list[Verdict]:
    """One verdict per number; one alone for a claim without numbers."""
    if not claim.values:
        return [Verdict(claim.id, claim.claim, "", None, "", "not measured")]
    return [_judged(claim, value, campaigns) for value in claim.values]


def reproduced(verdicts: list[Verdict]) -> bool:
    """Whether nothing contradicts the claim; numbers for the record and what is not measured do not."""
    return all(verdict.verdict != "not reproduced" for verdict in verdicts)


def _value(path: Path, where: str, given: Mapping[str, Any]) -> Value:
    _refuse(path, where, _VALUE_KEYS - set(given), "missing")
    _refuse(path, where, set(given) - _VALUE_KEYS - _LIMITS - {"published"}, "unknown")
    if given["measure"] not in MEASURES or given["class"] not in CLASSES:
        raise ValueError(f"{path}: {where}measure or {where}class is unknown")
    published = given.get("published")
    limits = (given.get("least", float("-inf")), given.get("most", float("inf")))
    for key in ("relative", "absolute"):
        if key in given:
            margin = given[key] * (abs(published) if key == "relative" else 1)
            limits = (published - margin, published + margin)
    if given["class"] != "S5" and limits == (float("-inf"), float("inf")):
        raise ValueError(f"{path}: {where} needs relative, absolute, least or most")
    return Value(
        given["name"], given["measure"], given["of"], given["class"], given["unit"], given["because"], published, limits
    )


def _judged(claim: Claim, value: Value, campaigns: Campaigns) -> Verdict:
    measured = float(MEASURES[value.measure](campaigns, **value.of))
    least, most = value.limits
    verdict = "reproduced" if least <= measured <= most else "not reproduced"
    if value.strictness == "S5":
        verdict = "for the record"
    return Verdict(claim.id, value.name, _published(value), measured, value.unit, verdict)


def _published(value: Value) -> str:
    least, most = (f"{limit:g}" for limit in value.limits)
    bounds = {(False, False): "", (True, False): f"at least {least}", (False, True): f"at most {most}"}.get(
        (value.limits[0] > float("-inf"), value.limits[1] < float("inf")), f"{least} to {most}"
    )
    if value.published is None:
        return bounds
    return f"{value.published:g}" + (f" ({bounds})" if bounds else "")


def _refuse(path: Path, where: str, keys: set[str], what: str) -> None:
    if keys:
        raise ValueError(f"{path}: {what} {', '.join(where + key for key in sorted(keys))}")


def main() -> None:
    """Prints the scorecard and writes ``verdicts.json`` beside the campaigns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", nargs="*", help="ids; by default all")
    parser.add_argument("--campaigns", type=Path, required=True, help="the folder of the campaign folders")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    claims = [claim for claim in load_all() if not options.claims or claim.id in options.claims]
    if missing := set(options.claims) - {claim.id for claim in claims}:
        sys.exit(f"no such claim: {', '.join(sorted(missing))}")
    campaigns = Campaigns(options.campaigns)
    judged = {claim.id: judge(claim, campaigns) for claim in claims}
    document = [
        {"id": claim.id, "claim": claim.claim, "source": claim.source, "kind": claim.kind, "setup": claim.setup}
        | {"verdict": "reproduced" if reproduced(judged[claim.id]) else "not reproduced"}
        | {"explanation": claim.explanation, "values": [asdict(verdict) for verdict in judged[claim.id]]}
        for claim in claims
    ]
    (options.campaigns / "verdicts.json").write_text(json.dumps(document, indent=1) + "\n")
    if options.json:
        write_json(document)
        return
    rows = [
        [verdict.id, claim.kind, verdict.name, verdict.published, verdict.measured, verdict.unit, verdict.verdict]
        for claim in claims
        for verdict in judged[claim.id]
    ]
    write_table(["claim", "kind", "number", "published", "ours", "unit", "verdict"], rows)


if __name__ == "__main__":
    main()
