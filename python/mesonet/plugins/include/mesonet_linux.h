/*
 * mesonet_linux.h - congestion control modules of Linux (tcp_*.c) as plug-ins of mesonet, without changes to the file.
 *
 * mesonet compiles `linux:tcp_htcp.c` with this file in front, and with empty files in place of the kernel's headers. The
 * names below are the interface that such modules use; everything behind the names was written for mesonet.
 *
 * One flow is one struct sock in the memory of mesonet. Its time is simulated time plus one second, so that an instant is
 * never 0. A segment has 1448 bytes of data. HZ is 1000. The module's variables are one set for each thread: the glue at the
 * end fills them from the constants of the scenario and calls the module's own start function again when they change.
 *
 * What the simulator has no counterpart for is nothing here: sockets of users, statistics, BPF, route metrics, PLB.
 */
#ifndef MESONET_LINUX_H
#define MESONET_LINUX_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesonet_cc.h"

/* Numbers */

typedef uint8_t u8, __u8;
typedef uint16_t u16, __u16, __be16, __le16;
typedef uint32_t u32, __u32, __be32, __le32;
typedef uint64_t u64, __u64, __be64;
typedef int8_t s8, __s8;
typedef int16_t s16, __s16;
typedef int32_t s32, __s32;
typedef int64_t s64, __s64;
typedef s64 ktime_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char byte;
typedef unsigned int gfp_t;
typedef struct { int counter; } atomic_t;

#define U8_MAX UINT8_MAX
#define U16_MAX UINT16_MAX
#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX
#define S16_MAX INT16_MAX
#define S32_MAX INT32_MAX
#define S32_MIN INT32_MIN
#define S64_MAX INT64_MAX
#define U32_C(value) value##U
#define U64_C(value) value##ULL
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))

/* Words of the compiler and of the linker */

#define __read_mostly
#define __ro_after_init
#define __init
#define __exit
#define __initdata
#define __maybe_unused __attribute__((unused))
#define __always_unused __attribute__((unused))
#define __must_check
#define __pure __attribute__((pure))
#define __attribute_const__ __attribute__((const))
#define __cold
#define __hot
#define noinline_for_stack
#define __always_inline inline
#define noinline
#define __bpf_kfunc __attribute__((unused))
#define __rcu
#define __user
#define __force
#define __packed __attribute__((packed))
#define __aligned(n) __attribute__((aligned(n)))
#define ____cacheline_aligned
#define ____cacheline_aligned_in_smp
#define fallthrough __attribute__((fallthrough))
#define likely(fact) __builtin_expect(!!(fact), 1)
#define unlikely(fact) __builtin_expect(!!(fact), 0)
#define barrier() ((void)0)
#define smp_mb() ((void)0)
#define smp_rmb() ((void)0)
#define smp_wmb() ((void)0)
#define READ_ONCE(place) (place)
#define WRITE_ONCE(place, value) ((place) = (value))
#define ACCESS_ONCE(place) (place)
#define smp_load_acquire(place) (*(place))
#define smp_store_release(place, value) (*(place) = (value))
#define cmpxchg(place, old, new) \
    ({ __typeof__(*(place)) mesonet_was = *(place); if (mesonet_was == (old)) *(place) = (new); mesonet_was; })
#define container_of(at, type, member) ((type *)((char *)(at) - offsetof(type, member)))
#define ARRAY_SIZE(list) (sizeof(list) / sizeof((list)[0]))
#define BUILD_BUG_ON(fact) _Static_assert(!(fact), "BUILD_BUG_ON of the module")
#define BUILD_BUG_ON_MSG(fact, text) _Static_assert(!(fact), text)
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)
#define rcu_dereference(at) (at)

/* Messages of the kernel's log go nowhere: a run has no log. */
#define mesonet_linux_silent(...) ((void)0)
#define pr_debug mesonet_linux_silent
#define pr_info mesonet_linux_silent
#define pr_notice mesonet_linux_silent
#define pr_warn mesonet_linux_silent
#define pr_warn_once mesonet_linux_silent
#define pr_err mesonet_linux_silent
#define pr_info_once mesonet_linux_silent
#define pr_warn_ratelimited mesonet_linux_silent
#define net_dbg_ratelimited mesonet_linux_silent
#define printk mesonet_linux_silent
#define trace_printk mesonet_linux_silent
#define KERN_INFO ""
#define KERN_DEBUG ""
#define WARN_ON(fact) (!!(fact))
#define WARN_ON_ONCE(fact) (!!(fact))
#define WARN_ONCE(fact, ...) (!!(fact))
#define WARN(fact, ...) (!!(fact))
#define BUG_ON(fact) ((fact) ? abort() : (void)0)

/* Arithmetic */

#define min(a, b) ({ __typeof__(a) mesonet_a = (a); __typeof__(b) mesonet_b = (b); mesonet_a < mesonet_b ? mesonet_a : mesonet_b; })
#define max(a, b) ({ __typeof__(a) mesonet_a = (a); __typeof__(b) mesonet_b = (b); mesonet_a > mesonet_b ? mesonet_a : mesonet_b; })
#define min_t(type, a, b) ({ type mesonet_c = (a); type mesonet_d = (b); mesonet_c < mesonet_d ? mesonet_c : mesonet_d; })
#define max_t(type, a, b) ({ type mesonet_c = (a); type mesonet_d = (b); mesonet_c > mesonet_d ? mesonet_c : mesonet_d; })
#define min3(a, b, c) min_t(__typeof__(a), min(a, b), c)
#define max3(a, b, c) max_t(__typeof__(a), max(a, b), c)
#define clamp_t(type, value, low, high) min_t(type, max_t(type, value, low), high)
#define clamp(value, low, high) clamp_t(__typeof__(value), value, low, high)
#define clamp_val(value, low, high) clamp_t(__typeof__(value), value, low, high)
#define min_not_zero(a, b) \
    ({ __typeof__(a) mesonet_e = (a); __typeof__(b) mesonet_f = (b); \
       mesonet_e == 0 ? mesonet_f : (mesonet_f == 0 || mesonet_e < mesonet_f) ? mesonet_e : mesonet_f; })
#define swap(a, b) do { __typeof__(a) mesonet_g = (a); (a) = (b); (b) = mesonet_g; } while (0)
#define abs(value) ({ __typeof__(value) mesonet_h = (value); mesonet_h < 0 ? -mesonet_h : mesonet_h; })
#define abs_diff(a, b) ({ __typeof__(a) mesonet_i = (a); __typeof__(a) mesonet_j = (b); mesonet_i > mesonet_j ? mesonet_i - mesonet_j : mesonet_j - mesonet_i; })
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define DIV_ROUND_UP_ULL(n, d) ((u64)(((u64)(n) + (d) - 1) / (d)))
#define DIV_ROUND_CLOSEST(n, d) \
    ({ __typeof__(n) mesonet_n = (n); __typeof__(d) mesonet_m = (d); \
       ((mesonet_n > 0) == (mesonet_m > 0) ? mesonet_n + mesonet_m / 2 : mesonet_n - mesonet_m / 2) / mesonet_m; })
#define DIV_ROUND_CLOSEST_ULL(n, d) ((u64)(((u64)(n) + (d) / 2) / (d)))
#define roundup(n, d) ((((n) + (d) - 1) / (d)) * (d))
/* Divides in place and has the remainder as its value. */
#define do_div(n, base) ({ u32 mesonet_base = (base); u32 mesonet_rest = (u32)((n) % mesonet_base); (n) /= mesonet_base; mesonet_rest; })

