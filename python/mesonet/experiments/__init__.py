"""Experiments: factors, a design, and the scenario of every run; the published ones are in ``published``.

May import everything up to `mesonet.campaign`. `network.experiment` reads an experiment on networks, `model` one on a
user's own model; `base.Designed` is what both have in common.
"""
