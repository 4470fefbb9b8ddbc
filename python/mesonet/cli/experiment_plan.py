"""The plan of an experiment, its cost and its status, as text and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from msgspec import to_builtins

from mesonet import units
from mesonet.designs.grid import KIND
from mesonet.designs.two_level import size_text
from mesonet.experiments.base import NO_ALGORITHM, Designed
from mesonet.progress import duration
from mesonet.terminal import plural, write_table
from mesonet.words import counted, listed, own_names, plural_of, quantity

if TYPE_CHECKING:
    from mesonet.campaign.pilot import Cost
    from mesonet.campaign.status import Status
    from mesonet.looks.cost import LookCosts
    from mesonet.looks.scales import Answer, ScalePilot


def heading(chosen: Designed) -> str:
    """Return the description of an experiment in a few lines."""
    design, rows = chosen.design, chosen.rows
    runs = chosen.conditions * len(chosen.algorithms) * chosen.replicates
    mixed_with = getattr(chosen, "mixed_with", None)
    noun = chosen.alternative.replace("_", " ")
    parts = [counted(chosen.conditions, "condition"), counted(len(chosen.algorithms), noun, plural_of(noun)),
             counted(chosen.replicates, "replicate")]  # fmt: skip
    names = f"; {', '.join(chosen.algorithms)}" + (f", each mixed with {mixed_with}" if mixed_with else "")
    if chosen.algorithms == NO_ALGORITHM:
        names = ""
        del parts[1]
    lines = [f"{chosen.name}: {chosen.title}", f"{counted(runs, 'run')} = {' x '.join(parts)}{names}"]
    if rows.kind == KIND:
        sizes = " x ".join(str(len(factor.levels)) for factor in chosen.factors)
        return "\n".join([*lines, f"grid: all {rows.conditions} combinations of {sizes} levels"]) + "\n"
    if rows.kind != "two-level":
        return "\n".join([*lines, f"design of kind {rows.kind}, {plural(len(design.factors), 'factor')}"]) + "\n"
    if design.factors:
        lines.append(
            f"design {size_text(design) if rows.is_plain else 'two-level, with runs added'}"
            + (f", {', '.join(design.generators)}" if design.generators else ", full factorial")
        )
    half = "half" in rows.asked  # the words describe the design before runs were added to a part of it
    if design.generators and half:
        lines.append("a semifold: its runs have no defining words and no one resolution")
    elif design.generators and design.is_full:
        lines.append("all combinations run: nothing is aliased")
    elif design.generators:
        words = ", ".join(f"{count} of length {length}" for length, count in design.word_lengths.items())
        lines.append(f"resolution {design.resolution}, defining words: {words or 'none'}")
    if design.generators:
        pairs = len(design.aliases) - len(design.factors)
        lines.append(f"{len(design.clear_interactions)} of {pairs} two-factor interactions are clear of each other")
    if rows.conditions > design.runs:
        lines.append(f"{plural(rows.conditions - design.runs, 'condition')} with all factors half-way")
    return "\n".join(lines) + "\n"


def segment_bytes(chosen: Designed) -> float | None:
    """Return the size of a segment in all conditions.

    Bytes; None for a model that is no network, or if a factor varies the size.
    """
    path = "transport.segment_bytes"
    scenario = getattr(chosen, "scenario", None)
    if scenario is None or any(level.path == path for own in chosen.levels.values() for level in own):
        return None
    return float(scenario.value(path))


def factor_rows(chosen: Designed) -> tuple[list[str], list[list[str]]]:
    """Return a table of the factors: header, and a row per factor with both levels or, of a grid, with all."""
    size, is_grid = segment_bytes(chosen), chosen.rows.kind == KIND
    rows = []
    for factor in chosen.factors:
        levels = [units.with_bits(level, size) for level in (factor.levels if is_grid else (factor.minus, factor.plus))]
        rows.append([factor.id, factor.name, factor.path, *([", ".join(levels)] if is_grid else levels)])
    return ["factor", "name", "path", *(["levels"] if is_grid else ["minus", "plus"])], rows


def condition_rows(chosen: Designed) -> tuple[list[str], list[list[Any]]]:
    """Return a table of the conditions.

    Header and rows: number, block if there are blocks, the values that each factor sets, and the highest offered load
    with the class of its routers if the simulated network is known.
    """
    blocks, loads = chosen.rows.block, chosen.offered_loads()
    own = ["condition", *([] if blocks is None else ["block"])]
    header = [*own, *own_names([factor.id for factor in chosen.factors], own)]
    rows = [
        [number, *([] if blocks is None else [blocks[number - 1]]), *texts.values()]
        for number, texts in enumerate(chosen.condition_texts(), start=1)
    ]
    for row, (load, routers) in zip(rows, loads, strict=False):
        row.append(f"{load:.2f} {routers}" if load else "")
    return [*header, *(["highest offered load"] if loads else [])], rows


def write_plan(chosen: Designed, warnings: Sequence[str], more: Callable[[], None] | None = None) -> None:
    """Print the plan of an experiment: factors, conditions, or of a grid only their number and load, and warnings.

    `more`: prints what comes before the warnings.
    """
    click.echo(heading(chosen))
    if chosen.levels:
        write_table(*factor_rows(chosen))
        loads = [load for load, _ in chosen.offered_loads()] if chosen.rows.kind == KIND else []
        if chosen.rows.kind != KIND:
            click.echo("")
            write_table(*condition_rows(chosen))
        elif any(loads):
            click.echo(f"\nhighest offered load: {_span(loads)}")
    if arrivals := arrival_rows(chosen):
        click.echo("")
        write_table(ARRIVAL_COLUMNS, arrivals)
    if more is not None:
        more()
    for warning in warnings:
        click.echo(f"\nnote: {units.with_bits(warning, segment_bytes(chosen))}")


ARRIVAL_COLUMNS = ["arrivals", "mean size", "rate", "offered load"]


def arrival_rows(chosen: Designed) -> list[list[str]]:
    """Return a row per process of open-loop arrivals: the least and the most over the conditions.

    Rows of text, in the columns `ARRIVAL_COLUMNS`; empty without arrivals, or for a model that is no network.
    """
    processes: list[list[dict[str, Any]]] = getattr(chosen, "arrivals", list)()
    rows = []
    for number, each in enumerate(zip(*processes, strict=True)):
        size, rate, load = (_span([process[key] for process in each]) for key in ("mean_size", "rate", "load"))
        queues = sorted({process["queue"] for process in each})
        rows.append([f"arrivals[{number}]", f"{size} segments", f"{rate} flows/s", f"{load} of {listed(queues)}"])
    return rows


def _span(values: Sequence[float]) -> str:
    least, most = (f"{value:.4g}" for value in (min(values), max(values)))
    return least if least == most else f"{least} to {most}"


def as_json(
    chosen: Designed,
    warnings: list[str],
    cost: Cost | None,
    looks: LookCosts | None = None,
    scales: ScalePilot | None = None,
) -> dict[str, Any]:
    """Return the plan of an experiment as plain data."""
    design, rows = chosen.design, chosen.rows
    whole = all(float(x).is_integer() for x in rows.matrix.flat)
    return {
        "name": chosen.name,
        "title": chosen.title,
        "algorithms": list(chosen.algorithms),
        "mixed_with": getattr(chosen, "mixed_with", None),
        "factors": [to_builtins(factor) for factor in chosen.factors],
        "design": {
            "kind": rows.kind,
            "matrix": (rows.matrix.astype(int) if whole else rows.matrix).tolist(),
            "block": None if rows.block is None else list(rows.block),
            "generators": list(design.generators),
            "resolution": None if "half" in rows.asked else design.resolution,
            "word_lengths": None if "half" in rows.asked else design.word_lengths,
            "aliases": design.aliases,
        },
        "warnings": warnings,
        "cost": None if cost is None else asdict(cost),
        **({"looks": {**asdict(looks), **looks.cpu_s(cost)}} if looks else {}),
        **({"scales": scales.as_dict()} if scales else {}),
        "offered_loads": [{"load": load, "routers": routers} for load, routers in chosen.offered_loads()],
        "arrivals": getattr(chosen, "arrivals", list)(),
        "runs": chosen.plan().drop("scenario").to_dicts(),
    }


def estimate(chosen: Designed, budget_s: float) -> Cost:
    """Return the expected cost of a campaign, from pilots."""
    from mesonet.campaign.pilot import pilot

    loads = [load for load, _ in chosen.offered_loads()]
    expected = {"expected_cost": chosen.expected_cost(), "offered_load": loads}
    return pilot({**chosen.document(), **expected}, budget_s)


def cost_lines(cost: Cost, workers: int) -> list[str]:
    """Return an estimate in words."""
    from mesonet.campaign.pilot import SEEN

    least, most = (duration(seconds) for seconds in (cost.least_cpu_s, cost.most_cpu_s))
    share = min(each["share"] for each in cost.pilots)
    lines = [
        f"about {duration(cost.total_cpu_s)} of processor time ({least} to {most}), "
        f"{duration(cost.total_cpu_s / workers)} with {plural(workers, 'run')} at a time",
        f"a run takes {duration(min(cost.cpu_s))} to {duration(max(cost.cpu_s))}, "
        f"and at least {cost.memory_bytes / 2**20:.0f} MiB of memory; "
        f"all need about {cost.disk_bytes / 2**20:.1f} MiB of disk",
        f"from pilots of {plural(len(cost.pilots), 'condition')}: "
        + ", ".join(str(each["condition"]) for each in cost.pilots),
    ]
    if share < SEEN:
        lines.append(f"pilots covered at least {share:.1g} of a run; the rest is estimated from the expected segments")
    for each in cost.pilots:
        if each["condition"] in cost.growing:
            least, likely = (duration(each[name]) for name in ("least_cpu_s", "cpu_s"))
            lines.append(
                f"condition {each['condition']} is slow: its load still rose at the end of the pilot; "
                f"a run takes at least {least}, the estimate is {likely}"
            )
    if others := [str(each) for each in cost.unsettled if each not in cost.growing]:
        where = (
            f"the pilot{'s' if len(others) > 1 else ''} of condition{'s' if len(others) > 1 else ''} {listed(others)}"
        )
        lines.append(f"the load had not settled at the end of {where}; longer pilots (--pilot) are more exact")
    return lines


def looks(chosen: Designed, arguments: Mapping[str, Any]) -> LookCosts:
    """Return the sizes of a campaign that runs until it is decided. `arguments`: of its rule."""
    from mesonet.looks.cost import look_costs
    from mesonet.looks.rule import rule_of

    document = chosen.document()
    return look_costs(document, rule_of(document, **arguments))


def looks_lines(looks: LookCosts, cost: Cost | None) -> list[str]:
    """Return the runs of the looks and of the checks, with their cost, in words."""
    from mesonet.reporting.text.looks_text import against_words

    seconds = looks.cpu_s(cost)
    lines = [
        f"until decided: looks after {listed([str(each) for each in looks.planned])} replicates, "
        f"{against_words(looks.against)}, margin {looks.margin:.3g}"
    ]
    for title, runs, key in (
        ("first look", looks.first_runs, "first_cpu_s"),
        ("all looks", looks.full_runs, "full_cpu_s"),
        ("length check", looks.length_runs, "length_cpu_s"),
        ("new conditions", looks.new_runs, "new_cpu_s"),
    ):
        time = f", about {duration(seconds[key])} of processor time" if key in seconds else ""
        lines.append(f"{title}: {plural(runs, 'run')}{time}")
    return lines


def compared(chosen: Designed, scales: str, budget_s: float) -> ScalePilot:
    """Return the pilot of an experiment at the scales that a user lists, separated by commas."""
    from mesonet.looks.scales import compare_scales

    return compare_scales(chosen, [each.strip() for each in scales.split(",")], budget_s)


def scale_rows(pilot: ScalePilot) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a pilot of scales: each response with its change, and the time of the campaign."""
    from mesonet.looks.scales import ANSWERS, deviation

    def cell(name: str, answer: Answer) -> str:
        value = "–" if answer.value is None else quantity(answer.value, ANSWERS[name].unit)
        off = deviation(name, answer)
        return f"{value} ({off})" if off else value

    header = ["scale", *(compared.words for compared in ANSWERS.values()), "processor time of the campaign"]
    return header, [
        [f"{of.scale:g}", *(cell(name, answer) for name, answer in of.answers.items()), duration(of.cpu_s)]
        for of in pilot.scales
    ]


