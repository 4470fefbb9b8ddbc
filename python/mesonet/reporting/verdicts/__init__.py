"""Verdicts on the deployment of an algorithm, with their power.

May import `campaign_view` of reporting. `verdict.verdicts` judges a replacement of the incumbent,
`verdict.harm_to_competitors` the flows that compete.
"""
