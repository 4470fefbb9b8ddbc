"""``python -m mesonet``."""

from __future__ import annotations

from mesonet.cli.entry_point import main

main()
