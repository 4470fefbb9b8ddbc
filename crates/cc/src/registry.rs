//! The list of algorithms. One line each; everything that enumerates algorithms reads this list.

use crate::plugin::observed::Observed;
use crate::plugin::{PluginConfig, PluginFlow, abi};
use crate::{
    AckEvent, Algorithm, Codepoint, Common, CongestionControl, IdleEvent, LossEvent, LostSegment, MarkRules,
    Params, Phase, Picos, Positions, ResumeStep, SendEvent, Start, algorithms,
};
use serde::{Deserialize, Serialize};

macro_rules! registry {
    ($($variant:ident => $state:ty,)*) => {
        /// Every algorithm, in the order in which it is listed to users.
        pub const ALGORITHMS: &[Algorithm] = &[$(Algorithm {
            name: <$state>::NAME,
            title: <$state>::TITLE,
            source: <$state>::SOURCE,
            params: <$state as CongestionControl>::Params::ALL,
            shared_slow_start: <$state>::SHARED_SLOW_START,
        },)*];

        /// The constants of one algorithm of a scenario.
        #[derive(Clone, Debug)]
        pub struct Config {
            constants: Constants,
            // Read with each segment: as numbers, not by the algorithm.
            wants_sends: bool,
            wants_delivery_rate: bool,
            manages_recovery: bool,
            is_paced: bool,
            marks: MarkRules,
        }

        #[derive(Clone, Debug)]
        // There is one per algorithm of a scenario, whatever its size.
        #[allow(clippy::large_enum_variant)]
        enum Constants { $($variant(<$state as CongestionControl>::Config),)* Plugin(PluginConfig) }

        /// The state of one flow, whatever its algorithm.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[allow(missing_docs)]
        // The tag has a byte of its own: in spare values of the largest state, every call would have to
        // decode it.
        #[repr(u8)]
        pub enum Controller { $($variant($state),)* Plugin(PluginFlow) }

        impl Config {
            /// Constants of the algorithm called `name` from the values of its `params`; `None` for an
            /// unknown name.
            ///
            /// # Panics
            ///
            /// If there is not one value for each of the `params`.
            #[must_use]
            pub fn new(name: &str, common: Common, values: &[f64]) -> Option<Self> {
                match name {
                    $(<$state>::NAME => {
                        let constants = <$state as CongestionControl>::Params::new(&common, values).into();
                        Some(Self {
                            wants_sends: <$state>::WANTS_SENDS,
                            wants_delivery_rate: <$state>::WANTS_DELIVERY_RATE,
                            manages_recovery: <$state>::MANAGES_RECOVERY,
                            is_paced: <$state>::is_paced(&constants),
                            marks: <$state>::marks(&constants),
                            constants: Constants::$variant(constants),
                        })
                    })*
                    _ => None,
                }
            }

            /// Constants of a plug-in.
            #[must_use]
            pub fn plugin(config: PluginConfig) -> Self {
                Self {
                    wants_sends: config.flag(abi::WANTS_SENDS),
                    wants_delivery_rate: config.flag(abi::WANTS_DELIVERY_RATE),
                    manages_recovery: config.flag(abi::MANAGES_RECOVERY),
                    is_paced: false,
                    marks: MarkRules {
                        rests: !config.flag(abi::GROWS_AFTER_MARK),
                        covers_losses: !config.flag(abi::LOSS_AFTER_MARK),
                    },
                    constants: Constants::Plugin(config),
                }
            }

            /// The algorithm is a plug-in.
            #[must_use]
            pub fn is_plugin(&self) -> bool {
                matches!(self.constants, Constants::Plugin(_))
            }

            /// A new flow of this algorithm.
            #[must_use]
            pub fn start(&self, start: &Start) -> Controller {
                match &self.constants {
                    $(Constants::$variant(c) => Controller::$variant(<$state as CongestionControl>::new(c, start)),)*
                    Constants::Plugin(c) => Controller::Plugin(PluginFlow::new(c, start)),
                }
            }

            /// See [`CongestionControl::timer_period`].
            #[must_use]
            pub fn timer_period(&self) -> Option<Picos> {
                match &self.constants { $(Constants::$variant(c) => <$state>::timer_period(c),)* Constants::Plugin(c) => c.timer_period(), }
            }

            /// See [`CongestionControl::WANTS_SENDS`].
            #[inline]
            #[must_use]
            pub fn wants_sends(&self) -> bool {
                self.wants_sends
            }

            /// See [`CongestionControl::WANTS_DELIVERY_RATE`].
            #[inline]
            #[must_use]
            pub fn wants_delivery_rate(&self) -> bool {
                self.wants_delivery_rate
            }

            /// See [`CongestionControl::MANAGES_RECOVERY`].
            #[inline]
            #[must_use]
            pub fn manages_recovery(&self) -> bool {
                self.manages_recovery
            }

            /// See [`CongestionControl::is_paced`].
            #[inline]
            #[must_use]
            pub fn is_paced(&self) -> bool {
                self.is_paced
            }

            /// See [`CongestionControl::marks`].
            #[inline]
            #[must_use]
            pub fn marks(&self) -> MarkRules {
                self.marks
            }

            /// See [`CongestionControl::codepoint`].
            #[inline]
            #[must_use]
            pub fn codepoint(&self) -> Codepoint {
                match &self.constants { $(Constants::$variant(c) => <$state>::codepoint(c),)* Constants::Plugin(c) => c.codepoint(), }
            }
        }

        // A flow is only ever given the constants it was started with.
        const MISMATCH: &str = "a controller was given the constants of another algorithm";

        impl Controller {
            /// See [`CongestionControl::on_ack`]. Only plug-ins get positions: for others they are not
            /// computed.
            #[inline(always)]
            pub fn on_ack(&mut self, config: &Config, ack: &AckEvent, positions: impl FnOnce() -> Positions) {
                debug_assert!(ack.ce <= ack.segments, "{} marks on {} segments", ack.ce, ack.segments);
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.on_ack(c, ack),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.on_ack(c, ack, positions()),
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::on_loss`].
            pub fn on_loss(&mut self, config: &Config, loss: &LossEvent) {
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.on_loss(c, loss),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.on_loss(c, loss),
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::answers_mark`]. A plug-in gets the first mark of each round trip.
            #[must_use]
            pub fn answers_mark(&self, config: &Config, now: Picos) -> bool {
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.answers_mark(c, now),)*
                    (Self::Plugin(_), Constants::Plugin(_)) => true,
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::on_idle`].
            pub fn on_idle(&mut self, config: &Config, idle: &IdleEvent) {
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.on_idle(c, idle),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.on_idle(c, idle),
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::on_resume`].
            pub fn on_resume(&mut self, config: &Config, step: &ResumeStep) {
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.on_resume(c, step),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.on_resume(c, step),
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::on_recovery_exit`].
            pub fn on_recovery_exit(&mut self, config: &Config, now: Picos) {
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.on_recovery_exit(c, now),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.on_recovery_exit(c, now),
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::undo`].
            pub fn undo(&mut self, config: &Config, before: &Self, now: Picos) {
                match (self, before) { $((Self::$variant(s), Self::$variant(b)) => s.undo(b),)*
                    (Self::Plugin(s), Self::Plugin(b)) => if let Constants::Plugin(c) = &config.constants { s.undo(c, b, now) },
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::on_timer`].
            pub fn on_timer(&mut self, config: &Config, now: Picos) {
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.on_timer(c, now),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.on_timer(c, now),
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::on_send`].
            pub fn on_send(&mut self, config: &Config, send: &SendEvent) {
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.on_send(c, send),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.on_send(c, send),
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::on_segment_lost`].
            pub fn on_segment_lost(&mut self, config: &Config, lost: &LostSegment, now: Picos) {
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.on_segment_lost(c, lost),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.on_segment_lost(c, lost, now),
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// See [`CongestionControl::holds_back`].
            #[must_use]
            pub fn holds_back(&self) -> bool {
                match self { $(Self::$variant(s) => s.holds_back(),)* Self::Plugin(s) => s.holds_back(), }
            }

            /// See [`CongestionControl::phase`].
            #[must_use]
            pub fn phase(&self, config: &Config, now: Picos) -> Phase {
                match (self, &config.constants) { $((Self::$variant(s), Constants::$variant(c)) => s.phase(c, now),)*
                    (Self::Plugin(s), Constants::Plugin(_)) => s.phase(),
                    #[allow(unreachable_patterns)] _ => unreachable!("{MISMATCH}") }
            }

            /// Takes over what the stack of a flow shows; for flows of stacks.
            pub fn observe(&mut self, seen: &Observed) {
                match self {
                    Self::Plugin(s) => s.observe(seen),
                    _ => unreachable!("a built-in algorithm is no stack"),
                }
            }

            /// Congestion window, segments.
            #[inline]
            #[must_use]
            pub fn cwnd(&self) -> f64 {
                match self { $(Self::$variant(s) => s.cwnd(),)* Self::Plugin(s) => s.cwnd(), }
            }

            /// Slow-start threshold, segments.
            #[must_use]
            pub fn ssthresh(&self) -> f64 {
                match self { $(Self::$variant(s) => s.ssthresh(),)* Self::Plugin(s) => s.ssthresh(), }
            }

            /// Pacing rate, segments/s.
            #[inline]
            #[must_use]
            pub fn pacing_rate(&self) -> Option<f64> {
                match self { $(Self::$variant(s) => s.pacing_rate(),)* Self::Plugin(s) => s.pacing_rate(), }
            }

            /// See [`CongestionControl::mode`].
            #[must_use]
            pub fn mode(&self, config: &Config) -> Option<&'static str> {
                match (self, &config.constants) {
                    $((Self::$variant(s), _) => s.mode(),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.mode(c),
                    (Self::Plugin(_), _) => None,
                }
            }

            /// See [`CongestionControl::bandwidth_estimate`].
            #[must_use]
            pub fn bandwidth_estimate(&self, config: &Config) -> Option<f64> {
                match (self, &config.constants) {
                    $((Self::$variant(s), _) => s.bandwidth_estimate(),)*
                    (Self::Plugin(s), Constants::Plugin(c)) => s.bandwidth_estimate(c),
                    (Self::Plugin(_), _) => None,
                }
            }
        }
    };
}

registry! {
    Tcp => algorithms::tcp::Tcp,
    Bic => algorithms::bic::Bic,
    Ctcp => algorithms::ctcp::Ctcp,
    Cubic => algorithms::cubic::Cubic,
    Fast => algorithms::fast::Fast,
    FastAt => algorithms::fast_at::FastAt,
    Hstcp => algorithms::hstcp::Hstcp,
    Htcp => algorithms::htcp::Htcp,
    Illinois => algorithms::illinois::Illinois,
    Scalable => algorithms::scalable::Scalable,
    Vegas => algorithms::vegas::Vegas,
    Westwood => algorithms::westwood::Westwood,
    Dctcp => algorithms::dctcp::Dctcp,
    Prague => algorithms::prague::Prague,
    Bbr => algorithms::bbr::Bbr,
    Bbr3 => algorithms::bbr3::Bbr3,
}

/// The algorithm called `name`.
#[must_use]
pub fn algorithm(name: &str) -> Option<&'static Algorithm> {
    ALGORITHMS.iter().find(|a| a.name == name)
}
