//! Plug-ins through the table of functions, as a library in C would give it.
#![allow(unsafe_code, reason = "the functions stand for a library in C")]

use crate::support::start;
use mesonet_cc::plugin::abi::{self, ABI, HAS_POINTERS};
use mesonet_cc::plugin::{Fault, Plugin, PluginConfig, Shown, load, mark, marked};
use mesonet_cc::registry::ALGORITHMS;
use mesonet_cc::{AckEvent, Common, Config, Controller, FlowName, IdleEvent, LossCause, LossEvent, Phase};
use mesonet_cc::{MILLISECOND, Positions, Preset, ResumeStep, SECOND, Start};
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

/// The state: a window, a count of acknowledgements.
#[repr(C)]
struct State {
    window: abi::Window,
    acks: f64,
}

unsafe extern "C" fn on_ack(flow: *mut c_void, config: *const abi::Config, ack: *const abi::Ack) {
    let (state, config, ack) = unsafe { (&mut *flow.cast::<State>(), &*config, &*ack) };
    state.acks += 1.0;
    state.window.cwnd += unsafe { *config.params } * f64::from(ack.acked);
    state.window.phase = 2;
    state.window.pacing_rate = state.acks / ack.srtt;
}

unsafe extern "C" fn on_loss(flow: *mut c_void, _: *const abi::Config, loss: *const abi::Loss) {
    let (state, loss) = unsafe { (&mut *flow.cast::<State>(), &*loss) };
    state.window.cwnd = f64::from(loss.in_flight) / 2.0;
}

static RELEASED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn release(_: *mut c_void) {
    RELEASED.fetch_add(1, Ordering::SeqCst);
}

fn table(name: &'static CStr) -> abi::Algorithm {
    let gain = abi::Param {
        name: c"gain".as_ptr(),
        doc: c"segments per acknowledged segment".as_ptr(),
        unit: c"1".as_ptr(),
        min: 0.0,
        max: 1e9,
        value: 1.0,
        source: c"chosen".as_ptr(),
    };
    abi::Algorithm {
        abi: ABI,
        size: size_of::<abi::Algorithm>() as u32,
        state_size: size_of::<State>() as u32,
        flags: 0,
        codepoint: 1,
        param_count: 1,
        name: name.as_ptr(),
        title: c"A test".as_ptr(),
        source: c"chosen".as_ptr(),
        params: Box::leak(Box::new(gain)),
        timer_period: 0.0,
        init: None,
        on_ack: Some(on_ack),
        on_loss: Some(on_loss),
        on_recovery_exit: None,
        on_timer: None,
        on_idle: None,
        on_send: None,
        on_segment_lost: None,
        undo: None,
        release: None,
        on_round: None,
        modes: std::ptr::null(),
        report: None,
    }
}

fn loaded(table: &abi::Algorithm) -> &'static Plugin {
    unsafe { load(table, "digest", ALGORITHMS) }.expect("a table that is right")
}

fn config(plugin: &'static Plugin, gain: f64) -> Config {
    Config::plugin(PluginConfig::new(plugin, Common::of(Preset::Standard), &[gain]))
}

fn ack(now: u64) -> AckEvent {
    AckEvent { now, acked: 2, srtt: SECOND / 2, ..AckEvent::default() }
}

