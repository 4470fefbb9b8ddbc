"""Files that code reaches in its folder: what a key of a run and the trust of a user depend on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mesonet import models, plugins
from mesonet.errors import InputError
from mesonet.files.reached import reached
from mesonet.plugins.files import digest


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The folder, with files of these texts."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("source", "more"),
    [
        ("import a, json", ["a.py"]),
        ("def late():\n    from a import b", ["a.py"]),
        ("import p.q.r", ["p/__init__.py", "p/q/__init__.py", "p/q/r.py", "p/s.py"]),
        ("from p import q", ["p/__init__.py", "p/q/__init__.py"]),
        ("from bare import inner", ["bare/inner.py", "a.py"]),
        ("import circle", ["circle.py"]),
        ("import broken", ["broken.py"]),
        ("import compiled", ["compiled.abi3.so"]),
        ("import mesonet", []),
        ("import", []),
        (f"from {'.' * 99} import a", []),
    ],
)
def test_python_reaches_what_it_imports(tmp_path: Path, source: str, more: list[str]) -> None:
    written(tmp_path, {
        "a.py": "", "p/__init__.py": "", "p/q/__init__.py": "", "p/q/r.py": "from .. import s",
        "p/s.py": "", "bare/inner.py": "import a", "circle.py": "import m", "broken.py": "import a (", "unused.py": "",
        "compiled.abi3.so": "\0", "mesonet/__init__.py": "", "m.py": source,
    })  # fmt: skip
    assert [str(each.relative_to(tmp_path)) for each in reached([tmp_path / "m.py"])] == ["m.py", *more]


def test_c_reaches_what_it_includes(tmp_path: Path) -> None:
    written(tmp_path, {"m.c": '#include <math.h>\n # include "own/a.h"\n', "own/a.h": '#embed "t"\n', "own/t": "1"})
    assert [each.name for each in reached([tmp_path / "m.c"])] == ["m.c", "a.h", "t"]


def test_a_file_in_a_folder_of_packages_reaches_its_own_package_only(tmp_path: Path) -> None:
    folder = written(tmp_path / "site-packages", {"m/__init__.py": "import m.n, other", "m/n.py": "", "other.py": ""})
    assert [each.name for each in reached([folder / "m" / "__init__.py"], folder)] == ["__init__.py", "n.py"]


@pytest.mark.parametrize(
    "model",
    [
        {"command": ["python3", "m.py"]},
        {"command": ["python3", "-m", "m"]},
        {"command": ["python3", "-m", "package"]},
        {"command": ["python3", "-c", "import m # " + "long " * 99], "files": ["*.py"]},
        {"function": "m.py:f"},
    ],
)
def test_the_code_of_a_model_includes_its_helpers(tmp_path: Path, model: dict) -> None:
    main = "import helper\ndef f(parameters, seed): return helper.g()"
    written(tmp_path, {"m.py": main, "helper.py": "g = dict", "package/__main__.py": "import helper", "data": ""})
    described, own = models.described(model, tmp_path), models.described({**model, "version": "1"}, tmp_path)
    before = models.code_version(described), models.code_version(own), models.digest(own)
    assert before[0] == before[2], "the digest does not depend on the version that a user gives"
    written(tmp_path, {"data": "1"})
    assert models.code_version(described) == before[0]
    written(tmp_path, {"helper.py": "g = list"})
    assert models.code_version(described) != before[0]
    assert models.code_version(own) == before[1]
    assert models.digest(own) != before[2]


def test_declared_files_are_listed_and_must_be_there(tmp_path: Path) -> None:
    written(tmp_path, {"m.R": "", "b.R": "", "data/1.csv": "", "[odd].R": ""})
    given = {"command": ["Rscript", "m.R"], "files": ["*.R", "data/*", "[odd].R"]}
    described = models.described(given, tmp_path)
    assert described["files"] == ["[odd].R", "b.R", "m.R", "data/1.csv"]
    before = models.code_version(described)
    written(tmp_path, {"data/1.csv": "1"})
    assert models.code_version(described) != before
    (tmp_path / "data" / "1.csv").unlink()
    with pytest.raises(InputError, match=r"data/1\.csv.*a file of the model cannot be read"):
        models.code_version(described)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["*.R"], r'model\.files\[0\] = "\*\.R": no such file'),
        (["m.py", "data"], r'model\.files\[1\] = "data": no such file'),
        ("m.py", r'model\.files = "m\.py": not a list of files'),
        ([], r"model\.files = \[\]: not a list of files"),
    ],
)
def test_files_that_are_not_there_are_refused(tmp_path: Path, files: object, message: str) -> None:
    written(tmp_path, {"m.py": "", "data/1": ""})
    with pytest.raises(InputError, match=message):
        models.described({"command": ["python3", "m.py"], "files": files}, tmp_path)


PLUGIN = """
from helper import FACTOR
from mesonet.plugins.per_round import PerRound

class {name}(PerRound):
    title = str(FACTOR)

    def on_round(self, config, round):
        self.cwnd += FACTOR
"""


def test_a_plug_in_in_python_has_its_own_helpers_as_they_are_now(tmp_path: Path) -> None:
    """Another plug-in has a helper of this name, and the helper changes while the process lives."""
    for place, name in enumerate(("One", "Two"), start=1):
        folder = written(tmp_path / name, {"cc.py": PLUGIN.format(name=name), "helper.py": f"FACTOR = {place}"})
        before = digest(folder / "cc.py", name)
        assert plugins.load(f"cc.py:{name}", folder).algorithm.title == str(place)
        written(folder, {"helper.py": f"FACTOR = 1{place}"})
        assert digest(folder / "cc.py", name) != before
        with pytest.raises(InputError, match=rf"plug-in {name} changed from {before[:12]}"):
            plugins.refuse_changed({name: {"file": f"{folder / 'cc.py'}:{name}", "digest": before}})
        assert plugins.load(f"cc.py:{name}", folder).algorithm.title == f"1{place}"
