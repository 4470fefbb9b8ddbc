"""Build the simulator for browsers into the Python package: ``make wasm``.

The built module is in the repository and in the wheel, so that neither users nor `make demo` need tools for
WebAssembly. `mesonet/browser/built/built.json` has the digest of the sources; a test compares it with the sources.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "python" / "mesonet" / "browser" / "built"
"""Folder of the module, its JavaScript and `built.json`."""
TARGET = "wasm32-unknown-unknown"
NAME = "mesonet"

_CRATES = ("cc", "sim", "wasm")
_OTHERS = ("Cargo.toml", "Cargo.lock", "crates/py/code_version.rs")
_TARGET_FOLDER = ROOT / "target" / "wasm"


def sources() -> list[Path]:
    """Return every file that the module depends on, in order: Rust sources, manifests and the lock file."""
    found = [ROOT / each for each in _OTHERS]
    for crate in _CRATES:
        folder = ROOT / "crates" / crate
        found += [folder / "Cargo.toml", *folder.glob("*.rs"), *(folder / "src").rglob("*.rs")]
    return sorted(found)


def digest_of_sources() -> str:
    """Return the SHA-256 of the names and contents of `sources`."""
    digest = hashlib.sha256()
    for file in sources():
        content = file.read_bytes()
        digest.update(f"{file.relative_to(ROOT).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def build() -> dict[str, str | int]:
    """Build the module into `BUILT`. Content of ``built.json``."""
    cargo, bindgen = _tools()
    before = digest_of_sources()
    home = os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    # Messages of panics name source files: no folder of this machine belongs into the module.
    flags = "\x1f".join(f"--remap-path-prefix={folder}={name}" for folder, name in ((home, "cargo"), (str(ROOT), ".")))
    environment = {**os.environ, "CARGO_PROFILE_RELEASE_DEBUG": "none", "CARGO_ENCODED_RUSTFLAGS": flags}
    subprocess.run(
        [cargo, "build", "--release", "--locked", "--package", "mesonet-wasm", "--target", TARGET, "--target-dir",
         str(_TARGET_FOLDER)],
        cwd=ROOT, check=True, env=environment,
    )  # fmt: skip
    compiled = _TARGET_FOLDER / TARGET / "release" / "mesonet_wasm.wasm"
    out = _TARGET_FOLDER / "bindgen"
    subprocess.run(
        [bindgen, str(compiled), "--target", "no-modules", "--no-typescript", "--remove-name-section",
         "--remove-producers-section", "--out-name", NAME, "--out-dir", str(out)],
        check=True,
    )  # fmt: skip
    if before != digest_of_sources():
        raise SystemExit("the sources changed during the build: run `make wasm` again")
    BUILT.mkdir(parents=True, exist_ok=True)
    module, script = (out / f"{NAME}_bg.wasm").read_bytes(), (out / f"{NAME}.js").read_bytes()
    (BUILT / f"{NAME}.wasm").write_bytes(module)
    (BUILT / f"{NAME}.js").write_bytes(script)
    about: dict[str, str | int] = {
        "sources_sha256": before,
        "module_sha256": hashlib.sha256(module).hexdigest(),
        "script_sha256": hashlib.sha256(script).hexdigest(),
        "module_bytes": len(module),
        "compressed_bytes": len(gzip.compress(module, 9, mtime=0)),
        "rustc": _output(["rustc", "--version"]),
        "wasm_bindgen": _wanted(),
    }
    (BUILT / "built.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return about


def _wanted() -> str:
    """Return the version of wasm-bindgen that the crate pins."""
    manifest = (ROOT / "crates" / "wasm" / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^wasm-bindgen = "=([\d.]+)"', manifest, re.MULTILINE)
    if not found:
        raise SystemExit('crates/wasm/Cargo.toml: wasm-bindgen has no pinned version; allowed: "=X.Y.Z"')
    return found[1]


def _tools() -> tuple[str, str]:
    cargo = shutil.which("cargo")
    if not cargo:
        raise SystemExit("`make wasm` needs Rust (cargo)")
    libraries = Path(_output(["rustc", "--print", "sysroot"])) / "lib" / "rustlib" / TARGET
    if not libraries.exists():
        raise SystemExit(f"`make wasm` needs the target {TARGET}: run `rustup target add {TARGET}`")
    wanted = _wanted()
    install = f"run `cargo install wasm-bindgen-cli --version {wanted}`"
    bindgen = os.environ.get("WASM_BINDGEN") or shutil.which("wasm-bindgen")
    if not bindgen:
        raise SystemExit(f"`make wasm` needs the command wasm-bindgen {wanted}: {install}")
    found = _output([bindgen, "--version"]).split()[-1]
    if found != wanted:
        raise SystemExit(f"{bindgen} has version {found}, the crate needs {wanted}: {install}")
    return cargo, bindgen


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Build, and print the sizes."""
    about = build()
    sizes = f"{about['module_bytes']:,} bytes, {about['compressed_bytes']:,} with gzip"
    sys.stdout.write(f"{BUILT / f'{NAME}.wasm'}: {sizes}\n")


if __name__ == "__main__":
    main()
