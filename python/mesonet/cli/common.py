"""Options, errors and exit codes that the verbs share."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource

import mesonet
from mesonet import interrupts
from mesonet.cli import completion
from mesonet.errors import Broken, InputError, PluginFault
from mesonet.progress import Progress
from mesonet.topologies.find import COMPONENTS

if TYPE_CHECKING:
    from mesonet.scenarios.scenario import Scenario

_MOST_LEVELS = 20
"""Most levels of a factor that are read for words of other software (chosen): samples have none."""
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


class Command(click.Command):
    """Command whose errors name the option of a value: Python's `figures` is `--figures` here."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the line of the list of commands."""
        return " ".join((self.help or "").partition("\n\n")[0].split())

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an `InputError` about an argument of Python names the option instead."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            for option in self.params:
                given = ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
                if isinstance(option, click.Option) and given and error.file is None and option.name == error.path:
                    raise replace(error, path=option.opts[0]) from error
            raise


class CommandGroup(click.Group):
    """Group of commands that turns errors of users into one message and an exit code."""

    command_class = Command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and end with one message and an exit code for an error of the user."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            stop(ctx, str(error), 2)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            stop(ctx, f"{' '.join(error.format_message().split())}", 2)
        except KeyboardInterrupt:
            stop(ctx, "interrupted", interrupts.CODE)
        except (ImportError, Broken, PluginFault) as error:
            stop(ctx, str(error), 1)
        except MemoryError:
            stop(ctx, "not enough memory. Allowed: more memory, or a smaller scenario or campaign", 1)
        except OSError as error:
            if error.errno == errno.EPIPE:
                end_of_pipe(ctx)
            place = f"{error.filename}: " if error.filename else ""
            problem = (error.strerror or str(error)).lower()
            stop(ctx, f"{place}{problem}. Allowed: a file or folder that can be read and written", 2)


def end_of_pipe(ctx: click.Context) -> NoReturn:
    """End as a program that SIGPIPE ends: the reader of its output has closed, as ``head`` does."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the exit
    ctx.exit(128 + signal.SIGPIPE)


def stop(ctx: click.Context, message: str, code: int) -> NoReturn:
    """End the command with a message on stderr."""
    click.echo(f"mesonet: {message}", err=True)
    ctx.exit(code)


SCENARIO = click.argument("target", metavar="SCENARIO|EXPERIMENT", shell_complete=completion.SCENARIO)


SET = click.option(
    "--set",
    "values",
    multiple=True,
    metavar="PATH=VALUE",
    help="Set a value: warmup='0 s'.",
    shell_complete=completion.SETTING,
)
PRESET = click.option("--preset", metavar="NAME", help="Short for --set preset=NAME: standard or linux.")


def scenario_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options that choose a scenario, or a condition of an experiment."""
    for option in (
        click.option("--force", is_flag=True, help="Continue even if the scale distorts the network."),
        click.option("--scale", type=float, help="Multiplies rates and numbers of sources."),
        click.option("--duration", help="Simulated time, such as '5 min'."),
        click.option(
            "--component",
            type=click.Choice(COMPONENTS),
            help="With --set topology=FILE: keep the largest part of a network that is not connected.",
        ),
        click.option(
            "--default-delay",
            metavar="TIME",
            help="With --set topology=FILE: delay of links without delay, length and coordinates.",
        ),
        click.option(
            "--algorithm",
            help="A name, or a mix such as 'tcp=0.8 cubic=0.2'. For an experiment with a mix: its alternate.",
            shell_complete=completion.ALGORITHMS,
        ),
        SET,
        click.option("--condition", type=int, metavar="N", help="Row N of the experiment's design, from 1."),
    ):
        command = option(command)
    return command


THRESHOLD = click.option(
    "--threshold", type=float, metavar="R", help="|r| above which responses form a cluster; by default 0.65."
)
CUT = click.option(
    "--cut", type=float, metavar="SHARE", help="Part of the largest distance below which a group forms; by default 0.7."
)
BETTER = click.option(
    "--better",
    multiple=True,
    metavar="RESPONSE=lower|higher|VALUE",
    help="For a model: the better direction of a response, or its best value.",
)
DIRECTORY = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options that describe TABLE, a file of any experiment."""
    for option in (
        click.option("--unit", default="", help="For TABLE: unit of the response."),
        click.option(
            "--block", metavar="COLUMN", help="For TABLE: column that labels the block of each run, such as a day."
        ),
        click.option(
            "--factors", metavar="A,B,...", help="For TABLE: columns of the factors; by default all of two levels."
        ),
        click.option(
            "--response", metavar="COLUMN,...", help="For TABLE: the measured column; several are replicates."
        ),
    ):
        command = option(command)
    return command


def refuse(target: str, options: Sequence[str]) -> None:
    """Raise an `InputError` for options that have no meaning for a target. `options`: their names in Python."""
    context = click.get_current_context()
    for name in options:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise InputError(
                f"has no meaning for a {target}", path=f"--{name.replace('_', '-')}", allowed="the options of `--help`"
            )


def directions(given: Sequence[str]) -> dict[str, str]:
    """Return the values of the options ``--better`` by response."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or name.strip() in found:
            problem = "given twice" if equals else "not RESPONSE=DIRECTION"
            raise InputError(problem, path="--better", value=text, allowed="such as wait=lower, each response once")
        found[name.strip()] = value.strip()
    return found


