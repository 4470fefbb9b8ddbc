"""Search for the path on which an algorithm does worst: a path whose rate, delay, losses and competition follow time.

`path` is a path as numbers, `space` draws and changes paths, `objective` has what a search raises, `trials` runs paths
and keeps their outcomes, and `judge` scores them. `search` finds a path, `minimise` makes it simple, `neighbourhood`
varies its numbers. `adversary` is all of it, `files` and `page` write it, `matrix` repeats it for pairs of algorithms.
May import everything but the command line.
"""
