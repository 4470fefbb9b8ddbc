#include "defect.h"

static void on_ack(void *flow, Config *config, Ack *ack) { grow(flow, config, ack); }

static void on_loss(void *flow, Config *config, Loss *loss) {
    if (loss->cause != (uint32_t)config->params[0]) standard_loss(flow, config, loss);
}

DEFECT_WITH("deaf", "ignores a sign of congestion: 0 losses, 1 timeouts, 2 marks", "sign", 0.0, on_ack, on_loss)