static inline u64 div_u64(u64 n, u32 d) { return n / d; }
static inline s64 div_s64(s64 n, s32 d) { return n / d; }
static inline u64 div64_u64(u64 n, u64 d) { return n / d; }
static inline s64 div64_s64(s64 n, s64 d) { return n / d; }
static inline u64 div64_ul(u64 n, unsigned long d) { return n / d; }
static inline s64 div64_long(s64 n, long d) { return n / d; }
static inline u64 div_u64_rem(u64 n, u32 d, u32 *rest) { *rest = (u32)(n % d); return n / d; }
static inline u64 mul_u64_u32_div(u64 a, u32 b, u32 d) { return (u64)((unsigned __int128)a * b / d); }
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 d) { return (u64)((unsigned __int128)a * b / d); }
static inline int fls(unsigned int value) { return value ? 32 - __builtin_clz(value) : 0; }
static inline int fls64(u64 value) { return value ? 64 - __builtin_clzll(value) : 0; }
static inline unsigned long __fls(unsigned long value) { return 63 - (unsigned long)__builtin_clzl(value); }
static inline unsigned int hweight32(u32 value) { return (unsigned int)__builtin_popcount(value); }
static inline bool is_power_of_2(unsigned long value) { return value && !(value & (value - 1)); }
#define ilog2(value) (fls64(value) - 1)

/* The largest integer whose square is not above the value. */
static inline unsigned long int_sqrt64(u64 value) {
    u64 root = 0;
    for (u64 bit = 1ULL << 31; bit; bit >>= 1) {
        u64 next = root | bit;
        if (next * next <= value) root = next;
    }
    return (unsigned long)root;
}
static inline unsigned long int_sqrt(unsigned long value) { return int_sqrt64(value); }

/* Sequence numbers, which wrap. */
static inline bool before(u32 a, u32 b) { return (s32)(a - b) < 0; }
#define after(a, b) before(b, a)
static inline bool between(u32 value, u32 low, u32 high) { return high - low >= value - low; }

/* Modules and their parameters */

struct module;
struct list_head { struct list_head *next, *prev; };
#define THIS_MODULE ((struct module *)0)
#define EINVAL 22
#define ERANGE 34
#define ENOMEM 12
#define MODULE_LICENSE(text) struct mesonet_nothing
#define MODULE_VERSION(text) struct mesonet_nothing
#define MODULE_AUTHOR(text) struct mesonet_nothing
#define MODULE_ALIAS(text) struct mesonet_nothing
#define MODULE_INFO(tag, text) struct mesonet_nothing
#define MODULE_SOFTDEP(text) struct mesonet_nothing
#define EXPORT_SYMBOL(name) struct mesonet_nothing
#define EXPORT_SYMBOL_GPL(name) struct mesonet_nothing
#define EXPORT_SYMBOL_NS_GPL(name, space) struct mesonet_nothing
#define core_initcall module_init
#define late_initcall module_init
#define fs_initcall module_init
#define subsys_initcall module_init

struct kernel_param { const char *name; void *arg; };
struct kernel_param_ops {
    unsigned int flags;
    int (*set)(const char *text, const struct kernel_param *param);
    int (*get)(char *buffer, const struct kernel_param *param);
    void (*free)(void *arg);
};

/* A parameter: `set` returns 0, or what the module's own check returns. */
struct mesonet_linux_param {
    const char *name, *doc;
    double least, most;
    int line;
    int (*set)(double value);
    double (*get)(void);
};

#ifdef MESONET_LINUX_SECOND
/* A file that the module needs, such as tcp_vegas.c for tcp_yeah.c: only its functions count. */
#define module_init(function) static __maybe_unused void *mesonet_linux_unused_start(void) { return (void *)(function); } struct mesonet_nothing
#define module_exit(function) static __maybe_unused void *mesonet_linux_unused_end(void) { return (void *)(function); } struct mesonet_nothing
#define module_param(variable, type, permission) struct mesonet_nothing
#define module_param_named(label, variable, type, permission) struct mesonet_nothing
#define module_param_cb(label, ops, at, permission) struct mesonet_nothing
#define MODULE_PARM_DESC(label, text) struct mesonet_nothing
#define MODULE_DESCRIPTION(text) struct mesonet_nothing
#else
#define module_init(function) int mesonet_linux_start(void) { return function(); } struct mesonet_nothing
#define module_exit(function) static __maybe_unused void *mesonet_linux_unused_end(void) { return (void *)(function); } struct mesonet_nothing
#define MODULE_DESCRIPTION(text) const char mesonet_linux_title[] = text; struct mesonet_nothing

enum { MESONET_LINUX_PARAMS = 64 };
static struct mesonet_linux_param mesonet_linux_params[MESONET_LINUX_PARAMS];
static int mesonet_linux_count;
static struct { const char *name, *doc; } mesonet_linux_docs[MESONET_LINUX_PARAMS];
static int mesonet_linux_doc_count;

/* Adds a parameter in the order of lines, whatever the order in which the compiler arranges the calls. */
static void mesonet_linux_add(struct mesonet_linux_param param) {
    if (mesonet_linux_count == MESONET_LINUX_PARAMS) return;
    int place = mesonet_linux_count++;
    for (; place > 0 && mesonet_linux_params[place - 1].line > param.line; place--)
        mesonet_linux_params[place] = mesonet_linux_params[place - 1];
    mesonet_linux_params[place] = param;
}

#define MESONET_LINUX_IS_BOOL(value) __builtin_types_compatible_p(__typeof__(value), bool)
#define MESONET_LINUX_LEAST(value) \
    ((__typeof__(value))-1 > (__typeof__(value))0 ? 0.0 : -__builtin_ldexp(1.0, sizeof(value) >= 8 ? 53 : 8 * (int)sizeof(value) - 1))
#define MESONET_LINUX_MOST(value) \
    (MESONET_LINUX_IS_BOOL(value) ? 1.0 \
     : __builtin_ldexp(1.0, sizeof(value) >= 8 ? 53 : 8 * (int)sizeof(value) - ((__typeof__(value))-1 > (__typeof__(value))0 ? 0 : 1)) - 1.0)
#define MESONET_LINUX_PARAM(setter, getter, adder, label, value) \
    static double getter(void) { return (double)(value); } \
    __attribute__((constructor)) static void adder(void) { \
        mesonet_linux_add((struct mesonet_linux_param){label, 0, MESONET_LINUX_LEAST(value), MESONET_LINUX_MOST(value), \
                                                       __LINE__, setter, getter}); \
    } struct mesonet_nothing
#define MESONET_LINUX_SETTER(setter, variable) \
    static int setter(double value) { variable = (__typeof__(variable))value; return 0; }
