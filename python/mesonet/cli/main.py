"""The command line: verbs only.

Exit codes: 0 fine, 1 a run failed, 2 bad input, 130 interrupted, 141 the reader of the output is gone,
143 ended by SIGTERM, with a snapshot written or all results.
"""

from __future__ import annotations

import click

import mesonet
from mesonet.cli.analyze import analyze
from mesonet.cli.check import check
from mesonet.cli.common import CommandGroup
from mesonet.cli.design import design
from mesonet.cli.experiment import experiment
from mesonet.cli.export import export
from mesonet.cli.list import list_
from mesonet.cli.report import report
from mesonet.cli.run import run
from mesonet.cli.verify import verify


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mesonet.__version__, prog_name="mesonet")
def main() -> None:
    """Predict what happens to a large network when a new congestion control is deployed in it."""


for verb in (list_, run, check, design, experiment, analyze, report, export, verify):
    main.add_command(verb)
