/*
 * mesonet_cc.h - congestion controls for mesonet in C, C++, Zig and every language with the C ABI. ABI version 1.
 *
 * A shared library exports one function:
 *
 *     MESONET_EXPORT const struct mesonet_algorithm *mesonet_cc(void);
 *
 * It returns a table: name, constants, size of the state of a flow, functions. The words are those of Linux
 * (struct tcp_congestion_ops), the events those of the trait CongestionControl of mesonet.
 *
 * The state of a flow is plain memory of `state_size` bytes. It begins with struct mesonet_window, which the simulator
 * reads after each call; the rest belongs to the algorithm. Before `init` the window is the window of a new flow, and
 * all other bytes are 0. The memory may move between two calls.
 *
 * Units: windows and numbers of data in segments, times and instants in seconds, rates in segments/s. Instants count
 * from the start of the run. A time of 0 means that there is no value, except for `now`.
 *
 * Rules:
 *   - The functions keep no state of their own: no global variables, no clock, no random generator but one that begins
 *     with `seed`. Runs are then reproducible, and may use several threads, which call the functions at the same time
 *     for different flows.
 *   - C++ exceptions must not leave a function.
 *   - After each call the simulator checks the window. A value that is not allowed ends the run with the name of the
 *     algorithm, the event, the flow and the simulated time. cwnd above `max_cwnd` is lowered to `max_cwnd`.
 */
#ifndef MESONET_CC_H
#define MESONET_CC_H

#include <stdint.h>

#define MESONET_CC_ABI 1

