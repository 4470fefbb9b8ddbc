//! Prints how many times as fast as one thread several threads could be at most, by the work of the domains
//! in each window: `cargo run --release --example bound -- FILE FROM_S THREADS...`. FILE is a canonical
//! scenario.

use mesonet_sim::{Scenario, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("give the file of a canonical scenario")?;
    let from = arguments.next().ok_or("give the instant from which windows count, s")?.parse()?;
    let threads: Vec<usize> = arguments.map(|count| count.parse()).collect::<Result<_, _>>()?;
    let mut simulation = Simulation::new(Scenario::from_json(&std::fs::read_to_string(file)?)?, 1)?;
    simulation.advance(from);
    simulation.watch_windows(&threads);
    simulation.advance(f64::INFINITY);
    for (threads, bound) in simulation.bounds_of_threads() {
        println!("{threads} {bound:.3}");
    }
    Ok(())
}
