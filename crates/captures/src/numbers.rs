//! Numbers of headers: counters that wrap, medians, and digits for messages.

/// Numbers of 32 bits that go on where they wrap.
#[derive(Default)]
pub struct Unwrapped {
    last: Option<i64>,
}

impl Unwrapped {
    /// Returns the next number, at most half of all numbers from the number before.
    pub fn next(&mut self, number: u32) -> i64 {
        let next = self.last.map_or(i64::from(number), |last| last + apart(number, last as u32));
        self.last = Some(next);
        next
    }
}

/// Returns how far a number is behind another one, by the shorter way.
pub fn apart(number: u32, from: u32) -> i64 {
    i64::from(number.wrapping_sub(from) as i32)
}

/// Counts of small numbers.
pub struct Counts([u64; 256]);

impl Default for Counts {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Counts {
    pub fn add(&mut self, number: u8) {
        self.0[usize::from(number)] += 1;
    }

    /// Returns the median, rounded down; 0 without numbers.
    pub fn median(&self) -> u32 {
        let count: u64 = self.0.iter().sum();
        let at = |place: u64| {
            let mut below = 0;
            let found = self.0.iter().position(|own| {
                below += own;
                below > place
            });
            found.unwrap_or(0)
        };
        (at(count.saturating_sub(1) / 2) + at(count / 2)) as u32 / 2
    }
}

/// Returns a number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number from 0 on with three significant digits.
pub fn significant(number: f64) -> String {
    let mut digits = 2;
    let mut size = number;
    while size >= 10.0 && digits > 0 {
        size /= 10.0;
        digits -= 1;
    }
    while size > 0.0 && size < 1.0 && digits < 9 {
        size *= 10.0;
        digits += 1;
    }
    let text = format!("{number:.digits$}");
    if digits > 0 { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Unwrapped, grouped, significant};

    #[test]
    fn numbers_go_on_where_they_wrap() {
        let mut numbers = Unwrapped::default();
        let found = [0, u32::MAX, 5, 2_000_000_000, 4_000_000_000, 100].map(|number| numbers.next(number));
        assert_eq!(found, [0, -1, 5, 2_000_000_000, 4_000_000_000, (1 << 32) + 100]);
    }

    #[test]
    fn medians_are_in_the_middle() {
        let mut counts = Counts::default();
        assert_eq!(counts.median(), 0);
        [12, 24, 12, 24].into_iter().for_each(|number| counts.add(number));
        assert_eq!(counts.median(), 18);
        counts.add(12);
        assert_eq!(counts.median(), 12);
    }

    #[test]
    fn numbers_are_short_in_messages() {
        assert_eq!([0, 999, 1000, 5_000_000].map(grouped), ["0", "999", "1,000", "5,000,000"]);
        let found = [0.0, 0.01, 12.3456, 40.0, 99.96, 123.4, 12345.0].map(significant);
        assert_eq!(found, ["0", "0.01", "12.3", "40", "100", "123", "12345"]);
    }
}
