"""Refusal of candidates before their code runs: functions that a library calls, and the language of a Python file.

No control needs more than arithmetic. What a sandbox would end later, or could not see, has a clear refusal here.
"""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path

from mesonet.errors import InputError
from mesonet.files import reading
from mesonet.plugins import files, is_file, library
from mesonet.plugins.files import MODULE
from mesonet.plugins.names import CXX, C
from mesonet.scoring import elf

_ALLOWED = tomllib.loads((Path(__file__).parent / "allowed.toml").read_text(encoding="utf-8"))
_LIBRARY, _PYTHON = _ALLOWED["library"], _ALLOWED["python"]
_FUNCTIONS = {*_LIBRARY["memory"], *(name + end for name in _LIBRARY["mathematics"] for end in ("", "f"))}
IMPORTS: dict[str, list[str]] = _PYTHON["imports"]
"""Names that a file in Python may import, by module; from `math` all."""
_CONST = ("-Wcast-qual", "-Werror=cast-qual", "-Werror=discarded-qualifiers")
"""Options of compilers that refuse to write rules and events, which flows share."""
_MOST_SOURCE = 1 << 20


def admit(candidate: str) -> None:
    """Raise an `InputError` if a file uses what no control needs. The file is compiled, and none of its code runs."""
    text = candidate.strip()
    if not is_file(text):
        text = text[: text.rfind("(")].strip() if text.endswith(")") else text
    if not is_file(text):
        return
    file, part, _ = files.located(text)
    if file.suffix == ".py":
        _refuse_python(file)
        return
    known = files.digest(file, part)
    built = library.compiled(file, known, part)
    if file.suffix in (*C, *CXX):
        _refuse_source(file, known, built, part == MODULE)


@cache
def _refuse_source(file: Path, known: str, built: Path, is_module: bool) -> None:
    """Refuse a source, once. `known`: its digest."""
    _refuse_library(file, built, is_module)
    if not is_module:  # the headers of modules have machine code of their own
        _refuse_machine_code(file)


def _refuse_machine_code(file: Path) -> None:
    """Refuse a source with instructions that read clocks or call the system, and with machine code of its own."""
    allowed = "a source without assembly, without reading clocks, and without writing what is const"
    is_code = False
    for line in library.assembly(file, _CONST).splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in _LIBRARY["refused_instructions"]:
            raise InputError(f"has the instruction {words[0]}", value=str(file), allowed=allowed)
        if words[0] == "#APP":
            raise InputError("has assembly", value=str(file), allowed=allowed)
        if words[0] in (".text", ".section", ".data", ".bss", ".previous", ".popsection"):
            is_code = words[0] == ".text" or ".text" in line or "x" in line.partition('"')[2].partition('"')[0]
        elif is_code and _makes_bytes(words[0]):
            raise InputError(f"has data among its instructions ({words[0]})", value=str(file), allowed=allowed)


def _makes_bytes(word: str) -> bool:
    """Return whether a line of assembly that begins with a word may be data."""
    is_directive = word.startswith(".") and not word.endswith(":")
    return is_directive and not word.startswith(".cfi_") and word not in _LIBRARY["code_directives"]


def _refuse_library(file: Path, built: Path, is_module: bool) -> None:
    """Refuse a library that calls other functions than `_FUNCTIONS`, has constructors, or variables of a thread."""
    content = reading.read_bytes(built)
    if not elf.is_elf(content):  # of another system
        return
    allowed = "arithmetic on the state of a flow, such as by math.h and string.h"
    for name in elf.undefined(content):
        is_of_cxx = file.suffix in CXX and name.startswith(tuple(_LIBRARY["cxx"]))
        if not (name in _FUNCTIONS or is_of_cxx or (is_module and name in _LIBRARY["shim"])):
            raise InputError(f"calls {name}, which no control needs", value=str(file), allowed=allowed)
    if is_module:  # the shim has both
        return
    if any(each.is_of_thread for each in elf.segments(content)):
        raise InputError("has variables of a thread, which flows share", value=str(file), allowed=allowed)
    if elf.has_constructors(content):
        raise InputError("has code that runs while it is loaded", value=str(file), allowed=allowed)


def _refuse_python(file: Path) -> None:
    """Refuse a Python file that does more than define classes and functions of numbers."""
    try:
        tree = ast.parse(reading.read_bytes(file, _MOST_SOURCE))
    except (SyntaxError, ValueError) as error:
        raise InputError(f"not Python: {error}", value=str(file)) from None
    try:
        _Rules(tree).check()
    except _Refused as refused:
        allowed = "classes and functions of numbers, with math, numpy and mesonet.plugins"
        problem, line = refused.args
        raise InputError(f"line {line}: {problem}", value=str(file), allowed=allowed) from None


class _Refused(Exception):
    """A problem in words, and its line."""


