#include "defect.h"

static void on_ack(void *flow, Config *config, Ack *ack) {
    (void)ack;
    ((Window *)flow)->cwnd = config->params[0];
}

static void on_loss(void *flow, Config *config, Loss *loss) {
    (void)loss;
    ((Window *)flow)->cwnd = config->params[0];
}

DEFECT_WITH("constant", "keeps one window", "window", 400.0, on_ack, on_loss)
