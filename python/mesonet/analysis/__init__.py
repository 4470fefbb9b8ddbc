"""The method's statistics: arrays in, a result object out. One file per method; no knowledge of networks or files."""

from mesonet.analysis.average_windows import AverageWindows, average_windows, queued
from mesonet.analysis.blocks import Blocks, blocks
from mesonet.analysis.clustering import Clustering, clustering
from mesonet.analysis.comparison import AlgorithmComparison, compare_algorithms
from mesonet.analysis.condition_response import ConditionResponseSummary, condition_response_summary
from mesonet.analysis.contour import Contour, contour
from mesonet.analysis.correlation import Correlations, correlations
from mesonet.analysis.envelope import envelope
from mesonet.analysis.grubbs import Grubbs, critical_value, grubbs, p_value
from mesonet.analysis.interactions import Interactions, interactions
from mesonet.analysis.latency import Latencies, latencies, rates
from mesonet.analysis.lenth import Lenth, lenth
from mesonet.analysis.main_effects import MainEffects, main_effects
from mesonet.analysis.ordered import OrderedData, ordered_data
from mesonet.analysis.principal_components import PrincipalComponents, principal_components
from mesonet.analysis.psi import FactorTable, factor_table
from mesonet.analysis.ranks import RankSummary, goodput_ranges, rank_summary, ranks
from mesonet.analysis.residuals import Residuals, residuals
from mesonet.analysis.terms import Terms, half_normal_medians, terms
from mesonet.analysis.warm_up import WarmUp, warm_up

__all__ = [
    "AlgorithmComparison",
    "AverageWindows",
    "Blocks",
    "Clustering",
    "ConditionResponseSummary",
    "Contour",
    "Correlations",
    "FactorTable",
    "Grubbs",
    "Interactions",
    "Latencies",
    "Lenth",
    "MainEffects",
    "OrderedData",
    "PrincipalComponents",
    "RankSummary",
    "Residuals",
    "Terms",
    "WarmUp",
    "average_windows",
    "blocks",
    "clustering",
    "compare_algorithms",
    "condition_response_summary",
    "contour",
    "correlations",
    "critical_value",
    "envelope",
    "factor_table",
    "goodput_ranges",
    "grubbs",
    "half_normal_medians",
    "interactions",
    "latencies",
    "lenth",
    "main_effects",
    "ordered_data",
    "p_value",
    "principal_components",
    "queued",
    "rank_summary",
    "ranks",
    "rates",
    "residuals",
    "terms",
    "warm_up",
]