#define module_param(variable, type, permission) \
    MESONET_LINUX_SETTER(mesonet_set_##variable, variable) \
    MESONET_LINUX_PARAM(mesonet_set_##variable, mesonet_get_##variable, mesonet_add_##variable, #variable, variable)
#define module_param_named(label, variable, type, permission) \
    MESONET_LINUX_SETTER(mesonet_set_##label, variable) \
    MESONET_LINUX_PARAM(mesonet_set_##label, mesonet_get_##label, mesonet_add_##label, #label, variable)
/* With functions of the module, which check the value as text. */
#define module_param_cb(label, operations, at, permission) \
    static int mesonet_set_##label(double value) { \
        char text[32]; \
        snprintf(text, sizeof text, "%.0f", value); \
        struct kernel_param param = {#label, at}; \
        return (operations)->set(text, &param); \
    } \
    MESONET_LINUX_PARAM(mesonet_set_##label, mesonet_get_##label, mesonet_add_##label, #label, *(at))
#define MODULE_PARM_DESC(label, text) \
    __attribute__((constructor)) static void mesonet_doc_##label(void) { \
        if (mesonet_linux_doc_count == MESONET_LINUX_PARAMS) return; \
        mesonet_linux_docs[mesonet_linux_doc_count].name = #label; \
        mesonet_linux_docs[mesonet_linux_doc_count++].doc = text; \
    } struct mesonet_nothing
#endif
#define __MODULE_PARM_TYPE(label, type) struct mesonet_nothing

static inline int param_set_uint_minmax(const char *text, const struct kernel_param *param, unsigned int least, unsigned int most) {
    double value = strtod(text, 0);
    if (value < least || value > most) return -EINVAL;
    *(unsigned int *)param->arg = (unsigned int)value;
    return 0;
}
static inline int param_set_uint(const char *text, const struct kernel_param *param) {
    return param_set_uint_minmax(text, param, 0, U32_MAX);
}
static inline int param_set_int(const char *text, const struct kernel_param *param) {
    *(int *)param->arg = (int)strtod(text, 0);
    return 0;
}
static inline int kstrtouint(const char *text, unsigned int base, unsigned int *value) {
    *value = (unsigned int)strtoul(text, 0, (int)base);
    return 0;
}
static inline int kstrtoint(const char *text, unsigned int base, int *value) {
    *value = (int)strtol(text, 0, (int)base);
    return 0;
}
static inline int param_get_uint(char *buffer, const struct kernel_param *param) { (void)buffer; (void)param; return 0; }
static inline int param_get_int(char *buffer, const struct kernel_param *param) { (void)buffer; (void)param; return 0; }

/* BPF: lists of functions that programs may call, of which a simulator has none. */
#define BTF_SET8_START(name) static __maybe_unused struct { int none; } name;
#define BTF_SET8_END(name)
#define BTF_KFUNCS_START(name) static __maybe_unused struct { int none; } name;
#define BTF_KFUNCS_END(name)
#define BTF_ID_FLAGS(...)
#define BTF_ID(...)
#define BPF_PROG_TYPE_STRUCT_OPS 0
#define BPF_SOCK_OPS_BASE_RTT 0
#define BPF_SOCK_OPS_RTT_CB 0
struct btf_kfunc_id_set { struct module *owner; const void *set; };
#define register_btf_kfunc_id_set(kind, set) ((void)(set), 0)
struct sock;
static inline int tcp_call_bpf(struct sock *sk, int op, u32 count, u32 *values) {
    (void)sk; (void)op; (void)count; (void)values;
    return -1;
}

/* Memory. Modules that take some have `release`. */
#define GFP_ATOMIC 0
#define GFP_KERNEL 0
#define GFP_NOWAIT 0
#define __GFP_NOWARN 0
#define kcalloc(count, size, flags) calloc(count, size)
#define kzalloc(size, flags) calloc(1, size)
#define kmalloc(size, flags) calloc(1, size)
#define kfree(at) free((void *)(at))

/* Windows of time for a smallest or a largest value */

struct minmax_sample { u32 t, v; };
struct minmax { struct minmax_sample s[3]; };

static inline u32 minmax_get(const struct minmax *m) { return m->s[0].v; }
static inline u32 minmax_reset(struct minmax *m, u32 t, u32 value) {
    m->s[0] = m->s[1] = m->s[2] = (struct minmax_sample){t, value};
    return value;
}
/* Best, second and third best of three parts of the window, each later than the one before (K. Nichols). */
static inline u32 mesonet_linux_running(struct minmax *m, u32 window, u32 t, u32 value, bool largest) {
    struct minmax_sample *s = m->s, now = {t, value};
#define MESONET_NOT_WORSE(place) (largest ? value >= s[place].v : value <= s[place].v)
    if (MESONET_NOT_WORSE(0) || t - s[2].t > window) return minmax_reset(m, t, value);
    if (MESONET_NOT_WORSE(1)) s[1] = s[2] = now;
    else if (MESONET_NOT_WORSE(2)) s[2] = now;
#undef MESONET_NOT_WORSE
    u32 age = t - s[0].t;
    if (age > window) {
        for (int turn = 0; turn < 2 && t - s[0].t > window; turn++) {
            s[0] = s[1];
            s[1] = s[2];
            s[2] = now;
        }
    } else if (s[1].t == s[0].t && age > window / 4) {
        s[1] = s[2] = now;
    } else if (s[2].t == s[1].t && age > window / 2) {
        s[2] = now;
    }
    return s[0].v;
}
static inline u32 minmax_running_max(struct minmax *m, u32 window, u32 t, u32 value) {
    return mesonet_linux_running(m, window, t, value, true);
}
static inline u32 minmax_running_min(struct minmax *m, u32 window, u32 t, u32 value) {
    return mesonet_linux_running(m, window, t, value, false);
}

/* Connections */

#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define TCP_INIT_CWND 10
#define TCP_MIN_MSS 88
#define TCP_CA_NAME_MAX 16
#define TCP_CA_MAX 128
#define TCP_CONG_NON_RESTRICTED 1
#define TCP_CONG_NEEDS_ECN 2
#define ICSK_CA_PRIV_SIZE (13 * sizeof(u64))
#define MAX_TCP_HEADER 320
#define GSO_MAX_SIZE 65536U
#define GSO_LEGACY_MAX_SIZE 65536U
#define TCP_ECN_OK 1
#define TCP_ECN_QUEUE_CWR 2
#define TCP_ECN_DEMAND_CWR 4
#define TCP_ECN_SEEN 8
#define TCP_NAGLE_OFF 1

enum { TCP_ESTABLISHED = 1, TCP_SYN_SENT, TCP_SYN_RECV, TCP_FIN_WAIT1, TCP_FIN_WAIT2, TCP_TIME_WAIT, TCP_CLOSE,
       TCP_CLOSE_WAIT, TCP_LAST_ACK, TCP_LISTEN, TCP_CLOSING };
enum tcp_ca_state { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
enum { TCPF_CA_Open = 1 << TCP_CA_Open, TCPF_CA_Disorder = 1 << TCP_CA_Disorder, TCPF_CA_CWR = 1 << TCP_CA_CWR,
       TCPF_CA_Recovery = 1 << TCP_CA_Recovery, TCPF_CA_Loss = 1 << TCP_CA_Loss };
enum tcp_ca_event { CA_EVENT_TX_START, CA_EVENT_CWND_RESTART, CA_EVENT_COMPLETE_CWR, CA_EVENT_LOSS, CA_EVENT_ECN_NO_CE,
                    CA_EVENT_ECN_IS_CE, CA_EVENT_TLP_RECOVERY, CA_EVENT_DELAYED_ACK, CA_EVENT_NON_DELAYED_ACK };
enum tcp_ca_ack_event_flags { CA_ACK_SLOWPATH = 1, CA_ACK_WIN_UPDATE = 2, CA_ACK_ECE = 4 };
enum sk_pacing { SK_PACING_NONE, SK_PACING_NEEDED, SK_PACING_FQ };
enum inet_csk_ack_state_t { ICSK_ACK_SCHED = 1, ICSK_ACK_TIMER = 2, ICSK_ACK_PUSHED = 4, ICSK_ACK_PUSHED2 = 8, ICSK_ACK_NOW = 16 };

struct rate_sample {
    u64 prior_mstamp;
    u32 prior_delivered, prior_delivered_ce;
    s32 delivered, delivered_ce;
    long interval_us;
    u32 snd_interval_us, rcv_interval_us;
    long rtt_us;
    int losses;
    u32 acked_sacked, prior_in_flight, last_end_seq, tx_in_flight, lost;
    bool is_app_limited, is_retrans, is_ack_delayed, is_ece;
};

struct ack_sample { u32 pkts_acked; s32 rtt_us; u32 in_flight; };

/* What `ss -i` shows. */
struct tcpvegas_info { u32 tcpv_enabled, tcpv_rttcnt, tcpv_rtt, tcpv_minrtt; };
struct tcp_dctcp_info { u16 dctcp_enabled, dctcp_ce_state; u32 dctcp_alpha, dctcp_ab_ecn, dctcp_ab_tot; };
struct tcp_bbr_info { u32 bbr_bw_lo, bbr_bw_hi, bbr_min_rtt, bbr_pacing_gain, bbr_cwnd_gain; };
union tcp_cc_info { struct tcpvegas_info vegas; struct tcp_dctcp_info dctcp; struct tcp_bbr_info bbr; };
enum { INET_DIAG_NONE, INET_DIAG_MEMINFO, INET_DIAG_INFO, INET_DIAG_VEGASINFO, INET_DIAG_CONG, INET_DIAG_DCTCPINFO = 9,
       INET_DIAG_BBRINFO = 16 };

struct tcp_congestion_ops {
    u32 (*ssthresh)(struct sock *sk);
    void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
    void (*set_state)(struct sock *sk, u8 new_state);
    void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
    void (*in_ack_event)(struct sock *sk, u32 flags);
    void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
    u32 (*min_tso_segs)(struct sock *sk);
#ifdef MESONET_LINUX_LONG_CONTROL /* since 6.10 */
    void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs);
#else
    void (*cong_control)(struct sock *sk, const struct rate_sample *rs);
#endif
    u32 (*undo_cwnd)(struct sock *sk);
    u32 (*sndbuf_expand)(struct sock *sk);
    size_t (*get_info)(struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info);
    char name[TCP_CA_NAME_MAX];
    struct module *owner;
    struct list_head list;
    u32 key;
    u32 flags;
    void (*init)(struct sock *sk);
    void (*release)(struct sock *sk);
};

struct net { struct { int sysctl_tcp_pacing_ss_ratio, sysctl_tcp_pacing_ca_ratio; } ipv4; };

struct sock {
    u8 sk_state;
    u16 sk_family;
    u32 sk_pacing_status;
    u8 sk_pacing_shift;
    unsigned long sk_pacing_rate, sk_max_pacing_rate; /* bytes/s */
    u32 sk_gso_max_size;
    u16 sk_gso_max_segs;
    u32 sk_txhash;
};

struct inet_connection_sock {
    struct sock icsk_inet;
    u32 icsk_rto;
    u8 icsk_ca_state, icsk_ca_initialized, icsk_retransmits;
    const struct tcp_congestion_ops *icsk_ca_ops; /* valid in a call */
    struct { u8 pending, quick, pingpong; u32 ato; } icsk_ack;
    u64 icsk_ca_priv[ICSK_CA_PRIV_SIZE / sizeof(u64)];
};

struct tcp_options_received {
    u32 rcv_tsval, rcv_tsecr;
    u16 saw_tstamp, tstamp_ok, sack_ok, mss_clamp;
};

struct tcp_sock {
    struct inet_connection_sock inet_conn;
    u32 rcv_nxt, snd_nxt, snd_una, write_seq, high_seq, snd_wnd;
    u32 mss_cache, advmss;
    u32 snd_cwnd, snd_cwnd_cnt, snd_cwnd_clamp, snd_ssthresh, prior_cwnd, prior_ssthresh, snd_cwnd_used, snd_cwnd_stamp;
    u32 packets_out, retrans_out, sacked_out, lost_out, max_packets_out, reordering;
    u32 delivered, delivered_ce, lost, app_limited, total_retrans;
    u64 bytes_acked;
    u64 tcp_mstamp, tcp_clock_cache, tcp_wstamp_ns, delivered_mstamp, first_tx_mstamp; /* us, ns, ns, us, us */
    u32 srtt_us, mdev_us, lsndtime;
    struct minmax rtt_min;
    struct tcp_options_received rx_opt;
    u32 undo_marker;
    u8 ecn_flags;
    u8 is_cwnd_limited, tlp_retrans, nonagle;
};

/* The state of a flow, as the simulator keeps it. */
struct mesonet_linux_flow {
    struct mesonet_window window;
    struct tcp_sock tp;
    u64 random;
    s64 ops; /* the module's functions, from the first ones: a number that a snapshot can keep */
    double initial;
    u32 tsoffset; /* of the receiver: its time stamps begin anywhere, as with net.ipv4.tcp_timestamps = 1 */
    u32 leaves; /* recovery is over: the next acknowledgement ends it, or `undo` */
};

extern __attribute__((visibility("hidden"))) _Thread_local struct mesonet_linux_flow *mesonet_linux_now;
#ifndef MESONET_LINUX_SECOND
_Thread_local struct mesonet_linux_flow *mesonet_linux_now;
#endif

static inline struct tcp_sock *tcp_sk(const struct sock *sk) { return (struct tcp_sock *)sk; }
static inline struct inet_connection_sock *inet_csk(const struct sock *sk) { return (struct inet_connection_sock *)sk; }
static inline void *inet_csk_ca(const struct sock *sk) { return (void *)inet_csk(sk)->icsk_ca_priv; }
static inline struct net *sock_net(const struct sock *sk) {
    static struct net nothing = {{200, 120}};
    (void)sk;
    return &nothing;
}
#define NET_INC_STATS(net, which) ((void)0)
#define __NET_INC_STATS(net, which) ((void)0)
#define NET_ADD_STATS(net, which, count) ((void)(count))
#define INET_ECN_xmit(sk) ((void)(sk))
#define INET_ECN_dontxmit(sk) ((void)(sk))
#define __tcp_send_ack(sk, ...) ((void)(sk))
#define tcp_send_ack(sk) ((void)(sk))

/* Time: simulated, from one second on. */
#define HZ 1000
#define TCP_TS_HZ 1000
#define MSEC_PER_SEC 1000L
#define USEC_PER_MSEC 1000L
#define USEC_PER_SEC 1000000L
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define USEC_PER_JIFFY (USEC_PER_SEC / HZ)

static inline u64 mesonet_linux_ns(void) { return mesonet_linux_now ? mesonet_linux_now->tp.tcp_clock_cache : 0; }
#define jiffies ((unsigned long)(mesonet_linux_ns() / (NSEC_PER_SEC / HZ)))
#define jiffies_64 ((u64)jiffies)
#define tcp_jiffies32 ((u32)jiffies)
#define ktime_get() ((ktime_t)mesonet_linux_ns())
#define ktime_get_ns() mesonet_linux_ns()
#define ktime_get_real_ns() mesonet_linux_ns()
#define sched_clock() mesonet_linux_ns()
#define local_clock() mesonet_linux_ns()
#define tcp_clock_ns() mesonet_linux_ns()
#define tcp_clock_us() (mesonet_linux_ns() / NSEC_PER_USEC)
#define ktime_to_ns(t) (t)
#define ktime_to_us(t) ((t) / NSEC_PER_USEC)
#define ktime_to_ms(t) ((t) / NSEC_PER_MSEC)
#define ktime_sub(a, b) ((a) - (b))
#define ktime_us_delta(a, b) (((a) - (b)) / NSEC_PER_USEC)
#define ns_to_ktime(t) ((ktime_t)(t))
#define tcp_time_stamp(tp) ((u32)((tp)->tcp_mstamp / (USEC_PER_SEC / TCP_TS_HZ)))
#define tcp_time_stamp_ts(tp) tcp_time_stamp(tp)
#define tcp_time_stamp_ms(tp) ((u32)((tp)->tcp_mstamp / USEC_PER_MSEC))
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_before(a, b) time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)
#define time_after32(a, b) ((s32)((u32)(b) - (u32)(a)) < 0)
#define time_before32(a, b) time_after32(b, a)
static inline u32 tcp_stamp_us_delta(u64 later, u64 earlier) { return later > earlier ? (u32)(later - earlier) : 0; }
/* Rounded up, as timers need it. */
static inline unsigned long usecs_to_jiffies(unsigned int us) { return (us + (u64)USEC_PER_JIFFY - 1) / USEC_PER_JIFFY; }
static inline unsigned long msecs_to_jiffies(unsigned int ms) { return ((u64)ms * HZ + MSEC_PER_SEC - 1) / MSEC_PER_SEC; }
static inline unsigned int jiffies_to_usecs(unsigned long j) { return (unsigned int)(j * USEC_PER_JIFFY); }
static inline unsigned int jiffies_to_msecs(unsigned long j) { return (unsigned int)(j * MSEC_PER_SEC / HZ); }

/* Random numbers of the flow (splitmix64). */
static inline u64 get_random_u64(void) {
    u64 z = mesonet_linux_now->random += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}
static inline u32 get_random_u32(void) { return (u32)(get_random_u64() >> 32); }
static inline u8 get_random_u8(void) { return (u8)(get_random_u64() >> 56); }
static inline u16 get_random_u16(void) { return (u16)(get_random_u64() >> 48); }
static inline u32 get_random_u32_below(u32 end) { return (u32)(((u64)get_random_u32() * end) >> 32); }
static inline u32 get_random_u32_inclusive(u32 low, u32 high) { return low + get_random_u32_below(high - low + 1); }
static inline void get_random_bytes(void *at, size_t count) {
    for (u8 *place = at; count--; place++) *place = get_random_u8();
}
#define prandom_u32() get_random_u32()
#define prandom_u32_max(end) get_random_u32_below(end)
#define prandom_bytes(at, count) get_random_bytes(at, count)

/* The window, as modules read and change it */

static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp) { return tp->snd_cwnd; }
static inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 value) { tp->snd_cwnd = value; }
static inline bool tcp_in_slow_start(const struct tcp_sock *tp) { return tp->snd_cwnd < tp->snd_ssthresh; }
static inline bool tcp_in_initial_slowstart(const struct tcp_sock *tp) { return tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH; }
static inline bool tcp_is_cwnd_limited(const struct sock *sk) { return tcp_sk(sk)->is_cwnd_limited; }
static inline u32 tcp_packets_in_flight(const struct tcp_sock *tp) {
    return tp->packets_out + tp->retrans_out - tp->sacked_out - tp->lost_out;
}
static inline u32 tcp_left_out(const struct tcp_sock *tp) { return tp->sacked_out + tp->lost_out; }
static inline u32 tcp_min_rtt(const struct tcp_sock *tp) { return minmax_get(&tp->rtt_min); }
static inline bool tcp_in_cwnd_reduction(const struct sock *sk) {
    u8 state = inet_csk(sk)->icsk_ca_state;
    return state == TCP_CA_CWR || state == TCP_CA_Recovery;
}
/* Three fourths of the window, if that is more (RFC 2861). */
static inline u32 tcp_current_ssthresh(const struct sock *sk) {
    const struct tcp_sock *tp = tcp_sk(sk);
    u32 most = tp->snd_cwnd / 2 + tp->snd_cwnd / 4;
    return tcp_in_cwnd_reduction(sk) || tp->snd_ssthresh > most ? tp->snd_ssthresh : most;
}
static inline u32 tcp_init_cwnd(const struct tcp_sock *tp, const void *route) { (void)tp; (void)route; return (u32)mesonet_linux_now->initial; }
#define tcp_mss_to_mtu(sk, mss) ((mss) + 52)
static inline u32 tcp_tso_autosize(const struct sock *sk, unsigned int mss, int least) {
    u64 bytes = sk->sk_pacing_rate >> sk->sk_pacing_shift;
    u32 segments = (u32)((bytes < sk->sk_gso_max_size ? bytes : sk->sk_gso_max_size) / mss);
    return segments > (u32)least ? segments : (u32)least;
}

/* Slow start up to ssthresh; returns what is left of the acknowledged segments. */
static inline u32 tcp_slow_start(struct tcp_sock *tp, u32 acked) {
    u32 grown = min_t(u32, tp->snd_cwnd + acked, tp->snd_ssthresh);
    u32 left = acked - (grown - tp->snd_cwnd);
    tp->snd_cwnd = min_t(u32, grown, tp->snd_cwnd_clamp);
    return left;
}
/* One segment for each `per` acknowledged ones. */
static inline void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 per, u32 acked) {
    if (tp->snd_cwnd_cnt >= per) { /* `per` became less */
        tp->snd_cwnd_cnt = 0;
        tp->snd_cwnd++;
    }
    tp->snd_cwnd_cnt += acked;
    tp->snd_cwnd += tp->snd_cwnd_cnt / per;
    tp->snd_cwnd_cnt %= per;
    tp->snd_cwnd = min_t(u32, tp->snd_cwnd, tp->snd_cwnd_clamp);
}
static inline void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked) {
    struct tcp_sock *tp = tcp_sk(sk);
    (void)ack;
    if (!tcp_is_cwnd_limited(sk)) return;
    if (tcp_in_slow_start(tp) && !(acked = tcp_slow_start(tp, acked))) return;
    tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}
