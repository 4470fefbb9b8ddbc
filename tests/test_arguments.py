"""Arguments of the functions and options of the commands that are easy to get wrong."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import mesonet as mn
from commands import MESONET
from mesonet.cli.verbs import main
from mesonet.errors import InputError

pytestmark = pytest.mark.process


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_simulate_takes_the_name_or_the_file_of_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "short.toml"
    file.write_text('base = "dumbbell"\n[time]\nduration = "1 s"\nwarmup = "0 s"\n')
    run = mn.simulate(str(file))
    assert run.provenance["scenario"]["time"]["duration"] == 1
    assert mn.simulate(file).provenance["scenario"] == run.provenance["scenario"]
    with pytest.raises(InputError, match=r'"abilen": unknown scenario \(nearest: abilene, bottleneck\)'):
        mn.simulate("abilen")


def test_value_takes_the_last_part_of_a_path_and_names_the_nearest() -> None:
    chosen = mn.scenario("abilene")
    assert chosen.value("speed") == chosen.value("network.speed")
    assert chosen.value("parameters.cubic.beta") == 0.7
    with pytest.raises(InputError, match=r"sped: unknown path \(nearest: network.speed"):
        chosen.value("sped")
    with pytest.raises(InputError, match=r"beta: ambiguous path. Allowed: parameters\."):
        chosen.value("beta")


def test_a_misspelt_argument_of_a_campaign_names_the_nearest(tmp_path: Path) -> None:
    chosen = mn.experiment("demo")
    for run in (chosen.run, chosen.run_missing):
        with pytest.raises(InputError, match=r'"wrkers": unknown argument of run \(nearest: workers'):
            run(tmp_path / "out", wrkers=2)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", [("check", "abilene"), ("experiment", "plan", "demo", "--pilot", "0")])
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("warmup=1 s", "warmup=2 s"), '--set: warmup = "2 s": set twice, first to "1 s". Allowed: one value for each'),
        (("warmup=1 s", "time.warmup=2 s"), '--set: time.warmup = "2 s": set twice, first to "1 s" as warmup'),
        (("parameters.bbr3.foo=2",), '--set: parameters.bbr3.foo = "2": unknown constant of bbr3. Allowed: startup_'),
        (("parameters.bbrx.beta=2",), '--set: parameters.bbrx.beta = "2": unknown algorithm (nearest: bbr'),
        (
            ("parameters.dctcp.gain=0.1",),
            '--set: parameters.dctcp.gain = "0.1": no flow uses dctcp. Allowed: constants of ',
        ),
    ],
)
def test_values_that_set_nothing_are_refused(command: tuple[str, ...], given: tuple[str, ...], message: str) -> None:
    result = call(*command, *(part for each in given for part in ("--set", each)))
    assert result.exit_code == 2
    assert message in result.stderr


def test_constants_of_an_algorithm_that_is_used_are_taken() -> None:
    for options in (("--algorithm", "bbr3"), ("--algorithm", "tcp=0.5 bbr3=0.5")):
        assert call("check", "abilene", *options, "--set", "parameters.bbr3.beta=0.8").exit_code == 0
    plan = ("experiment", "plan", "demo", "--pilot", "0", "--algorithms", "tcp,bbr3")
    assert call(*plan, "--set", "parameters.bbr3.beta=0.8").exit_code == 0
    assert mn.scenario("abilene", algorithm="bbr3", **{"parameters.bbr3.beta": 0.8}).unused() == []
    with pytest.raises(InputError, match="no flow uses bbr3"):
        mn.scenario("abilene", **{"parameters.bbr3.beta": 0.8})


def test_a_file_with_constants_of_an_algorithm_that_is_not_used_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('base = "dumbbell"\n[parameters.bbr3]\nbeta = 0.8\n[time]\nduration = "1 s"\nwarmup = "0 s"\n')
    note = "note: parameters.bbr3.beta has no effect: no flow uses the algorithm\n"
    assert note in call("check", str(file)).stdout
    assert call("run", str(file)).stderr.startswith(note)
    assert note not in call("check", str(file), "--algorithm", "bbr3").stdout


def test_a_closed_pipe_ends_a_command_as_sigpipe_does() -> None:
    """As `mesonet list | head -0`: nothing reads the output."""
    command = [*MESONET, "list"]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)
    assert ended.returncode == 141
    assert ended.stderr == ""
