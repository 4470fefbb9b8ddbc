"""The model of chosen terms of one response: analysis of variance, lack of fit, predictions, stationary point.

May import what `mesonet.analysis` may.
"""
