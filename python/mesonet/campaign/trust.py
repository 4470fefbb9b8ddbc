"""Trust in campaign folders: a folder of another user may name any program, which `run` would start.

Programs are models and plug-ins. A folder is trusted with them if this user began the campaign, or trusted it before,
and if their files have not changed since. The record is a file of the user: ``mesonet/trusted`` in the folder that
``XDG_STATE_HOME`` names, by default ``~/.local/state``.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from mesonet import models

SNAPSHOTS = {"snapshots": "all"}
"""In the place of code: the snapshots of a campaign folder, which only a user who trusts them continues from."""


def named_code(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the code that a campaign folder names.

    The description of its model, or ``plugins`` with file and digest of each; None: the simulator alone. `document`:
    the content of ``experiment.json``.
    """
    if plugins := document.get("plugins"):
        return {"plugins": plugins}
    model: Mapping[str, Any] | None = document.get("model")
    return model


def is_trusted(path: Path, model: Mapping[str, Any] | None) -> bool:
    """Return True if this user runs the code of a campaign folder without a question.

    `model`: its code, as `named_code` returns it; None: the simulator, which is trusted.
    """
    if model is None:
        return True
    with suppress(OSError, UnicodeDecodeError):
        return _mark(path, model) in _record().read_text(encoding="utf-8").split()
    return False


def trust(path: Path, model: Mapping[str, Any] | None) -> None:
    """Record that this user trusts the code of a campaign folder. Without a place to write, nothing is recorded.

    `model`: its code, as `named_code` returns it; None: the simulator, which needs no record.
    """
    if model is None or is_trusted(path, model):
        return
    with suppress(OSError):
        _record().parent.mkdir(parents=True, exist_ok=True)
        with _record().open("a", encoding="utf-8") as file:
            file.write(_mark(path, model) + "\n")


def program(model: Mapping[str, Any]) -> str:
    """Return the code of a campaign folder as text.

    The files of the plug-ins, or the command, or the function with its module, and the folder in which it runs.
    """
    if "plugins" in model:
        return "the plug-ins " + ", ".join(json.dumps(str(each["file"])) for each in model["plugins"].values())
    if "command" in model:
        shown = "the command " + " ".join(json.dumps(str(part)) for part in model["command"])
    else:
        shown = f"the function {json.dumps(model.get('function'))} of {json.dumps(model.get('module'))}"
    return f"{shown} in {json.dumps(model.get('directory'))}"


def _record() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "mesonet" / "trusted"


def _mark(path: Path, model: Mapping[str, Any]) -> str:
    # A plug-in has its digest in the description, and snapshots have none.
    content = models.digest(model) if {"command", "function"} & model.keys() else None
    about = json.dumps([str(path.resolve()), model, content], sort_keys=True)
    return hashlib.sha256(about.encode()).hexdigest()
