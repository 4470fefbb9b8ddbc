"""The JSON files of a campaign folder: each is defined once, for its types, checks, messages and JSON Schema.

Users edit and copy these files, so that anything may stand there. Entries without a definition are allowed, because
other versions of the code may write them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from mesonet.campaign.limits import KEEPABLE, refuse_too_many, refuse_too_many_runs
from mesonet.designs.factor import Factor
from mesonet.designs.rows import from_document
from mesonet.errors import InputError, unknown
from mesonet.files import checksums, reading
from mesonet.responses.sets import SETS
from mesonet.simulation.simulate import LARGEST_SEED, Engine

FORMAT = 1
FEWEST_LOOKED_AT = 3
"""Replicates at the first look of a campaign that runs until it is decided."""
SEED_BITS = 32
"""Bits of the seeds of runs, unless the experiment has `seed_bits`."""

Count = Annotated[int, Meta(ge=1)]
Size = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]
Instant = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
OwnChecksum = Annotated[
    dict[str, str] | UnsetType,
    Meta(
        description="SHA-256 of this file by its name: of its bytes with 64 zeros in the place of the checksum. Files "
        "of earlier code have none."
    ),
]
Seed = Annotated[int, Meta(ge=0, le=LARGEST_SEED, description="Names the random streams.")]


class Versions(Struct, frozen=True):
    """Versions of all that can change the bytes of a result."""

    mesonet: str
    code_version: Annotated[str, Meta(min_length=8, description="Hash of the code that can change a result.")]
    python: str
    numpy: str
    platform: str
    polars: Annotated[str | UnsetType, Meta(description="Files of earlier code name pyarrow instead.")] = UNSET


class Environment(Struct, frozen=True):
    """The machine that made a result, and the settings of it that can matter."""

    host: str
    processor: str
    processors: Count
    memory_bytes: Count
    variables: dict[str, str]


class Performance(Struct, frozen=True):
    """Resources that a run spent."""

    cpu_s: Annotated[Seconds, Meta(description="Processor time, s.")]
    wall_s: Annotated[Seconds, Meta(description="Wall-clock time, s.")]
    peak_rss_bytes: Annotated[Size, Meta(description="Largest resident memory of the process.")]
    continuations: Annotated[
        Count | UnsetType,
        Meta(description="How often the run resumed from a snapshot; the resources are of all its processes."),
    ] = UNSET
    data_segments_delivered: Size | UnsetType = UNSET
    router_hops: Size | UnsetType = UNSET


class ModelDescription(Struct, frozen=True, kw_only=True):
    """A model that is no network, as `mesonet.models.model` describes it."""

    directory: str
    command: Annotated[list[str], Meta(min_length=1)] | UnsetType = UNSET
    module: str | UnsetType = UNSET
    function: str | UnsetType = UNSET
    version: str | UnsetType = UNSET
    files: (
        Annotated[list[str], Meta(min_length=1, description="Further files of its code version, from `directory`.")]
        | UnsetType
    ) = UNSET
    units: Annotated[dict[str, str], Meta(description="Unit of each response.")] | UnsetType = UNSET
    missing: Annotated[list[str], Meta(min_length=1, description="Responses that may lack a value.")] | UnsetType = (
        UNSET
    )

    def __post_init__(self) -> None:
        if self.command is UNSET and (self.module is UNSET or self.function is UNSET):
            raise ValueError("neither a command nor a module and a function")


class ModelWords(Struct, frozen=True, kw_only=True):
    """Words of reports on a model that is no network."""

    alternative: (
        Annotated[str, Meta(min_length=1, description="What an entry of `algorithms` is called.")] | UnsetType
    ) = UNSET
    better: (
        Annotated[dict[str, str | float], Meta(description="By response: lower, higher, or the best value.")]
        | UnsetType
    ) = UNSET
    shares: Annotated[list[str], Meta(description="Responses that are shown in %.")] | UnsetType = UNSET
    titles: Annotated[dict[str, str], Meta(description="Title of each response.")] | UnsetType = UNSET


Model = Annotated[
    ModelDescription,
    Meta(extra_json_schema={"anyOf": [{"required": ["command"]}, {"required": ["module", "function"]}]}),
]


class DesignRows(Struct, frozen=True):
    """The rows of a design, as `mesonet.designs.rows.Rows.document` gives them.

    Generators describe a two-level design in full; any other design has all rows.
    """

    factors: list[str]
    generators: list[str]
    kind: str | UnsetType = UNSET
    rows: Annotated[list[list[float]], Meta(description="Levels from -1 to 1 by condition.")] | UnsetType = UNSET
    block: Annotated[list[int] | None, Meta(description="Block of each condition.")] | UnsetType = UNSET
    aliases: Annotated[dict[str, list[str]], Meta(description="Aliases by effect.")] | UnsetType = UNSET
    word_lengths: Annotated[dict[str, int], Meta(description="Number of words by length.")] | UnsetType = UNSET
    resolution: int | UnsetType = UNSET


class ExplainedParameter(Struct, frozen=True):
    """A value that holds for all runs, or that a factor varies, as text."""

    path: str
    value: str
    unit: str
    source: str
    doc: str


class ConditionScenario(Struct, frozen=True):
    """The scenario of a condition and an algorithm: all that a run depends on but its seed."""

    condition: int
    algorithm: str
    scenario: dict[str, Any]


class ConclusionEntry(Struct, frozen=True, kw_only=True):
    """A conclusion that is evaluated in every condition: algorithms compared on a response."""

    id: str
    text: str
    source: str
    response: str
    period: str
    higher: Annotated[str | None, Meta(description="This algorithm has the highest value; null: all are alike.")]
    algorithms: Annotated[list[str], Meta(min_length=1, description="It is compared with these, or they are alike.")]
    least: Annotated[
        float,
        Meta(ge=0, lt=2, description="Least difference, or largest spread of those alike, as a part of the mean."),
    ]


class DeploymentLevel(Struct, frozen=True):
    """A level of the factor of a deployment."""

    test: Annotated[str, Meta(min_length=1, description="`sweep`, or a test with runs of its own.")]
    share: Annotated[Annotated[float, Meta(ge=0, le=1)] | None, Meta(description="Share of the units; null in a test.")]


class DeploymentEntry(Struct, frozen=True, kw_only=True):
    """The deployment of a campaign that sweeps the share of an algorithm."""

    unit: Annotated[str, Meta(min_length=1, description="What has one algorithm: user, home, flow or place.")]
    order: Annotated[str, Meta(min_length=1, description="Who adopts first: random, place, access, or a file.")]
    outcome: Annotated[str, Meta(min_length=1, description="The outcome that leads.")]
    by: Annotated[list[str], Meta(description="Columns of the table `units` that divide units into groups.")]
    tests: Annotated[list[str], Meta(description="Tests that are evaluated, with runs of their own or without.")]
    levels: Annotated[list[DeploymentLevel], Meta(min_length=2, description="Levels of the factor `share`, in order.")]
    starts_s: Annotated[list[Seconds], Meta(description="Starts of the periods of tests; empty without tests.")]
    burn_in_s: Annotated[Seconds, Meta(description="Time that is dropped at the beginning of each such period.")]


class PluginFile(Struct, frozen=True):
    """File of a plug-in. Its digest is a part of the scenarios; its place may change."""

    file: Annotated[str, Meta(min_length=1, description="Absolute path; of a Python file with `:NAME`.")]
    digest: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class ExperimentDocument(Struct, frozen=True, kw_only=True):
    """experiment.json: what a campaign runs."""

    format: int
    name: str
    title: str
    description: str
    scenario: Annotated[str, Meta(description="Name of the scenario that the conditions change.")]
    scale: Annotated[float, Meta(description="Factor of the rates of the network and the number of sources.")]
    seed: Seed
    seed_bits: (
        Annotated[int, Meta(ge=1, le=SEED_BITS, description=f"Bits of the seeds of runs; without it {SEED_BITS}.")]
        | UnsetType
    ) = UNSET
    replicates: Count
    algorithms: list[str]
    mixed_with: Annotated[str | None, Meta(description="The algorithm that shares the network with each other one.")]
    response_set: Annotated[str, Meta(extra_json_schema={"enum": list(SETS)})]
    factors: list[Factor]
    design: DesignRows
    parameters: list[ExplainedParameter]
    scenarios: Annotated[list[ConditionScenario], Meta(description="By condition, then by algorithm.")]
    keep: (
        Annotated[
            list[Annotated[str, Meta(extra_json_schema={"enum": list(KEEPABLE)})]],
            Meta(description="Tables of a run to keep beside its responses."),
        ]
        | UnsetType
    ) = UNSET
    conclusions: (
        Annotated[list[ConclusionEntry], Meta(description="Conclusions that the report evaluates.")] | UnsetType
    ) = UNSET
    comparisons: (
        Annotated[list[str], Meta(min_length=1, description="Comparisons that the report decides.")] | UnsetType
    ) = UNSET
    deploy: Annotated[DeploymentEntry, Meta(description="The deployment that the campaign sweeps.")] | UnsetType = UNSET
    common_random_numbers: (
        Annotated[bool, Meta(description="True if all conditions share the random numbers of a replicate.")] | UnsetType
    ) = UNSET
    model: Model | UnsetType = UNSET
    words: ModelWords | UnsetType = UNSET
    plugins: (
        Annotated[dict[str, PluginFile], Meta(description="Files of the plug-ins among the algorithms, by name.")]
        | UnsetType
    ) = UNSET
    expected_cost: (
        Annotated[list[float], Meta(description="Relative cost of a run by condition; empty if unknown before a run.")]
        | UnsetType
    ) = UNSET
    checksums: OwnChecksum = UNSET


class LookRule(Struct, frozen=True, kw_only=True):
    """Rule by which a campaign gets further replicates until its comparisons are decided."""

    margin: Annotated[float, Meta(gt=0, description="Relative change that counts.")]
    at_most: Annotated[int, Meta(ge=FEWEST_LOOKED_AT, description="Replicates at the last look.")]
    against: Annotated[str, Meta(description="The algorithm with which each other algorithm is compared.")]


class ReplicatesDocument(Struct, frozen=True, kw_only=True):
    """replicates.json: replicates of each scenario, if they differ or grow."""

    replicates: Annotated[list[Size], Meta(description="Replicates by scenario, in the order of `experiment.json`.")]
    until: Annotated[LookRule | UnsetType, Meta(description="Rule by which these numbers grow.")] = UNSET
    checksums: OwnChecksum = UNSET


class Addition(Struct, frozen=True):
    """Conditions that were added at once."""

    response: Annotated[str, Meta(min_length=1, description="The response whose emulator chose them.")]
    conditions: Annotated[Count, Meta(description="Number of conditions.")]


class AddedDocument(Struct, frozen=True, kw_only=True):
    """added.json: conditions that were added to a sampled campaign after its experiment."""

    additions: Annotated[list[Addition], Meta(min_length=1, description="In the order in which they were added.")]
    rows: Annotated[list[list[float]], Meta(description="Levels from -1 to 1 by condition.")]
    scenarios: Annotated[list[ConditionScenario], Meta(description="By condition, then by algorithm.")]
    checksums: OwnChecksum = UNSET


class ProvenanceDocument(Struct, frozen=True, kw_only=True):
    """provenance.json: by which code and when the runs of a campaign were made."""

    versions: Versions
    started: Instant
    finished: Instant | None
    code_versions: (
        Annotated[list[str], Meta(description="Versions of the code whose runs count, the newest first.")] | UnsetType
    ) = UNSET
    tries: Annotated[Count, Meta(description="Failures after which a run is left alone.")] | UnsetType = UNSET
    checksums: OwnChecksum = UNSET


class RunDocument(Struct, frozen=True, kw_only=True):
    """run.json: all that is needed to repeat a run, and what it cost."""

    scenario: Annotated[
        dict[str, Any],
        Meta(
            min_length=1,
            description="Every parameter in full: of a network the canonical scenario, with the constants of its "
            "algorithms; of another model its parameters.",
        ),
    ]
    seed: Seed
    versions: Versions
    environment: Environment
    started: Instant
    finished: Instant
    performance: Performance
    settling_time_s: Annotated[
        Seconds | UnsetType | None,
        Meta(
            description="When the load of a network had left its transient (MSER-5), the latest of its series in "
            "`settling_s`; null: not before the end. Records without `settling_s`: of the transmitting sources only."
        ),
    ] = UNSET
    settling_s: Annotated[
        dict[str, Seconds | None] | UnsetType,
        Meta(
            description="When each series of a network had left its transient (MSER-5), by column of the table series; "
            "null: not before the end."
        ),
    ] = UNSET
    load_drift: Annotated[
        dict[str, float | None] | UnsetType,
        Meta(
            description="Relative change of the mean of each series of the load from the first to the second half of "
            "the measured time; null: nothing to compare."
        ),
    ] = UNSET
    engine: Annotated[
        Engine | UnsetType,
        Meta(description="How events of a network were ordered; the result does not depend on it."),
    ] = UNSET
    threads: Annotated[
        Count | UnsetType,
        Meta(description="Threads that advanced the domains of a network; the result does not depend on it."),
    ] = UNSET
    model: Annotated[Model | UnsetType, Meta(description="What was run, where it is no network.")] = UNSET
    checksums: Annotated[
        dict[str, str] | UnsetType,
        Meta(
            description="SHA-256 of each file of the run. The checksum of `run.json` is of its bytes with 64 zeros in "
            "the place of that checksum."
        ),
    ] = UNSET


class Attempt(Struct, frozen=True):
    """A failed attempt at a run."""

    message: str
    started: Instant
    finished: Instant
    host: str


class FailureDocument(Struct, frozen=True):
    """failure.json: the last message with its log, and every try."""

    message: Annotated[str, Meta(min_length=1)]
    traceback: Annotated[str, Meta(description="Of an exception; empty where the process died.")]
    log: Annotated[str, Meta(description="The end of what the run wrote to standard output and standard error.")]
    seed: Seed
    tries: Annotated[list[Attempt], Meta(min_length=1)]
    checksums: OwnChecksum = UNSET


_OF_A_NETWORK = {"if": {"not": {"required": ["model"]}}, "then": {"required": ["engine", "threads"]}}
DOCUMENTS: dict[str, Any] = {
    "experiment": ExperimentDocument,
    "replicates": ReplicatesDocument,
    "added": AddedDocument,
    "provenance": ProvenanceDocument,
    "run": Annotated[RunDocument, Meta(extra_json_schema=_OF_A_NETWORK)],
    "failure": FailureDocument,
}


class _Format(Struct):
    format: int


_ALLOWED = "a file that `mesonet experiment run` wrote"
_ALLOWED_EXPERIMENT = (
    "the file as it was written; the command that began the campaign writes it again; "
    "if you changed it, remove its entry `checksums`"
)
_ALLOWED_PROVENANCE = (
    "the file as it was written; without the file, `mesonet experiment run` keeps the runs of its own code"
)
_ALLOWED_REPLICATES = (
    "the file as it was written; without the file, `mesonet experiment run` with the options that began the campaign "
    "writes it again from the finished runs"
)
_ALLOWED_ADDED = (
    "the file as it was written; without the file, the campaign has the conditions of its experiment, and "
    "`mesonet experiment run --add` adds others"
)
_NAMES = {"str": "text", "int": "a whole number", "float": "a number", "object": "an object", "array": "a list"}
_Kind = TypeVar("_Kind", bound=Struct)


def plain(document: Struct) -> dict[str, Any]:
    """Return a document as plain data, without the entries that are not set."""
    content = dict(msgspec.to_builtins(document, enc_hook=_scalar))
    for factor in content.get("factors", ()):
        if "inner" in factor:
            factor["inner"] = list(factor["inner"])  # as JSON has it: documents are compared
    return content


def _scalar(value: Any) -> Any:
    """Return a number or a text of a type of its own, such as NumPy's, as JSON writes it."""
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"{type(value).__name__} is no plain data")


