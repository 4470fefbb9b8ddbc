"""``python -m mesonet``."""

from mesonet.cli.main import main

main(prog_name="mesonet")
