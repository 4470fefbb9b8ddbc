"""Why numbers of mesonet and ns-3 differ."""

from __future__ import annotations

from verification.witness.ns3.differences import Cause

SHORT_QUEUE = (
    "RED of ns-3 signals nothing while one packet or less waits, however high its average is, and does not count the "
    "packet in service. In the paper the average alone decides; mesonet counts the packet in service. A build of "
    "mesonet with the first rule has the utilisation of ns-3: .829, .947 and .977 with 10 Mbit/s, 100 ms and 1, 4 and "
    "16 flows. Thresholds that are one lower give ns-3 the queue of this build (variant thresholds)."
)
LAG = (
    "PIE of ns-3 controls the time that the last departure waited, mesonet the time that an arrival would wait. RFC "
    "8033 (section 4.2) allows both. A build of mesonet with the rule of ns-3 has its mean queues: 13.9, 13.7, 14.7 "
    "and 13.6 with 4 and 16 flows at 20 and 100 ms."
)
FEEDBACK = (
    "The echo of a mark ends in ns-3 with the arrival of the next CWR, in mesonet with the acknowledgement of all that "
    "was outstanding at the mark. Windows rest meanwhile in both, but ns-3 hides further marks of that time, and its "
    "windows rest for longer. Variant growth lets the windows of ns-3 grow, too. The delay that PIE controls matters, "
    "too."
)
NEXT_MARK = (
    "Feedback, as for PIE. CoDel of ns-3 also counts the interval to the next mark from this mark, RFC 8289 (section "
    "5.5) from when this signal was due."
)
RACE = (
    "The round trip of the flow is the interval of CoDel. The second drop is due when the reaction to the first one "
    "arrives; the phase of the window decides. With 80, 90, 120 and 140 ms both simulators have one drop for each "
    "reduction."
)
PATTERN = (
    "Sixteen equal flows in turn fall into one of several patterns, which their starts decide. With unequal round "
    "trips both simulators agree."
)

CAUSES = (
    Cause(SHORT_QUEUE, ("red",)),
    Cause(LAG, ("pie",), ("delay_p50_ms", "delay_p95_ms", "queue_mean", "reductions_per_signal")),
    Cause(FEEDBACK, ("pie",), ecn=True),
    Cause(NEXT_MARK, ("codel",), ecn=True),
    Cause(RACE, ("codel", "fq_codel"), ("reductions_per_signal",), flows=(1,), rtts_ms=(100,)),
    Cause(PATTERN, ("fq_codel",), flows=(16,), rtts_ms=(100,), spread=(False,)),
)
"""Each covers some numbers of a discipline; a number outside of the bounds that none covers fails ``make verify``."""
