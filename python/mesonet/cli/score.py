"""The verb ``mesonet score``."""

from __future__ import annotations

from pathlib import Path

import click

from mesonet.cli import completion
from mesonet.cli.common import JSON, Command
from mesonet.errors import InputError
from mesonet.files import reading
from mesonet.simulation.simulate import LARGEST_SEED
from mesonet.terminal import write_json, write_table

_MOST_SEED_BYTES = 100


@click.command(cls=Command)
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATE...", shell_complete=completion.ALGORITHM)
@click.option(
    "--secret-seed",
    metavar="N|FILE",
    help="Seed that draws the hidden cells; by default a new seed, which is not shown.",
)
@click.option("--stages", metavar="LIST", help="Some of contract, screen, adversary, evidence; by default all.")
@click.option(
    "--time-limit", metavar="TIME", default="20 s", show_default=True, help="Longest processor time of a stage."
)
@click.option(
    "--memory-limit", metavar="SIZE", default="1 GiB", show_default=True, help="Largest further memory of a stage."
)
@JSON
def score(
    candidates: tuple[str, ...],
    secret_seed: str | None,
    stages: str | None,
    time_limit: str,
    memory_limit: str,
    as_json: bool,
) -> None:
    """Score each CANDIDATE by its contract, hidden cells, a search for bad paths, and a part of RFC 9743.

    A candidate is a file such as my_cc.c, a variant such as "my_cc.c(increase=2)", or a name. Its code runs in a
    sandbox. A score is from 0 to 1. A refused candidate has the score 0, and its reason is shown. The exit code is 1 if
    all are refused.
    """
    from mesonet.cli.memory_size import in_bytes
    from mesonet.cli.runner_options import parse_time_limit
    from mesonet.scoring import sandbox
    from mesonet.scoring.score import MEMORY_LIMIT, TIME_LIMIT_S
    from mesonet.scoring.score import score as scored
    from mesonet.scoring.stages import STAGES

    found = scored(
        candidates,
        secret_seed=None if secret_seed is None else _seed(secret_seed),
        stages=tuple(STAGES) if stages is None else [each.strip() for each in stages.split(",")],
        time_limit=parse_time_limit(time_limit) or TIME_LIMIT_S,
        memory_limit=in_bytes(memory_limit, "--memory-limit") or MEMORY_LIMIT,
        progress=not as_json,
    )
    if as_json:
        write_json({"candidates": [each.document() for each in found], "not_blocked": sandbox.open_ways()})
    else:
        rows = [
            [each.candidate, each.score, each.mean, each.worst, each.kept, each.harmless, each.refused]
            for each in found
        ]
        write_table(["candidate", "score", "mean", "worst", "kept", "harmless", "refused"], rows)
        click.echo("\n" + "\n".join(f"Not blocked: {each}" for each in sandbox.open_ways()))
    if all(each.refused for each in found):
        raise SystemExit(1)


def _seed(text: str) -> int:
    """Return the seed of a number, or of a file that holds one."""
    content = text if text.isdecimal() else reading.read_text(Path(text), _MOST_SEED_BYTES).strip()
    if not content.isdecimal() or int(content) > LARGEST_SEED:
        allowed = f"0 to {LARGEST_SEED}, or a file with such a number"
        raise InputError("not a seed", path="--secret-seed", value=text, allowed=allowed)
    return int(content)
