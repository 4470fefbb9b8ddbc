"""Theme and forms of charts, as files and in pages, and the charts that belong to no figure of a report.

No statistics are computed here. May import the ground, `mesonet.analysis` and `mesonet.maps`. Charts of figures are in
`mesonet.reporting.figures`; `mesonet.plots` lists the public charts.
"""