static inline u32 tcp_reno_ssthresh(struct sock *sk) { return max_t(u32, tcp_sk(sk)->snd_cwnd / 2, 2); }
static inline u32 tcp_reno_undo_cwnd(struct sock *sk) { return max_t(u32, tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd); }

static inline void mesonet_linux_event(struct sock *sk, enum tcp_ca_event event) {
    if (inet_csk(sk)->icsk_ca_ops->cwnd_event) inet_csk(sk)->icsk_ca_ops->cwnd_event(sk, event);
}
static inline void mesonet_linux_state(struct sock *sk, u8 state) {
    if (inet_csk(sk)->icsk_ca_ops->set_state) inet_csk(sk)->icsk_ca_ops->set_state(sk, state);
    inet_csk(sk)->icsk_ca_state = state;
}
/* A reduction begins: ssthresh by the module; the window becomes ssthresh unless the module controls it. */
static inline void mesonet_linux_reduce(struct sock *sk, u8 state) {
    struct tcp_sock *tp = tcp_sk(sk);
    tp->high_seq = tp->snd_nxt;
    tp->snd_cwnd_cnt = 0;
    tp->prior_cwnd = tp->snd_cwnd;
    tp->snd_ssthresh = inet_csk(sk)->icsk_ca_ops->ssthresh(sk);
    mesonet_linux_state(sk, state);
    if (!inet_csk(sk)->icsk_ca_ops->cong_control) tp->snd_cwnd = min_t(u32, tp->snd_cwnd, tp->snd_ssthresh);
}
/* A reduction is over. */
static inline void mesonet_linux_reduced(struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    mesonet_linux_state(sk, TCP_CA_Open);
    if (inet_csk(sk)->icsk_ca_ops->cong_control) return;
    if (tp->snd_ssthresh < TCP_INFINITE_SSTHRESH) {
        tp->snd_cwnd = tp->snd_ssthresh;
        tp->snd_cwnd_stamp = tcp_jiffies32;
    }
    mesonet_linux_event(sk, CA_EVENT_COMPLETE_CWR);
}
/* Modules that reduce for reasons of their own call this. */
static inline void tcp_enter_cwr(struct sock *sk) {
    tcp_sk(sk)->prior_ssthresh = 0;
    if (inet_csk(sk)->icsk_ca_state < TCP_CA_CWR) mesonet_linux_reduce(sk, TCP_CA_CWR);
}

