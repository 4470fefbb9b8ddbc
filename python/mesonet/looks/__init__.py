"""Campaigns that run until their comparisons are decided, look by look.

`rule` has the rule in the campaign folder, `run` runs look after look and then `checks`, `cost` has the cost of all.
May import everything above the command line but `evidence` and `conform`.
"""
