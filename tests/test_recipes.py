"""Code blocks that no test runs: their syntax, commands, options and files are right.

`page_blocks` has the kinds of blocks. Every command of `mesonet` and of `dask` is one, with options that it has; the
values of options are not read. Every script of the repository is there and knows its options.
"""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path

import click
import pytest
import yaml

from mesonet.cli.memory_size import in_bytes
from mesonet.cli.runner_options import parse_shard
from mesonet.cli.verbs import main
from page_blocks import PAGES, ROOT, Block, blocks, lines_of

LEFT = [(page.relative_to(ROOT), block) for page in PAGES for block in blocks(page) if not block.runs]
CLUSTERS = Path("docs/how-to/clusters.md")
PROGRAMS = {"apt-get", "cargo", "dask", "eval", "export", "maturin", "openssl", "pip", "source", "tcpdump", "while"}
"""Programs whose options no test reads, but for dask."""


def of(language: str) -> list[str]:
    """Return the blocks of the page on clusters in a language."""
    found = [block.code for page, block in LEFT if page == CLUSTERS and block.language == language]
    assert found, language
    return found


def containers(block: Block) -> list[dict[str, list[str]]]:
    found: list[dict[str, list[str]]] = yaml.safe_load(block.code)["spec"]["template"]["spec"]["containers"]
    return found


def commands(block: Block) -> list[list[str]]:
    """Return the words of every command line, without the variables before it, and without sudo."""
    lines = lines_of(block.code) if block.language == "sh" else containers(block)[0]["args"]
    found = []
    for line in lines:
        for part in re.split(r"\|\s|&&", re.sub(r"\$\(\(.*\)\)|\$\w+", "1", line)):
            words = [word for word in shlex.split(part.rstrip("& "), comments=True) if word != "sudo"]
            while words and re.match(r"\w+=\S", words[0]) and len(words) > 1:
                words = words[1:]
            if words:
                found.append(words)
    return found


COMMANDS = [
    pytest.param(page, words, id=f"{page}: {' '.join(words)}")
    for page, block in LEFT
    if block.language in ("sh", "yaml") and "#!" not in block.code and "for part in" not in block.code
    for words in commands(block)
]


def parse(command: click.Command, words: list[str]) -> None:
    """Parse the words of a command without reading files."""
    context = click.Context(command)
    values, rest, _ = command.make_parser(context).parse_args(list(words))
    if isinstance(command, click.Group):
        assert rest, f"{command.name} of what?"
        below = command.get_command(context, rest[0])
        assert below, rest[0]
        parse(below, rest[1:])
        return
    assert not rest, f"too many words: {rest}"
    for parameter in command.params:
        given = values.get(parameter.name or "")
        if isinstance(parameter.type, click.Choice) and isinstance(given, str):
            parameter.type.convert(given, parameter, context)


def test_there_are_recipes_of_every_kind() -> None:
    assert len(of("python")) == 2
    assert len(of("sh")) >= 5
    assert len(of("yaml")) == 1
    assert {block.mark for _, block in LEFT} == {"slow", "slow fails", "elsewhere", "part"}
    assert len(COMMANDS) > 80


def test_a_wrong_command_is_found() -> None:
    for wrong in ("runn abilene", "run abilene --preset linux", "experiment run demo --out", "list algorithms more"):
        with pytest.raises((click.UsageError, AssertionError)):
            parse(main, wrong.split())


@pytest.mark.parametrize(
    ("page", "block"), LEFT, ids=lambda each: str(each) if isinstance(each, Path) else each.language
)
def test_a_block_parses(page: Path, block: Block) -> None:
    if block.language == "sh":
        done = subprocess.run(["bash", "-n"], input=block.code, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr
    elif block.language == "python":
        compile(block.code, str(page), "exec")
    elif block.language == "toml":
        assert tomllib.loads(block.code)
    elif block.language == "yaml":
        assert containers(block)
    else:  # verification/test_guide.py builds them
        assert block.language == "rust"
        assert page.name in ("add-a-congestion-control.md", "your-stack.md")


@pytest.mark.parametrize(("page", "words"), COMMANDS)
def test_a_command_is_one(page: Path, words: list[str]) -> None:
    program = words[0].removeprefix(".venv/bin/")
    if program == "mesonet":
        if words[1:]:
            parse(main, words[1:])
        given = dict(pairwise(words))
        assert in_bytes(given.get("--memory")) != 0
        if "--shard" in given:
            assert parse_shard(given["--shard"]) is not None
    elif program == "dask":
        known_to_dask(words)
    elif program == "make":
        targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        assert {word for word in words[1:] if "=" not in word} <= targets
    elif program.startswith("python") and words[1] != "-m":
        script = (ROOT / words[1]).read_text()
        options = {word for word in words[2:] if word.startswith("--")}
        assert options <= set(re.findall(r"--[\w-]+", script)), words[1]
    elif program == "pytest":
        assert (ROOT / words[1]).exists()
    else:
        assert program in PROGRAMS or (program.startswith("python") and words[1] == "-m") or program == "jupyter"


def known_to_dask(words: list[str]) -> None:
    pytest.importorskip("distributed")
    name = f"distributed.cli.dask_{words[1]}"
    try:
        known = {option for each in importlib.import_module(name).main.params for option in each.opts}
    except ImportError:  # dask ssh needs paramiko, which is not among the extras
        known = set(re.findall(r"\"(--[\w-]+)\"", _source(name)))
    else:
        assert len(known) > 10
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
    assert {parse_shard(part) for part in parts} == {
        (i, spec["completions"]) for i in range(1, spec["completions"] + 1)
    }
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
