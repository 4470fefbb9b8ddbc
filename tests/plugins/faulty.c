/* A plug-in that does what the constant `kind` says, at its `after`-th acknowledgement. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mesonet_cc.h"

struct state {
    struct mesonet_window window;
    double acks;
};

enum { KIND, AFTER };

static const struct mesonet_param params[] = {
    {"kind", "what it does", "1", 0, 30, 0, "chosen"},
    {"after", "acknowledgements before", "1", 0, 1e9, 100, "chosen"},
};

static volatile int zero = 0;
static int *volatile nothing = 0;

static int deeper(volatile int depth) {
    volatile char room[4096];
    room[depth % 4096] = 1;
    return depth < 0 ? 0 : deeper(depth + 1) + room[0];
}

static int exits_at_unload = 0;

__attribute__((destructor)) static void unload(void) {
    if (exits_at_unload) _exit(0);
}

static void init(void *flow, const struct mesonet_config *config, const struct mesonet_start *start) {
    (void)flow, (void)start;
    if (config->params[KIND] == 21) exit(0);
    exits_at_unload = config->params[KIND] == 22;
}

static void on_ack(void *flow, const struct mesonet_config *config, const struct mesonet_ack *ack) {
    struct state *s = flow;
    (void)ack;
    if (++s->acks <= config->params[AFTER]) return;
    switch ((int)config->params[KIND]) {
    case 1: s->window.cwnd = NAN; break;
    case 2: s->window.cwnd = 0; break;
    case 3: s->window.cwnd = -1; break;
    case 4: s->window.cwnd = 1e300; break;
    case 5: s->window.cwnd = INFINITY; break;
    case 6: s->window.ssthresh = NAN; break;
    case 7: s->window.pacing_rate = -3; break;
    case 8: s->window.pacing_rate = INFINITY; break;
    case 9: s->window.phase = 7; break;
    case 10: s->window.cwnd = 100 / zero; break;
    case 11: *nothing = 1; break;
    case 12: abort();
    case 13: s->window.cwnd = deeper(1); break;
    case 14: fputs("no return from here\n", stderr); for (;;) sleep(1);
    case 15: exit(0);
    case 16: _exit(0);
    case 17: for (;;) zero = 0;
    case 18: ((double *)(s + 1))[0] = 1; break;
    case 19: for (size_t size = 1 << 24;; ) memset(malloc(size), 1, size);
    case 20: for (int i = 0; i < 100000000; i++) zero = 0; break;
    default: break;
    }
}

static void on_loss(void *flow, const struct mesonet_config *config, const struct mesonet_loss *loss) {
    struct mesonet_window *window = flow;
    mesonet_back_off(window, config, loss, window->cwnd / 2, window->cwnd / 2);
}

static const struct mesonet_algorithm faulty = {
    .abi = MESONET_CC_ABI,
    .size = sizeof(struct mesonet_algorithm),
    .state_size = sizeof(struct state),
    .param_count = 2,
    .name = "faulty",
    .title = "Faults on demand",
    .source = "chosen",
    .params = params,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
};

MESONET_EXPORT const struct mesonet_algorithm *mesonet_cc(void) { return &faulty; }
