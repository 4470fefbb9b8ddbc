#include "defect.h"

static void on_ack(void *flow, Config *config, Ack *ack) {
    standard_ack(flow, config, ack);
    if (ack->now > config->params[0]) ((Window *)flow)->cwnd = 1.0;
}

DEFECT_WITH("stopping", "has a window of one segment from a time on", "after", 0.4, on_ack, standard_loss)
