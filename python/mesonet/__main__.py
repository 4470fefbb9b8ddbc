"""``python -m mesonet``."""

from mesonet.cli.start import main

main()
