#include "defect.h"

static uint64_t count; /* of all flows and runs: the rules forbid it */

static void on_ack(void *flow, Config *config, Ack *ack) {
    standard_ack(flow, config, ack);
    if (++count % 1000) return;
    standard_loss(flow, config, &(Loss){.cause = MESONET_FAST_RETRANSMIT, .in_flight = ack->in_flight});
}

DEFECT("shared", "halves its window at each thousandth acknowledgement of all flows", on_ack, standard_loss)
