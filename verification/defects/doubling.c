#include "defect.h"

static void on_loss(void *flow, Config *config, Loss *loss) {
    Window *window = flow;
    (void)loss;
    window->cwnd = mesonet_bound(config, window->cwnd * config->params[0]);
}

DEFECT_WITH("doubling", "multiplies its window at losses", "factor", 2.0, standard_ack, on_loss)
