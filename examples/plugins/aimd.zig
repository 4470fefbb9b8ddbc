// Standard TCP by the rules of RFC 5681: slow start, additive increase, multiplicative decrease. The structs are those of
// mesonet_cc.h; rules of the presets other than the standard one (timeout_rule, reduce_from) are left out.
const Window = extern struct { cwnd: f64, ssthresh: f64, pacing_rate: f64, phase: u32, holds_back: u32, initial: f64 };

const Config = extern struct {
    params: [*]const f64,
    max_cwnd: f64,
    timeout_rule: u32,
    idle_rule: u32,
    reduce_from_flight: u32,
    grow_if_cwnd_limited: u32,
};

const Ack = extern struct {
    now: f64,
    rtt: f64,
    min_rtt: f64,
    srtt: f64,
    delivery_rate: f64,
    sample_interval: f64,
    sample_prior_delivered: u64,
    delivered: u64,
    acked: u32,
    in_flight: u32,
    lost: u32,
    ce: u32,
    sample_in_flight: u32,
    sample_lost: u32,
    sample_ce: u32,
    sample_app_limited: u32,
    round_start: u32,
    in_recovery: u32,
    after_timeout: u32,
    cwnd_limited: u32,
    app_limited: u32,
    reserved: u32,
};

const Loss = extern struct { now: f64, cause: u32, in_flight: u32, lost: u32, first_timeout: u32 };

const Param = extern struct {
    name: [*:0]const u8,
    doc: [*:0]const u8,
    unit: [*:0]const u8,
    min: f64,
    max: f64,
    value: f64,
    source: [*:0]const u8,
};

const Algorithm = extern struct {
    abi: u32 = 1,
    size: u32 = @sizeOf(Algorithm),
    state_size: u32,
    flags: u32 = 0,
    codepoint: u32,
    param_count: u32,
    name: [*:0]const u8,
    title: [*:0]const u8,
    source: [*:0]const u8,
    params: [*]const Param,
    timer_period: f64 = 0,
    init: ?*const anyopaque = null,
    on_ack: *const fn (*Window, *const Config, *const Ack) callconv(.c) void,
    on_loss: *const fn (*Window, *const Config, *const Loss) callconv(.c) void,
    others: [7]?*const anyopaque = @splat(null),
};

const slow_start = 0;
const standard = 1;
const timeout = 1;

fn choosePhase(window: *Window) void {
    window.phase = if (window.cwnd < window.ssthresh) slow_start else standard;
}

fn onAck(window: *Window, config: *const Config, ack: *const Ack) callconv(.c) void {
    if (ack.in_recovery != 0 or (ack.cwnd_limited == 0 and config.grow_if_cwnd_limited != 0)) return;
    var left = ack.acked;
    while (left > 0) : (left -= 1) {
        const room = window.ssthresh - window.cwnd;
        const growth = if (room > 0) @min(1, room) else config.params[0] / window.cwnd;
        window.cwnd = @min(window.cwnd + growth, config.max_cwnd);
    }
    choosePhase(window);
}

fn onLoss(window: *Window, config: *const Config, loss: *const Loss) callconv(.c) void {
    const basis = @min(@as(f64, @floatFromInt(loss.in_flight)), window.cwnd);
    const part: f64 = if (loss.cause == timeout) 0.5 else 1 - config.params[1];
    if (loss.cause != timeout or loss.first_timeout != 0) window.ssthresh = @max(basis * part, 2);
    window.cwnd = if (loss.cause == timeout) 1 else window.ssthresh;
    choosePhase(window);
}

const rfc5681 = "RFC 5681, section 3.1";
const params = [_]Param{
    .{
        .name = "increase",
        .doc = "window growth per round trip",
        .unit = "segments",
        .min = 0,
        .max = 1000,
        .value = 1,
        .source = rfc5681,
    },
    .{
        .name = "decrease",
        .doc = "part of the window given up after a loss",
        .unit = "1",
        .min = 0.01,
        .max = 0.99,
        .value = 0.5,
        .source = rfc5681,
    },
};

const aimd = Algorithm{
    .state_size = @sizeOf(Window),
    .codepoint = 1,
    .param_count = params.len,
    .name = "aimd-zig",
    .title = "AIMD in Zig",
    .source = "RFC 5681",
    .params = &params,
    .on_ack = onAck,
    .on_loss = onLoss,
};

export fn mesonet_cc() *const Algorithm {
    return &aimd;
}