class _Rules:
    """Rules of a Python file: nothing runs at its import, and no object outlives or leaves its flow."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._shared = {each.name for each in tree.body if isinstance(each, ast.ClassDef | ast.FunctionDef)}
        self._numpy: set[str] = set()
        self._bound = set(_PYTHON["builtins"])
        self._used: set[ast.AST] = set()  # names that stand where a shared object may: called, or before a dot
        for node in ast.walk(tree):
            self._read(node)

    def check(self) -> None:
        """Raise `_Refused` for the first break of a rule."""
        for statement in self._tree.body:
            self._definition(statement, "the module")
        for node in ast.walk(self._tree):
            self._node(node)

    def _read(self, node: ast.AST) -> None:
        """Learn what a node binds and uses."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self._bound.add(node.id)
        elif isinstance(node, ast.arg):
            self._bound.add(node.arg)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            self._bound.add(node.name)
            self._used.update(node.decorator_list, node.bases if isinstance(node, ast.ClassDef) else ())
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            self._bound.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node)
        elif isinstance(node, ast.Call):
            self._used.add(node.func)
        elif isinstance(node, ast.Attribute):
            self._used.add(node.value)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for each in node.names:
            module = each.name if isinstance(node, ast.Import) else node.module or ""
            if isinstance(node, ast.Import):
                fits = module in ("math", "numpy")
            elif module == "math":
                fits = each.name.isidentifier() and not each.name.startswith("_")
            else:
                fits = each.name in IMPORTS.get(module, ()) and not node.level
            self._refuse(not fits, f"imports {module or each.name}", node)
            name = each.asname or each.name
            self._bound.add(name)
            if isinstance(node, ast.Import) and module == "numpy":
                self._numpy.add(name)
            if not each.name.isupper():  # numbers may stand anywhere
                self._shared.add(name)

    def _definition(self, node: ast.stmt, where: str) -> None:
        """Refuse a statement of the module or of a class that is no definition of constants, functions, classes."""
        if isinstance(node, ast.ClassDef):
            plain = all(isinstance(each, ast.Name) for each in node.bases)
            extra = node.decorator_list or node.keywords
            self._refuse(not plain or bool(extra), "a class with more than the names of its bases", node)
            for each in node.body:
                self._definition(each, "a class")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            self._refuse(not all(isinstance(each, ast.Name) for each in targets), f"{where} changes an object", node)
            names = {each.id for each in targets if isinstance(each, ast.Name)}
            is_state = names == {"state"} and where == "a class" and isinstance(node.value, ast.Dict)
            fits = node.value is None or is_state or _is_constant(node.value, where == "a class")
            self._refuse(not fits, f"{where} has a value that is no constant", node)
        elif not isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom | ast.Pass):
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            self._refuse(not is_text, f"{where} runs code while it is imported", node)

    def _node(self, node: ast.AST) -> None:
        closed = ast.Global | ast.With | ast.AsyncFunctionDef | ast.AsyncWith | ast.AsyncFor | ast.Await
        self._refuse(isinstance(node, closed), f"the statement {type(node).__name__}", node)
        if isinstance(node, ast.FunctionDef):
            self._function(node)
        elif isinstance(node, ast.Attribute):
            name, base = node.attr, node.value.id if isinstance(node.value, ast.Name) else ""
            is_closed = (name.startswith("_") and name != "__init__") or name in _PYTHON["refused_attributes"]
            self._refuse(is_closed, f"the attribute {name}", node)
            self._refuse(base in self._numpy and name not in _PYTHON["numpy"], f"numpy.{name}", node)
            is_shared = not base or base in self._shared
            self._refuse(is_shared and not isinstance(node.ctx, ast.Load), "changes an object that flows share", node)
        elif isinstance(node, ast.Name):
            self._refuse(node.id.startswith("__") or node.id not in self._bound, f"the name {node.id}", node)
            is_handed_on = node.id in self._shared and node not in self._used
            self._refuse(is_handed_on, f"{node.id} is neither called nor before a dot", node)

    def _function(self, node: ast.FunctionDef) -> None:
        hidden = node.name.startswith("__") and node.name != "__init__"
        self._refuse(hidden, f"the function {node.name}", node)
        for each in node.decorator_list:
            self._refuse(not isinstance(each, ast.Name) or each.id not in _PYTHON["decorators"], "a decorator", each)
        for each in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self._refuse(not _is_constant(each, False), "a default that is no constant", each)
        arguments = [*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs]
        for note in filter(None, [*(each.annotation for each in arguments), node.returns]):
            self._refuse(not isinstance(note, ast.Name | ast.Constant), "an annotation that is no name", note)

    def _refuse(self, is_wrong: bool, problem: str, node: ast.AST) -> None:
        if is_wrong:
            raise _Refused(problem, getattr(node, "lineno", 1))


def _is_constant(node: ast.expr, with_params: bool) -> bool:
    """Return True if a value is made of numbers, texts and names. `with_params`: True if it may have a ``Param``."""
    allowed: tuple[type[ast.AST], ...] = (
        ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.Name, ast.Attribute, ast.operator, ast.unaryop, ast.Load,
    )  # fmt: skip
    for each in ast.walk(node):
        if isinstance(each, ast.Call | ast.keyword) and with_params:
            if isinstance(each, ast.Call) and not (isinstance(each.func, ast.Name) and each.func.id == "Param"):
                return False
        elif not isinstance(each, allowed):
            return False
    return True
