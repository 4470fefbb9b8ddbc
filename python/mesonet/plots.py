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

from mesonet.charts.alias_map import alias_map
from mesonet.charts.export import save, to_html, to_pdf, to_png, to_svg
from mesonet.charts.grouped_bars import grouped_bars
from mesonet.charts.harm_by_cell import harm_by_cell
from mesonet.charts.index_index import index_index
from mesonet.charts.matrix import Look, matrix
from mesonet.charts.psi_table import psi_table
from mesonet.charts.run_course import run_course
from mesonet.charts.settings import Settings
from mesonet.charts.topology import topology
from mesonet.charts.two_experiments import two_experiments
from mesonet.reporting.figures.active_factors import active_factors
from mesonet.reporting.figures.against_tcp import yy_scatter
from mesonet.reporting.figures.blocks import blocks
from mesonet.reporting.figures.buffers import buffers
from mesonet.reporting.figures.clusters import dendrograms
from mesonet.reporting.figures.components import component_plane
from mesonet.reporting.figures.condition_bars import residual_bars
from mesonet.reporting.figures.condition_response import condition_response
from mesonet.reporting.figures.congestion import condition_classes
from mesonet.reporting.figures.contour import contour
from mesonet.reporting.figures.correlations import correlations
from mesonet.reporting.figures.deploy_groups import deploy_groups
from mesonet.reporting.figures.deploy_shares import deploy_shares
from mesonet.reporting.figures.deploy_tests import deploy_tests
from mesonet.reporting.figures.differences import condition_bars
from mesonet.reporting.figures.effect_sizes import effect_sizes
from mesonet.reporting.figures.factor_scatter import factor_scatter
from mesonet.reporting.figures.flow_states import flow_states
from mesonet.reporting.figures.groupings import groupings
from mesonet.reporting.figures.half_normal import half_normal
from mesonet.reporting.figures.interactions import interactions
from mesonet.reporting.figures.latencies import latencies
from mesonet.reporting.figures.loadings import loadings
from mesonet.reporting.figures.main_effects import main_effects
from mesonet.reporting.figures.ordered import ordered_data
from mesonet.reporting.figures.points import point_scatter
from mesonet.reporting.figures.psi import psi_by_algorithm
from mesonet.reporting.figures.queues import queues
from mesonet.reporting.figures.rank_matrix import rank_matrix
from mesonet.reporting.figures.rank_scatter import rank_scatter
from mesonet.reporting.figures.rank_table import rank_table
from mesonet.reporting.figures.ranks import ranks_by_condition
from mesonet.reporting.figures.residuals import residuals
from mesonet.reporting.figures.responses import responses
from mesonet.reporting.figures.run_groups import component_scores
from mesonet.reporting.figures.scatter import response_pair
from mesonet.reporting.figures.scatter_matrix import scatter_matrix
from mesonet.reporting.figures.scree import scree
from mesonet.reporting.figures.sensitivity import sensitivity
from mesonet.reporting.figures.service import service
from mesonet.reporting.figures.settings_of_outliers import separation
from mesonet.reporting.figures.sign_table import sign_table
from mesonet.reporting.figures.timeline import timeline
from mesonet.reporting.figures.windows import flow_windows, windows
from mesonet.reporting.figures.youden import youden

__all__ = [
    "Look",
    "Settings",
    "active_factors",
    "alias_map",
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
    "deploy_groups",
    "deploy_shares",
    "deploy_tests",
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
