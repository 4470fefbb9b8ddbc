#include "defect.h"

static void on_ack(void *flow, Config *config, Ack *ack) {
    Window *window = flow;
    if (mesonet_may_grow(config, ack)) window->cwnd = mesonet_bound(config, window->cwnd + ack->acked);
}

DEFECT("exponential", "never leaves slow start", on_ack, standard_loss)
