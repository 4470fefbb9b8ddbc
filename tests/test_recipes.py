"""Recipes of the documentation that need machines which tests do not have: that they parse, and call what there is.

Blocks marked ``no-run`` in `docs/how-to/campaigns.md`: ``python`` is compiled, ``sh`` goes through ``bash -n``,
``yaml`` is read; every option of `dask` and `mesonet` in them must be one.
"""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from mesonet.cli.main import main
from mesonet.cli.planning import memory, shard

PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "campaigns.md"
BLOCKS = re.findall(r"^```(\w+) no-run\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def of(language: str) -> list[str]:
    found = [code for name, code in BLOCKS if name == language]
    assert found, language
    return found


def options(command: click.Command) -> set[str]:
    return {name for each in command.params for name in (*each.opts, *each.secondary_opts)}


def commands() -> list[list[str]]:
    """Words of every command line of `dask` and `mesonet`."""
    lines = [line for code in of("sh") for line in code.splitlines()]
    for document in of("yaml"):
        container = yaml.safe_load(document)["spec"]["template"]["spec"]["containers"][0]
        lines += container["args"]
    plain = [re.sub(r"\$\(\(.*\)\)|\$\w+", "1", line) for line in lines if re.match(r"(dask|mesonet) ", line)]
    return [shlex.split(line, comments=True) for line in plain]


def test_there_are_recipes_of_every_kind() -> None:
    assert len(of("python")) == 2
    assert len(of("sh")) >= 5
    assert len(of("yaml")) == 1
    assert {tuple(words[:2]) for words in commands()} == {
        ("dask", "scheduler"), ("dask", "worker"), ("dask", "ssh"), ("mesonet", "experiment"),
    }  # fmt: skip


@pytest.mark.parametrize("code", of("python"))
def test_python_compiles(code: str) -> None:
    compile(code, str(PAGE), "exec")


@pytest.mark.parametrize("code", of("sh"))
def test_shell_parses(code: str) -> None:
    done = subprocess.run(["bash", "-n"], input=code, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_option_is_one(words: list[str]) -> None:
    if words[0] == "dask":
        pytest.importorskip("distributed")
        try:
            known = options(importlib.import_module(f"distributed.cli.dask_{words[1]}").main)
        except ImportError:  # dask ssh needs paramiko, which is not among the extras
            known = set(re.findall(r"\"(--[\w-]+)\"", _source(f"distributed.cli.dask_{words[1]}")))
        else:
            assert len(known) > 10
    else:
        verb: Any = main
        for word in words[1:3]:
            verb = verb.get_command(None, word)
        known = options(verb)
        given = dict(pairwise(words))
        assert memory(given.get("--memory")) != 0
        if "--shard" in given:
            assert shard(given["--shard"]) is not None
    asked = {word for word in words if word.startswith("--")}
    assert asked
    assert asked <= known


def test_the_job_of_kubernetes_makes_every_part_once() -> None:
    job = yaml.safe_load(of("yaml")[0])
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    assert spec["completionMode"] == "Indexed"
    assert pod["restartPolicy"] in ("OnFailure", "Never")
    line = pod["containers"][0]["args"][0]
    parts = {
        subprocess.run(
            ["sh", "-c", re.sub(r".*--shard ", "echo ", line)],
            env={"JOB_COMPLETION_INDEX": str(index)}, capture_output=True, text=True,
        ).stdout.strip()
        for index in range(spec["completions"])
    }  # fmt: skip
    assert {shard(part) for part in parts} == {(i, spec["completions"]) for i in range(1, spec["completions"] + 1)}
    mounted = {mount["name"] for mount in pod["containers"][0]["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}


def test_the_slurm_array_has_as_many_parts_as_shards() -> None:
    (script,) = [code for code in of("sh") if "#SBATCH" in code]
    first, last = map(int, re.findall(r"--array=(\d+)-(\d+)", script)[0])
    assert first == 1
    assert f'"$SLURM_ARRAY_TASK_ID/{last}"' in script


def _source(module: str) -> str:
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).read_text()