#[test]
fn events_reach_the_functions_and_the_window_comes_back() {
    let config = config(loaded(&table(c"events")), 3.0);
    let mut flow = config.start(&start(10.0, 1e9));
    assert_eq!((flow.cwnd(), flow.pacing_rate(), flow.phase(&config, 0)), (10.0, None, Phase::SlowStart));
    flow.on_ack(&config, &ack(SECOND), Positions::default);
    assert_eq!((flow.cwnd(), flow.pacing_rate()), (16.0, Some(2.0)));
    assert_eq!(flow.phase(&config, 0), Phase::Alternate);

    let before = flow.clone();
    let loss = LossEvent {
        now: SECOND,
        cause: LossCause::FastRetransmit,
        in_flight: 12,
        lost: 1,
        first_timeout: false,
    };
    flow.on_loss(&config, &loss);
    assert_eq!(flow.cwnd(), 6.0);
    flow.undo(&config, &before, SECOND);
    assert_eq!((flow.cwnd(), flow.pacing_rate()), (16.0, Some(2.0)));

    // Without a function of its own the window restarts as others do (RFC 5681, section 4.1).
    flow.on_idle(&config, &IdleEvent { now: 9 * SECOND, idle: 5 * SECOND, rto: SECOND });
    assert_eq!(flow.cwnd(), 10.0);
    flow.on_ack(&config, &ack(9 * SECOND), Positions::default);
    assert_eq!(flow.cwnd(), 16.0, "from the window after the restart");

    // Careful resume changes the window that the plug-in sees.
    flow.on_resume(&config, &ResumeStep::Jump { cwnd: 100.0, rtt: SECOND });
    flow.on_resume(&config, &ResumeStep::Leave { ssthresh: 70.0 });
    assert_eq!((flow.cwnd(), flow.ssthresh()), (100.0, 70.0));
    flow.on_ack(&config, &ack(10 * SECOND), Positions::default);
    assert_eq!(flow.cwnd(), 106.0);
}

#[test]
fn a_state_that_was_written_goes_on() {
    let config = config(loaded(&table(c"written")), 1.0);
    let mut flow = config.start(&start(10.0, 1e9));
    flow.on_ack(&config, &ack(SECOND), Positions::default);
    let text = serde_json::to_string(&flow).expect("plain data");
    let mut read: Controller = serde_json::from_str(&text).expect("what was written");
    for each in [&mut flow, &mut read] {
        each.on_ack(&config, &ack(2 * SECOND), Positions::default);
        assert_eq!((each.cwnd(), each.pacing_rate()), (14.0, Some(4.0)));
    }
    let short = text.replace("\"memory\":[[", "\"memory\":[],\"other\":[[");
    assert!(serde_json::from_str::<Controller>(&short).is_err(), "{short}");
}

#[test]
fn a_fault_unwinds_with_its_place() {
    let config = config(loaded(&table(c"faulty")), f64::MAX.min(1e9));
    let name = FlowName { source: 7, transfer: 3 };
    let mut flow = config.start(&Start { flow: name, ..start(10.0, 1e9) });
    let huge = AckEvent { acked: u32::MAX, ..ack(SECOND) };
    flow.on_ack(&config, &huge, Positions::default);
    assert_eq!(flow.cwnd(), Common::of(Preset::Standard).max_cwnd, "lowered");

    let no_time = AckEvent { srtt: 0, ..ack(1500 * MILLISECOND) };
    let payload = catch_unwind(AssertUnwindSafe(|| flow.on_ack(&config, &no_time, Positions::default)))
        .expect_err("a fault");
    let fault = payload.downcast::<Fault>().expect("the fault of a plug-in");
    assert_eq!(fault.order(), (1500 * MILLISECOND, name));
    assert_eq!(
        fault.message,
        "plug-in faulty: on_ack of source 7, transfer 3, at 1.500000000000 s: it left pacing_rate = inf; allowed: \
         finite, at least 0"
    );
}

#[test]
fn a_write_behind_the_state_is_a_fault() {
    let narrow = abi::Algorithm { state_size: size_of::<abi::Window>() as u32, ..table(c"behind") };
    let config = config(loaded(&narrow), 1.0);
    let mut flow = config.start(&start(10.0, 1e9));
    let payload = catch_unwind(AssertUnwindSafe(|| flow.on_ack(&config, &ack(SECOND), Positions::default)))
        .expect_err("the count of acknowledgements has no room");
    let fault = payload.downcast::<Fault>().expect("a fault");
    assert!(
        fault.message.ends_with("it wrote behind its state; allowed: the 40 bytes of state_size"),
        "{fault}"
    );
}

#[test]
fn a_state_with_pointers_is_released_once() {
    let pointing = abi::Algorithm { flags: HAS_POINTERS, release: Some(release), ..table(c"pointing") };
    let config = config(loaded(&pointing), 1.0);
    let mut flow = config.start(&start(10.0, 1e9));
    flow = config.start(&start(flow.cwnd(), 1e9));
    assert_eq!(RELEASED.load(Ordering::SeqCst), 1, "the first state");
    assert!(catch_unwind(AssertUnwindSafe(|| flow.clone())).is_err(), "no copies");
    drop(flow);
    assert_eq!(RELEASED.load(Ordering::SeqCst), 2);
}

