//! Windows, rates and modes of congestion controls of QUIC stacks: their metrics, and the mode in the text of
//! `Debug`.

use super::{Controller, difference};
use mesonet_cc::plugin::observed::Observed;
use std::fmt::{self, Debug, Write};

/// Modes by their number less 1, with the text that `Debug` has for them.
const MODES: [(&str, &str); 7] = [
    ("startup", "Startup"),
    ("drain", "Drain"),
    ("probe_bw", "ProbeBw"),
    ("probe_down", "ProbeBw(Down)"),
    ("probe_cruise", "ProbeBw(Cruise)"),
    ("probe_refill", "ProbeBw(Refill)"),
    ("probe_up", "ProbeBw(Up)"),
];

/// Names of the modes.
pub const MODE_NAMES: &[&str] =
    &["startup", "drain", "probe_bw", "probe_down", "probe_cruise", "probe_refill", "probe_up", "probe_rtt"];

/// Numbers that a controller shows; windows and rates in bytes.
pub fn control(controller: &dyn Controller) -> Observed {
    let metrics = controller.metrics();
    let (window, ssthresh) = (metrics.congestion_window, metrics.ssthresh);
    let mode = difference::state(controller).map_or(0, |state| {
        if state == "ProbeRtt" {
            return 8;
        }
        MODES.iter().position(|(_, text)| *text == state).map_or(0, |place| place as u32 + 1)
    });
    let shown = difference::rates(&metrics);
    Observed {
        cwnd: Some(window as f64),
        ssthresh: ssthresh.filter(|bytes| *bytes != u64::MAX).map(|bytes| bytes as f64),
        pacing_rate: shown[0],
        slow_start: mode == 1 || ssthresh.is_some_and(|ssthresh| window < ssthresh),
        mode,
        bandwidth: shown[1].unwrap_or(0.0),
    }
}

/// The value of a field in what `Debug` writes; nothing behind it is written.
pub fn field(value: &dyn Debug, name: &str) -> Option<String> {
    let mut finder = Finder { before: format!(", {name}: "), text: String::new(), depth: None };
    let _ = write!(finder, "{value:?}");
    (finder.depth == Some(0)).then(|| finder.text.trim_end_matches(", ").to_owned())
}

/// Looks for a field in a text that comes in pieces.
struct Finder {
    before: String,
    text: String,
    /// Open parentheses in the value, which has begun; 0 at its end.
    depth: Option<u32>,
}

impl Write for Finder {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        for letter in piece.chars() {
            self.text.push(letter);
            match &mut self.depth {
                None => {
                    if self.text.ends_with(&self.before) {
                        self.text.clear();
                        self.depth = Some(1);
                    } else if self.text.len() > 4 * self.before.len() {
                        let rest = self.text.len() - self.before.len();
                        self.text.drain(..rest);
                    }
                }
                Some(depth) => {
                    match letter {
                        '(' => *depth += 1,
                        ')' => *depth -= 1,
                        ',' if *depth == 1 => *depth = 0,
                        _ => {}
                    }
                    if *depth == 0 {
                        self.text.pop();
                        return Err(fmt::Error);
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    #[expect(dead_code, reason = "read by Debug")]
    enum Phase {
        ProbeBw(u8),
    }

    #[derive(Debug)]
    #[expect(dead_code, reason = "read by Debug")]
    struct Machine {
        undo_state: u8,
        state: Phase,
        later: u8,
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let machine = Machine { undo_state: 1, state: Phase::ProbeBw(2), later: 3 };
        assert_eq!(field(&machine, "state").as_deref(), Some("ProbeBw(2)"));
        assert_eq!(field(&machine, "other"), None);
    }
}
