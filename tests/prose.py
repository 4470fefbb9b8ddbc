"""Find long sentences and banned phrases in documents, docstrings and comments; STYLE.md has the rules."""

from __future__ import annotations

import ast
import re
import tokenize
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from banned_phrases import BANNED, BANNED_IN_DOCUMENTS

ROOT = Path(__file__).parents[1]

#: Largest number of words in a sentence. Numbers and symbols are no words; `code` is one word.
LONGEST = 30


#: Pages that a program writes.
GENERATED = {
    f"docs/reference/{name}.md"
    for name in (
        "parameters",
        "factors",
        "responses",
        "tables",
        "conform-checks",
        "conform-power",
        "stack-checks",
    )
} | {"verification/RESULTS.md"}


#: Most words of a page that is written by hand, code and tables included.
LONGEST_PAGE = 1500
#: Mark of a page that a program writes, in its first paragraph.
MARK = re.compile(r"\A# [^\n]*\n\n(?:Generated from|Written by) ")


def documents() -> list[str]:
    """Return the paths of the hand-written Markdown documents, from the root of the source tree."""
    front = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "STYLE.md", "CHANGELOG.md"]
    folders = ("docs", "verification")
    pages = sorted(str(file.relative_to(ROOT)) for folder in folders for file in (ROOT / folder).rglob("*.md"))
    return front + [page for page in pages if page not in GENERATED]


def code(suffix: str) -> list[str]:
    """Return the paths of the source files with a suffix."""
    folders = ("python/mesonet", "tests", "verification", "examples", "benches", "crates", "fuzz")
    found = (file for folder in folders for file in (ROOT / folder).rglob(f"*{suffix}"))
    return sorted(str(file.relative_to(ROOT)) for file in found if "target" not in file.parts)


Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Passage(NamedTuple):
    """Running text with the line on which it begins."""

    line: int
    text: str


def paragraphs(page: str) -> Iterator[Passage]:
    """Yield the paragraphs, items and headings of a page of Markdown, without code, tables, images and targets."""
    lines, in_code, start = [], False, 0
    for number, line in enumerate([*page.splitlines(), ""], start=1):
        if line.startswith("```"):
            in_code = not in_code
        skipped = in_code or line.startswith(("```", "|", "<", "!["))
        begins = re.match(r"\s*(?:[*-]|\d+\.|#+) ", line)
        if lines and (skipped or begins or not line.strip()):
            yield Passage(start, plain(" ".join(lines)))
            lines = []
        if not skipped and line.strip():
            start = start if lines else number
            lines.append(line.strip())
            if line.startswith("#"):
                yield Passage(start, plain(line))
                lines = []


def plain(text: str) -> str:
    """Return Markdown as text: an item without its mark, a link as its words, code as the word `code`."""
    text = re.sub(r"^(?:[*-]|\d+\.|#+) ", "", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"`[^`]*`", "`code`", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`code`(?:(?:,| and| or|, and|, or| =|:) `code`)+", "`code`", text)
    return re.sub(r"https?://\S+", "", text)


ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|et al|vs|cf|Figs?|Sec|No)\.(?= )|(?:(?<=[,(:;] )|(?<=and )|(?<=\. )|^)[A-Z]\.(?= )"
)


def sentences(text: str) -> list[str]:
    """Split text after full stops, question marks and exclamation marks that end a sentence."""
    text = ABBREVIATION.sub(lambda found: found.group().replace(".", "\0"), text)
    return [each.replace("\0", ".") for each in re.split(r"(?<=[.?!])[*_\")]*\s+", text) if each.strip()]


def words(sentence: str) -> int:
    """Count the words that have a letter; a list of four or more entries of up to three words counts as one word."""
    count, short = 0, []
    for entry in [*re.split(r"[,;·](?:\s|$)", sentence), "the end of the last list"]:
        length = sum(any(letter.isalpha() for letter in word) for word in entry.split())
        if length <= 3:
            short.append(length)
            continue
        count += length + (1 if len(short) >= 4 else sum(short))
        short = []
    return count - 6


def long(where: str, text: str) -> Iterator[str]:
    """Yield a message for each sentence of a text that has too many words."""
    for sentence in sentences(text):
        if (count := words(sentence)) > LONGEST:
            yield f"{where}: {count} words, {LONGEST} allowed; divide the sentence: {sentence!r}"


def long_sentences(path: Path) -> Iterator[str]:
    """Yield a message for each sentence of a document that has too many words."""
    for passage in paragraphs(path.read_text(encoding="utf-8")):
        yield from long(f"{path.relative_to(ROOT)}:{passage.line}", passage.text)


def missing_title(path: Path) -> Iterator[str]:
    """Yield a message for a document that does not begin with its title."""
    if not path.read_text(encoding="utf-8").startswith(("# ", "---\ntitle: ")):
        yield f"{path.relative_to(ROOT)}:1: begin with '# ' and the title"


def long_page(path: Path) -> Iterator[str]:
    """Yield a message for a page that has too many words, unless a program writes it."""
    text = path.read_text(encoding="utf-8")
    if not MARK.match(text) and (count := len(text.split())) > LONGEST_PAGE:
        yield (
            f"{path.relative_to(ROOT)}: {count} words, {LONGEST_PAGE} allowed; leave out what no reader needs, "
            "or divide the page by question"
        )


def banned(where: str, text: str, phrases: Mapping[str, str]) -> Iterator[str]:
    """Yield a message for each banned phrase of a text, outside of quotations and code."""
    plain_text = re.sub(r'"[^"]*"|`[^`]*`', "", text)
    for pattern, instead in phrases.items():
        for found in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", plain_text, re.IGNORECASE):
            yield f"{where}: {found.group()!r}; write instead: {instead}"


