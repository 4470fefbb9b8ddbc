"""Start of the command ``mesonet``: Ctrl-C ends it with one line, even while the program is still loading."""

from __future__ import annotations

import os
import signal
import sys

from mesonet import interrupts, plugin_exit
from mesonet.visible import guarded_streams


def main() -> None:
    """Run the command line, and record its end where a plug-in could hide it."""
    try:
        with plugin_exit.watched():
            _main()
    except SystemExit as end:
        plugin_exit.ended(end.code if isinstance(end.code, int) else int(end.code is not None))
        raise


def _main() -> None:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy loads in half the time: no threads for small matrices
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell ignores it for commands in background
        signal.signal(signal.SIGINT, interrupts.once)
    try:
        from mesonet.cli.verbs import main as command

        with guarded_streams():
            command(prog_name="mesonet")
    except KeyboardInterrupt:
        sys.stderr.write("mesonet: interrupted\n")
        sys.exit(interrupts.CODE)
    finally:
        # An interrupt in text that `exec` runs, as for dataclasses, ends `python -m mesonet` by SIGINT, although it was
        # handled: Python remembers it until the next text.
        exec("")
