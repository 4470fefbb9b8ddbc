// Standard TCP by the rules of RFC 5681: slow start, additive increase, multiplicative decrease.
const mesonet = @cImport(@cInclude("mesonet_cc.h"));

const params = [_]mesonet.struct_mesonet_param{
    .{ .name = "increase", .doc = "window growth per round trip", .unit = "segments", .min = 0, .max = 1000, .value = 1, .source = "RFC 5681, section 3.1" },
    .{ .name = "decrease", .doc = "part of the window given up after a loss", .unit = "1", .min = 0.01, .max = 0.99, .value = 0.5, .source = "RFC 5681, section 3.1" },
};

const Window = mesonet.struct_mesonet_window;

fn phase(window: *Window) void {
    window.phase = if (window.cwnd < window.ssthresh) mesonet.MESONET_SLOW_START else mesonet.MESONET_STANDARD;
}

fn on_ack(flow: ?*anyopaque, config: [*c]const mesonet.struct_mesonet_config, ack: [*c]const mesonet.struct_mesonet_ack) callconv(.c) void {
    const window: *Window = @ptrCast(@alignCast(flow.?));
    if (mesonet.mesonet_may_grow(config, ack) == 0) return;
    var left = mesonet.mesonet_slow_start(window, config, ack.*.acked);
    while (left > 0) : (left -= 1) {
        window.cwnd = mesonet.mesonet_bound(config, window.cwnd + config.*.params[0] / window.cwnd);
    }
    phase(window);
}

fn on_loss(flow: ?*anyopaque, config: [*c]const mesonet.struct_mesonet_config, loss: [*c]const mesonet.struct_mesonet_loss) callconv(.c) void {
    const window: *Window = @ptrCast(@alignCast(flow.?));
    const basis = mesonet.mesonet_basis(window, config, loss);
    mesonet.mesonet_back_off(window, config, loss, basis * (1 - config.*.params[1]), basis / 2);
    phase(window);
}

const aimd = mesonet.struct_mesonet_algorithm{
    .abi = mesonet.MESONET_CC_ABI,
    .size = @sizeOf(mesonet.struct_mesonet_algorithm),
    .state_size = @sizeOf(Window),
    .codepoint = mesonet.MESONET_ECT0,
    .param_count = params.len,
    .name = "aimd-zig",
    .title = "AIMD in Zig",
    .source = "RFC 5681",
    .params = &params,
    .on_ack = on_ack,
    .on_loss = on_loss,
};

export fn mesonet_cc() *const mesonet.struct_mesonet_algorithm {
    return &aimd;
}