def banned_in_document(path: Path) -> Iterator[str]:
    """Yield a message for each banned phrase of a document outside of code, tables and quotations."""
    for passage in paragraphs(path.read_text(encoding="utf-8")):
        yield from banned(f"{path.relative_to(ROOT)}:{passage.line}", passage.text, BANNED_IN_DOCUMENTS)


def banned_in_python(path: Path) -> Iterator[str]:
    """Yield a message for each banned phrase in comments and first lines of docstrings of a Python file."""
    name = path.relative_to(ROOT)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            yield from banned(f"{name}:{getattr(node, 'lineno', 1)}", text.split("\n\n")[0], BANNED)
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield from banned(f"{name}:{token.start[0]}", token.string, BANNED)


def messages(tree: ast.Module) -> Iterator[Passage]:
    """Yield the texts of a module that have four words or more, docstrings apart; what is filled in is `…`."""
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, Documented) and node.body and isinstance(node.body[0], ast.Expr):
            skipped.add(node.body[0].value)
        if isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            text = node.value
        if len(text.split()) >= 4:
            yield Passage(node.lineno, text)


def unclear_messages(path: Path) -> Iterator[str]:
    """Yield a message for each banned phrase and long sentence in the texts that a Python file prints or writes."""
    for line, text in messages(ast.parse(path.read_text(encoding="utf-8"))):
        where = f"{path.relative_to(ROOT)}:{line}"
        yield from banned(where, text, BANNED_IN_DOCUMENTS)
        yield from long(where, plain(text))


#: By pattern, what the help of an option has in its place.
IN_HELP = {
    r"^Of ": "For TABLE: ..., or With --csv: ...",
    r"^Such as ": "the noun first: Periods, such as 1,2",
    r"[;,] [\d.]+ ?%?\.$": "; by default 0.65.",
}


def unclear_help(path: Path) -> Iterator[str]:
    """Yield a message for each help of an option without its noun, without what it is for, or with a bare default."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.keyword) and node.arg == "help" and isinstance(node.value, ast.Constant)):
            continue
        text = str(node.value.value)
        for pattern, instead in IN_HELP.items():
            if re.search(pattern, text):
                yield f"{path.relative_to(ROOT)}:{node.value.lineno}: {text!r}; write instead: {instead}"


def unclear_in_toml(path: Path) -> Iterator[str]:
    """Yield a message for each banned phrase and long sentence in the texts of a TOML file."""

    def texts(value: object, key: str) -> Iterator[tuple[str, str]]:
        if isinstance(value, dict):
            for name, each in value.items():
                yield from texts(each, f"{key}.{name}" if key else name)
        elif isinstance(value, list):
            for place, each in enumerate(value):
                yield from texts(each, f"{key}[{place}]")
        elif isinstance(value, str) and len(value.split()) >= 4:
            yield key, value

    for key, text in texts(tomllib.loads(path.read_text(encoding="utf-8")), ""):
        where = f"{path.relative_to(ROOT)}: {key}"
        yield from banned(where, text, BANNED_IN_DOCUMENTS)
        yield from long(where, plain(text))


#: Most columns of a line of Rust with a comment, indentation included; `rustfmt.toml` has it for code.
WIDEST = 110
#: First words of comments that ask, or that make a reader look back for the noun.
OPENINGS = ("What", "Whatever", "Which", "Whether", "Where", "How", "Who", "The same", "That of", "Those")
#: A comment that is a line of its own: its indentation and mark, and its text.
COMMENT = re.compile(r"^(\s*//[/!]?)(?: (.*)|)$")
#: A whole text in quotation marks, a character, or the mark of a comment.
QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|(//)')


def has_comment(line: str) -> bool:
    return any(found[1] for found in QUOTED.finditer(line))


def wide_comments(path: Path) -> Iterator[str]:
    """Yield a message for each line of Rust with a comment that is too wide, but for code, tables and long words."""
    in_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        found = COMMENT.match(line)
        text = (found[2] or "").strip() if found else line
        in_code ^= bool(found) and text.startswith("```")
        kept = found and (in_code or text.startswith("|") or " " not in text)
        if len(line) > WIDEST and not kept and (found or has_comment(line)):
            yield f"{path.relative_to(ROOT)}:{number}: a comment ends at column {len(line)}; {WIDEST} allowed"


def bad_openings(path: Path) -> Iterator[str]:
    """Yield a message for each documentation comment of a Rust file that begins as `OPENINGS` has it."""
    above = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        found = COMMENT.match(line)
        mark = found[1] if found else ""
        if found and mark != above and mark.endswith(("///", "//!")):
            opening = next((each for each in OPENINGS if re.match(rf"{each}\b", found[2] or "")), None)
            if opening:
                yield f"{path.relative_to(ROOT)}:{number}: a comment begins with {opening!r}; begin with noun or verb"
        above = mark


def banned_in_rust(path: Path) -> Iterator[str]:
    """Yield a message for each banned phrase in the comments of a Rust file; a phrase may have a line end in it."""
    for line, text in comments(path):
        yield from banned(f"{path.relative_to(ROOT)}:{line}", text, BANNED)


def comments(path: Path) -> Iterator[Passage]:
    """Yield the comments of a Rust file: comments on lines of their own as one text, up to code or an empty comment."""
    lines, start, mark = [], 0, ""
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], start=1):
        found = COMMENT.match(line)
        if lines and not (found and found[2] and found[1] == mark):
            yield Passage(start, " ".join(lines))
            lines = []
        if found and found[2]:
            start, mark = start if lines else number, found[1]
            lines.append(found[2].strip())
        elif behind := re.search(r"\s//\s(.*)", line):
            yield Passage(number, behind[1])
