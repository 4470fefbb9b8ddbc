"""``python -m mesonet``."""

from __future__ import annotations

from mesonet.cli.start import main

main()
