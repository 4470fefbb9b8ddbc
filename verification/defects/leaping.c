#include "defect.h"

static void on_ack(void *flow, Config *config, Ack *ack) {
    Window *window = flow;
    if (window->cwnd < window->ssthresh)
        window->cwnd = mesonet_bound(config, window->cwnd + config->params[0] * ack->acked);
    else
        standard_ack(flow, config, ack);
}

DEFECT_WITH("leaping", "grows in slow start by several segments for each segment", "growth", 10.0, on_ack, standard_loss)
