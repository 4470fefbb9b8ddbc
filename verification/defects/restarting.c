#include "defect.h"

static void on_loss(void *flow, Config *config, Loss *loss) {
    Window *window = flow;
    (void)config, (void)loss;
    window->cwnd = 1.0;
    window->ssthresh = 1.0;
}

DEFECT("restarting", "has a window of one segment after losses, without slow start", standard_ack, on_loss)