def chosen_thresholds(correlation: float | None, cut: float | None) -> Any:
    """Return the thresholds of the analyses, from options.

    `correlation`: |r| above which responses are redundant, 0 to 1; None: the default. `cut`: share of the largest
    linkage below which algorithms are a group, 0 to 1; None: the default.
    """
    from mesonet.reporting.campaign_view.thresholds import Thresholds

    given = {"correlation": correlation, "cut": cut}
    try:
        return Thresholds(**{name: value for name, value in given.items() if value is not None})
    except InputError as error:
        raise replace(error, path={"correlation": "--threshold", "cut": "--cut"}[str(error.path)]) from error


def from_results(directory: Path, what: str, write: Callable[..., Any], place: Path) -> Any:
    """Return the result of a function for the campaign in a folder, with progress.

    `write`: called with the campaign, the place and ``progress``.
    """
    from mesonet.reporting.campaign_view.grid import is_grid
    from mesonet.reporting.campaign_view.sampled import is_sampled, left_out

    campaign = mesonet.load(directory)
    if not campaign.counts["done"]:
        raise InputError("no run of the campaign is done", value=str(directory), allowed="run it first")
    if is_sampled(campaign) and not is_grid(campaign):
        click.echo(f"note: {left_out(campaign)}", err=True)
    with Progress(f"{what} of {campaign.name}") as progress:
        return write(campaign, place, progress=progress.update)


def refuse_other_forms(figure: Path, terminal: Path | None = None) -> None:
    """Raise an `InputError` for a ``--plot`` that is no form of a figure. `terminal`: value that stands for no file."""
    from mesonet.charts.export import FORMS
    from mesonet.charts.in_page import renderer

    if figure == terminal:
        return
    if figure.suffix not in FORMS:
        allowed = f"a file {', '.join(FORMS)}{f', or {terminal}' if terminal else ''}"
        raise InputError("no form of a figure", path="--plot", value=str(figure), allowed=allowed)
    renderer()


def save_plot(chart: Any, figure: Path) -> None:
    """Write a chart to the file of ``--plot``."""
    from mesonet.charts.export import save

    try:
        figure.parent.mkdir(parents=True, exist_ok=True)
        save(chart, figure)
    except OSError as error:
        problem = f"cannot be written: {error.strerror or error}"
        raise InputError(problem, path="--plot", value=str(figure), allowed="a file that can be written") from None
    click.echo(f"drawn: {figure}", err=True)


def announce_names(chosen: Any) -> None:
    """Print which words of an experiment of networks are words of other software, once each."""
    import numpy as np

    from mesonet.scenarios.derived import name_notes

    if getattr(chosen, "model", None) is not None:
        return
    first = [np.unique(column, return_index=True)[1] for column in chosen.rows.matrix.T]
    numbers = sorted({1, *(int(place) + 1 for places in first if len(places) <= _MOST_LEVELS for place in places)})
    for note in dict.fromkeys(note for number in numbers for note in name_notes(chosen.condition(number))):
        click.echo(f"note: {note}", err=True)


def value_notes(chosen: Scenario, described: Mapping[str, Any]) -> list[str]:
    """Return notes on values that have no effect, are raised or scaled, and on capacities that are filled in."""
    from mesonet.scenarios import derived
    from mesonet.scenarios.scaling import scale_notes

    unused = [f"{path} has no effect: no flow uses the algorithm" for path in chosen.unused()]
    return [
        *unused,
        *derived.access_notes(chosen, described),
        *derived.capacity_notes(chosen),
        *derived.traffic_notes(chosen),
        *derived.name_notes(chosen),
        *derived.ecn_notes(chosen),
        *derived.impairment_notes(chosen),
        *scale_notes(chosen),
        *described["raised"],
    ]
