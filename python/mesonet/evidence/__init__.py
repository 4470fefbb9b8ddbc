"""Evidence about an algorithm by the criteria of RFC 9743, each judged against incumbents.

A criterion is a file in `criteria`: a scenario with cells, the measures that are compared, margins with their reasons.
`plan` turns the criteria into campaigns, `run` runs them, `judge` returns findings, `page` writes them. May import
everything but the command line.
"""