/* Protective load balancing changes paths, of which a flow has one here. */
#define TCP_PLB_SCALE 8
struct tcp_plb_state { u8 consec_cong_rounds, unused; u32 pause_until; };
#define tcp_plb_init(sk, plb) ((void)(sk), (void)(plb))
#define tcp_plb_update_state(sk, plb, ratio) ((void)(sk), (void)(plb), (void)(ratio))
#define tcp_plb_check_rehash(sk, plb) ((void)(sk), (void)(plb))
#define tcp_plb_update_state_upon_rto(sk, plb) ((void)(sk), (void)(plb))

#ifdef MESONET_LINUX_SECOND
#define tcp_register_congestion_control(ops) ((void)(ops), 0)
#define tcp_unregister_congestion_control(ops) ((void)(ops))
#else
static struct tcp_congestion_ops *mesonet_linux_ops;
static inline int tcp_register_congestion_control(struct tcp_congestion_ops *ops) {
    if (!mesonet_linux_ops) mesonet_linux_ops = ops; /* the first one, if a file has several */
    return 0;
}
static inline void tcp_unregister_congestion_control(struct tcp_congestion_ops *ops) { (void)ops; }
#endif

#endif /* MESONET_LINUX_H */

/*
 * The glue: events of mesonet as the calls that tcp_input.c, tcp_output.c and tcp_timer.c make. Behind the module.
 */
