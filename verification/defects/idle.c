#include "defect.h"

typedef struct {
    Window window;
    double is_frozen;
} State;

static void on_ack(void *flow, Config *config, Ack *ack) {
    State *state = flow;
    if (state->is_frozen == 0.0) standard_ack(flow, config, ack);
}

static void on_idle(void *flow, Config *config, const struct mesonet_idle *idle) {
    State *state = flow;
    (void)config, (void)idle;
    state->is_frozen = 1.0;
    state->window.cwnd = 1.0;
}

DEFECT_STATE("idle", "has a window of one segment after a time without data", NULL, 0, State, on_ack, standard_loss, on_idle)