def scale_heading(pilot: ScalePilot) -> str:
    """Return the condition and the runs of a pilot of scales."""
    return (
        f"scales: condition {pilot.condition}, {pilot.algorithm}, {pilot.seeds} runs of "
        f"{duration(pilot.duration_s)} at each scale with equal seeds; a run has {duration(pilot.full_duration_s)}"
    )


def status_lines(status: Status) -> list[str]:
    """Return the progress of a campaign in words."""
    counts = "".join(f", {getattr(status, name)} {name}" for name in ("failed", "missing") if getattr(status, name))
    lines = [f"{status.name}: {status.done} of {plural(status.runs, 'run')} done in {status.path}{counts}"]
    if status.running:
        lines.append(f"{plural(status.running, 'run')} in progress")
    if status.on_from_snapshot:
        verb = "resumes" if status.on_from_snapshot == 1 else "resume"
        lines.append(f"{status.on_from_snapshot} of the remaining runs {verb} from a snapshot")
    if status.quarantined:
        lines.append(f"{status.quarantined} failed too often and are in quarantine; --retry retries them")
    if status.set_aside:
        lines.append(f"files of {plural(status.set_aside, 'damaged run')} are set aside in {status.path}/damaged")
    if status.verified is not None:
        without = f", {status.without_checksums} without checksums (made by earlier code)"
        known = without if status.without_checksums else ""
        lines.append(f"{plural(status.verified, 'run')} verified{known}, {len(status.damaged or ())} damaged")
    if status.seconds_left:
        lines.append(f"about {duration(status.seconds_left)} left")
    elif status.processor_s_left:
        lines.append(f"about {duration(status.processor_s_left)} of processor time left; nothing is running")
    if len(status.code_versions) > 1:
        lines.append(f"made by {len(status.code_versions)} versions of the code, mixed by --force")
    return lines
