//! The table of demands: what a matrix or a process of arrivals offers, and what the network carried of it.

use super::look::Look;
use crate::measure::Table;
use crate::network::AccessRouter;
use crate::network::places::AccessPlaces;
use crate::network::traffic::MATRIX;
use crate::scenario::{Demand, Traffic};
use mesonet_cc::{picos, seconds};

/// Rows of the table.
#[derive(Default)]
struct Rows {
    causes: Vec<String>,
    ends: [Vec<String>; 2],
    offered: Vec<f64>,
    carried: Vec<f64>,
}

/// A row for each demand of a matrix of rates, and each pair of a process between `from` and `to`.
pub fn table(look: &Look) -> Table {
    let (scenario, network) = (&look.shared.scenario, &look.shared.network);
    let places = AccessPlaces { scenario, topology: &network.topology, routers: &network.access };
    let carried = look.carried();
    let warmup = picos(scenario.time.warmup);
    let measured = seconds(look.now.saturating_sub(warmup));
    let mut rows = Rows::default();
    let by_demand = |path: &str, matrix: &[Demand], cause| {
        let demands = places.demands(path, matrix).expect("the network was built from it");
        places.by_demand(&demands, carried.of(cause))
    };
    if let Traffic::Given(matrix) = &scenario.users.traffic {
        if look.shared.users_have_rates {
            let factor = scenario.users.traffic_factor;
            for (demand, segments) in matrix.iter().zip(by_demand(MATRIX, matrix, 0)) {
                rows.add("users", [&demand.from, &demand.to], demand.amount() * factor, segments / measured);
            }
        }
    }
    for (number, (process, arrivals)) in scenario.arrivals.iter().zip(&network.arrivals).enumerate() {
        let cause = number as u32 + 1;
        let name = format!("arrivals[{number}]");
        let [start, stop] =
            [process.start, process.stop.unwrap_or(f64::INFINITY)].map(|at| at.max(scenario.time.warmup));
        let span = (stop.min(seconds(look.now)) - start).max(0.0);
        // Part of the measured time in which its flows arrive.
        let part = span / measured;
        match &process.matrix {
            Some(matrix) => {
                let scale = if process.rate.is_some() || process.load.is_some() {
                    arrivals.rate * arrivals.mean_size / matrix.iter().map(Demand::amount).sum::<f64>()
                } else {
                    process.factor.unwrap_or(1.0)
                };
                let got = by_demand(&format!("{name}.matrix"), matrix, cause);
                for (demand, segments) in matrix.iter().zip(got) {
                    let offered = demand.amount() * scale * part;
                    rows.add(&name, [&demand.from, &demand.to], offered, segments / measured);
                }
            }
            None => {
                let router =
                    |access: AccessRouter| &network.topology.routers[network.access[access.index()]].name;
                let pairs = arrivals.equal_pairs();
                let mut got = carried.of(cause).peekable();
                for pair in &pairs {
                    let segments = got.next_if(|next| next.0 == *pair).map_or(0, |next| next.1);
                    let offered = arrivals.rate * arrivals.mean_size * part / pairs.len() as f64;
                    rows.add(&name, pair.map(router), offered, segments as f64 / measured);
                }
            }
        }
    }
    rows.table()
}

impl Rows {
    fn add(&mut self, cause: &str, ends: [&String; 2], offered: f64, carried: f64) {
        self.causes.push(cause.to_owned());
        self.ends.iter_mut().zip(ends).for_each(|(column, end)| column.push(end.clone()));
        self.offered.push(offered);
        self.carried.push(carried);
    }

    fn table(self) -> Table {
        let ratio = self.carried.iter().zip(&self.offered).map(|(carried, offered)| carried / offered);
        let ratio = ratio.map(|ratio| if ratio.is_finite() { ratio } else { f64::NAN }).collect();
        let [from, to] = self.ends;
        let mut table = Table::default();
        table.text("traffic", self.causes);
        table.text("from", from);
        table.text("to", to);
        table.float("offered", self.offered);
        table.float("carried", self.carried);
        table.float("ratio", ratio);
        table
    }
}
