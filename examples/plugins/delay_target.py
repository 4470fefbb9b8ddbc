"""A congestion control in plain Python that acts once per round trip: it keeps a queueing delay.

``mesonet run dumbbell --algorithm examples/plugins/delay_target.py:DelayTarget``
"""

from mesonet.plugins.per_round import Param, PerRound


class DelayTarget(PerRound):
    """A target of queueing delay, approached by one segment per round trip."""

    name = "delay-target"
    params = (Param("target", "queueing delay that is kept", 0.01, 0.0, 1.0, unit="s"),)

    def init(self, config, start):
        self.is_starting = True

    def on_round(self, config, round):
        if round.in_recovery or not round.rtt:
            return
        is_above = round.rtt - round.min_rtt > config.target
        self.is_starting = self.is_starting and not is_above
        if self.is_starting:
            self.cwnd *= 2
        else:
            self.cwnd = max(self.cwnd + (-1 if is_above else 1), 2)
