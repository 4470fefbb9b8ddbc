"""Links of the site, from types in signatures to the names that the interface has for them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the resolver of references that Sphinx does not find."""
    app.connect("missing-reference", _by_last_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _by_last_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, text: nodes.TextElement) -> nodes.Node | None:
    """Return a link to the documented name of a class, where only one has its last name."""
    target = node["reftarget"]
    if node.get("refdomain") != "py" or not target.startswith("mesonet"):
        return None
    last = "." + target.rpartition(".")[2]
    documented = env.domains.python_domain.objects
    names = [name for name in documented if name.endswith(last)]
    if len(names) != 1:
        return text if node["reftype"] == "class" else None  # a type that is no part of the interface
    entry = documented[names[0]]
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, text, names[0])
