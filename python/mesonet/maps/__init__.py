"""Maps: the network of a scenario as routers, links and labels in a plane.

May import the ground, `mesonet.topologies` and `mesonet.scenarios`.
"""
