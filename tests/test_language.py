"""Documents, docstrings and comments follow STYLE.md.

A summary is no question, and a public function begins with a verb. A sentence of a document is short, a page begins
with its title, and no text has a phrase of `banned_phrases`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import api_pages
import prose

PACKAGE = Path(__file__).parents[1] / "python" / "mesonet"
FILES = sorted(PACKAGE.rglob("*.py"))

QUESTIONS = {"What", "Which", "Whether", "Where", "How", "One"}
VERBS = {
    "Add", "Check", "Compare", "Continue", "Count", "Divide", "Draw", "End", "Find", "Force", "Forget",
    "Give", "Hold", "Join", "Lease", "Leave", "Let", "List", "Make", "Name", "Plan", "Predict", "Print",
    "Raise", "Read", "Record", "Remove", "Replace", "Reserve", "Reset", "Return", "Run", "Say", "Search",
    "Send", "Serve", "Set", "Shorten", "Show", "Simulate", "Stop", "Submit", "Sum", "Take", "Test", "Update",
    "Wait", "Write", "Yield",
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


def test_no_docstring_begins_as_a_question() -> None:
    bad = [
        f"{file.relative_to(PACKAGE)}:{getattr(node, 'lineno', 1)}: {name} begins with {first_word(text)!r}"
        for file in FILES
        for name, node, text in described(api_pages.tree(file))
        if first_word(text) in QUESTIONS
    ]
    assert not bad, "\n".join(bad)


def test_public_functions_begin_with_a_verb() -> None:
    bad = [
        f"{file.relative_to(PACKAGE)}:{node.lineno}: {node.name} begins with {first_word(text)!r}; "
        "a new verb goes into VERBS of this test"
        for file in FILES
        for node in api_pages.tree(file).body
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


def test_long_pages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    file = tmp_path / "page.md"
    for head, length, found in (("", 1501, 1), ("", 1500, 0), ("Written by `make.py`.", 1501, 0)):
        head = f"# Title\n\n{head}"
        file.write_text(f"{head}\n\n{'word ' * (length - len(head.split()))}")
        assert len(list(prose.long_page(file))) == found


def test_unclear_messages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "module.py"
    file.write_text('"""The delay of those of others."""\nX = f"longer than those of {1}"\nY = "those of"\n')
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    found = list(prose.unclear_messages(file))
    assert found == ["module.py:2: 'those of'; write instead: the noun again: the delay of"]


def test_unclear_help_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "verb.py"
    file.write_text(
        'option(help="Of TABLE: the unit.")\noption(help="Threshold; 0.65.")\noption(help="Such as 1,2.")\n'
        'option(help="For TABLE: the unit; by default 1.")\noption("Of TABLE")\n'
    )
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    assert [message.partition(": ")[0] for message in prose.unclear_help(file)] == [
        "verb.py:1",
        "verb.py:2",
        "verb.py:3",
    ]


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


#: By rule, the files that keep it.
RULES: dict[Callable[[Path], Iterator[str]], list[str]] = {
    prose.long_sentences: prose.documents(),
    prose.missing_title: prose.documents(),
    prose.long_page: [path for path in prose.documents() if path != "docs/paper/paper.md"],  # tests/test_paper.py
    prose.banned_in_document: [path for path in prose.documents() if path != "STYLE.md"],  # STYLE.md quotes them
    prose.banned_in_python: prose.code(".py"),
    prose.unclear_messages: [path for path in prose.code(".py") if path.startswith("python/mesonet/")],
    prose.unclear_help: [path for path in prose.code(".py") if path.startswith("python/mesonet/cli/")],
    prose.unclear_in_toml: prose.code(".toml"),
    prose.banned_in_rust: prose.code(".rs"),
    prose.bad_openings: prose.code(".rs"),
    prose.wide_comments: prose.code(".rs"),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_all_files_keep_the_rule(rule: Callable[[Path], Iterator[str]]) -> None:
    assert len(RULES[rule]) > 20
    bad = [message for path in RULES[rule] for message in rule(prose.ROOT / path)]
    assert not bad, "\n".join(bad)
