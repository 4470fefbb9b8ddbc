"""Search of a criterion with its campaigns, and the runs that confirm its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mesonet.campaign.data import Campaign
from mesonet.evidence.criterion import Criterion
from mesonet.evidence.domain import Domain, SearchPoint, domain
from mesonet.evidence.measures import values
from mesonet.evidence.plan import SEEDS, Comparison, EvidencePlan, campaign_name, experiment_for
from mesonet.evidence.worst_cell import REPLICATES, Pair, Trail, search
from mesonet.experiments.network import Experiment

Run = Callable[[str, Experiment], Campaign]


@dataclass(frozen=True)
class Searched:
    """Search against one incumbent."""

    comparison: Comparison  #: campaigns of the cells that were run again with other seeds, and the incumbent
    domain: Domain  #: cells that the search could visit
    trails: tuple[Trail, ...]  #: its way, by measure
    confirmed: tuple[SearchPoint, ...]  #: cells of the comparison, in the order of its conditions


def searched(
    plan: EvidencePlan, criterion: Criterion, incumbent: str, run: Run, told: Callable[[str], None]
) -> Searched:
    """Search for the worst cells against an incumbent, and run them again with other seeds.

    `criterion`: criterion of the kind ``search``.
    """
    cells = domain(criterion)

    def compared(stage: str, places: Sequence[SearchPoint], replicates: int, seeds: tuple[str, str]) -> Comparison:
        one = replace(criterion, table=cells.table(places))
        name = campaign_name(criterion, incumbent, stage)
        names = list(dict.fromkeys([plan.algorithm, incumbent]))
        tested = reference = name
        made[name] = run(
            name,
            experiment_for(
                suite=plan.suite,
                criterion=one,
                name=name,
                names=names,
                incumbent=incumbent,
                replicates=replicates,
                seed=SEEDS[seeds[0]],
            ),
        )
        if plan.algorithm == incumbent:
            reference = campaign_name(criterion, incumbent, f"{stage} again")
            again = experiment_for(
                suite=plan.suite,
                criterion=one,
                name=reference,
                names=[incumbent],
                incumbent=incumbent,
                replicates=replicates,
                seed=SEEDS[seeds[1]],
            )
            made[reference] = run(reference, again)
        return Comparison(criterion, incumbent, tested, reference)

    def measured(stage: str, places: Sequence[SearchPoint]) -> list[Pair]:
        found = compared(stage, places, REPLICATES, ("tested", "reference"))
        return [
            (
                values(made[found.tested], each.value, each.of, plan.algorithm),
                values(made[found.reference], each.value, each.of, incumbent),
            )
            for each in criterion.measures
        ]

    made: dict[str, Campaign] = {}
    trails = search(cells, measured, told)
    ends = tuple(dict.fromkeys(place for trail in trails for place in (trail.worst, trail.simplest)))
    comparison = compared("confirmed", ends, plan.replicates, ("confirmed", "confirmed again"))
    return Searched(comparison, cells, tuple(trails), ends)
