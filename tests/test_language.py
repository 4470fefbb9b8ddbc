"""Documents, docstrings and comments follow STYLE.md.

A summary is no question, and a public function begins with a verb. A sentence of a document is short, a page begins
with its title, and no text has a phrase of `banned_phrases`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import prose

PACKAGE = Path(__file__).parents[1] / "python" / "mesonet"
FILES = {str(file.relative_to(PACKAGE)): file for file in sorted(PACKAGE.rglob("*.py"))}

QUESTIONS = {"What", "Which", "Whether", "Where", "How", "One"}
VERBS = {
    "Check", "Compare", "Continue", "Count", "Divide", "Draw", "End", "Find", "Force", "Forget", "Give", "Hold",
    "Lease", "Leave", "Let", "List", "Make", "Name", "Plan", "Predict", "Print", "Raise", "Read", "Record", "Remove",
    "Replace", "Reserve", "Reset", "Return", "Run", "Say", "Search", "Send", "Serve", "Set", "Shorten", "Show",
    "Simulate", "Stop", "Submit", "Sum", "Take", "Test", "Update", "Wait", "Write", "Yield",
}  # fmt: skip


def described(node: ast.AST, name: str = "") -> Iterator[tuple[str, prose.Documented, str]]:
    """Yield name, node and docstring of everything in a module that has one, the module first."""
    if isinstance(node, prose.Documented) and (text := ast.get_docstring(node)):
        yield name or "module", node, text
    for child in ast.iter_child_nodes(node):
        own = getattr(child, "name", "") if isinstance(child, prose.Documented) else ""
        yield from described(child, ".".join(filter(None, (name, own))))


def first_word(text: str) -> str:
    return text.split()[0].strip("`*\"',.:;")


def is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return True for a function that click calls: its docstring is a text of help."""
    called = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return any(isinstance(each, ast.Attribute) and each.attr in ("command", "group") for each in called)


@pytest.mark.parametrize("file", FILES)
def test_no_docstring_begins_as_a_question(file: str) -> None:
    bad = [
        f"{file}:{getattr(node, 'lineno', 1)}: {name} begins with {first_word(text)!r}"
        for name, node, text in described(ast.parse(FILES[file].read_text(encoding="utf-8")))
        if first_word(text) in QUESTIONS
    ]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("file", FILES)
def test_public_functions_begin_with_a_verb(file: str) -> None:
    bad = [
        f"{file}:{node.lineno}: {node.name} begins with {first_word(text)!r}; a new verb goes into VERBS of this test"
        for node in ast.parse(FILES[file].read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and not is_command(node)
        and (text := ast.get_docstring(node))
        and first_word(text) not in VERBS
    ]
    assert not bad, "\n".join(bad)


def test_sentences_are_found() -> None:
    page = "# A title\n\nOne, see [a\nlink](x.md). Two (`a.b`), i.e. more!\n* An item\n\n```sh\ncode. code\n```\n"
    found = [sentence for passage in prose.paragraphs(page) for sentence in prose.sentences(passage.text)]
    assert found == ["A title", "One, see a link.", "Two (`code`), i.e. more!", "An item"]
    assert [prose.words(sentence) for sentence in found] == [2, 4, 4, 2]
    assert prose.words("Algorithms: BIC, FAST, CUBIC, DCTCP, BBR and any mix of them") == 1 + 6


def test_banned_phrases_are_found() -> None:
    found = list(prose.banned("file:1", 'Flows given one by one, "nobody" and `whoever`.', prose.BANNED))
    assert found == ["file:1: 'one by one'; write instead: explicit flows; each, in turn"]


@pytest.mark.parametrize("path", prose.documents())
def test_sentences_of_documents_are_short(path: str) -> None:
    long = list(prose.long_sentences(path))
    assert not long, "\n".join(long)


@pytest.mark.parametrize("path", prose.documents())
def test_documents_begin_with_their_title(path: str) -> None:
    assert (prose.ROOT / path).read_text(encoding="utf-8").startswith("# "), f"{path}:1: begin with '# ' and the title"


@pytest.mark.parametrize("path", [path for path in prose.documents() if path != "STYLE.md"])  # STYLE.md quotes them
def test_documents_have_no_banned_phrase(path: str) -> None:
    bad = list(prose.banned_in_document(path))
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("path", prose.code(".py"))
def test_python_has_no_banned_phrase(path: str) -> None:
    bad = list(prose.banned_in_python(prose.ROOT / path))
    assert not bad, "\n".join(bad)


def test_unclear_messages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "module.py"
    file.write_text('"""The delay of those of others."""\nX = f"longer than those of {1}"\nY = "those of"\n')
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    found = list(prose.unclear_messages(file))
    assert found == ["module.py:2: 'those of'; write instead: the noun again: the delay of"]


@pytest.mark.parametrize("file", FILES)
def test_messages_are_clear(file: str) -> None:
    bad = list(prose.unclear_messages(FILES[file]))
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("path", prose.code(".toml"))
def test_texts_of_toml_files_are_clear(path: str) -> None:
    bad = list(prose.unclear_in_toml(prose.ROOT / path))
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("path", prose.code(".rs"))
def test_rust_has_no_banned_phrase(path: str) -> None:
    bad = list(prose.banned_in_rust(prose.ROOT / path))
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("path", prose.code(".rs"))
def test_comments_of_rust_begin_with_their_noun_or_verb(path: str) -> None:
    bad = list(prose.bad_openings(prose.ROOT / path))
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize("path", prose.code(".rs"))
def test_comments_of_rust_are_wrapped(path: str) -> None:
    bad = list(prose.wide_comments(prose.ROOT / path))
    assert not bad, "\n".join(bad)


def test_bad_comments_of_rust_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "module.rs"
    wide = "wide " * 22
    file.write_text(f"""/// The same, squared.
/// What the text above is.
fn f() {{
    // {wide}
    let a = "// {wide}";
    let b = "{wide}"; // wide
    /// What it counts.
    /// ```text
    /// {wide}
    /// ```
    // https://example.org/{wide.replace(" ", "-")}
    // and told
    // one by
    // one
}}
""")
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    assert list(prose.bad_openings(file)) == [
        "module.rs:1: a comment begins with 'The same'; begin with noun or verb",
        "module.rs:7: a comment begins with 'What'; begin with noun or verb",
    ]
    assert [message.partition(": ")[0] for message in prose.wide_comments(file)] == ["module.rs:4", "module.rs:6"]
    assert [message.partition("; ")[0] for message in prose.banned_in_rust(file)] == [
        "module.rs:11: 'told'", "module.rs:11: 'one by one'",
    ]  # fmt: skip
