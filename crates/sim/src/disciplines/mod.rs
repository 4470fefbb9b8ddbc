//! Queue disciplines: what a queue does besides holding what fits.
//!
//! Those that decide when a segment arrives ([`Arrives`]) leave the queue the one number that it is. Those
//! that decide when one leaves ([`Holds`]) hold the segments, and each departure is an event. Both engines
//! use the same disciplines. A discipline is a file, with its constants, and a line in the list at the end,
//! from which all else follows.

mod codel;
mod constants;
mod dualpi2;
mod fifo;
mod fq_codel;
mod pi;
mod pi2;
mod pie;
mod queue;
mod red;
mod tail_drop;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod witness;

pub use constants::Range;
pub use queue::{Arrives, Backlog, BufferUnit, Draws, Holds, QueueFacts, Signals, Verdict, Waiting};

use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use tail_drop::TailDrop;

/// A discipline.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Discipline {
    /// It decides at arrival.
    Arrival(Arrival),
    /// It holds the segments.
    Stored(Stored),
}

/// Declares the disciplines besides drop-tail. Of each: its type, the module of this type, which has the name
/// of the discipline in scenarios, and the modules of the constants that it reads.
macro_rules! disciplines {
    (
        constants: $($constants:ident),*;
        at arrival { $($(#[$about_a:meta])* $arrival:ident($module_a:ident: $($of_a:ident),*),)* }
        at departure { $($(#[$about_d:meta])* $departure:ident($module_d:ident: $($of_d:ident),*),)* }
    ) => {
        /// Active queue management: which queues have which discipline, and the constants of all disciplines
        /// (RFC 7567).
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct AqmParameters {
            /// The discipline.
            pub discipline: DisciplineName,
            /// The queues that have it: all, classes of routers, routers, or ports.
            pub at: Vec<String>,
            /// Flows whose algorithm understands marks are ECN-capable: the discipline marks their segments
            /// instead of dropping them.
            pub ecn: bool,
            $(
                /// Constants of this module.
                #[serde(flatten)]
                pub $constants: $constants::Constants,
            )*
        }

        impl AqmParameters {
            /// Ranges of the constants.
            pub fn ranges() -> impl Iterator<Item = &'static Range> {
                [$($constants::Constants::RANGES),*].into_iter().flatten()
            }
        }

        /// Name of a discipline.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum DisciplineName {
            /// A segment that does not fit is dropped.
            DropTail,
            $($(#[$about_a])* $arrival,)*
            $($(#[$about_d])* $departure,)*
        }

        impl DisciplineName {
            /// All names.
            pub const ALL: &[Self] = &[Self::DropTail, $(Self::$arrival,)* $(Self::$departure,)*];

            /// The name in scenarios.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    Self::DropTail => "drop_tail",
                    $(Self::$arrival => stringify!($module_a),)*
                    $(Self::$departure => stringify!($module_d),)*
                }
            }

            /// It decides when a segment leaves, or counts packets: its queue holds the segments, and
            /// departures are events.
            #[must_use]
            pub fn holds_segments(self, counts: BufferUnit) -> bool {
                match self {
                    Self::DropTail => counts == BufferUnit::Packets,
                    $(Self::$arrival => false,)*
                    $(Self::$departure => true,)*
                }
            }

            /// Segments of a flow leave in the order in which they came.
            #[must_use]
            pub fn keeps_order(self) -> bool {
                match self {
                    $(Self::$departure => $module_d::$departure::KEEPS_ORDER,)*
                    _ => true,
                }
            }
        }

        impl Discipline {
            /// The discipline of that name at a queue.
            #[must_use]
            pub fn of(name: DisciplineName, aqm: &AqmParameters, facts: QueueFacts) -> Self {
                match name {
                    DisciplineName::DropTail => match facts.counts {
                        BufferUnit::Bytes => Self::Arrival(Arrival::DropTail),
                        BufferUnit::Packets => Self::Stored(Stored::TailDrop(TailDrop::new(facts))),
                    },
                    $(DisciplineName::$arrival => Self::Arrival(Arrival::$arrival(
                        $module_a::$arrival::new($(&aqm.$of_a,)* facts)
                    )),)*
                    $(DisciplineName::$departure => Self::Stored(Stored::$departure(
                        $module_d::$departure::new($(&aqm.$of_d,)* facts)
                    )),)*
                }
            }
        }

        /// A discipline that decides at arrival.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum Arrival {
            /// A segment may enter if it fits.
            DropTail,
            $($(#[$about_a])* $arrival($module_a::$arrival),)*
        }

        impl Arrives for Arrival {
            fn decide(&mut self, backlog: Backlog, arrival: &Waiting, draws: &mut Draws) -> Verdict {
                match self {
                    Self::DropTail => Verdict::Pass,
                    $(Self::$arrival(state) => state.decide(backlog, arrival, draws),)*
                }
            }
        }

        /// A discipline that holds the segments and decides when they leave.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum Stored {
            /// Drop-tail by the number of packets.
            TailDrop(TailDrop),
            $($(#[$about_d])* $departure($module_d::$departure),)*
        }

        impl Holds for Stored {
            fn enqueue(&mut self, now: Picos, arrival: Waiting, in_service: u32, signals: &mut Signals) {
                match self {
                    Self::TailDrop(state) => state.enqueue(now, arrival, in_service, signals),
                    $(Self::$departure(state) => state.enqueue(now, arrival, in_service, signals),)*
                }
            }

            fn dequeue(&mut self, now: Picos, draws: &mut Draws, signals: &mut Signals) -> Option<Waiting> {
                match self {
                    Self::TailDrop(state) => state.dequeue(now, draws, signals),
                    $(Self::$departure(state) => state.dequeue(now, draws, signals),)*
                }
            }

            fn through(
                &mut self,
                now: Picos,
                arrival: Waiting,
                draws: &mut Draws,
                signals: &mut Signals,
            ) -> Option<Waiting> {
                match self {
                    Self::TailDrop(state) => state.through(now, arrival, draws, signals),
                    $(Self::$departure(state) => state.through(now, arrival, draws, signals),)*
                }
            }

            fn rest(&mut self) {
                match self {
                    Self::TailDrop(state) => state.rest(),
                    $(Self::$departure(state) => state.rest(),)*
                }
            }

            fn waiting(&self) -> Vec<Waiting> {
                match self {
                    Self::TailDrop(state) => state.waiting(),
                    $(Self::$departure(state) => state.waiting(),)*
                }
            }

            fn len(&self) -> usize {
                match self {
                    Self::TailDrop(state) => state.len(),
                    $(Self::$departure(state) => state.len(),)*
                }
            }
        }
    };
}

disciplines! {
    constants: codel, fq_codel, red, pie, pi, dualpi2;
    at arrival {
        /// Random early detection.
        Red(red: red),
        /// Proportional integral controller, enhanced (RFC 8033).
        Pie(pie: pie),
        /// The single queue of RFC 9332, appendix A.
        Pi2(pi2: pi),
    }
    at departure {
        /// Controlled delay (RFC 8289).
        Codel(codel: codel),
        /// Flow queues with controlled delay (RFC 8290).
        FqCodel(fq_codel: codel, fq_codel),
        /// Dual queue, coupled (RFC 9332).
        Dualpi2(dualpi2: pi, dualpi2),
    }
}
