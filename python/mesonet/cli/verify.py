"""The verb ``mesonet verify``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mesonet.cli.common import JSON, Command, stop
from mesonet.errors import InputError
from mesonet.terminal import write_json, write_table

CHECKOUT = Path(__file__).parents[3]
"""The source checkout that this package is in, if it is in one."""


def import_from_checkout() -> None:
    """Make the package ``verification`` importable: its folder is at the root of a checkout and in no wheel."""
    for root in (CHECKOUT, Path.cwd()):
        if (root / "verification" / "scorecard" / "__init__.py").is_file():
            sys.path.append(str(root))
            return
    raise InputError(
        "claims and measures belong to the source checkout, not to the installed package",
        allowed="mesonet verify in the root of a checkout",
    )


@click.command(cls=Command)
@click.argument("words", nargs=-1, metavar="[CLAIM|PART|CAMPAIGN]...")
@click.option("--quick", is_flag=True, help="Judge only the claims that take a minute in all.")
@click.option(
    "--campaigns",
    default="verify",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Folder of the campaigns; existing campaigns are read.",
)
@click.option(
    "--longest",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="MINUTES",
    help="Run missing campaigns that take at most this processor time; read others from the record.",
)
@click.option("--claims", type=click.Path(path_type=Path), help="Another folder with claims and campaigns.toml.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the page, such as verification/RESULTS.md, and its record (.json).",
)
@JSON
def verify(
    words: tuple[str, ...],
    quick: bool,
    campaigns: Path,
    longest: float,
    claims: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Show the scorecard of all claims, or of parts such as G: published and simulated values, and verdicts."""
    import_from_checkout()
    from verification.scorecard.campaigns import Campaigns
    from verification.scorecard.scorecard import FOLDER, RECORD, load_scorecard

    chosen = load_scorecard(claims or FOLDER).chosen(words, quick)
    found = Campaigns(chosen.entries, campaigns, longest * 60)
    findings = chosen.judge(found)
    if out:
        out.write_text(chosen.page(findings, found), encoding="utf-8")
        chosen.measured(findings, found).write(out.with_name(RECORD))
    if as_json:
        write_json(chosen.document(findings))
    else:
        write_table(*chosen.rows(findings))
        if names := chosen.unrecorded(findings):
            click.echo(
                f"\nnote: judged with all conditions, without a record that the load settled: {', '.join(names)}"
            )
    if unexpected := chosen.unexpected(findings):
        stop(click.get_current_context(), "; ".join(unexpected), 1)
