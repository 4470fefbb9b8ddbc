#include "defect.h"

static void on_ack(void *flow, Config *config, Ack *ack) {
    if (ack->now > config->params[0]) ((Window *)flow)->cwnd += 1.0;
    else standard_ack(flow, config, ack);
}

static void on_loss(void *flow, Config *config, Loss *loss) {
    if (loss->now <= config->params[0]) standard_loss(flow, config, loss);
}

DEFECT_WITH("bomb", "never reduces its window from a time on", "after", 130.0, on_ack, on_loss)
