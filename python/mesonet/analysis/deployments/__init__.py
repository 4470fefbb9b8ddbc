"""Deployment of a new control: outcomes by share, estimands with intervals, designs of tests, equilibria, groups.

`units` makes outcomes of tables of runs, and `outcomes` reads a user's frame. `cells` sums it by unit and run, and
`clusters` has the interval that all files use. `estimands` has the effects by share, `words` their verdicts, `effects`
their table, and `groups` their tests between levels. `designs` evaluates tests against the total effect. `equilibria`
finds the shares at which switching stops. `notes` has sentences, and `deployment` puts all together. May import the
ground and the other files of `analysis`.
"""
