#include "defect.h"

static void on_ack(void *flow, Config *config, Ack *ack) {
    ((Window *)flow)->cwnd = (uint64_t)(ack->now / config->params[0]) % 2 ? 1.0 : 1000.0;
}

DEFECT_WITH("swinging", "has windows of 1 and 1000 segments in turn", "seconds", 1.0, on_ack, standard_loss)
