//! Checks of changes of the network during a run, before the network is known.

use super::{GivenChange, InvalidScenario, invalid, time_text};

/// Holds what was given against its ranges. A change after `duration` seconds, the end of the run, would do
/// nothing; it is refused, as a flow that begins then is.
///
/// # Errors
/// [`InvalidScenario`] with a path below `network.changes`.
pub fn check(changes: &[GivenChange], duration: f64) -> Result<(), InvalidScenario> {
    for (i, change) in changes.iter().enumerate() {
        let path = format!("network.changes[{i}]");
        if change.time > duration {
            let message = format!("after the end of the run; allowed: at most {}", time_text(duration));
            return Err(invalid(format!("{path}.time"), message));
        }
        let values = [change.speed, change.delay, change.factor, change.cost].iter().flatten().count()
            + usize::from(change.state.is_some());
        let fits = match (&change.router, &change.link) {
            (Some(_), None) => change.delay.is_none() && !change.is_of_routes(),
            (None, Some(_)) => change.speed.is_none(),
            _ => false,
        };
        if !fits || values != 1 {
            let message = "a change is of a router, with speed or factor, or of a link, with delay, factor, cost or state";
            return Err(invalid(path, message));
        }
        if change.router.is_some() && change.factor.is_some_and(|factor| factor < 1e-6) {
            return Err(invalid(
                format!("{path}.factor"),
                "a router needs a speed; allowed: at least 0.000001",
            ));
        }
    }
    Ok(())
}
