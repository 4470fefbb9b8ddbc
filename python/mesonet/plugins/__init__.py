"""Plug-ins: congestion controls of users, in C, C++, Zig or Python, or as a shared library.

A plug-in is named by its file, such as ``my_cc.c`` or ``my_cc.py:MyCC``, and known in results by the name that it
declares. It is code: it is loaded only from a file that the user names, never from a campaign folder of somebody else
(`mesonet.campaign.trust`). Part of the ground; may import the ground.
"""

from __future__ import annotations

from mesonet.plugins.loaded import Plugin, by_name, exists, find_loaded, known, load, refuse_changed, use, used
from mesonet.plugins.names import header, is_file, with_names

__all__ = [
    "Plugin", "by_name", "exists", "find_loaded", "header", "is_file", "known", "load", "refuse_changed", "use", "used",
    "with_names",
]  # fmt: skip