#if defined(MESONET_LINUX_GLUE) && !defined(MESONET_LINUX_GLUED)
#define MESONET_LINUX_GLUED

extern int mesonet_linux_start(void) __attribute__((weak));
extern const char mesonet_linux_title[] __attribute__((weak));

static _Thread_local double mesonet_linux_values[MESONET_LINUX_PARAMS];
static _Thread_local bool mesonet_linux_filled;
static _Thread_local int mesonet_linux_refused;

/* Gives the module's variables in this thread the constants of the scenario. */
static void mesonet_linux_fill(const struct mesonet_config *config) {
    size_t bytes = (size_t)mesonet_linux_count * sizeof(double);
    if (mesonet_linux_filled && !memcmp(mesonet_linux_values, config->params, bytes)) return;
    memcpy(mesonet_linux_values, config->params, bytes);
    mesonet_linux_filled = true;
    mesonet_linux_refused = 0;
    for (int i = 0; i < mesonet_linux_count && !mesonet_linux_refused; i++) {
        const struct mesonet_linux_param *param = &mesonet_linux_params[i];
        double value = mesonet_linux_values[i];
        int refused = value == (double)(s64)value ? param->set(value) : -EINVAL;
        if (refused < 0) {
            fprintf(stderr, "mesonet: " MESONET_LINUX_FILE ": the module refuses %s = %.17g (error %d)\n", param->name, value, -refused);
            mesonet_linux_refused = refused;
        }
    }
    if (!mesonet_linux_refused && (mesonet_linux_refused = mesonet_linux_start()) < 0)
        fprintf(stderr, "mesonet: " MESONET_LINUX_FILE ": the module refuses its parameters (error %d)\n", -mesonet_linux_refused);
}

static struct sock *mesonet_linux_enter(void *state, const struct mesonet_config *config, double now) {
    struct mesonet_linux_flow *flow = state;
    struct tcp_sock *tp = &flow->tp;
    mesonet_linux_now = flow;
    mesonet_linux_fill(config);
    tp->tcp_clock_cache = (u64)((now + 1.0) * 1e9 + 0.5);
    tp->tcp_mstamp = tp->tcp_clock_cache / NSEC_PER_USEC;
    tp->tcp_wstamp_ns = tp->tcp_clock_cache;
    tp->inet_conn.icsk_ca_ops = (const void *)((const char *)mesonet_linux_ops + flow->ops);
    /* Careful resume changes the window between two calls. */
    if (flow->window.cwnd >= 2) tp->snd_cwnd = (u32)flow->window.cwnd;
    if (flow->window.ssthresh < (double)TCP_INFINITE_SSTHRESH) tp->snd_ssthresh = (u32)flow->window.ssthresh;
    return &tp->inet_conn.icsk_inet;
}

static void mesonet_linux_leave(void *state) {
    struct mesonet_linux_flow *flow = state;
    struct tcp_sock *tp = &flow->tp;
    struct sock *sk = &tp->inet_conn.icsk_inet;
    flow->ops = (const char *)tp->inet_conn.icsk_ca_ops - (const char *)mesonet_linux_ops;
    tp->inet_conn.icsk_ca_ops = 0; /* snapshots have no addresses */
    flow->window.cwnd = mesonet_linux_refused < 0 ? __builtin_nan("") : tp->snd_cwnd > 1 ? tp->snd_cwnd : 1.0;
    flow->window.ssthresh = tp->snd_ssthresh < TCP_INFINITE_SSTHRESH ? tp->snd_ssthresh : __builtin_inf();
    flow->window.phase = tcp_in_slow_start(tp) ? MESONET_SLOW_START : MESONET_ALTERNATE;
    bool paces = sk->sk_pacing_status != SK_PACING_NONE && sk->sk_pacing_rate != ~0UL;
    flow->window.pacing_rate = paces ? (double)sk->sk_pacing_rate / tp->mss_cache : 0.0;
}

static u32 mesonet_linux_us(double seconds) { return (u32)(seconds * 1e6 + 0.5); }

/* What modules read; the sender of the scenario decides whether it paces by it. tcp(7): 200 % in slow start, 120 % after it. */
static void mesonet_linux_pace(struct sock *sk) {
    struct tcp_sock *tp = tcp_sk(sk);
    if (inet_csk(sk)->icsk_ca_ops->cong_control || !tp->srtt_us) return;
    u64 percent = tp->snd_cwnd < tp->snd_ssthresh / 2 ? 200 : 120;
    u64 segments = max_t(u32, tp->snd_cwnd, tp->packets_out);
    u64 rate = segments * tp->mss_cache * percent * (USEC_PER_SEC / 100) * 8 / tp->srtt_us;
    sk->sk_pacing_rate = min_t(u64, rate, sk->sk_max_pacing_rate);
}

static void mesonet_linux_init(void *state, const struct mesonet_config *config, const struct mesonet_start *start) {
    struct mesonet_linux_flow *flow = state;
    struct tcp_sock *tp = &flow->tp;
    struct sock *sk = mesonet_linux_enter(state, config, start->now);
    flow->random = start->seed;
    flow->tsoffset = (u32)(start->seed >> 32);
    flow->initial = start->initial_window;
    sk->sk_state = TCP_ESTABLISHED;
    sk->sk_family = 2;
    sk->sk_pacing_shift = 10;
    sk->sk_pacing_rate = sk->sk_max_pacing_rate = ~0UL;
    sk->sk_gso_max_size = 65536;
    sk->sk_gso_max_segs = 65535;
    tp->mss_cache = tp->advmss = 1448;
    tp->snd_wnd = 0x7fffffff;
    tp->reordering = 3;
    tp->ecn_flags = TCP_ECN_OK;
    tp->rx_opt.saw_tstamp = tp->rx_opt.tstamp_ok = tp->rx_opt.sack_ok = 1;
    tp->snd_cwnd_clamp = config->max_cwnd < (double)U32_MAX ? (u32)config->max_cwnd : U32_MAX;
    tp->snd_cwnd = min_t(u32, (u32)start->initial_window, tp->snd_cwnd_clamp);
    tp->snd_ssthresh = start->initial_ssthresh < (double)TCP_INFINITE_SSTHRESH ? (u32)start->initial_ssthresh : TCP_INFINITE_SSTHRESH;
    tp->snd_cwnd_stamp = tp->lsndtime = tcp_jiffies32;
    tp->srtt_us = mesonet_linux_us(start->rtt) * 8;
    minmax_reset(&tp->rtt_min, tcp_jiffies32, start->rtt > 0 ? mesonet_linux_us(start->rtt) : ~0U);
    inet_csk(sk)->icsk_rto = HZ;
    mesonet_linux_pace(sk);
    if (mesonet_linux_refused >= 0 && inet_csk(sk)->icsk_ca_ops->init) inet_csk(sk)->icsk_ca_ops->init(sk);
    mesonet_linux_leave(state);
}

