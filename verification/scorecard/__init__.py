"""Published statements and the measurements of mesonet: claims, the campaigns that they need, verdicts, the scorecard.

May import `mesonet` and `verification.measures`. The claims themselves are data in ``verification/claims``.
"""
