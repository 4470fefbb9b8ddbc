"""What the verbs of ``mesonet experiment`` stand on: names to experiments and folders, and plans as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.designs.two_level import size_text
from mesonet.errors import InputError
from mesonet.experiment import Experiment, experiment, names
from mesonet.terminal import plural

if TYPE_CHECKING:
    from mesonet.campaign.data import Campaign


def find_experiment(
    target: str, algorithms: str | None = None, scale: float | None = None, **options: Any
) -> Experiment:
    """The experiment of a name or a file, with options as users type them."""
    listed = [name.strip() for name in algorithms.split(",")] if algorithms is not None else None
    return experiment(target, algorithms=listed, scale=1.0 if scale is None else scale, **options)


def find_folder(target: str, out: Path | None = None) -> Path:
    """The campaign folder of an experiment, or `target` itself where it is one."""
    if _is_experiment(target):
        return out or Path(experiment(target).name)
    if out is not None:
        raise InputError("a campaign folder is its own --out", path="--out", value=str(out))
    return Path(target)


def run(target: str, out: Path | None, workers: int | None, force: bool, options: Mapping[str, Any]) -> Campaign:
    """Runs what is missing of an experiment or of the campaign in a folder."""
    if _is_experiment(target):
        chosen = find_experiment(target, **options)
        return chosen.run(out or Path(chosen.name), workers, force=force)
    from mesonet.campaign.data import load
    from mesonet.campaign.ledger import Ledger
    from mesonet.campaign.runner import run_missing

    ledger = Ledger(find_folder(target, out))
    if not (ledger.path / "experiment.json").exists():
        allowed = f"{', '.join(names())}, a TOML file, or a campaign folder"
        raise InputError("no such experiment or campaign", value=target, allowed=allowed)
    for option, value in options.items():
        if value is not None:
            problem = "a campaign that was begun continues as it is"
            raise InputError(
                problem, path=f"--{option}", value=value, allowed="the experiment's name and another --out"
            )
    run_missing(ledger, workers)
    return load(ledger.path)


def heading(chosen: Experiment) -> str:
    """What an experiment is, in a few lines."""
    design = chosen.design
    runs = design.runs * len(chosen.algorithms) * chosen.replicates
    lines = [
        f"{chosen.name}: {chosen.title}",
        f"{plural(runs, 'run')} = {plural(design.runs, 'condition')} x {plural(len(chosen.algorithms), 'algorithm')} "
        f"x {plural(chosen.replicates, 'replicate')}; {', '.join(chosen.algorithms)}"
        + (f", each mixed with {chosen.mixed_with}" if chosen.mixed_with else ""),
    ]
    if design.factors:
        kind = ", ".join(design.generators) or "full factorial"
        lines.append(f"design {size_text(design)}, {kind}")
    if design.generators:
        words = ", ".join(f"{count} of length {length}" for length, count in design.word_lengths.items())
        lines.append(f"resolution {design.resolution}, defining words: {words}")
        pairs = len(design.aliases) - len(design.factors)
        lines.append(f"{len(design.clear_interactions)} of {pairs} two-factor interactions are clear of each other")
    return "\n".join(lines) + "\n"


def condition_rows(chosen: Experiment) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of the conditions: the level of each factor."""
    factors = chosen.factors
    rows = [
        [number, *(factor.plus if sign > 0 else factor.minus for factor, sign in zip(factors, signs, strict=True))]
        for number, signs in enumerate(chosen.design.matrix, start=1)
    ]
    return ["condition", *(factor.id for factor in factors)], rows


def as_json(chosen: Experiment, warnings: list[str]) -> dict[str, Any]:
    """The plan as plain data."""
    design = chosen.design
    return {
        "name": chosen.name,
        "title": chosen.title,
        "algorithms": list(chosen.algorithms),
        "mixed_with": chosen.mixed_with,
        "factors": [vars(factor) for factor in chosen.factors],
        "design": {
            "matrix": design.matrix.tolist(),
            "generators": list(design.generators),
            "resolution": design.resolution,
            "word_lengths": design.word_lengths,
            "aliases": design.aliases,
        },
        "warnings": warnings,
        "runs": chosen.plan().drop("scenario").to_dicts(),
    }


def _is_experiment(target: str) -> bool:
    return target in names() or (Path(target).is_file() and not Path(target).is_dir())
