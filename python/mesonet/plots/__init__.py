"""Figures: one file each, a result object in, an Altair chart out. Nothing is computed here."""

from mesonet.plots.condition_response import Settings, condition_response
from mesonet.plots.export import save, to_html, to_pdf, to_png, to_svg
from mesonet.plots.main_effects import main_effects
from mesonet.plots.responses import responses
from mesonet.plots.topology import topology

__all__ = [
    "Settings",
    "condition_response",
    "main_effects",
    "responses",
    "save",
    "to_html",
    "to_pdf",
    "to_png",
    "to_svg",
    "topology",
]
