"""The command line: verbs only.

Exit codes: 0 fine, 1 a run failed, 2 bad input, 130 interrupted, 141 the reader of the output is gone,
143 ended by SIGTERM, with a snapshot written or all results.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from mesonet import interrupts
from mesonet._version import __version__
from mesonet.cli.common import CommandGroup
from mesonet.errors import InputError
from mesonet.terminal import write_json

VERBS = {
    "list": "List what mesonet knows: scenarios, experiments, algorithms, ...",
    "explain": "Explain TERM: a term of the glossary, or a name that `mesonet list` shows.",
    "run": "Simulate SCENARIO, or one condition of EXPERIMENT, once; both are built-in names or TOML files.",
    "batch": "Simulate SCENARIO once for each line of EDITS, a CSV file, and write one table of responses.",
    "replay": "Run SCENARIO, which has one bottleneck, in mesonet and on the TCP of a real kernel, and compare both.",
    "check": "Show each value of SCENARIO, or of a condition of EXPERIMENT, with its source and its consequences.",
    "fit": "Estimate the path of one flow from CAPTURE (pcap, pcapng, qlog), and replay its control on this path.",
    "matrix": "Estimate the traffic matrix of SCENARIO from measured loads of links, or make one by gravity.",
    "design": "Show the effects that a design can separate: the design of EXPERIMENT, or the best known design.",
    "experiment": "Plan and run many runs by a factorial design: plan, run, status.",
    "grid": "Run SCENARIO at all combinations of levels, such as 2, 10 and 50 flows: means, intervals and a figure.",
    "deploy": "Deploy ALGORITHM at several shares of the users: the total effect, and the results of tests.",
    "analyze": "Write tables and figures of the campaign in DIR, or analyse TABLE, a file of any experiment.",
    "emulate": "Predict RESPONSE of the campaign in DIR, or of TABLE, at settings that were not run, with a band.",
    "report": "Write the report of the campaign in DIR, or of TABLE, a file of any experiment: one HTML file.",
    "playground": "Write a page that simulates in the browser: windows, queues and throughput of any algorithms.",
    "evidence": "Judge ALGORITHM by a suite, such as the criteria of RFC 9743: runs, verdicts, and one HTML page.",
    "adversary": "Search for the path, which may change in time, on which ALGORITHM performs worst, and simplify it.",
    "score": "Score each CANDIDATE by its contract, hidden cells, a search for bad paths, and a part of RFC 9743.",
    "conform": "Check ALGORITHM: a contract for all algorithms, cases of its specification, and a baseline of numbers.",
    "export": "Write one table of the campaign in DIR: responses and goodputs of flow groups, or a kept table.",
    "verify": "Show the scorecard of all claims, or of parts such as G: published and simulated values, and verdicts.",
    "plugin": "Load the plug-in of FILE and show its declarations. Without FILE, show the path of the C header.",
}
"""The verbs in the order of the help, with the lines there: so that `mesonet` imports none of them."""


class Verbs(CommandGroup):
    """The verbs, each imported when it is used: a short command waits for no library that another verb needs."""

    def make_context(self, *given: Any, **options: Any) -> click.Context:
        """Return the context of the command; Ctrl-C ends it as everywhere else."""
        try:
            return super().make_context(*given, **options)
        except KeyboardInterrupt:
            click.echo("mesonet: interrupted", err=True)
            raise SystemExit(interrupts.CODE) from None

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the verbs in the order of the help."""
        return list(VERBS)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lines of `VERBS`."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Return a verb."""
        if name not in VERBS:
            return None
        verb = getattr(import_module(f"mesonet.cli.{name}"), "list_" if name == "list" else name)
        assert isinstance(verb, click.Command)
        return verb


_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 120}


@click.group(cls=Verbs, invoke_without_command=True, context_settings=_SETTINGS)
@click.option("--version", "wants_version", is_flag=True, help="Show the version and exit.")
@click.option("--json", "as_json", is_flag=True, help="With --version: print profile, target and engine, too.")
@click.pass_context
def main(context: click.Context, wants_version: bool, as_json: bool) -> None:
    """Predict what happens to a large network when a new congestion control is deployed in it."""
    if wants_version:
        _show_version(as_json)
        context.exit()
    if as_json:
        raise InputError("goes with --version here", path="--json", allowed="after the verb, such as list --json")
    if context.invoked_subcommand is None:
        raise click.exceptions.NoArgsIsHelpError(context)


def _show_version(as_json: bool) -> None:
    if not as_json:
        click.echo(f"mesonet, version {__version__}")
        return
    from mesonet import core

    write_json({"mesonet": __version__, "code_version": core.code_version(), **core.build()})
