//! File sizes: Web objects, and larger files that are multiples of them.

use crate::random::Stream;
use crate::scenario::UserParameters;

/// Names of the categories, in the order of their numbers; the last two are explicit flows and open-loop
/// arrivals.
pub const FILE_CATEGORIES: [&str; 6] =
    ["web object", "document", "service pack", "movie", "explicit", "arrival"];

/// Category of service packs.
pub const SERVICE_PACK: u8 = 2;
/// Category of movies.
pub const MOVIE: u8 = 3;
/// Category of explicit flows.
pub const EXPLICIT: u8 = 4;
/// Category of open-loop arrivals.
pub const ARRIVAL: u8 = 5;

/// Draws category and size of a file.
#[derive(Clone, Debug)]
pub struct FileSizes {
    shape: f64,
    smallest: f64,
    /// Probability and factor of movies, service packs and documents.
    larger: [(f64, f64, u8); 3],
}

impl FileSizes {
    /// From the parameters of a scenario.
    #[must_use]
    pub fn new(users: &UserParameters) -> Self {
        Self {
            shape: users.size_shape,
            // Mean of a Pareto distribution: smallest x shape / (shape - 1).
            smallest: users.web_object_size * (users.size_shape - 1.0) / users.size_shape,
            larger: [
                (users.drawn(users.movie_probability), users.movie_factor, MOVIE),
                (users.drawn(users.service_pack_probability), users.service_pack_factor, SERVICE_PACK),
                (users.document_probability, users.document_factor, 1),
            ],
        }
    }

    /// Category (index of [`FILE_CATEGORIES`]) and size in segments, at least 1.
    pub fn draw(&self, stream: &mut Stream) -> (u8, u64) {
        let mut u = stream.uniform();
        let web_object = stream.pareto(self.shape, self.smallest);
        for (probability, factor, category) in self.larger {
            if u < probability {
                return (category, segments(web_object * factor));
            }
            u -= probability;
        }
        (0, segments(web_object))
    }

    /// The size of the same draw as a file of a category, segments.
    pub fn size(&self, stream: &mut Stream, category: u8) -> u64 {
        stream.uniform();
        let factor = self.larger.iter().find(|larger| larger.2 == category).map_or(1.0, |larger| larger.1);
        segments(stream.pareto(self.shape, self.smallest) * factor)
    }
}

fn segments(size: f64) -> u64 {
    // The largest draw, 2^53 to the power 1 / shape, stays far below 2^63 for the sizes that a scenario
    // allows.
    size.round().clamp(1.0, 9e18) as u64
}
