"""Make the gallery: run the commands of entries.toml, copy the pictures here, write README.md. ``make gallery``.

``python docs/gallery/make.py NAME...`` makes some entries, ``python docs/gallery/make.py --page`` the page alone.
Fields of a text, such as ``{cubic:.1f}``, are numbers that `numbers_of_texts.py` takes from the folder of the commands.
`numbers.json` keeps them. Entries that need a build with stacks are left out of any other, with a note, and keep their
pictures.
"""

from __future__ import annotations

import json
import shlex
import shutil
import string
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
NUMBERS = HERE / "numbers.json"
LARGEST = 120_000
"""Most bytes of a picture."""
QUESTION = "public question"
TAGS = (
    QUESTION, "congestion control", "one flow", "fairness", "queue", "path", "application", "network",
    "deployment", "experiment", "statistics", "own code",
)  # fmt: skip
"""What an entry may be about, in the order of the filters."""
HEAD = """# Gallery

Written by `docs/gallery/make.py` from `entries.toml`: one picture and the command that makes it. Each entry names its
topics.

"""
GROUPS = {
    True: """## Answers to open questions

Engineers ask these questions in public threads. Each entry has the question in our words, the thread, the
command, and what comes out. The simulator has the algorithms, and not the software of a thread: CUBIC of RFC 9438, BBR
of Linux, BBRv3 of draft-ietf-ccwg-bbr of August 2026, and senders as in Linux.

""",
    False: """## Pictures

""",
}
"""Heading of the entries with the tag of a question, and of all others."""


NEEDS = "It needs a build with [stacks](../how-to/your-stack.md): `make stacks`.\n\n"


@dataclass(frozen=True)
class Entry:
    """One picture.

    Attributes
    ----------
    name
        Stem of the file.
    title, text
        Heading, and a sentence or a few paragraphs, in which fields stand for numbers.
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

    @property
    def fields(self) -> set[str]:
        """Return the names of the numbers of the text."""
        return {field for _, field, _, _ in string.Formatter().parse(self.text) if field}

    def filled(self, numbers: dict[str, float]) -> str:
        """Return the text with its numbers."""
        if missing := sorted(self.fields - set(numbers)):
            raise SystemExit(f"numbers.json: {self.name} lacks {', '.join(missing)}: `make.py {self.name}` measures it")
        return self.text.format(**numbers) if self.fields else self.text


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
    numbers = json.loads(NUMBERS.read_text(encoding="utf-8"))
    parts = []
    for is_question, heading in GROUPS.items():
        own = [entry for entry in entries() if (QUESTION in entry.tags) is is_question]
        parts.append(heading + "\n".join(section(entry, numbers.get(entry.name, {})) for entry in own))
    return HEAD + "\n".join(parts)


def section(entry: Entry, numbers: dict[str, float]) -> str:
    """Return the part of the page on an entry."""
    shown = "\n".join(command.replace("{examples}", "examples") for command in entry.commands)
    where = f"\nThe picture is `{entry.made}`.\n" if entry.shared else ""
    return (
        f"### {entry.title}\n\nTopics: {', '.join(entry.tags)}.\n\n{entry.filled(numbers)}\n\n"
        f"![{entry.title}]({entry.name}.svg)\n\n"
        f"{NEEDS if entry.stacks else ''}```sh {'elsewhere' if entry.stacks else 'slow'}\n{shown}\n```\n{where}"
    )


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


def measured(entry: Entry, folder: Path) -> dict[str, float]:
    """Return the numbers of the text of an entry, from the folder in which its commands ran."""
    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    from numbers_of_texts import NUMBERS_OF

    found = NUMBERS_OF[entry.name](folder) if entry.fields else {}
    return {name: float(f"{found[name]:.6g}") for name in sorted(entry.fields)}


def _chosen(every: dict[str, Entry], names: list[str]) -> list[Entry]:
    """Return the entries of these names, or all; without the entries that this build cannot make."""
    chosen = [every[name] for name in names or every]
    if {*STACKS} <= {*plugins.by_name()}:
        return chosen
    for entry in chosen:
        if entry.stacks:
            sys.stderr.write(f"{entry.name}: keeps its picture, because this build has no stacks\n")
    return [entry for entry in chosen if not entry.stacks]


def main() -> None:
    """Write pictures, numbers and page."""
    names = [word for word in sys.argv[1:] if word != "--page"]
    every = {entry.name: entry for entry in entries()}
    if unknown := sorted(set(names) - set(every)):
        raise SystemExit(f"no entry {', '.join(unknown)}. Allowed: {', '.join(every)}")
    if "--page" not in sys.argv:
        chosen = _chosen(every, names)
        numbers = json.loads(NUMBERS.read_text(encoding="utf-8")) if NUMBERS.is_file() else {}
        with tempfile.TemporaryDirectory() as folder:
            made = make(chosen, Path(folder))
            large = [
                f"{name}: {each.stat().st_size:,} bytes" for name, each in made.items() if each.stat().st_size > LARGEST
            ]
            for name, picture in made.items():
                shutil.copyfile(picture, HERE / f"{name}.svg")
            numbers |= {entry.name: found for entry in chosen if (found := measured(entry, Path(folder)))}
        numbers = {name: numbers[name] for name in every if name in numbers and every[name].fields}
        NUMBERS.write_text(json.dumps(numbers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if large:
            raise SystemExit("\n".join([*large, f"allowed: {LARGEST:,}"]))
    (HERE / "README.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
