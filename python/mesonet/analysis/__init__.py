"""Statistics: arrays in, a result object out, one file per method. No knowledge of networks or files.

May import the ground, `mesonet.designs` and, for the settling time, `mesonet.simulation.warm_up`. Offers every function
that ``__all__`` lists; results have ``to_polars``, ``to_arrow`` and notes.
"""

from __future__ import annotations

from mesonet.analysis.alternatives import Alternatives, compare_alternatives
from mesonet.analysis.average_windows import AverageWindows, average_windows, queued
from mesonet.analysis.batch_means import BatchMeans, batch_means
from mesonet.analysis.blocks import Blocks, blocks
from mesonet.analysis.box_meyer import BoxMeyer, box_meyer
from mesonet.analysis.classes import ConditionClasses, condition_classes, natural_breaks
from mesonet.analysis.clustering import Clustering, clustering
from mesonet.analysis.comparison import AlgorithmComparison, compare_algorithms
from mesonet.analysis.conclusions import Conclusion, conclusion
from mesonet.analysis.condition_response import ConditionResponseSummary, condition_response_summary
from mesonet.analysis.contour import Contour, contour
from mesonet.analysis.correlation import Correlations, correlations
from mesonet.analysis.curvature import Curvature, curvature
from mesonet.analysis.decisions.course import Course, Look, until_decided
from mesonet.analysis.decisions.decision import Decision, decide
from mesonet.analysis.decisions.effects import ModelEffects, model_effects
from mesonet.analysis.decisions.estimands import Estimand, Estimands
from mesonet.analysis.decisions.length import LengthCheck, length_check
from mesonet.analysis.decisions.new_conditions import ConditionCheck, NewHarm, condition_check
from mesonet.analysis.decisions.pairs import Moments, log_ratios
from mesonet.analysis.decisions.power import Needed, needed
from mesonet.analysis.deployments.deployment import Deployment, deployment
from mesonet.analysis.deployments.units import outcomes_of
from mesonet.analysis.design_power import DesignPower, design_power
from mesonet.analysis.envelope import envelope
from mesonet.analysis.extremes import Extremes, extremes
from mesonet.analysis.factor_scatter import FactorScatter, factor_scatter
from mesonet.analysis.follow_up import FollowUp, follow_up
from mesonet.analysis.frames.experiment import ExperimentAnalysis, Settings, experiment
from mesonet.analysis.group_rules import GroupRules, Rule, group_rules, score_groups
from mesonet.analysis.groupings import Groupings, adjusted_rand, groupings
from mesonet.analysis.grubbs import Grubbs, critical_value, grubbs, p_value
from mesonet.analysis.harm import Harm, harm
from mesonet.analysis.interactions import Interactions, interactions
from mesonet.analysis.latency import Latencies, latencies, rates
from mesonet.analysis.lenth import Lenth, lenth
from mesonet.analysis.level_changes import LevelChanges, LevelMeans, level_changes, level_means
from mesonet.analysis.main_effects import MainEffects, main_effects
from mesonet.analysis.morris_effects import MorrisEffects, morris_effects
from mesonet.analysis.ordered import OrderedData, ordered_data
from mesonet.analysis.outliers import Outliers, outliers
from mesonet.analysis.partial_aliasing import PartialAliasing, partial_aliasing
from mesonet.analysis.principal_components import PrincipalComponents, principal_components
from mesonet.analysis.psi import FactorTable, PsiTable, factor_table, psi_table
from mesonet.analysis.rank_matrices import RankMatrices, rank_matrices
from mesonet.analysis.ranks import RankSummary, goodput_ranges, rank_summary, ranks
from mesonet.analysis.regression.box_cox import BoxCox
from mesonet.analysis.regression.fitted import FittedModel, Optimum, fit_model
from mesonet.analysis.regression.stationary import Stationary
from mesonet.analysis.residuals import Residuals, residuals
from mesonet.analysis.sensitivity import Sensitivity, sensitivity
from mesonet.analysis.separation import Separation, separating_settings
from mesonet.analysis.sobol_indices import SobolIndices, sobol_indices
from mesonet.analysis.starvation import Starvation, starvation
from mesonet.analysis.ten_steps import TenSteps, ten_steps
from mesonet.analysis.terms import Terms, half_normal_medians, terms
from mesonet.analysis.windows import WindowShares, window_shares
from mesonet.simulation.warm_up import WarmUp, warm_up

__all__ = [
    "AlgorithmComparison",
    "Alternatives",
    "AverageWindows",
    "BatchMeans",
    "Blocks",
    "BoxCox",
    "BoxMeyer",
    "Clustering",
    "Conclusion",
    "ConditionCheck",
    "ConditionClasses",
    "ConditionResponseSummary",
    "Contour",
    "Correlations",
    "Course",
    "Curvature",
    "Decision",
    "Deployment",
    "DesignPower",
    "Estimand",
    "Estimands",
    "ExperimentAnalysis",
    "Extremes",
    "FactorScatter",
    "FactorTable",
    "FittedModel",
    "FollowUp",
    "GroupRules",
    "Groupings",
    "Grubbs",
    "Harm",
    "Interactions",
    "Latencies",
    "LengthCheck",
    "Lenth",
    "LevelChanges",
    "LevelMeans",
    "Look",
    "MainEffects",
    "ModelEffects",
    "Moments",
    "MorrisEffects",
    "Needed",
    "NewHarm",
    "Optimum",
    "OrderedData",
    "Outliers",
    "PartialAliasing",
    "PrincipalComponents",
    "PsiTable",
    "RankMatrices",
    "RankSummary",
    "Residuals",
    "Rule",
    "Sensitivity",
    "Separation",
    "Settings",
    "SobolIndices",
    "Starvation",
    "Stationary",
    "TenSteps",
    "Terms",
    "WarmUp",
    "WindowShares",
    "adjusted_rand",
    "average_windows",
    "batch_means",
    "blocks",
    "box_meyer",
    "clustering",
    "compare_algorithms",
    "compare_alternatives",
    "conclusion",
    "condition_check",
    "condition_classes",
    "condition_response_summary",
    "contour",
    "correlations",
    "critical_value",
    "curvature",
    "decide",
    "deployment",
    "design_power",
    "envelope",
    "experiment",
    "extremes",
    "factor_scatter",
    "factor_table",
    "fit_model",
    "follow_up",
    "goodput_ranges",
    "group_rules",
    "groupings",
    "grubbs",
    "half_normal_medians",
    "harm",
    "interactions",
    "latencies",
    "length_check",
    "lenth",
    "level_changes",
    "level_means",
    "log_ratios",
    "main_effects",
    "model_effects",
    "morris_effects",
    "natural_breaks",
    "needed",
    "ordered_data",
    "outcomes_of",
    "outliers",
    "p_value",
    "partial_aliasing",
    "principal_components",
    "psi_table",
    "queued",
    "rank_matrices",
    "rank_summary",
    "ranks",
    "rates",
    "residuals",
    "score_groups",
    "sensitivity",
    "separating_settings",
    "sobol_indices",
    "starvation",
    "ten_steps",
    "terms",
    "until_decided",
    "warm_up",
    "window_shares",
]
