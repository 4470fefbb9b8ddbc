"""Figures: a result object in, an Altair chart out. No statistics are computed here.

Every chart has its tables, see `mesonet.charts.theme.ChartTables`. Arguments that plots share:

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

from mesonet.charts.blocks import blocks
from mesonet.charts.buffers import buffers
from mesonet.charts.classes import condition_classes
from mesonet.charts.component_plane import component_plane
from mesonet.charts.components import component_scores, groupings, loadings, scree
from mesonet.charts.condition_bars import condition_bars
from mesonet.charts.condition_response import condition_response
from mesonet.charts.contour import contour
from mesonet.charts.correlations import correlations
from mesonet.charts.dendrograms import dendrograms
from mesonet.charts.effect_sizes import effect_sizes
from mesonet.charts.export import save, to_html, to_pdf, to_png, to_svg
from mesonet.charts.factor_scatter import factor_scatter
from mesonet.charts.flow_states import flow_states
from mesonet.charts.flow_windows import flow_windows
from mesonet.charts.grouped_bars import grouped_bars
from mesonet.charts.half_normal import half_normal
from mesonet.charts.harm_by_cell import harm_by_cell
from mesonet.charts.index_index import index_index
from mesonet.charts.interactions import interactions
from mesonet.charts.latencies import latencies
from mesonet.charts.main_effects import main_effects
from mesonet.charts.matrix import Look, matrix
from mesonet.charts.ordered_data import ordered_data
from mesonet.charts.point_scatter import point_scatter
from mesonet.charts.psi_by_algorithm import psi_by_algorithm
from mesonet.charts.psi_table import psi_table
from mesonet.charts.queues import queues
from mesonet.charts.rank_matrices import rank_matrix
from mesonet.charts.rank_scatter import rank_scatter, rank_table
from mesonet.charts.ranks_by_condition import ranks_by_condition
from mesonet.charts.residual_bars import residual_bars
from mesonet.charts.residuals import residuals
from mesonet.charts.response_pair import response_pair
from mesonet.charts.responses import responses
from mesonet.charts.run_course import run_course
from mesonet.charts.scatter_matrix import scatter_matrix
from mesonet.charts.sensitivity import sensitivity
from mesonet.charts.separation import separation
from mesonet.charts.service import service
from mesonet.charts.settings import Settings
from mesonet.charts.sign_table import sign_table
from mesonet.charts.timeline import timeline
from mesonet.charts.topology import topology
from mesonet.charts.two_experiments import two_experiments
from mesonet.charts.windows import windows
from mesonet.charts.youden import youden
from mesonet.charts.yy_scatter import yy_scatter

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
