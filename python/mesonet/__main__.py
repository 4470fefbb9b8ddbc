"""``python -m mesonet``."""

from mesonet.cli import main

main(prog_name="mesonet")