def experiment(file: Path) -> dict[str, Any]:
    """Return the content of ``experiment.json``.

    The entries of `ExperimentDocument` without its checksum, and any others, as they stand in the file.
    """
    text = _bytes(file)
    content = _decoded(text, file, _ALLOWED_EXPERIMENT)
    found = _checked(content, _Format, file).format
    if found != FORMAT:
        raise InputError("another format", file=str(file), path="format", value=found, allowed=str(FORMAT))
    document = _checked(content, ExperimentDocument, file)
    checksums.refuse_changed_document(text, content, file, _ALLOWED_EXPERIMENT)
    try:
        _refuse_strangers(document, content["design"])
    except InputError as error:
        raise error.located(file=file) from None
    return _without_checksum(content)


def replicates(file: Path, experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of ``replicates.json``, which has an entry per scenario of the experiment."""
    content = _read(file, ReplicatesDocument, _ALLOWED_REPLICATES)
    given, scenarios = content["replicates"], experiment["scenarios"]
    if len(given) != len(scenarios):
        allowed = f"{len(scenarios)} numbers, as many as {file.with_name('experiment.json')} has scenarios"
        raise InputError("not a number per scenario", str(file), "replicates", len(given), allowed)
    refuse_too_many_runs(sum(given), str(file))
    against = content.get("until", {}).get("against")
    # Empty: the comparisons of the experiment. A level has an equals sign.
    if against and "=" not in against and against not in experiment["algorithms"]:
        raise unknown("algorithm", against, experiment["algorithms"], path="until.against").located(file=str(file))
    return content


def added(file: Path, experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of ``added.json``, whose conditions follow those of the experiment."""
    content = _read(file, AddedDocument, _ALLOWED_ADDED)
    first = from_document(experiment["design"]).conditions + 1
    rows, factors = content["rows"], len(experiment["factors"])
    number = sum(each["conditions"] for each in content["additions"])
    if len(rows) != number or any(len(row) != factors or not all(abs(x) <= 1 for x in row) for row in rows):
        allowed = f"{number} rows of {factors} numbers from -1 to 1"
        raise InputError("not the rows of the additions", str(file), "rows", len(rows), allowed)
    there = [(entry["condition"], entry["algorithm"]) for entry in content["scenarios"]]
    if there != list(product(range(first, first + number), experiment["algorithms"])):
        allowed = "one scenario per condition and algorithm, in this order"
        raise InputError("not the scenarios of the additions", str(file), "scenarios", None, allowed)
    refuse_too_many(first - 1 + number, len(experiment["algorithms"]), experiment["replicates"])
    return content


def provenance(file: Path) -> dict[str, Any]:
    """Return the content of ``provenance.json``.

    The content, which has the entries of `ProvenanceDocument` without its checksum.
    """
    return _read(file, ProvenanceDocument, _ALLOWED_PROVENANCE)


def done(file: Path) -> dict[str, Any]:
    """Return the content of a run's ``run.json``."""
    text = _bytes(file)
    content = _decoded(text, file)
    _checked(content, RunDocument, file)
    checksums.refuse_changed_document(text, content, file)
    return dict(content)


def failed(file: Path) -> dict[str, Any]:
    """Return the content of a run's ``failure.json``.

    The content, which has the entries of `FailureDocument` without its checksum.
    """
    return _read(file, FailureDocument, _ALLOWED)


def _read(file: Path, kind: type[Struct], allowed: str) -> dict[str, Any]:
    text = _bytes(file)
    content = _decoded(text, file, allowed)
    _checked(content, kind, file)
    checksums.refuse_changed_document(text, content, file, allowed)
    return _without_checksum(content)


def _without_checksum(content: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name != checksums.ENTRY}


def _bytes(file: Path) -> bytes:
    try:
        return reading.read_bytes(file, reading.MOST_JSON_BYTES, _ALLOWED)
    except FileNotFoundError:
        allowed = "a folder as it was written; without the folder the run is made again"
        raise InputError("the file is missing", file=str(file), allowed=allowed) from None


def _decoded(text: bytes, file: Path, allowed: str = _ALLOWED) -> Any:
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return msgspec.json.decode(text)
    try:
        return json.loads(text)  # slower; accepts NaN as Python writes it, and names the line of an error
    except (ValueError, RecursionError) as error:
        problem = f"not JSON: {error}" if isinstance(error, json.JSONDecodeError) else "not JSON"
        raise InputError(problem, file=str(file), allowed=allowed) from None


def _checked(content: Any, kind: type[_Kind], file: Path) -> _Kind:
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise _refused(str(error), content).located(file=file) from None


def _refused(message: str, content: Any) -> InputError:
    """Return the error for a message of msgspec, such as "Expected `int`, got `str` - at `$.factors[1].minus`"."""
    problem, _, path = message.partition(" - at `$")
    path = path.removesuffix("`").removeprefix(".")
    if missing := re.fullmatch("Object missing required field `(.+)`", problem):
        return InputError("missing", path=f"{path}.{missing[1]}".removeprefix("."), allowed=_ALLOWED)
    path, any_key, _ = path.partition("[...]")  # msgspec does not name a key that a definition does not name
    value = content
    for key, place in re.findall(r"([a-z]\w*)|\[(\d+)\]", path):
        value = value[int(place)] if place else value[key]
    problem, allowed = _said(problem)
    return InputError(f"a value in it is {problem}" if any_key else problem, None, path or None, value, allowed)


def _said(problem: str) -> tuple[str, str]:
    """Return what is wrong and what is allowed, for a problem in the words of msgspec."""
    if bound := re.fullmatch(r"Expected `\w+` (>=|>|<=|of length >=) (\S+)", problem):
        words = {">=": ("too low", "at least"), ">": ("too low", "more than"), "<=": ("too high", "at most")}
        wrong, allowed = words.get(bound[1], ("too short", "a length of at least"))
        return wrong, f"{allowed} {bound[2].removesuffix('.0')}"
    if wanted := re.match("Expected `([^`]+)`", problem):
        return "not " + " or ".join(_NAMES.get(each, each) for each in wanted[1].split(" | ")), _ALLOWED
    return "unknown value" if problem.startswith("Invalid enum value") else problem, _ALLOWED


def _refuse_strangers(document: ExperimentDocument, design: dict[str, Any]) -> None:
    """Raise an `InputError` where parts of an experiment do not fit each other."""
    factors = [factor.id for factor in document.factors]
    if document.design.factors != factors:
        raise InputError("not the factors of the experiment", path="design.factors", allowed=", ".join(factors))
    try:
        conditions = from_document(design).conditions
    except InputError as error:
        raise InputError(error.problem, path=f"design.{error.path}", value=error.value, allowed=error.allowed) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("not the rows of a design", path="design", allowed=_ALLOWED) from None
    if document.response_set not in SETS:
        raise unknown("set of responses", document.response_set, SETS, path="response_set")
    for place, name in enumerate(document.keep or ()):
        if name not in KEEPABLE:
            raise unknown("table to keep", name, KEEPABLE, path=f"keep[{place}]")
    refuse_too_many(conditions, len(document.algorithms), document.replicates)
    there = [(entry.condition, entry.algorithm) for entry in document.scenarios]
    if there != list(product(range(1, conditions + 1), document.algorithms)):
        allowed = "one scenario per condition and algorithm, in this order"
        raise InputError("not the scenarios of the design and the algorithms", path="scenarios", allowed=allowed)
