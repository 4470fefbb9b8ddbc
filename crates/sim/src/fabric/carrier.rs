//! The interface of a fabric, and a fabric that is either of two.

use super::{Alarm, Crossed, DroppedSegment, Event, Origins};
use crate::engine::{FlowId, Segment};
use crate::measure::Histogram;
use crate::network::router::RouterState;
use crate::network::{DomainRouter, LaneId};
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::Picos;

/// A fabric of either kind.
#[derive(Clone, Debug)]
pub enum Either<L, P> {
    /// A domain of the network, by lanes.
    Lanes(L),
    /// The whole network, plainly.
    Plain(P),
}

/// Declares the trait, and gives [`Either`] methods that call those of the fabric it holds.
macro_rules! forwarded {
    (
        $(#[$trait_about:meta])*
        pub trait $trait:ident {
            $($(#[$about:meta])* fn $name:ident $arguments:tt $(-> $result:ty)?;)*
        }
    ) => {
        $(#[$trait_about])*
        pub trait $trait {
            $($(#[$about])* fn $name $arguments $(-> $result)?;)*
        }

        impl<L: $trait, P: $trait> Either<L, P> {
            $(forwarded! { @forward [$(#[$about])*] $name $arguments [$(-> $result)?] })*
        }
    };

    (@forward $about:tt $name:ident (&mut $self:ident $(, $argument:ident: $type:ty)*) $result:tt) => {
        forwarded! { @method $about $name [&mut $self $(, $argument: $type)*] $self ($($argument),*) $result }
    };
    (@forward $about:tt $name:ident (&$self:ident $(, $argument:ident: $type:ty)*) $result:tt) => {
        forwarded! { @method $about $name [&$self $(, $argument: $type)*] $self ($($argument),*) $result }
    };
    (@method [$($about:tt)*] $name:ident [$($given:tt)*] $self:ident $arguments:tt [$($result:tt)*]) => {
        $($about)*
        #[inline]
        pub fn $name($($given)*) $($result)* {
            match $self {
                Self::Lanes(fabric) => fabric.$name $arguments,
                Self::Plain(fabric) => fabric.$name $arguments,
            }
        }
    };
}

forwarded! {
    /// The interface of a fabric. Routers go by their numbers in the domain, lanes by those in the whole
    /// network.
    pub trait Carrier {
        /// The next event of the endpoints, if it comes before `limit`; everything else before it has
        /// happened.
        fn next(&mut self, limit: Picos) -> Option<Event>;

        /// The flow of the acknowledgement that follows the last one on its lane, if that is known.
        fn upcoming(&self) -> Option<FlowId>;

        /// When something happens next; never after the last instant that can be simulated.
        #[must_use]
        fn next_instant(&self) -> Picos;

        /// Sets when an alarm is due.
        fn set_alarm(&mut self, alarm: Alarm, at: Option<Picos>);

        /// A segment reaches a router now, its first one.
        fn arrive(&mut self, now: Picos, router: DomainRouter, segment: Segment);

        /// A packet of a stack reaches its access router now. A function of its own: the other one has one
        /// caller, where segments leave.
        fn enter(&mut self, now: Picos, router: DomainRouter, packet: Segment);

        /// From now on, segments that reach receivers are events of the endpoints, which [`Carrier::answer`].
        fn hand_over(&mut self);

        /// From now on, packets that reach stacks are events of the endpoints.
        fn serve_stacks(&mut self);

        /// The acknowledgement of a segment enters the access router of its receiver now.
        fn answer(&mut self, now: Picos, router: DomainRouter, segment: Segment);

        /// A segment leaves its source on a lane of the flow's own.
        fn send_on(&mut self, now: Picos, lane: LaneId, segment: Segment);

        /// A segment is dropped before it reaches the first router.
        fn drop(&mut self, now: Picos, segment: Segment);

        /// Counts of segments so far.
        #[must_use]
        fn crossed(&self) -> Crossed;

        /// The segments dropped since the last call.
        fn drops(&mut self) -> &mut Vec<DroppedSegment>;

        /// Packets between stacks of which links made a copy since the last call.
        fn copies(&mut self) -> &mut Vec<Segment>;

        /// The segments whose acknowledgements were dropped since the last call, with the instant.
        fn dropped_acks(&mut self) -> &mut Vec<(Picos, Segment)>;

        /// The segments that have reached receivers that are watched since the last call, with their arrival.
        fn arrivals(&mut self) -> &mut Vec<(Picos, Segment)>;

        /// The origins of flows, where acknowledgements pass routers.
        fn origins(&mut self) -> Option<&mut Origins>;

        /// Frees memory that a burst needed and that is no longer in use; between two windows.
        fn shrink(&mut self);

        /// From `now` on a router serves each segment in `service`.
        fn set_service(&mut self, router: DomainRouter, now: Picos, service: Picos);

        /// From now on segments that reach a router follow the routes with this number.
        fn set_routes(&mut self, routes: usize);

        /// Sets the delay of a lane that begins here, from now on. No segment that is sent from now on
        /// arrives before `floor`.
        fn set_delay(&mut self, lane: LaneId, delay: Picos, floor: Picos);

        /// Gives the segments on a lane that ends here other instants of arrival, first to last. Returns the
        /// last of them, 0 where there is none.
        fn retime(&mut self, lane: LaneId, new: impl FnMut(Picos) -> Picos) -> Picos;

        /// A router of this fabric at `now`.
        #[must_use]
        fn router(&self, router: DomainRouter, now: Picos) -> RouterState;

        /// The queue at the port where a lane of this fabric begins, at `now`.
        #[must_use]
        fn port(&self, lane: LaneId, now: Picos) -> RouterState;

        /// Hands over the delays that a queue has recorded, and forgets them. The queue goes by its number in
        /// the whole network; it is at a port, or at `router`.
        fn take_delays(&mut self, queue: usize, router: DomainRouter) -> Option<Histogram>;

        /// From now on, records one-way delays of segments.
        fn record_segment_delays(&mut self);

        /// Hands over the one-way delays of segments that were recorded, and forgets them.
        fn take_segment_delays(&mut self) -> Option<Histogram>;

        /// Segments that wait in queues which hold them.
        #[must_use]
        fn waiting(&self) -> Vec<Segment>;

        /// All segments, with the lane on which each is.
        #[must_use]
        fn segments(&self) -> Vec<(LaneId, Segment)>;

        /// Writes or replaces what changes during a run; between two windows, when nothing waits to be handed
        /// over.
        ///
        /// # Errors
        /// [`BadSnapshot`] where the bytes are of no such fabric.
        fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot>;
    }
}
