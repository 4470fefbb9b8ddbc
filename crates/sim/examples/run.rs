//! Runs a scenario given as canonical JSON and prints its responses: `cargo run --release --example run --
//! FILE [SEED]`.

use mesonet_sim::{Scenario, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("give the file of a canonical scenario")?;
    let seed = arguments.next().map_or(Ok(1), |s| s.parse())?;
    let mut simulation = Simulation::new(Scenario::from_json(&std::fs::read_to_string(file)?)?, seed)?;
    simulation.advance(f64::INFINITY);
    for (period, name, value) in simulation.responses() {
        println!("{period:>9} {name:30} {value}");
    }
    println!("router_hops {}", simulation.router_hops());
    Ok(())
}