#[repr(C)]
struct Rounds {
    window: abi::Window,
    numbers: [f64; 6],
}

unsafe extern "C" fn on_round(flow: *mut c_void, _: *const abi::Config, round: *const abi::Round) {
    let (state, round) = unsafe { (&mut *flow.cast::<Rounds>(), &*round) };
    let numbers = [round.acked, round.lost, round.losses, round.cwnd_limited].map(f64::from);
    state.numbers[..4].copy_from_slice(&numbers);
    state.numbers[4..].copy_from_slice(&[round.interval, round.rtt]);
    state.window.cwnd += 1.0;
}

#[test]
fn a_round_trip_is_summed_and_ends_before_the_next_acknowledgement() {
    let rounds = abi::Algorithm {
        on_ack: None,
        on_round: Some(on_round),
        state_size: size_of::<Rounds>() as u32,
        ..table(c"rounds")
    };
    let config = config(loaded(&rounds), 1.0);
    let mut flow = config.start(&start(10.0, 1e9));
    let ack = |now, round_start, rtt| AckEvent { now, round_start, rtt, delivered: 99, lost: 1, ..ack(now) };
    flow.on_ack(&config, &ack(SECOND, true, 0), Positions::default);
    assert_eq!(flow.cwnd(), 10.0, "nothing was acknowledged before");
    flow.on_ack(
        &config,
        &AckEvent { cwnd_limited: true, ..ack(2 * SECOND, false, SECOND / 4) },
        Positions::default,
    );
    flow.on_loss(
        &config,
        &LossEvent {
            now: 2 * SECOND,
            cause: LossCause::FastRetransmit,
            in_flight: 12,
            lost: 1,
            first_timeout: false,
        },
    );
    assert_eq!(flow.cwnd(), 6.0, "losses come at once");
    flow.on_ack(&config, &ack(2 * SECOND, false, 3 * SECOND / 4), Positions::default);
    let text = serde_json::to_string(&flow).expect("plain data");
    let mut read: Controller = serde_json::from_str(&text).expect("what was written");
    for each in [&mut flow, &mut read] {
        each.on_ack(&config, &ack(4 * SECOND, true, SECOND), Positions::default);
        assert_eq!(each.cwnd(), 7.0);
        let Controller::Plugin(_) = each else { panic!("a plug-in") };
        let text = serde_json::to_value(&*each).expect("plain data");
        let words = text.to_string();
        for number in [6.0_f64, 3.0, 1.0, 1.0, 4.0, 0.5] {
            assert!(words.contains(&number.to_bits().to_string()), "{number} in {words}");
        }
    }
    flow.on_ack(&config, &ack(5 * SECOND, true, SECOND), Positions::default);
    assert_eq!(flow.cwnd(), 8.0);
}

#[test]
fn a_plug_in_with_pointers_and_undo_shares_them_with_copies() {
    unsafe extern "C" fn undo(flow: *mut c_void, _: *const abi::Config, before: *const c_void) {
        let (state, before) = unsafe { (&mut *flow.cast::<State>(), &*before.cast::<State>()) };
        state.window.cwnd = before.window.cwnd;
    }
    unsafe extern "C" fn forget(_: *mut c_void) {}
    let table =
        abi::Algorithm { flags: HAS_POINTERS, release: Some(forget), undo: Some(undo), ..table(c"shared") };
    let config = config(loaded(&table), 1.0);
    let mut flow = config.start(&start(10.0, 1e9));
    let before = flow.clone();
    flow.on_ack(&config, &ack(SECOND), Positions::default);
    flow.undo(&config, &before, SECOND);
    assert_eq!(flow.cwnd(), 10.0);
}

