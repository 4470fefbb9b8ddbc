"""Targets of the verbs of ``mesonet experiment``: experiments, their folders, and the run of what is missing there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from mesonet.campaign.ledger import EXPERIMENT, REPLICATES_FILE, UNTIL, Ledger
from mesonet.cli.common import announce_names
from mesonet.cli.looks_options import rule_arguments
from mesonet.cli.scenario_targets import pairs
from mesonet.errors import InputError
from mesonet.experiments.base import Designed
from mesonet.experiments.network import experiment, names


def find_experiment(
    target: str,
    algorithms: str | None = None,
    scale: float | None = None,
    values: Sequence[str] = (),
    **options: Any,
) -> Designed:
    """Return the experiment of a name or a file, with options as users type them. `values`: ``PATH=VALUE`` each."""
    factor = 1.0 if scale is None else scale
    return experiment(target, algorithms=algorithms, scale=factor, values=pairs(values), **options)


def find_folder(target: str, out: Path | None = None) -> Path:
    """Return the campaign folder of an experiment, or the folder itself."""
    if _is_experiment(target):
        return out or Path(experiment(target).name)
    if out is not None:
        raise InputError("a campaign folder is its own --out", path="--out", value=str(out))
    return Path(target)


def run(
    target: str,
    out: Path | None,
    workers: int | None,
    force: bool,
    options: Mapping[str, Any],
    confirmed: Callable[[str], bool],
    looks: Mapping[str, Any],
    added: tuple[int, str] | None = None,
    **how: Any,
) -> Path:
    """Run the missing runs of an experiment or of the campaign in a folder.

    `looks`: options of a campaign that runs until it is decided, as `rule_arguments` takes them. `force`: run even
    where the scale distorts the network, or other code began the campaign. `confirmed`: called with the model or the
    plug-ins of a folder that this user has not run before; False: refuse it. `added`: number of conditions to add, and
    the response that chooses them.
    """
    from mesonet.looks.so_far import SoFar

    if _is_experiment(target):
        chosen = find_experiment(target, **options)
        announce_names(chosen)
        folder = out or Path(chosen.name)
        held = os.path.exists(folder / REPLICATES_FILE)  # noqa: PTH110 - False for a name that is too long
        arguments = rule_arguments(held=held, **looks)
        if added is not None:
            from mesonet.emulation.additions import refuse, run_added

            refuse(chosen.document(), added[1])
            ledger, asked = chosen.begin(folder, workers, force=force, **how)
            run_added(ledger, asked, *added, told=told)
            return folder
        if arguments is None:
            return chosen.run_missing(folder, workers, force=force, watch=SoFar(folder), **how)
        from mesonet.looks.run import run_until_decided

        if options.get("replicates") is not None:
            problem, allowed = (
                "the looks set the number of replicates",
                "--at-most N; a folder continues by its own name",
            )
            raise InputError(problem, path="--replicates", value=options["replicates"], allowed=allowed)
        if chosen.replicates > 1 and not os.path.exists(folder / EXPERIMENT):  # noqa: PTH110
            click.echo(f"note: replicates = {chosen.replicates} is not used: the looks set the number", err=True)
        return run_until_decided(chosen, folder, **arguments, workers=workers, force=force, told=told, **how)
    from mesonet.campaign.backlog import RunOptions
    from mesonet.campaign.runner import run_missing
    from mesonet.campaign.trust import is_trusted, named_code, program, trust

    ledger = Ledger(find_folder(target, out))
    if not (ledger.path / "experiment.json").exists():
        allowed = f"{', '.join(names())}, a TOML file, or a campaign folder"
        raise InputError("no such experiment or campaign", value=target, allowed=allowed)
    for option, value in options.items():
        if value not in (None, ()):
            name, shown = ("set", value[0]) if option == "values" else (option, value)
            problem = "a campaign in progress continues without changes"
            raise InputError(problem, path=f"--{name}", value=shown, allowed="the experiment's name and another --out")
    model = named_code(ledger.document())
    if not is_trusted(ledger.path, model):
        shown = program(model or {})
        if not confirmed(shown):
            problem = f"the folder names a program that you have not run before, or that has changed since: {shown}"
            raise InputError(problem, value=str(ledger.path), allowed="--trust, if you trust who made the folder")
        trust(ledger.path, model)
    document = ledger.document()
    asked = RunOptions(workers=workers, mix=force, watch=None if UNTIL in document else SoFar(ledger.path), **how)
    arguments = rule_arguments(held=UNTIL in document, **looks)
    if added is not None:
        from mesonet.emulation.additions import run_added

        run_added(ledger, asked, *added, told=told)
    elif arguments is None:
        run_missing(ledger, asked)
    else:
        from mesonet.looks.rule import rule_of
        from mesonet.looks.run import run_looks

        run_looks(ledger, asked, rule_of(document, **arguments), told=told)
    return ledger.path


def added(number: int | None, response: str | None, looks: Mapping[str, Any]) -> tuple[int, str] | None:
    """Return the number of conditions to add and the response that chooses them; None without ``--add``."""
    if number is None and response is None:
        return None
    if number is None or response is None:
        option, other = ("--for", "--add N") if number is None else ("--add", "--for RESPONSE")
        raise InputError("is one half of an addition", path=option, value=response or number, allowed=f"{other}, too")
    if given := next((name for name, value in looks.items() if value not in (None, False)), None):
        problem = "a campaign that runs until it is decided gets no conditions"
        raise InputError(problem, path=f"--{given.replace('_', '-')}", allowed="without --add")
    return number, response


def told(line: str) -> None:
    """Print a line about a look on stderr."""
    click.echo(line, err=True)


def _is_experiment(target: str) -> bool:
    return target in names() or (Path(target).is_file() and not Path(target).is_dir())
