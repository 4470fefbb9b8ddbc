#include "defect.h"

static void on_ack(void *flow, Config *config, Ack *ack) {
    Window *window = flow;
    if (window->cwnd < window->ssthresh) standard_ack(flow, config, ack);
}

DEFECT("sinking", "halves its window at losses, and never grows again", on_ack, standard_loss)
