/*
 * Standard TCP with the rules of mesonet_cc.h, for congestion controls with one defect each. Each file replaces one of
 * the two functions, and ends with DEFECT. The contract of `mesonet conform` must refuse each of them
 * (verification/conform_power.py).
 */
#ifndef DEFECT_H
#define DEFECT_H

#include <stddef.h>

#include "mesonet_cc.h"

typedef struct mesonet_window Window;
typedef const struct mesonet_config Config;
typedef const struct mesonet_ack Ack;
typedef const struct mesonet_loss Loss;

/* Grows the window as RFC 5681 does, in recovery too. */
static inline void grow(Window *window, Config *config, Ack *ack) {
    window->cwnd += mesonet_slow_start(window, config, ack->acked) / window->cwnd;
    window->phase = window->cwnd < window->ssthresh ? MESONET_SLOW_START : MESONET_ALTERNATE;
}

static inline void standard_ack(void *flow, Config *config, Ack *ack) {
    if (mesonet_may_grow(config, ack)) grow(flow, config, ack);
}

static inline void standard_loss(void *flow, Config *config, Loss *loss) {
    double half = mesonet_basis(flow, config, loss) / 2.0;
    mesonet_back_off(flow, config, loss, half, half);
}

/* A control without constants. */
#define DEFECT(control, defect, ack, loss) DEFECT_TABLE(control, defect, NULL, 0, ack, loss)

/* A control with one constant, `constant`, whose default is `standard`. */
#define DEFECT_WITH(control, defect, constant, standard, ack, loss)                                                    \
    static const struct mesonet_param params[] = {{constant, defect, "1", 0.0, 1e18, standard, "chosen"}};             \
    DEFECT_TABLE(control, defect, params, 1, ack, loss)

#define DEFECT_TABLE(control, defect, constants, count, ack, loss)                                                     \
    DEFECT_STATE(control, defect, constants, count, Window, ack, loss, NULL)

/* A control whose state, `state`, begins with a window, and whose last function is called after a time without data. */
#define DEFECT_STATE(control, defect, constants, count, state, ack, loss, idle)                                        \
    static const struct mesonet_algorithm table = {                                                                    \
        .abi = MESONET_CC_ABI,                                                                                         \
        .size = sizeof(struct mesonet_algorithm),                                                                      \
        .state_size = sizeof(state),                                                                                   \
        .codepoint = MESONET_ECT0,                                                                                     \
        .param_count = count,                                                                                          \
        .name = control,                                                                                               \
        .title = defect,                                                                                               \
        .source = "a defect on purpose",                                                                               \
        .params = constants,                                                                                           \
        .on_ack = ack,                                                                                                 \
        .on_loss = loss,                                                                                               \
        .on_idle = idle,                                                                                               \
    };                                                                                                                 \
    MESONET_EXPORT const struct mesonet_algorithm *mesonet_cc(void) { return &table; }

#endif