/* Between Open and Disorder, as selectively acknowledged segments come and go. */
static void mesonet_linux_order(struct sock *sk, const struct mesonet_ack *ack) {
    struct tcp_sock *tp = tcp_sk(sk);
    if (mesonet_linux_now->leaves && inet_csk(sk)->icsk_ca_state == TCP_CA_Recovery) mesonet_linux_reduced(sk);
    mesonet_linux_now->leaves = 0;
    u8 state = inet_csk(sk)->icsk_ca_state;
    if (state == TCP_CA_Loss && !ack->after_timeout) mesonet_linux_state(sk, state = TCP_CA_Open);
    if (state == TCP_CA_CWR && after(tp->snd_una, tp->high_seq)) {
        mesonet_linux_reduced(sk);
        state = TCP_CA_Open;
    }
    u8 next = tcp_left_out(tp) ? TCP_CA_Disorder : TCP_CA_Open;
    if (state <= TCP_CA_Disorder && state != next) mesonet_linux_state(sk, next);
}

static void mesonet_linux_on_ack(void *state, const struct mesonet_config *config, const struct mesonet_ack *ack) {
    struct mesonet_linux_flow *flow = state;
    struct tcp_sock *tp = &flow->tp;
    struct sock *sk = mesonet_linux_enter(state, config, ack->now);
    const struct tcp_congestion_ops *ops = inet_csk(sk)->icsk_ca_ops;
    u32 una = (u32)ack->una * tp->mss_cache, moved = (una - tp->snd_una) / tp->mss_cache;
    tp->snd_una = una;
    tp->snd_nxt = tp->write_seq = (u32)ack->next * tp->mss_cache;
    tp->bytes_acked = ack->una * tp->mss_cache;
    if (ops->in_ack_event) {
        u32 flags = ack->ce ? CA_ACK_ECE : 0;
        flags |= moved && !ack->ce && inet_csk(sk)->icsk_ca_state == TCP_CA_Open ? CA_ACK_WIN_UPDATE : CA_ACK_SLOWPATH;
        ops->in_ack_event(sk, flags);
    }
    tp->packets_out = (u32)(ack->next - ack->una);
    tp->sacked_out = ack->delivered > ack->una ? min_t(u64, ack->delivered - ack->una, tp->packets_out) : 0;
    u32 left = tp->packets_out - tp->sacked_out;
    tp->lost_out = left > ack->in_flight ? left - ack->in_flight : 0;
    tp->retrans_out = left < ack->in_flight ? ack->in_flight - left : 0;
    tp->max_packets_out = max_t(u32, ack->round_start ? 0 : tp->max_packets_out, tp->packets_out);
    tp->delivered = (u32)ack->delivered;
    tp->delivered_ce += ack->ce;
    tp->delivered_mstamp = tp->tcp_mstamp;
    tp->lost += ack->lost;
    tp->srtt_us = (u32)(ack->srtt * 8e6 + 0.5);
    if (ack->min_rtt > 0) minmax_reset(&tp->rtt_min, tcp_jiffies32, mesonet_linux_us(ack->min_rtt));
    tp->app_limited = ack->app_limited ? max_t(u32, tp->delivered + ack->in_flight, 1) : 0;
    tp->is_cwnd_limited = ack->cwnd_limited || !config->grow_if_cwnd_limited;
    tp->lsndtime = tcp_jiffies32;
    if (ack->rtt > 0) {
        /* Acknowledgements wait nowhere: half of the smallest round trip ago the segment arrived. */
        tp->rx_opt.rcv_tsecr = (u32)((ack->now + 1.0 - ack->rtt) * TCP_TS_HZ);
        tp->rx_opt.rcv_tsval = flow->tsoffset + (u32)((ack->now + 1.0 - ack->min_rtt / 2) * TCP_TS_HZ);
    }
    s32 rtt_us = ack->rtt > 0 ? (s32)mesonet_linux_us(ack->rtt) : -1;
    if (ops->pkts_acked) {
        u32 flown = (u32)(ack->delivered - ack->sample_prior_delivered) * tp->mss_cache;
        struct ack_sample sample = {moved, rtt_us, flown};
        ops->pkts_acked(sk, &sample);
    }
    mesonet_linux_order(sk, ack);
    ops = inet_csk(sk)->icsk_ca_ops;
    if (ops->cong_control) {
        bool valid = ack->delivery_rate > 0 && ack->sample_interval > 0;
        struct rate_sample rs = {
            .prior_delivered = (u32)ack->sample_prior_delivered,
            .delivered = valid ? (s32)(ack->delivered - ack->sample_prior_delivered) : -1,
            .delivered_ce = (s32)ack->sample_ce,
            .interval_us = valid ? (long)(ack->sample_interval * 1e6 + 0.5) : -1,
            .rtt_us = rtt_us,
            .losses = (int)ack->lost,
            .acked_sacked = ack->acked,
            .prior_in_flight = ack->in_flight + ack->acked + ack->lost,
            .tx_in_flight = ack->sample_in_flight,
            .lost = ack->sample_lost,
            .is_app_limited = ack->sample_app_limited,
            .is_ece = ack->ce != 0,
        };
#ifdef MESONET_LINUX_LONG_CONTROL
        ops->cong_control(sk, tp->snd_una, 0, &rs);
#else
        ops->cong_control(sk, &rs);
#endif
    } else if (!ack->in_recovery && !tcp_in_cwnd_reduction(sk)) {
        ops->cong_avoid(sk, tp->snd_una, ack->acked);
        tp->snd_cwnd_stamp = tcp_jiffies32;
    }
    mesonet_linux_pace(sk);
    mesonet_linux_leave(state);
}

static void mesonet_linux_on_loss(void *state, const struct mesonet_config *config, const struct mesonet_loss *loss) {
    struct mesonet_linux_flow *flow = state;
    struct tcp_sock *tp = &flow->tp;
    struct sock *sk = mesonet_linux_enter(state, config, loss->now);
    if (flow->leaves && inet_csk(sk)->icsk_ca_state == TCP_CA_Recovery) mesonet_linux_reduced(sk);
    flow->leaves = 0;
    u8 before = inet_csk(sk)->icsk_ca_state;
    tp->prior_ssthresh = loss->cause == MESONET_ECN || before == TCP_CA_CWR ? 0 : tcp_current_ssthresh(sk);
    if (loss->cause == MESONET_ECN) {
        tcp_enter_cwr(sk);
    } else if (loss->cause == MESONET_FAST_RETRANSMIT) {
        if (before == TCP_CA_CWR) {
            /* Reduced already (tcp_enter_recovery), but for what the module does in set_state. */
            tp->high_seq = tp->snd_nxt;
            mesonet_linux_state(sk, TCP_CA_Recovery);
            if (!inet_csk(sk)->icsk_ca_ops->cong_control) tp->snd_cwnd = min_t(u32, tp->snd_cwnd, tp->snd_ssthresh);
        } else {
            mesonet_linux_reduce(sk, TCP_CA_Recovery);
        }
    } else {
        if (before != TCP_CA_Loss || loss->first_timeout) {
            tp->prior_cwnd = tp->snd_cwnd;
            tp->snd_ssthresh = inet_csk(sk)->icsk_ca_ops->ssthresh(sk);
            mesonet_linux_event(sk, CA_EVENT_LOSS);
        }
        tp->snd_cwnd = 1;
        tp->snd_cwnd_cnt = 0;
        tp->snd_cwnd_stamp = tcp_jiffies32;
        tp->packets_out = loss->in_flight;
        tp->lost_out = loss->in_flight;
        tp->sacked_out = tp->retrans_out = 0;
        mesonet_linux_state(sk, TCP_CA_Loss);
        tp->high_seq = tp->snd_nxt;
    }
    mesonet_linux_leave(state);
}

