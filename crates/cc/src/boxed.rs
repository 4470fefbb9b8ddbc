//! A large state on the heap: a flow of another algorithm then does not pay for its size.

use crate::{
    AckEvent, Common, CongestionControl, LossEvent, LostSegment, Param, Phase, Picos, SendEvent, Start,
    Window,
};

impl<T: CongestionControl> CongestionControl for Box<T> {
    type Config = T::Config;

    const NAME: &'static str = T::NAME;
    const TITLE: &'static str = T::TITLE;
    const SOURCE: &'static str = T::SOURCE;
    const PARAMS: &'static [Param] = T::PARAMS;
    const SHARED_SLOW_START: bool = T::SHARED_SLOW_START;
    const WANTS_SENDS: bool = T::WANTS_SENDS;
    const WANTS_DELIVERY_RATE: bool = T::WANTS_DELIVERY_RATE;
    const MANAGES_RECOVERY: bool = T::MANAGES_RECOVERY;
    const ECN_CAPABLE: bool = T::ECN_CAPABLE;

    fn config(common: Common, values: &[f64]) -> Self::Config {
        T::config(common, values)
    }

    fn new(config: &Self::Config, start: &Start) -> Self {
        Box::new(T::new(config, start))
    }

    fn on_ack(&mut self, config: &Self::Config, ack: &AckEvent) {
        (**self).on_ack(config, ack);
    }

    fn on_loss(&mut self, config: &Self::Config, loss: &LossEvent) {
        (**self).on_loss(config, loss);
    }

    fn on_recovery_exit(&mut self, config: &Self::Config, now: Picos) {
        (**self).on_recovery_exit(config, now);
    }

    fn on_timer(&mut self, config: &Self::Config, now: Picos) {
        (**self).on_timer(config, now);
    }

    fn on_send(&mut self, config: &Self::Config, send: &SendEvent) {
        (**self).on_send(config, send);
    }

    fn on_segment_lost(&mut self, config: &Self::Config, lost: &LostSegment) {
        (**self).on_segment_lost(config, lost);
    }

    fn holds_back(&self) -> bool {
        (**self).holds_back()
    }

    fn timer_period(config: &Self::Config) -> Option<Picos> {
        T::timer_period(config)
    }

    fn window(&self) -> &Window {
        (**self).window()
    }

    fn cwnd(&self) -> f64 {
        (**self).cwnd()
    }

    fn ssthresh(&self) -> f64 {
        (**self).ssthresh()
    }

    fn pacing_rate(&self) -> Option<f64> {
        (**self).pacing_rate()
    }

    fn phase(&self, config: &Self::Config, now: Picos) -> Phase {
        (**self).phase(config, now)
    }
}
