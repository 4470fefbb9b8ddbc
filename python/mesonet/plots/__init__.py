"""Figures: a result object in, an Altair chart out. No statistics are computed here.

May import the ground, `mesonet.analysis` and `mesonet.maps`.

Every chart has its tables, see `mesonet.plots.theme.ChartTables`. Arguments that plots share:

result
    The result to draw, of the analysis with the name of the plot.
algorithms
    Names of all algorithms, in the order of the campaign, which gives each its colour and shape.
labels
    Names to show for responses; a response without an entry has its own name.
order
    Numbers of the conditions in the order of drawing, from left to right and down.
order_title
    What the order is, for the axis of the conditions.
title
    Title of the figure; empty: none.
response
    Title of the values: the name of the response, with its unit; empty: none.
"""

from __future__ import annotations

from mesonet.plots.blocks import blocks
from mesonet.plots.buffers import buffers
from mesonet.plots.classes import condition_classes
from mesonet.plots.component_plane import component_plane
from mesonet.plots.components import component_scores, groupings, loadings, scree
from mesonet.plots.condition_bars import condition_bars
from mesonet.plots.condition_response import Settings, condition_response
from mesonet.plots.contour import contour
from mesonet.plots.correlations import correlations
from mesonet.plots.dendrograms import dendrograms
from mesonet.plots.effect_sizes import effect_sizes
from mesonet.plots.export import save, to_html, to_pdf, to_png, to_svg
from mesonet.plots.factor_scatter import factor_scatter
from mesonet.plots.flow_states import flow_states
from mesonet.plots.flow_windows import flow_windows
from mesonet.plots.grouped_bars import grouped_bars
from mesonet.plots.half_normal import half_normal
from mesonet.plots.harm_by_cell import harm_by_cell
from mesonet.plots.index_index import index_index
from mesonet.plots.interactions import interactions
from mesonet.plots.latencies import latencies
from mesonet.plots.main_effects import main_effects
from mesonet.plots.matrix import Look, matrix
from mesonet.plots.ordered_data import ordered_data
from mesonet.plots.point_scatter import point_scatter
from mesonet.plots.psi_by_algorithm import psi_by_algorithm
from mesonet.plots.queues import queues
from mesonet.plots.rank_matrices import rank_matrix
from mesonet.plots.rank_scatter import rank_scatter, rank_table
from mesonet.plots.ranks_by_condition import ranks_by_condition
from mesonet.plots.residual_bars import residual_bars
from mesonet.plots.residuals import residuals
from mesonet.plots.response_pair import response_pair
from mesonet.plots.responses import responses
from mesonet.plots.run_course import run_course
from mesonet.plots.scatter_matrix import scatter_matrix
from mesonet.plots.sensitivity import sensitivity
from mesonet.plots.separation import separation
from mesonet.plots.service import service
from mesonet.plots.sign_table import psi_table, sign_table
from mesonet.plots.timeline import timeline
from mesonet.plots.topology import topology
from mesonet.plots.two_experiments import two_experiments
from mesonet.plots.windows import windows
from mesonet.plots.youden import youden
from mesonet.plots.yy_scatter import yy_scatter

__all__ = [
    "Look",
    "Settings",
    "blocks",
    "buffers",
    "component_plane",
    "component_scores",
    "condition_bars",
    "condition_classes",
    "condition_response",
    "contour",
    "correlations",
    "dendrograms",
    "effect_sizes",
    "factor_scatter",
    "flow_states",
    "flow_windows",
    "grouped_bars",
    "groupings",
    "half_normal",
    "harm_by_cell",
    "index_index",
    "interactions",
    "latencies",
    "loadings",
    "main_effects",
    "matrix",
    "ordered_data",
    "point_scatter",
    "psi_by_algorithm",
    "psi_table",
    "queues",
    "rank_matrix",
    "rank_scatter",
    "rank_table",
    "ranks_by_condition",
    "residual_bars",
    "residuals",
    "response_pair",
    "responses",
    "run_course",
    "save",
    "scatter_matrix",
    "scree",
    "sensitivity",
    "separation",
    "service",
    "sign_table",
    "timeline",
    "to_html",
    "to_pdf",
    "to_png",
    "to_svg",
    "topology",
    "two_experiments",
    "windows",
    "youden",
    "yy_scatter",
]
