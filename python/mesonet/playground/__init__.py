"""The playground: one page that simulates in the browser, for students and for readers who try first.

`write_playground` writes it. The page holds the simulator as WebAssembly, canonical scenarios that Python made, and
lessons. May import the folders up to `reporting`, and `browser`.
"""

from __future__ import annotations

from mesonet.playground.document import write_playground

__all__ = ["write_playground"]
