#include "defect.h"

static void on_loss(void *flow, Config *config, Loss *loss) {
    if (loss->cause == MESONET_TIMEOUT) standard_loss(flow, config, loss);
}

DEFECT("frozen", "keeps its window in recovery, and grows outside", standard_ack, on_loss)
