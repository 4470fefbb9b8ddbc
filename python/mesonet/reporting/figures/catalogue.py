"""Figures of `mesonet analyze` that the page shows unchanged, by group of the page, with a guide to reading each."""

from mesonet.reporting.figures.drawn import Frame

NETWORK = (
    Frame(
        "congestion", "network/congestion", "Congestion", "How congested is each condition?",
        "One bar per condition, ordered; the colour is that of its class, which is relative to these conditions.", 380,
        subtitle=False,
    ),
    Frame(
        "flow-states", "network/flow_states", "States of flows", "In what state is the network?",
        "For one condition of each class of congestion: how many flows are connecting, and in which phase of "
        "congestion control the others are.", 560,
    ),
    Frame(
        "buffers", "network/buffers", "Buffers", "Where does the queue stand?",
        "One panel per class of router: the share of its buffer in use on average, in conditions from the least "
        "to the most congested.", 560,
    ),
    Frame(
        "windows", "windows", "Windows of single flows", "Does the algorithm fill the path, share it, converge?",
        "Congestion windows over time of flows that were set up one by one.", 460,
    ),
    Frame(
        "timeline", "network/timeline", "Time line", "What happens when?",
        "From the beginning of a run to its end.", 160,
    ),
)  # fmt: skip

USERS = (
    Frame(
        "goodput", "users/goodput", "Goodputs", "What do users get?",
        "Mean goodput over the conditions, by path class and speed of the user's interface. Each panel has its own "
        "scale.", 560,
    ),
    Frame(
        "available-share", "users/available_share", "Share of the path", "How much of the path do users get?",
        "Mean goodput in parts of the speed of the interface.", 560,
    ),
    Frame(
        "against-tcp", "users/against_tcp", "Against the incumbent", "Who wins against the incumbent?",
        "One panel per algorithm, one point per condition: across, the goodput of the algorithm's flows; up, that of "
        "the incumbent's. Below the dashed line the algorithm gets more.", 520,
    ),
    Frame(
        "differences", "users/differences", "Differences by condition", "When does it win against the incumbent?",
        "One bar graph per condition, from the least to the most congested: goodput of the algorithm's flows less that "
        "of the incumbent's. Upwards (green) the algorithm gets more.", 620,
    ),
    Frame(
        "rank-matrix", "users/rank_matrix", "Rank matrix",
        "Where does an algorithm serve users better than the others?",
        "Rows are conditions, columns flow groups; the number is the rank of the chosen algorithm. Green: above the "
        "mean of all; orange: below. Choose an algorithm at the top; there is no matrix for their mean.", 720,
    ),
    Frame(
        "rank-table", "users/rank_table", "Mean ranks", "Who serves users best on average?",
        "Mean rank over all conditions and flow groups of a kind of file.", 260,
    ),
    Frame(
        "rank-scatter", "users/rank_scatter", "Ranks and their spread", "Who serves all kinds of users well?",
        "Across, the average rank; up, how much it differs between kinds of files and flows. The ideal is lower right.",
        460,
    ),
    Frame(
        "goodput-ranges", "users/goodput_ranges", "Ranges of goodput",
        "How much does the choice of algorithm matter to users?",
        "How far the algorithms lie apart, by flow group.", 560,
    ),
)  # fmt: skip

DIFFER = (
    Frame(
        "settings-of-outliers", "algorithms/settings_of_outliers", "Settings of outliers",
        "Which settings are associated with standing out?",
        "One row per algorithm and response that stand out in at least two conditions, one column per factor: how many "
        "of the conditions at − and at + are flagged.", 420,
    ),
)  # fmt: skip

DRIVERS = (
    Frame(
        "psi-sets", "factors/psi", "Psi by set", "Which factors matter over all, by set of responses?",
        "Psi of each factor over each set of responses the experiment asks about, and their weighted average.", 280,
    ),
)  # fmt: skip

ALIKE = (
    Frame(
        "scatter-matrix", "correlations/scatter_matrix", "All pairs", "Which responses say the same?",
        "Above the diagonal a scatter plot of every pair of responses, one point per condition and algorithm; below "
        "it their correlation times 100.", 1120,
    ),
    Frame(
        "index-index", "correlations/index_index", "Behaviours", "How many behaviours are there?",
        "Both axes list the responses; a mark is a pair that correlates above the threshold. A frame holds the "
        "responses that such pairs link, directly or over others, and is named after the one that correlates most "
        "with the rest.", 560,
    ),
    Frame(
        "groupings", "components/groupings", "Two ways of grouping",
        "Do components and correlations group the responses alike?",
        "For each response its cluster by correlation, and the component that it follows.", 560,
    ),
    Frame(
        "run-groups", "components/pc1_pc2", "Groups", "Which settings explain the groups in the plane of components?",
        "One point per condition and algorithm in the plane of the first two components, coloured by group; the "
        "sentence below says which settings are associated with each.", 520, subtitle=False,
    ),
    Frame(
        "effects-pc1", "components/main_effects_pc1", "What drives PC1", "Which factors drive PC1?",
        "Main effects on the scores of the first component.", 480,
    ),
    Frame(
        "effects-pc2", "components/main_effects_pc2", "What drives PC2", "Which factors drive PC2?",
        "Main effects on the scores of the second component.", 480,
    ),
    Frame(
        "goodput-groups", "components_of_goodputs/pc1_pc2", "Groups by goodputs",
        "Which settings explain the groups, by goodputs alone?",
        "One point per condition and algorithm in the plane of the first two components of the goodputs of the flow "
        "groups; the sentence below says which settings are associated with each group.", 520, subtitle=False,
    ),
)  # fmt: skip