#if defined(_WIN32)
#define MESONET_VISIBLE __declspec(dllexport)
#else
#define MESONET_VISIBLE __attribute__((visibility("default")))
#endif
#ifdef __cplusplus
#define MESONET_EXPORT extern "C" MESONET_VISIBLE
extern "C" {
#else
#define MESONET_EXPORT MESONET_VISIBLE
#endif

/* Values of mesonet_window.phase: the rules that govern the window. Responses count flows by phase. */
enum {
    MESONET_SLOW_START = 0, /* slow start */
    MESONET_STANDARD = 1,   /* congestion avoidance by the rules of standard TCP */
    MESONET_ALTERNATE = 2   /* the algorithm's own rules */
};

/* The first bytes of the state of a flow: the answer of the algorithm. */
struct mesonet_window {
    double cwnd;         /* congestion window, segments; finite, at least 1 */
    double ssthresh;     /* slow-start threshold, segments; a number, at least 0 */
    double pacing_rate;  /* segments/s; finite; 0: segments leave back to back within the window */
    uint32_t phase;      /* MESONET_SLOW_START, MESONET_STANDARD or MESONET_ALTERNATE */
    uint32_t holds_back; /* 1: keeps less in flight than the path takes, on purpose; marks delivery-rate samples */
    double initial;      /* initial window of the flow, segments; the simulator sets it */
};

/* Values of mesonet_config.timeout_rule (transport.timeout_rule of the scenario). */
enum {
    MESONET_TIMEOUT_RFC = 0,           /* RFC 5681: ssthresh is half the window, cwnd 1 */
    MESONET_TIMEOUT_RFC2581 = 1,       /* the same, and each expiry of one segment reduces ssthresh again */
    MESONET_TIMEOUT_OWN_REDUCTION = 2, /* ssthresh is the algorithm's own reduction, cwnd the initial window */
    MESONET_TIMEOUT_LINUX = 3          /* ssthresh is the algorithm's own reduction, cwnd 1 */
};

/* Values of mesonet_config.idle_rule (transport.idle_restart). */
enum {
    MESONET_IDLE_KEEP = 0,    /* the window stays */
    MESONET_IDLE_RFC5681 = 1, /* at most the initial window after a timeout without sending */
    MESONET_IDLE_LINUX = 2    /* halved for each timeout that has passed, down to the initial window */
};

/* The scenario: the same for all flows of the algorithm, constant during the run. */
struct mesonet_config {
    const double *params;           /* values of the constants, in the order of mesonet_algorithm.params; they lie
                                       behind this struct */
    double max_cwnd;                /* largest window, segments (transport.max_cwnd) */
    uint32_t timeout_rule;          /* MESONET_TIMEOUT_... */
    uint32_t idle_rule;             /* MESONET_IDLE_... */
    uint32_t reduce_from_flight;    /* 1: reductions start from the data in flight, 0: from cwnd (transport.reduce_from) */
    uint32_t grow_if_cwnd_limited;  /* 1: windows grow only while they limit the flow (RFC 7661) */
};

/* A connection is established, or opened: init runs at both instants. */
struct mesonet_start {
    double now;              /* instant */
    double initial_window;   /* segments */
    double initial_ssthresh; /* segments */
    double rtt;              /* round-trip time of the handshake; 0: not measured */
    uint64_t seed;           /* names the random numbers of the flow */
};

/* Segments were newly acknowledged. */
struct mesonet_ack {
    double now;              /* instant */
    double rtt;              /* round-trip time of the acknowledged segment; 0: no valid sample (Karn's rule) */
    double min_rtt;          /* smallest round-trip time of the flow; 0 before the first sample */
    double srtt;             /* smoothed round-trip time (RFC 6298); 0 before the first sample */
    double delivery_rate;    /* sample, segments/s; 0: none. Only with MESONET_WANTS_DELIVERY_RATE, as all `sample_...` */
    double sample_interval;  /* time over which the segments of the sample were sent or acknowledged */
    uint64_t sample_prior_delivered; /* segments delivered when the acknowledged segment left */
    uint64_t delivered;      /* segments of the flow delivered so far, with this acknowledgement */
    uint32_t acked;          /* segments for which the window grows: those newly acknowledged, or 1 where acknowledgements
                                are counted (transport.window_growth); at least 1 */
    uint32_t in_flight;      /* segments in flight after this acknowledgement (RFC 6675, pipe) */
    uint32_t lost;           /* segments newly found lost; only with MESONET_WANTS_DELIVERY_RATE */
    uint32_t ce;             /* acknowledged segments with a congestion-experienced mark, at most `segments` */
    uint32_t sample_in_flight;   /* segments in flight when the acknowledged segment left, with it */
    uint32_t sample_lost;        /* segments found lost since then */
    uint32_t sample_ce;          /* segments of the sample with a mark */
    uint32_t sample_app_limited; /* 1: the segment left while the sender limited what was in flight */
    uint32_t round_start;    /* 1: the first acknowledgement of a new round trip */
    uint32_t in_recovery;    /* 1: fast recovery, or the round trip after a mark without MESONET_GROWS_AFTER_MARK: windows
                                do not grow */
    uint32_t after_timeout;  /* 1: not all that was outstanding at the last timeout has been acknowledged */
    uint32_t cwnd_limited;   /* 1: the window limited what was in flight */
    uint32_t app_limited;    /* 1: the sender had nothing more to send */
    uint32_t segments;       /* segments newly acknowledged, cumulatively or selectively, whatever the window grows for;
                                0 in mesonet 0.1 */
    uint64_t una;            /* lowest unacknowledged segment, after this acknowledgement; the first one of a flow is 0 */
    uint64_t next;           /* next segment that has never been sent */
};

/*
 * A round trip ended: sums over the acknowledgements since the one before. The next acknowledgement begins another, and
 * comes after this event.
 */
struct mesonet_round {
    double now;             /* instant */
    double interval;        /* time since the round began */
    double rtt;             /* mean of the valid round-trip times of the round; 0: none */
    double least_rtt;       /* their smallest; 0: none */
    double min_rtt;         /* smallest round-trip time of the flow; 0 before the first sample */
    double srtt;            /* smoothed round-trip time (RFC 6298); 0 before the first sample */
    uint64_t delivered;     /* segments of the flow delivered before `now` */
    uint32_t acked;         /* sum of mesonet_ack.acked over the round; at least 1 */
    uint32_t lost;          /* segments newly found lost; only with MESONET_WANTS_DELIVERY_RATE */
    uint32_t ce;            /* acknowledged segments with a congestion-experienced mark, at most `segments` */
    uint32_t losses;        /* fast recoveries and timeouts that began */
    uint32_t in_flight;     /* segments in flight at the end */
    uint32_t in_recovery;   /* 1: fast recovery at the end, or the round trip after a mark: windows do not grow */
    uint32_t after_timeout; /* 1: not all that was outstanding at the last timeout has been acknowledged */
    uint32_t cwnd_limited;  /* 1: the window limited what was in flight at some time */
    uint32_t app_limited;   /* 1: the sender had nothing more to send at some time */
    uint32_t segments;      /* segments newly acknowledged in the round; 0 in mesonet 0.1 */
};

/* Values of mesonet_loss.cause. */
enum {
    MESONET_FAST_RETRANSMIT = 0, /* later segments were acknowledged; once per recovery. Not in the round trip after a
                                    mark, whose reduction covers losses, without MESONET_LOSS_AFTER_MARK */
    MESONET_TIMEOUT = 1,         /* the retransmission timer expired */
    MESONET_ECN = 2              /* an echoed congestion-experienced mark; once per round trip */
};

/* The network is congested: the algorithm sets its new cwnd and ssthresh. */
struct mesonet_loss {
    double now;             /* instant at which the sender noticed */
    uint32_t cause;         /* MESONET_FAST_RETRANSMIT, MESONET_TIMEOUT or MESONET_ECN */
    uint32_t in_flight;     /* segments in flight, lost ones included (RFC 5681, FlightSize) */
    uint32_t lost;          /* segments found lost by this event, where known */
    uint32_t first_timeout; /* 1: the first timeout of this segment; repeated ones keep ssthresh (RFC 5681) */
};

/* A segment was found lost. Only with MESONET_WANTS_DELIVERY_RATE. */
struct mesonet_lost {
    double now;           /* instant at which the sender noticed */
    uint64_t delivered;   /* segments of the flow delivered so far */
    uint32_t in_flight;   /* segments in flight when the lost segment left, with it */
    uint32_t lost;        /* segments found lost since then, with it */
    uint32_t app_limited; /* 1: it left while the sender limited what was in flight */
    uint32_t reserved;
};

/* The application hands over data, and nothing is outstanding. */
struct mesonet_idle {
    double now;  /* instant */
    double idle; /* time since the last segment left */
    double rto;  /* retransmission timeout */
};

/* A segment left. Only with MESONET_WANTS_SENDS. */
struct mesonet_send {
    double now;              /* instant of departure */
    uint32_t in_flight;      /* segments in flight, with this one */
    uint32_t retransmission; /* 1: it is one */
};

/* Facts for tables of traces. */
struct mesonet_report {
    double bandwidth;  /* the rate that the algorithm believes its path to deliver, segments/s; 0: no estimate */
    uint32_t mode;     /* mode: 1 is the first name of mesonet_algorithm.modes; 0: none */
    uint32_t reserved;
};

/* A constant of the algorithm: users set it as parameters.NAME.CONSTANT or NAME(CONSTANT=value). */
struct mesonet_param {
    const char *name;   /* lower case, digits and underscores */
    const char *doc;    /* its effect, in one line */
    const char *unit;   /* "1" without a unit */
    double min, max;    /* allowed range */
    double value;       /* default */
    const char *source; /* source of the default */
};

/* Bits of mesonet_algorithm.flags. */
enum {
    MESONET_WANTS_DELIVERY_RATE = 1, /* the sender takes delivery-rate samples and reports each lost segment */
    MESONET_WANTS_SENDS = 2,         /* on_send is called for each segment */
    MESONET_MANAGES_RECOVERY = 4,    /* the algorithm sets the window in recovery; no reduction in proportion (PRR) */
    MESONET_GROWS_AFTER_MARK = 8,    /* windows may grow in the round trip after a mark */
    MESONET_HAS_POINTERS = 16,       /* the state points to other memory: no snapshots; without `undo` no undo of
                                        spurious losses */
    MESONET_LOSS_AFTER_MARK = 32     /* a loss in the round trip after a mark is an event, too (RFC 9331, section 4.3) */
};

/* Values of mesonet_algorithm.codepoint: the ECN field of segments where the network marks. */
enum {
    MESONET_NOT_ECT = 0,
    MESONET_ECT0 = 1, /* RFC 3168 */
    MESONET_ECT1 = 2  /* scalable congestion control (RFC 9331) */
};

/* The table. `flow` is the state of a flow, a pointer to its struct mesonet_window. Functions may be NULL where it says so. */
struct mesonet_algorithm {
    uint32_t abi;              /* MESONET_CC_ABI */
    uint32_t size;             /* sizeof(struct mesonet_algorithm) */
    uint32_t state_size;       /* bytes of the state of a flow, at least sizeof(struct mesonet_window), at most 65536 */
    uint32_t flags;            /* MESONET_WANTS_... */
    uint32_t codepoint;        /* MESONET_NOT_ECT, MESONET_ECT0 or MESONET_ECT1 */
    uint32_t param_count;      /* number of `params`, at most 64 */
    const char *name;          /* name in results: lower case, digits, - and _; no name of a built-in algorithm */
    const char *title;         /* name in words */
    const char *source;        /* publication of the rules */
    const struct mesonet_param *params;
    double timer_period;       /* period of on_timer, from the start of the flow; 0: no timer */

    /* A flow begins; its window is set. May be NULL. */
    void (*init)(void *flow, const struct mesonet_config *config, const struct mesonet_start *start);
    /* Segments were acknowledged. May be NULL with on_round. */
    void (*on_ack)(void *flow, const struct mesonet_config *config, const struct mesonet_ack *ack);
    /* A loss, a timeout or a mark. */
    void (*on_loss)(void *flow, const struct mesonet_config *config, const struct mesonet_loss *loss);
    /* The acknowledgement that ends fast recovery arrived; a timeout ends it without this call. May be NULL. */
    void (*on_recovery_exit)(void *flow, const struct mesonet_config *config, double now);
    /* `timer_period` has passed again. NULL without a timer. */
    void (*on_timer)(void *flow, const struct mesonet_config *config, double now);
    /* Data after an idle time. NULL: the window follows transport.idle_restart. */
    void (*on_idle)(void *flow, const struct mesonet_config *config, const struct mesonet_idle *idle);
    /* A segment left. NULL without MESONET_WANTS_SENDS. */
    void (*on_send)(void *flow, const struct mesonet_config *config, const struct mesonet_send *send);
    /* A segment was found lost. May be NULL. */
    void (*on_segment_lost)(void *flow, const struct mesonet_config *config, const struct mesonet_lost *lost);
    /* The last loss was none: `before` is a copy of the state before it (RFC 4015), not of what it points to. NULL: the
       state becomes `before`. */
    void (*undo)(void *flow, const struct mesonet_config *config, const void *before);
    /* The state is dropped: frees the memory that it points to. NULL without MESONET_HAS_POINTERS. */
    void (*release)(void *flow);

    /* Tables may end here: a library with a smaller `size` has none of the following. */
    const char *modes;         /* names of modes in lower case, separated by spaces, such as "startup drain"; NULL: none */
    /* Fills `report`, which is all 0. Called for traces only; changes no state. NULL without mode and bandwidth. */
    void (*report)(const void *flow, const struct mesonet_config *config, struct mesonet_report *report);
    /* A round trip ended. May be NULL. */
    void (*on_round)(void *flow, const struct mesonet_config *config, const struct mesonet_round *round);
};

#ifdef __cplusplus
}
#define MESONET_ASSERT(fact) static_assert(fact, "the layout of mesonet_cc.h")
#else
#define MESONET_ASSERT(fact) _Static_assert(fact, "the layout of mesonet_cc.h")
#endif
MESONET_ASSERT(sizeof(struct mesonet_window) == 40);
MESONET_ASSERT(sizeof(struct mesonet_start) == 40);
MESONET_ASSERT(sizeof(struct mesonet_ack) == 136);
MESONET_ASSERT(sizeof(struct mesonet_round) == 96);
MESONET_ASSERT(sizeof(struct mesonet_loss) == 24);
MESONET_ASSERT(sizeof(struct mesonet_lost) == 32);
MESONET_ASSERT(sizeof(struct mesonet_idle) == 24);
MESONET_ASSERT(sizeof(struct mesonet_send) == 16);
MESONET_ASSERT(sizeof(struct mesonet_report) == 16);

