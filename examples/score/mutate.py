"""Change one number of the C source on standard input, as a program that writes controls would."""

from __future__ import annotations

import random
import re
import sys

source = sys.stdin.read()
numbers = [each for each in re.finditer(r"\b\d+\.\d+\b", source) if float(each[0])]
chosen = random.choice(numbers)
changed = float(chosen[0]) * random.lognormvariate(0, 0.3)
print(source[: chosen.start()] + f"{changed:.4f}" + source[chosen.end() :], end="")
