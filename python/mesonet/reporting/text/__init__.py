"""Sentences of reports.

May import `campaign_view` and `verdicts` of reporting.

Texts are plain text, made from the numbers of the campaign. Functions with ``html`` in their names return HTML.
Arguments that texts share:

view
    View of the campaign.
response
    Name of a response that has values in the period.
period
    ``measured`` for the whole measured time, a number such as ``1`` for a measured period, or ``run``.
algorithm
    Name of an algorithm of the campaign, or `mesonet.reporting.campaign_view.values.MEAN_OF_ALL`.
title
    Title of a quantity that fits into a sentence.
unit
    Unit of a quantity; ``1`` for ratios and rates, empty for other numbers without a unit.
titles
    Titles of responses that fit into a sentence, by name.
"""
