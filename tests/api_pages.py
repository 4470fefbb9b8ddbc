"""Find the functions and classes that the pages of docs/api show, without an import of the package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / "python"

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def file_of(module: str) -> Path:
    path = PYTHON.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Yield qualified name and node of every function and class below a node."""
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, Definition):
            name = f"{prefix}.{child.name}" if prefix else child.name
            yield name, child
        yield from definitions(child, name)


@dataclass(frozen=True)
class Directive:
    """Directive of autodoc: `automodule` or `autoclass`, with its argument and options."""

    kind: str
    name: str
    options: dict[str, str] = field(default_factory=dict)


def directives(page: str) -> list[Directive]:
    found: list[Directive] = []
    for line in page.splitlines():
        if match := re.match(r"\.\. (auto\w+):: (\S+)", line):
            found.append(Directive(match[1], match[2]))
        elif found and (match := re.match(r"\s+:([\w-]+):(.*)", line)):
            found[-1].options[match[1]] = match[2].strip()
    return found


def exported(module: ast.Module) -> list[str]:
    """Return the names of `__all__`."""
    for node in module.body:
        if isinstance(node, ast.Assign) and any(getattr(each, "id", "") == "__all__" for each in node.targets):
            return list(ast.literal_eval(node.value))
    return []


def definition(file: Path, name: str) -> tuple[Path, Definition] | None:
    """Return file and node that a module means by a name; None for a constant, and for a name of another package."""
    for node in tree(file).body:
        if isinstance(node, Definition) and node.name == name:
            return file, node
    for imported in ast.walk(tree(file)):
        if isinstance(imported, ast.ImportFrom) and (imported.module or "").partition(".")[0] == "mesonet":
            for each in imported.names:
                if (each.asname or each.name) == name:
                    return definition(file_of(str(imported.module)), each.name)
    return None


def bases(file: Path, owner: ast.ClassDef) -> Iterator[tuple[Path, ast.ClassDef]]:
    """Yield the base classes that are classes of the package, the nearest first."""
    for base in owner.bases:
        name = base.value if isinstance(base, ast.Subscript) else base
        found = definition(file, name.id) if isinstance(name, ast.Name) else None
        if found and isinstance(found[1], ast.ClassDef):
            yield found[0], found[1]
            yield from bases(found[0], found[1])


def method(owner: ast.ClassDef, name: str) -> Function | None:
    return next((each for each in owner.body if isinstance(each, Function) and each.name == name), None)


def members(file: Path, owner: ast.ClassDef) -> Iterator[tuple[Path, str]]:
    """Yield the public methods of a class; for a method without a docstring the one that it inherits its text from."""
    for each in owner.body:
        if not isinstance(each, Function) or each.name.startswith("_"):
            continue
        place, above = file, owner
        if ast.get_docstring(each) is None:
            for at, base in bases(file, owner):
                if (own := method(base, each.name)) and ast.get_docstring(own):
                    place, above = at, base
                    break
        yield place, f"{above.name}.{each.name}"


def of_directive(directive: Directive) -> Iterator[tuple[Path, str]]:
    """Yield file and qualified name of everything that a directive shows."""
    if directive.kind == "automodule":
        file = file_of(directive.name)
        left_out = {each.strip() for each in directive.options.get("exclude-members", "").split(",")}
        found = [definition(file, name) for name in exported(tree(file)) if name not in left_out]
    elif directive.kind == "autoclass":
        module, _, name = directive.name.rpartition(".")
        found = [definition(file_of(module), name)]
        if "inherited-members" in directive.options and found[0] and isinstance(found[0][1], ast.ClassDef):
            found += bases(found[0][0], found[0][1])
    else:
        raise NotImplementedError(f"{directive.kind}: {directive.name}")
    for file, node in filter(None, found):
        yield file, node.name
        if isinstance(node, ast.ClassDef):
            yield from members(file, node)


@cache
def shown() -> Mapping[Path, frozenset[str]]:
    """Return the qualified names that docs/api shows, by file."""
    pages = sorted((ROOT / "docs" / "api").glob("*.md"))
    found = [each for page in pages for every in directives(page.read_text("utf-8")) for each in of_directive(every)]
    return {file: frozenset(name for at, name in found if at == file) for file, _ in found}