static void mesonet_linux_on_recovery_exit(void *state, const struct mesonet_config *config, double now) {
    struct mesonet_linux_flow *flow = state;
    (void)config, (void)now;
    /* The module sees the acknowledged segments (pkts_acked) before recovery ends, and undoes before that. */
    flow->leaves = 1;
}

static void mesonet_linux_undo(void *state, const struct mesonet_config *config, const void *before) {
    struct mesonet_linux_flow *flow = state;
    double now = (double)flow->tp.tcp_clock_cache / 1e9 - 1.0;
    (void)before; /* the module undoes what it did */
    flow->leaves = 0;
    struct sock *sk = mesonet_linux_enter(state, config, now);
    struct tcp_sock *tp = &flow->tp;
    tp->snd_cwnd = min_t(u32, inet_csk(sk)->icsk_ca_ops->undo_cwnd(sk), tp->snd_cwnd_clamp);
    if (tp->prior_ssthresh > tp->snd_ssthresh) tp->snd_ssthresh = tp->prior_ssthresh;
    mesonet_linux_state(sk, TCP_CA_Open);
    mesonet_linux_leave(state);
}

static void mesonet_linux_on_idle(void *state, const struct mesonet_config *config, const struct mesonet_idle *idle) {
    struct mesonet_linux_flow *flow = state;
    struct tcp_sock *tp = &flow->tp;
    struct sock *sk = mesonet_linux_enter(state, config, idle->now);
    tp->packets_out = tp->sacked_out = tp->lost_out = tp->retrans_out = 0;
    tp->app_limited = max_t(u32, tp->delivered, 1);
    bool restarts = config->idle_rule != MESONET_IDLE_KEEP && idle->rto > 0 && idle->idle > idle->rto;
    if (restarts && !inet_csk(sk)->icsk_ca_ops->cong_control) {
        mesonet_linux_event(sk, CA_EVENT_CWND_RESTART);
        tp->snd_ssthresh = tcp_current_ssthresh(sk);
        u32 least = min_t(u32, (u32)flow->initial, tp->snd_cwnd);
        if (config->idle_rule == MESONET_IDLE_RFC5681) tp->snd_cwnd = least;
        for (double left = idle->idle - idle->rto; left > 0 && tp->snd_cwnd > least; left -= idle->rto) tp->snd_cwnd /= 2;
        tp->snd_cwnd = max_t(u32, tp->snd_cwnd, least);
        tp->snd_cwnd_stamp = tcp_jiffies32;
    }
    mesonet_linux_event(sk, CA_EVENT_TX_START);
    mesonet_linux_leave(state);
}

static void mesonet_linux_release(void *state) {
    struct mesonet_linux_flow *flow = state;
    mesonet_linux_now = flow;
    mesonet_linux_ops->release(&flow->tp.inet_conn.icsk_inet);
}

/* The bandwidth that `ss -i` would show. */
static void mesonet_linux_report(const void *state, const struct mesonet_config *config, struct mesonet_report *report) {
    struct mesonet_linux_flow *copy = malloc(sizeof *copy); /* a call must not change the state */
    (void)config;
    if (!copy) return;
    memcpy(copy, state, sizeof *copy);
    struct sock *sk = &copy->tp.inet_conn.icsk_inet;
    union tcp_cc_info info;
    int which = 0;
    memset(&info, 0, sizeof info);
    mesonet_linux_now = copy;
    copy->tp.inet_conn.icsk_ca_ops = mesonet_linux_ops;
    if (mesonet_linux_ops->get_info(sk, 1 << (INET_DIAG_BBRINFO - 1), &which, &info) && which == INET_DIAG_BBRINFO)
        report->bandwidth = (double)(((u64)info.bbr.bbr_bw_hi << 32) | info.bbr.bbr_bw_lo) / copy->tp.mss_cache;
    mesonet_linux_now = 0;
    free(copy);
}

static const char *mesonet_linux_trouble;

/* Returns why the module cannot be used; NULL if it can. */
MESONET_EXPORT const char *mesonet_linux_problem(void) { return mesonet_linux_trouble; }

MESONET_EXPORT const struct mesonet_algorithm *mesonet_cc(void) {
    static struct mesonet_algorithm table;
    static struct mesonet_param params[MESONET_LINUX_PARAMS];
    static char name[64], title[256], trouble[128];
    if (table.abi) return &table;
    if (!mesonet_linux_start) {
        mesonet_linux_trouble = "no module: it has no module_init";
        return 0;
    }
    int refused = mesonet_linux_start();
    const struct tcp_congestion_ops *ops = mesonet_linux_ops;
    if (refused < 0) {
        snprintf(trouble, sizeof trouble, "its start function returns the error %d", -refused);
        mesonet_linux_trouble = trouble;
    } else if (!ops) {
        mesonet_linux_trouble = "it registers no struct tcp_congestion_ops";
    } else if (!ops->ssthresh || !ops->undo_cwnd || (!ops->cong_avoid && !ops->cong_control)) {
        mesonet_linux_trouble = "its struct tcp_congestion_ops lacks ssthresh, undo_cwnd, or both cong_avoid and cong_control";
    }
    if (mesonet_linux_trouble) return 0;
    for (int i = 0; i < mesonet_linux_count; i++) {
        const struct mesonet_linux_param *from = &mesonet_linux_params[i];
        const char *doc = "of the module";
        for (int j = 0; j < mesonet_linux_doc_count; j++)
            if (!strcmp(mesonet_linux_docs[j].name, from->name)) doc = mesonet_linux_docs[j].doc;
        params[i] = (struct mesonet_param){from->name, doc, "1", from->least, from->most, from->get(), MESONET_LINUX_FILE};
    }
    snprintf(name, sizeof name, "linux-%s", ops->name);
    snprintf(title, sizeof title, "%s (Linux module)", &mesonet_linux_title ? mesonet_linux_title : ops->name);
#ifndef MESONET_LINUX_SAMPLES
#define MESONET_LINUX_SAMPLES 0
#endif
    table = (struct mesonet_algorithm){
        .abi = MESONET_CC_ABI,
        .size = sizeof table,
        .state_size = sizeof(struct mesonet_linux_flow),
        .flags = (ops->cong_control || MESONET_LINUX_SAMPLES ? MESONET_WANTS_DELIVERY_RATE : 0)
                 | (ops->cong_control ? MESONET_MANAGES_RECOVERY : 0) | (ops->release ? MESONET_HAS_POINTERS : 0)
                 /* DCTCP answers losses in a marked window, in set_state. */
                 | (ops->set_state && ops->flags & TCP_CONG_NEEDS_ECN ? MESONET_LOSS_AFTER_MARK : 0),
        .codepoint = ops->cong_control && !(ops->flags & TCP_CONG_NEEDS_ECN) ? MESONET_NOT_ECT : MESONET_ECT0,
        .param_count = (u32)mesonet_linux_count,
        .name = name,
        .title = title,
        .source = MESONET_LINUX_FILE,
        .params = params,
        .init = mesonet_linux_init,
        .on_ack = mesonet_linux_on_ack,
        .on_loss = mesonet_linux_on_loss,
        .on_recovery_exit = mesonet_linux_on_recovery_exit,
        .on_idle = mesonet_linux_on_idle,
        .undo = mesonet_linux_undo,
        .release = ops->release ? mesonet_linux_release : 0,
        .report = ops->get_info ? mesonet_linux_report : 0,
    };
    return &table;
}

#endif /* MESONET_LINUX_GLUE */
