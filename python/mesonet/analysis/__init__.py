"""The method's statistics: arrays in, a result object out. One file per method; no knowledge of networks or files."""

from mesonet.analysis.comparison import AlgorithmComparison, compare_algorithms
from mesonet.analysis.condition_response import ConditionResponseSummary, condition_response_summary
from mesonet.analysis.grubbs import Grubbs, critical_value, grubbs, p_value
from mesonet.analysis.main_effects import MainEffects, main_effects
from mesonet.analysis.warm_up import WarmUp, warm_up

__all__ = [
    "AlgorithmComparison",
    "ConditionResponseSummary",
    "Grubbs",
    "MainEffects",
    "WarmUp",
    "compare_algorithms",
    "condition_response_summary",
    "critical_value",
    "grubbs",
    "main_effects",
    "p_value",
    "warm_up",
]