/*
 * Rules that most algorithms share, as the built-in algorithms have them. They keep ssthresh at least 2 (RFC 5681,
 * equation 4) and cwnd from 1 to max_cwnd.
 */

static inline double mesonet_bound(const struct mesonet_config *config, double cwnd) {
    cwnd = cwnd < config->max_cwnd ? cwnd : config->max_cwnd;
    return cwnd > 1.0 ? cwnd : 1.0;
}

/* Returns 1 if an acknowledgement may raise the window. */
static inline int mesonet_may_grow(const struct mesonet_config *config, const struct mesonet_ack *ack) {
    return !ack->in_recovery && (ack->cwnd_limited || !config->grow_if_cwnd_limited);
}

/* Slow start (RFC 5681): grows up to ssthresh, and returns the acknowledged segments that are left. It has no limit for
   an acknowledgement; the built-in algorithms have transport.slow_start_max_acked. */
static inline uint32_t mesonet_slow_start(struct mesonet_window *window, const struct mesonet_config *config,
                                          uint32_t acked) {
    double room = window->ssthresh - window->cwnd;
    if (!(room > 0.0)) return acked;
    if ((double)acked <= room) {
        window->cwnd = mesonet_bound(config, window->cwnd + (double)acked);
        return 0;
    }
    window->cwnd = mesonet_bound(config, window->ssthresh);
    /* The segment that reaches ssthresh is used up. Rounded as in the built-in algorithms. */
    return (uint32_t)(((double)acked - room) * (double)acked / (double)acked);
}

