#include "defect.h"

typedef struct {
    Window window;
    double losses;
} State;

static void on_loss(void *flow, Config *config, Loss *loss) {
    State *state = flow;
    state->losses += 1.0;
    if (state->losses > 1.0) {
        state->losses = 0.0;
        standard_loss(flow, config, loss);
    }
}

DEFECT_STATE("alternating", "reduces its window at every second loss only", NULL, 0, State, standard_ack, on_loss, NULL)
