"""Figures: one file each, a result object in, an Altair chart out. Nothing is computed here."""

from mesonet.plots.condition_response import Settings, condition_response
from mesonet.plots.correlations import correlations
from mesonet.plots.dendrograms import dendrograms
from mesonet.plots.export import save, to_html, to_pdf, to_png, to_svg
from mesonet.plots.flow_windows import flow_windows
from mesonet.plots.half_normal import half_normal
from mesonet.plots.interactions import interactions
from mesonet.plots.latencies import latencies
from mesonet.plots.main_effects import main_effects
from mesonet.plots.residuals import residuals
from mesonet.plots.responses import responses
from mesonet.plots.topology import topology

__all__ = [
    "Settings",
    "condition_response",
    "correlations",
    "dendrograms",
    "flow_windows",
    "half_normal",
    "interactions",
    "latencies",
    "main_effects",
    "residuals",
    "responses",
    "save",
    "to_html",
    "to_pdf",
    "to_png",
    "to_svg",
    "topology",
]