/* Returns the window from which a reduction starts: FlightSize or cwnd. */
static inline double mesonet_basis(const struct mesonet_window *window, const struct mesonet_config *config,
                                   const struct mesonet_loss *loss) {
    double flight = (double)loss->in_flight;
    return config->reduce_from_flight && flight < window->cwnd ? flight : window->cwnd;
}

/*
 * Reaction to a loss, a timeout or a mark: `reduced` is the window after a loss. After a timeout ssthresh is `standard`
 * or `reduced`, as transport.timeout_rule says, and slow start follows.
 */
static inline void mesonet_back_off(struct mesonet_window *window, const struct mesonet_config *config,
                                    const struct mesonet_loss *loss, double reduced, double standard) {
    double restart = 1.0;
    if (loss->cause != MESONET_TIMEOUT) {
        window->ssthresh = reduced > 2.0 ? reduced : 2.0;
        window->cwnd = mesonet_bound(config, window->ssthresh);
        return;
    }
    if (config->timeout_rule == MESONET_TIMEOUT_RFC || config->timeout_rule == MESONET_TIMEOUT_RFC2581) {
        reduced = standard;
    } else if (config->timeout_rule == MESONET_TIMEOUT_OWN_REDUCTION) {
        restart = window->initial;
        if (restart > reduced) reduced = restart;
    }
    if (loss->first_timeout || config->timeout_rule == MESONET_TIMEOUT_RFC2581)
        window->ssthresh = reduced > 2.0 ? reduced : 2.0;
    window->cwnd = mesonet_bound(config, restart);
}

#endif
