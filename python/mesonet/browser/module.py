"""The built module of the simulator and its scripts, as a page carries them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from mesonet.assets import asset, packed

NAME = "mesonet"
"""Name of the files in the folder ``built``."""
MODULE_ID, WORKER_ID = "mesonet-module", "mesonet-worker"
"""Identifiers of the elements of the page that carry the module and the script of the worker."""
SCRIPTS = ("client.js",)
"""Scripts of the page that start the worker; they need `unpackBytes` of the page."""


@dataclass(frozen=True)
class Built:
    """Description of the built module."""

    sources_sha256: str  #: digest of the sources that it was built from
    module_sha256: str
    script_sha256: str
    module_bytes: int
    compressed_bytes: int  #: size with gzip
    rustc: str
    wasm_bindgen: str

    @property
    def page_bytes(self) -> int:
        """Size of the module in a page, in base64."""
        return (self.compressed_bytes + 2) // 3 * 4


def is_built() -> bool:
    """Return True if the package has the built module."""
    return _built().joinpath("built.json").is_file()


@cache
def built() -> Built:
    """Return the description of the built module."""
    return Built(**json.loads(_built().joinpath("built.json").read_text(encoding="utf-8")))


@cache
def module() -> bytes:
    """Return the WebAssembly module."""
    return _built().joinpath(f"{NAME}.wasm").read_bytes()


@cache
def worker_script() -> str:
    """Return the script of the worker: the script of wasm-bindgen, and the protocol."""
    return _built().joinpath(f"{NAME}.js").read_text(encoding="utf-8") + script("worker.js")


def script(name: str) -> str:
    """Return a script of this folder."""
    return asset("mesonet.browser", name)


@cache
def carriers() -> dict[str, str]:
    """Return the text of the elements that a page with the simulator must hold."""
    return {MODULE_ID: packed(module()), WORKER_ID: packed(worker_script().encode())}


def _built() -> Traversable:
    return files("mesonet.browser").joinpath("built")
