/* A plug-in that uses every event: a timer, sends, delivery rates, idle times, random numbers, undo. */
#include "mesonet_cc.h"

struct state {
    struct mesonet_window window;
    uint64_t random;
    uint32_t sends, losses, exits;
    double rate;
};

static uint64_t draw(struct state *s) {
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return s->random >> 33;
}

static void init(void *flow, const struct mesonet_config *config, const struct mesonet_start *start) {
    struct state *s = flow;
    (void)config;
    s->random = start->seed;
    s->window.phase = MESONET_ALTERNATE;
}

static void on_ack(void *flow, const struct mesonet_config *config, const struct mesonet_ack *ack) {
    struct state *s = flow;
    if (ack->delivery_rate > s->rate) s->rate = ack->delivery_rate;
    if (mesonet_may_grow(config, ack)) s->window.cwnd += (1.0 + (double)(draw(s) % 8)) * ack->acked / s->window.cwnd;
}

static void on_loss(void *flow, const struct mesonet_config *config, const struct mesonet_loss *loss) {
    struct state *s = flow;
    mesonet_back_off(&s->window, config, loss, s->window.cwnd * 0.7, s->window.cwnd / 2);
}

static void on_recovery_exit(void *flow, const struct mesonet_config *config, double now) {
    struct state *s = flow;
    (void)config, (void)now;
    s->exits++;
}

static void on_timer(void *flow, const struct mesonet_config *config, double now) {
    struct state *s = flow;
    (void)config, (void)now;
    s->window.cwnd += (double)(s->sends % 3);
    if (s->rate > 0) s->window.pacing_rate = 2 * s->rate;
}

static void on_idle(void *flow, const struct mesonet_config *config, const struct mesonet_idle *idle) {
    struct state *s = flow;
    (void)config;
    if (idle->idle > idle->rto) s->window.cwnd = s->window.initial;
}

static void on_send(void *flow, const struct mesonet_config *config, const struct mesonet_send *send) {
    struct state *s = flow;
    (void)config;
    s->sends += 1 + send->retransmission;
}

static void on_segment_lost(void *flow, const struct mesonet_config *config, const struct mesonet_lost *lost) {
    struct state *s = flow;
    (void)config, (void)lost;
    s->losses++;
}

static void undo(void *flow, const struct mesonet_config *config, const void *before) {
    struct state *s = flow;
    const struct state *then = before;
    (void)config;
    if (then->window.cwnd > s->window.cwnd) s->window.cwnd = then->window.cwnd;
}

static void report(const void *flow, const struct mesonet_config *config, struct mesonet_report *report) {
    const struct state *s = flow;
    (void)config;
    report->bandwidth = s->rate;
    report->mode = 1 + (s->sends > 100);
}

static const struct mesonet_algorithm counting = {
    .abi = MESONET_CC_ABI,
    .size = sizeof(struct mesonet_algorithm),
    .state_size = sizeof(struct state),
    .flags = MESONET_WANTS_DELIVERY_RATE | MESONET_WANTS_SENDS,
    .codepoint = MESONET_ECT0,
    .name = "counting",
    .title = "Every event",
    .source = "chosen",
    .timer_period = 0.05,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_recovery_exit = on_recovery_exit,
    .on_timer = on_timer,
    .on_idle = on_idle,
    .on_send = on_send,
    .on_segment_lost = on_segment_lost,
    .undo = undo,
    .modes = "few many",
    .report = report,
};

MESONET_EXPORT const struct mesonet_algorithm *mesonet_cc(void) { return &counting; }
