"""Modules of Linux (``linux:tcp_htcp.c``): compiled with ``mesonet_linux.h`` in front, without the kernel.

The compiler gets a copy of the file in which variables at file scope are one for each thread, because a run may use one
module with several sets of parameters at once. Headers of the kernel are empty files. Everything else is as it was.
"""

from __future__ import annotations

import re
from pathlib import Path

from mesonet.errors import InputError
from mesonet.plugins.files import LINUX, companions
from mesonet.plugins.names import header

FLAGS = (
    "-std=gnu11",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fvisibility=hidden",
    "-Werror=implicit-function-declaration",
)
"""As the kernel is compiled. A function that the shim lacks is an error of the compiler."""
TRIED = "6.1.192"
"""Version of Linux whose modules were tried."""
OURS = {
    "bbr": "bbr", "bic": "bic", "cubic": "cubic", "dctcp": "dctcp", "highspeed": "hstcp", "htcp": "htcp",
    "illinois": "illinois", "scalable": "scalable", "vegas": "vegas", "westwood": "westwood",
}  # fmt: skip
"""Algorithm of mesonet that a module was compared with, by its name (docs/reference/conformance-linux.md)."""
WITNESSED = {"bbr": "6.18", "cubic": "6.18"}
"""Version of the kernel that the algorithm of mesonet was compared with (verification/witness/kernel)."""
NAME = "linux-"
"""Before the name of a module in results."""
ALLOWED = "a module of Linux such as tcp_htcp.c, with module_init and struct tcp_congestion_ops"

_SYSTEM = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", re.MULTILINE)
_VARIABLE = re.compile(
    r"^static(?=[ \t]+(?:(?!(?:const|inline|struct|union|enum|_Thread_local|__thread)\b)\w+[ \t]+)+\w+[^(\n;]*?[=;])",
    re.MULTILINE,
)
_CONTROL = re.compile(r"\.cong_control\s*=\s*(\w+)")
_SAMPLES = re.compile(r"->\s*in_flight\b")


def compared(algorithm: str) -> str:
    """Return what the numbers of a module were compared with; empty for the name of another algorithm.

    Examples
    --------
    >>> compared("linux-htcp")
    'htcp of Linux 6.1.192 was compared with htcp of mesonet, and never with a kernel'
    >>> compared("linux-lp"), compared("cubic")
    ('lp was never compared with a kernel, nor with an algorithm of mesonet', '')
    """
    if not algorithm.startswith(NAME):
        return ""
    name = algorithm.removeprefix(NAME).partition("(")[0]
    if name not in OURS:
        return f"{name} was never compared with a kernel, nor with an algorithm of mesonet"
    kernel = f", which was compared with Linux {WITNESSED[name]}" if name in WITNESSED else ", and never with a kernel"
    return f"{name} of Linux {TRIED} was compared with {OURS[name]} of mesonet{kernel}"


def shim() -> Path:
    """Return the header under which modules of Linux compile. The path of ``mesonet_linux.h``."""
    return header().with_name("mesonet_linux.h")


def arguments(file: Path, folder: Path) -> list[str]:
    """Write what the compiler reads, and return its arguments beside those of every plug-in."""
    found = [f'-DMESONET_LINUX_FILE="{file.name}"', *FLAGS, f"-I{folder / 'kernel'}", f"-iquote{file.parent}"]
    texts = {each: each.read_text(errors="replace") for each in companions(file)}
    text = texts[file]
    if "tcp_congestion_ops" not in text or not re.search(r"^\w*(?:module_init|_initcall)\s*\(", text, re.MULTILINE):
        raise InputError("not a module of Linux", value=f"{LINUX}{file}", allowed=ALLOWED)
    if _takes_four(text):
        found.append("-DMESONET_LINUX_LONG_CONTROL")
    if _SAMPLES.search(text):
        found.append("-DMESONET_LINUX_SAMPLES=1")
    for each, content in texts.items():
        for name in _SYSTEM.findall(content):
            place = folder / "kernel" / Path(name.replace("..", "_"))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        if each.suffix != ".c":
            continue
        lines = ["#define MESONET_LINUX_SECOND"] if each != file else []
        lines += [f'#include "{shim().name}"', f'#line 1 "{each}"', threaded(content)]
        lines += ["#define MESONET_LINUX_GLUE", f'#line 1 "{shim().name}"', f'#include "{shim().name}"']
        unit = folder / each.name
        unit.write_text("\n".join(lines[: None if each == file else -3]) + "\n")
        found.append(str(unit))
    return found


def threaded(text: str) -> str:
    """Return the text of a module with its variables at file scope in each thread.

    The text with ``_Thread_local`` after ``static``, in the same lines.

    Examples
    --------
    >>> threaded("static int beta __read_mostly = 717;")
    'static _Thread_local int beta __read_mostly = 717;'
    >>> threaded("static void init(struct sock *sk);")
    'static void init(struct sock *sk);'
    """
    return _VARIABLE.sub("static _Thread_local", text)


def _takes_four(text: str) -> bool:
    """Return True if cong_control has the four arguments of Linux 6.10."""
    name = _CONTROL.search(text)
    declared = name and re.search(rf"\b{name[1]}\s*\(([^)]*)\)", text)
    return bool(declared and declared[1].count(",") == 3)
