"""Make the gallery: run the commands of entries.toml, copy the pictures here, write README.md. ``make gallery``.

``python docs/gallery/make.py --page`` writes the page alone. Names of entries make their pictures only. Entries that
need a build with stacks are left out of any other, with a note, and keep their pictures.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from mesonet import plugins
from mesonet.algorithms import STACKS

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
LARGEST = 120_000
"""Most bytes of a picture."""
TAGS = (
    "public question", "congestion control", "one flow", "fairness", "queue", "path", "application", "network",
    "deployment", "experiment", "statistics", "own code",
)  # fmt: skip
"""What an entry may be about, in the order of the filters."""
HEAD = """# Gallery

Written by `docs/gallery/make.py` from `entries.toml`: one picture and the command that makes it. Each entry names its
topics.

"""


NEEDS = "It needs a build with [stacks](../how-to/your-stack.md): `make stacks`.\n\n"


@dataclass(frozen=True)
class Entry:
    """One picture.

    Attributes
    ----------
    name
        Stem of the file.
    title, text
        Heading, and a sentence or a few paragraphs.
    tags
        Some of `TAGS`.
    commands
        Commands that make the picture, in order; those of a campaign first.
    made
        Path of the picture below the folder in which they run.
    shared
        Name of the campaign; empty without one.
    stacks
        True if it needs a build with whole transport stacks.
    """

    name: str
    title: str
    text: str
    tags: list[str]
    commands: list[str]
    made: str
    shared: str
    stacks: bool


def entries() -> list[Entry]:
    """Return the entries of the file, in its order."""
    file = tomllib.loads((HERE / "entries.toml").read_text(encoding="utf-8"))
    found = []
    for each in file["entry"]:
        shared = each.get("shared", "")
        commands = file["shared"][shared] if shared else [each["command"]]
        made = each["command"] if shared else f"{each['name']}.svg"
        if not each.get("tags") or (unknown := sorted(set(each["tags"]) - set(TAGS))):
            wrong = ", ".join(unknown) if each.get("tags") else "none"
            raise SystemExit(f"entries.toml: tags of {each['name']}: {wrong}. Allowed: {', '.join(TAGS)}")
        text, stacks = each["text"].strip(), "stacks" in each.get("needs", "")
        found.append(Entry(each["name"], each["title"], text, each["tags"], commands, made, shared, stacks))
    return found


def page() -> str:
    """Return the text of the page."""
    parts = []
    for entry in entries():
        shown = "\n".join(command.replace("{examples}", "examples") for command in entry.commands)
        where = f"\nThe picture is `{entry.made}`.\n" if entry.shared else ""
        parts.append(
            f"## {entry.title}\n\nTopics: {', '.join(entry.tags)}.\n\n{entry.text}\n\n"
            f"![{entry.title}]({entry.name}.svg)\n\n"
            f"{NEEDS if entry.stacks else ''}```sh {'elsewhere' if entry.stacks else 'slow'}\n{shown}\n```\n{where}"
        )
    return HEAD + "\n".join(parts)


def make(chosen: list[Entry], folder: Path) -> dict[str, Path]:
    """Run the commands of entries in a folder; return the picture of each by its name."""
    done: set[str] = set()
    for entry in chosen:
        for command in entry.commands:
            if command not in done:
                words = [word.replace("{examples}", str(EXAMPLES)) for word in shlex.split(command)]
                program = str(Path(sys.executable).parent / words[0])
                subprocess.run([program, *words[1:]], cwd=folder, check=True, stdout=subprocess.DEVNULL)
                done.add(command)
    return {entry.name: folder / entry.made for entry in chosen}


def _chosen(names: list[str]) -> list[Entry]:
    """Return the entries of these names, or all; without the entries that this build cannot make."""
    every = {entry.name: entry for entry in entries()}
    if unknown := sorted(set(names) - set(every)):
        raise SystemExit(f"no entries: {', '.join(unknown)}. Allowed: {', '.join(every)}")
    chosen = [every[name] for name in names or every]
    if {*STACKS} <= {*plugins.by_name()}:
        return chosen
    for entry in chosen:
        if entry.stacks:
            sys.stderr.write(f"{entry.name}: keeps its picture, because this build has no stacks\n")
    return [entry for entry in chosen if not entry.stacks]


def main() -> None:
    """Write pictures and page."""
    if "--page" not in sys.argv:
        chosen = _chosen(sys.argv[1:])
        with tempfile.TemporaryDirectory() as folder:
            made = make(chosen, Path(folder))
            large = [
                f"{name}: {each.stat().st_size:,} bytes" for name, each in made.items() if each.stat().st_size > LARGEST
            ]
            for name, picture in made.items():
                shutil.copyfile(picture, HERE / f"{name}.svg")
        if large:
            raise SystemExit("\n".join([*large, f"allowed: {LARGEST:,}"]))
    (HERE / "README.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
