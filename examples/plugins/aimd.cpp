// Standard TCP by the rules of RFC 5681: slow start, additive increase, multiplicative decrease.
#include "mesonet_cc.h"

namespace {

enum { INCREASE, DECREASE };

const mesonet_param params[] = {
    {"increase", "window growth per round trip", "segments", 0.0, 1000.0, 1.0, "RFC 5681, section 3.1"},
    {"decrease", "part of the window given up after a loss", "1", 0.01, 0.99, 0.5, "RFC 5681, section 3.1"},
};

// The state of a flow begins with its window.
struct Aimd : mesonet_window {
    void acknowledged(const mesonet_config &config, const mesonet_ack &ack) {
        if (!mesonet_may_grow(&config, &ack)) return;
        for (uint32_t left = mesonet_slow_start(this, &config, ack.acked); left > 0; left--)
            cwnd = mesonet_bound(&config, cwnd + config.params[INCREASE] / cwnd);
        choose_phase();
    }

    void lost(const mesonet_config &config, const mesonet_loss &loss) {
        const double basis = mesonet_basis(this, &config, &loss);
        mesonet_back_off(this, &config, &loss, basis * (1.0 - config.params[DECREASE]), basis / 2.0);
        choose_phase();
    }

    void choose_phase() { phase = cwnd < ssthresh ? MESONET_SLOW_START : MESONET_STANDARD; }
};

mesonet_algorithm make() {
    mesonet_algorithm aimd = {};
    aimd.abi = MESONET_CC_ABI;
    aimd.size = sizeof aimd;
    aimd.state_size = sizeof(Aimd);
    aimd.codepoint = MESONET_ECT0;
    aimd.param_count = sizeof params / sizeof *params;
    aimd.name = "aimd-cpp";
    aimd.title = "AIMD in C++";
    aimd.source = "RFC 5681";
    aimd.params = params;
    aimd.on_ack = [](void *flow, const mesonet_config *config, const mesonet_ack *ack) {
        static_cast<Aimd *>(flow)->acknowledged(*config, *ack);
    };
    aimd.on_loss = [](void *flow, const mesonet_config *config, const mesonet_loss *loss) {
        static_cast<Aimd *>(flow)->lost(*config, *loss);
    };
    return aimd;
}

}  // namespace

MESONET_EXPORT const mesonet_algorithm *mesonet_cc(void) {
    static const mesonet_algorithm aimd = make();
    return &aimd;
}
