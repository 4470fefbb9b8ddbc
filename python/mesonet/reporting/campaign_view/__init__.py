"""View of a campaign for reports: values by condition and algorithm, and every analysis of them.

May import no other folder of reporting. `view.CampaignView` is the view of every campaign; `sampled.Sampled`,
`users.Users` and `traced.TracedRun` add what only some campaigns have.

Arguments that views share:

campaign
    The campaign.
view
    View of the campaign.
response
    Name of a response that has values in the period.
period
    ``measured`` for the whole measured time, a number such as ``1`` for a measured period, or ``run``.
algorithm
    Name of an algorithm of the campaign. In `Values` and `CampaignView` also `values.MEAN_OF_ALL`, except for signs,
    stars and Psi: the mean of all algorithms in the conditions in which every algorithm has a value.
"""
