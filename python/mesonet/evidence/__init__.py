"""Evidence about an algorithm by the cases of a suite, such as the criteria of RFC 9743, judged against incumbents.

A suite is a folder in `suites`. A criterion is a file there: a scenario with cells, the measures that are compared,
margins with their reasons.
`plan` turns the criteria into campaigns, `run` runs them, `judge` returns findings, `summary` has what every form of
the report shows, `page` writes them. May import everything but the command line.
"""
