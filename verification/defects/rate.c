#include "defect.h"

static void on_ack(void *flow, Config *config, Ack *ack) {
    Window *window = flow;
    (void)ack;
    window->cwnd = config->max_cwnd;
    window->pacing_rate = config->params[0];
}

static void on_loss(void *flow, Config *config, Loss *loss) {
    (void)flow, (void)config, (void)loss;
}

DEFECT_WITH("rate", "sends at one rate, segments/s", "rate", 3333.0, on_ack, on_loss)
