"""Configuration of the documentation site: ``make docs``.

The root of the repository is the source folder, so that pages and links stay where a reader of the repository finds
them. Everything a page loads is a file of the site.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import mesonet

sys.path.insert(0, str(Path(__file__).parent))

project = "mesonet"
author = "The mesonet developers"
copyright = "the mesonet developers, Apache-2.0"
version = release = mesonet.__version__

lexers["csv"] = TextLexer()

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "myst_nb",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "docstrings",
    "links",
    "paper",
    "search_pages",
    "summaries",
]
root_doc = "docs/index"
include_patterns = [
    "*.md", "docs/*.md", "docs/**/*.md", "docs/**/*.ipynb", "verification/*.md", "verification/**/*.md",
    "benches/RESULTS.md",
]  # fmt: skip
exclude_patterns = [".*", "target", "demo", "dist", "out", "verify", "campaigns", "fuzz", "benches/kernels/target"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!mesonet\b).*")]  # types of Python and of other packages: no network, no links
smartquotes = False  # units are quoted text, such as "5 s"
language = "en"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300

add_module_names = False
autosummary_generate = False
autodoc_default_options = {"members": True, "show-inheritance": False}
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
python_display_short_literal_types = True
default_role = "code"

html_theme = "furo"
html_title = "mesonet"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["gallery.js"]
html_show_sourcelink = False
html_copy_source = False
html_additional_pages = {"index": "start.html", "search": "search.html"}
templates_path = ["templates"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f8b", "color-brand-content": "#1f5f8b"},
    "dark_css_variables": {"color-brand-primary": "#7cc0ee", "color-brand-content": "#7cc0ee"},
}
copybutton_selector = "div.highlight-sh pre, div.highlight-python pre, div.highlight-toml pre, div.highlight-c pre"
