/* Standard TCP by the rules of RFC 5681: slow start, additive increase, multiplicative decrease. */
#include "mesonet_cc.h"

enum { INCREASE, DECREASE };

static const struct mesonet_param params[] = {
    {"increase", "window growth per round trip", "segments", 0.0, 1000.0, 1.0, "RFC 5681, section 3.1"},
    {"decrease", "part of the window given up after a loss", "1", 0.01, 0.99, 0.5, "RFC 5681, section 3.1"},
};

static void on_ack(void *flow, const struct mesonet_config *config, const struct mesonet_ack *ack) {
    struct mesonet_window *window = flow;
    if (!mesonet_may_grow(config, ack)) return;
    uint32_t left = mesonet_slow_start(window, config, ack->acked);
    for (; left > 0; left--)
        window->cwnd = mesonet_bound(config, window->cwnd + config->params[INCREASE] / window->cwnd);
    window->phase = window->cwnd < window->ssthresh ? MESONET_SLOW_START : MESONET_STANDARD;
}

static void on_loss(void *flow, const struct mesonet_config *config, const struct mesonet_loss *loss) {
    struct mesonet_window *window = flow;
    double basis = mesonet_basis(window, config, loss);
    mesonet_back_off(window, config, loss, basis * (1.0 - config->params[DECREASE]), basis / 2.0);
    window->phase = window->cwnd < window->ssthresh ? MESONET_SLOW_START : MESONET_STANDARD;
}

static const struct mesonet_algorithm aimd = {
    .abi = MESONET_CC_ABI,
    .size = sizeof(struct mesonet_algorithm),
    .state_size = sizeof(struct mesonet_window),
    .codepoint = MESONET_ECT0,
    .param_count = sizeof params / sizeof *params,
    .name = "aimd-c",
    .title = "AIMD in C",
    .source = "RFC 5681",
    .params = params,
    .on_ack = on_ack,
    .on_loss = on_loss,
};

MESONET_EXPORT const struct mesonet_algorithm *mesonet_cc(void) { return &aimd; }
