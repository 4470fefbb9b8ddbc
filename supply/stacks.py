"""Build mesonet with whole transport stacks, of which some come from checkouts: ``make stacks QUINN=../quinn``.

The crates are copied to `target/checkouts`, and there an adapter depends on the folder of the checkout in place of the
version of `crates/stacks/Cargo.toml`. No file of mesonet or of the checkout changes, but for the built module.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPY = ROOT / "target" / "checkouts"
"""Folder of the copy of the crates."""
MODULE = ROOT / "python" / "mesonet" / "_core.abi3.so"
FOLDERS = {"quinn": "quinn-proto", "noq": "noq-proto", "smoltcp": "."}
"""Folder of the crate in a checkout, by stack."""
_COPIED = ("Cargo.toml", "Cargo.lock", "crates", "clippy.toml", "rust-toolchain.toml")
_LIBRARIES = ("lib_core.so", "lib_core.dylib", "_core.dll")


@dataclass(frozen=True)
class Checkout:
    """A stack of a folder that the user names."""

    stack: str  #: name of the stack: ``quinn``, ``noq`` or ``smoltcp``
    folder: Path  #: folder of its crate
    crate: str  #: name of its crate
    version: str  #: version in its manifest
    digest: str  #: first digits of the SHA-256 of its sources

    @property
    def label(self) -> str:
        """Name and version of the crate with the digest, as `run.json` has them."""
        return f"{self.crate} {self.version}+{self.digest}"


def checkout(stack: str, path: Path) -> Checkout:
    """Return the checkout of a stack; end the program with a message if the folder has no such crate."""
    inside = path / FOLDERS[stack]
    folder = (path if path.name == FOLDERS[stack] and not inside.is_dir() else inside).resolve()
    manifest = folder / "Cargo.toml"
    if not manifest.is_file():
        raise SystemExit(
            f"{stack.upper()} = {str(path)!r}: no {FOLDERS[stack]}/Cargo.toml. Allowed: a checkout of {stack}"
        )
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--manifest-path", str(manifest)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(f"{manifest}: cargo cannot read it:\n{run.stderr.strip()}")
    wanted = stack if FOLDERS[stack] == "." else FOLDERS[stack]
    for package in json.loads(run.stdout)["packages"]:
        if package["name"] == wanted:
            return Checkout(stack, folder, wanted, package["version"], digest(folder))
    raise SystemExit(f"{manifest}: no crate {wanted}. Allowed: a checkout of {stack}")


def digest(folder: Path) -> str:
    """Return twelve digits of the SHA-256 of the names and contents of a crate's manifest, build script and sources."""
    files = [folder / "Cargo.toml", folder / "build.rs", *(folder / "src").rglob("*.rs")]
    found = hashlib.sha256()
    for file in sorted(each for each in files if each.is_file()):
        content = file.read_bytes()
        found.update(f"{file.relative_to(folder).as_posix()} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()[:12]


def with_paths(manifest: str, chosen: Mapping[str, Checkout]) -> str:
    """Return the manifest of the adapters, in which checkouts stand in place of versions."""
    for each in chosen.values():
        pinned = re.compile(rf'^({re.escape(each.crate)} = {{ )version = "=[^"]+"', re.MULTILINE)
        found = pinned.search(manifest)
        if not found:
            raise SystemExit(f'crates/stacks/Cargo.toml: {each.crate} has no pinned version; allowed: "=X.Y.Z"')
        path = f"{found[1]}path = {json.dumps(str(each.folder))}"
        manifest = manifest[: found.start()] + path + manifest[found.end() :]
    return manifest


def build(chosen: Mapping[str, Checkout], profile: str) -> None:
    """Build the module of the Python package with all stacks.

    `profile`: profile of cargo, such as ``release``.
    """
    COPY.mkdir(parents=True, exist_ok=True)
    for name in _COPIED:
        source, target = ROOT / name, COPY / name
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)  # with the times of the files: cargo builds what changed
        elif source.is_file():
            shutil.copy2(source, target)
    manifest = COPY / "crates" / "stacks" / "Cargo.toml"
    manifest.write_text(with_paths(manifest.read_text(encoding="utf-8"), chosen), encoding="utf-8")
    labels = {f"MESONET_{name.upper()}": each.label for name, each in chosen.items()}
    environment = {**os.environ, **labels, "RUSTFLAGS": '--cfg getrandom_backend="custom"'}
    command = ["cargo", "build", "--quiet", "--package", "mesonet-py", "--features", "stacks", "--profile", profile]
    command += ["--target-dir", str(ROOT / "target" / "stacks")]
    if subprocess.run(command, cwd=COPY, env=environment, check=False).returncode:
        named = ", ".join(each.label for each in chosen.values())
        raise SystemExit(
            f"{named}: does not build with the adapter of crates/stacks; the compiler names the cause above"
        )
    built = [ROOT / "target" / "stacks" / profile / name for name in _LIBRARIES]
    library = next(each for each in built if each.is_file())
    aside = MODULE.with_suffix(".new")
    shutil.copyfile(library, aside)
    aside.replace(MODULE)  # a process that runs keeps the module that it has loaded


def main() -> None:
    """Build, and print the versions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for stack in FOLDERS:
        parser.add_argument(f"--{stack}", type=Path, metavar="PATH", help=f"checkout of {stack}")
    parser.add_argument("--profile", default="release", help="profile of cargo: release, or dev-fast to build quickly")
    options = vars(parser.parse_args())
    given = {stack: path for stack in FOLDERS if (path := options[stack]) is not None}
    if not given:
        parser.error("no checkout; `make stacks` builds the pinned versions")
    if not shutil.which("cargo"):
        raise SystemExit("a build with stacks needs Rust (cargo)")
    chosen = {stack: checkout(stack, path) for stack, path in given.items()}
    build(chosen, options["profile"])
    sys.stdout.write("".join(f"stack:{stack}: {each.label}\n" for stack, each in chosen.items()))


if __name__ == "__main__":
    main()