#[test]
fn tables_that_are_not_right_are_refused() {
    let refused = |table: abi::Algorithm| {
        unsafe { load(&raw const table, "other", ALGORITHMS) }.err().unwrap_or_default()
    };
    let right = table(c"refused");
    assert!(refused(abi::Algorithm { abi: 2, ..right }).starts_with("abi = 2"));
    assert!(refused(abi::Algorithm { state_size: 39, ..right }).starts_with("state_size = 39"));
    assert!(refused(abi::Algorithm { release: Some(release), ..right }).starts_with("release is a function"));
    assert!(refused(abi::Algorithm { name: c"tcp".as_ptr(), ..right }).contains("built-in"));
    assert!(refused(abi::Algorithm { name: c"".as_ptr(), ..right }).starts_with("name = \"\""));
    assert_eq!(refused(right), "");
}

unsafe extern "C" fn report(flow: *const c_void, config: *const abi::Config, report: *mut abi::Report) {
    let (state, config) = unsafe { (&*flow.cast::<State>(), &*config) };
    let report = unsafe { &mut *report };
    report.bandwidth = state.acks * unsafe { *config.params };
    report.mode = state.acks as u32;
}

#[test]
fn a_plug_in_reports_its_mode_and_its_bandwidth() {
    let table =
        abi::Algorithm { modes: c"startup drain".as_ptr(), report: Some(report), ..table(c"reporting") };
    let config = config(loaded(&table), 5.0);
    let mut flow = config.start(&start(10.0, 1e9));
    assert_eq!((flow.mode(&config), flow.bandwidth_estimate(&config)), (None, None));
    let mut seen = Vec::new();
    for second in 1..=3 {
        flow.on_ack(&config, &ack(second * SECOND), Positions::default);
        seen.push((flow.mode(&config), flow.bandwidth_estimate(&config)));
    }
    assert_eq!(seen, [(Some("startup"), Some(5.0)), (Some("drain"), Some(10.0)), (None, Some(15.0))]);
}

#[test]
fn names_of_modes_that_are_not_allowed_are_refused() {
    let load = |table: &abi::Algorithm| unsafe { load(table, "digest", ALGORITHMS) }.expect_err("refused");
    let wrong = abi::Algorithm { modes: c"Startup".as_ptr(), report: Some(report), ..table(c"modes") };
    assert!(load(&wrong).starts_with("modes = \"Startup\"; allowed: a lower-case letter"));
    let none = abi::Algorithm { modes: c"startup".as_ptr(), ..table(c"modes") };
    assert_eq!(load(&none), "report is NULL; allowed: a function, which modes needs");
}

#[test]
fn a_table_from_before_modes_is_read_up_to_its_size() {
    let short = abi::Algorithm {
        size: abi::FIRST_SIZE,
        modes: c"startup".as_ptr(),
        report: Some(report),
        ..table(c"short")
    };
    let config = config(loaded(&short), 1.0);
    let mut flow = config.start(&start(10.0, 1e9));
    flow.on_ack(&config, &ack(SECOND), Positions::default);
    assert_eq!((flow.cwnd(), flow.mode(&config), flow.bandwidth_estimate(&config)), (12.0, None, None));
}

/// 0: not called yet; 1: in the call; 2: the call may return.
static STUCK: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn stuck(_: *mut c_void, _: *const abi::Config, _: *const abi::Ack) {
    STUCK.store(1, Ordering::SeqCst);
    while STUCK.load(Ordering::SeqCst) != 2 {
        std::thread::yield_now();
    }
}

#[test]
fn a_call_of_another_thread_that_lasts_is_found() {
    let config = config(loaded(&abi::Algorithm { on_ack: Some(stuck), ..table(c"stuck") }), 1.0);
    let mut flow = config.start(&Start { flow: FlowName { source: 4, transfer: 2 }, ..start(10.0, 1e9) });
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _shown = Shown::new();
            flow.on_ack(&config, &ack(SECOND), Positions::default);
        });
        while STUCK.load(Ordering::SeqCst) != 1 {
            std::thread::yield_now();
        }
        assert!(mark());
        let call = marked().map(|call| call.to_string());
        assert_eq!(
            call.as_deref(),
            Some("plug-in stuck: on_ack of source 4, transfer 2, at 1.000000000000 s")
        );
        STUCK.store(2, Ordering::SeqCst);
    });
    assert!(marked().is_none(), "the call has returned");
}
