"""Standard TCP by the rules of RFC 5681: slow start, additive increase, multiplicative decrease."""

from mesonet.plugins.python import SLOW_START, STANDARD, Param, back_off, basis, bound, may_grow, slow_start


class AIMD:
    """AIMD in Python."""

    name = "aimd-python"
    source = "RFC 5681"
    params = (
        Param("increase", "window growth per round trip", 1.0, 0.0, 1000.0, "segments", "RFC 5681, section 3.1"),
        Param("decrease", "part of the window given up after a loss", 0.5, 0.01, 0.99, "1", "RFC 5681, section 3.1"),
    )

    def on_ack(self, config, ack):
        if may_grow(config, ack):
            for _ in range(slow_start(self, config, ack.acked)):
                self.cwnd = bound(config, self.cwnd + config.increase / self.cwnd)
            self.phase = SLOW_START if self.cwnd < self.ssthresh else STANDARD

    def on_loss(self, config, loss):
        window = basis(self, config, loss)
        back_off(self, config, loss, window * (1 - config.decrease), window / 2)
        self.phase = SLOW_START if self.cwnd < self.ssthresh else STANDARD
