//! The tiers below a backbone: points of presence and access routers, joined by links without delay.

use super::placement::{Attachment, Backbone};
use super::topology::{LinkSpec, RouterClass, RouterSpec, Topology};
use crate::scenario::{InvalidScenario, TierParameters};

/// The tiers below a lettered backbone: A with A1, A1a and A0a. `largest` are its largest metropolitan areas.
/// Long-lived flows run between the direct routers of the given pairs of letters if all of these have one.
///
/// # Errors
/// [`InvalidScenario`] with a path below `tiers` for a name that no router has.
pub fn lettered(
    name: &str,
    links: Vec<LinkSpec>,
    even: Vec<Attachment>,
    largest: &[usize],
    tiers: &TierParameters,
    long_lived: [(char, char); 3],
) -> Result<Topology, InvalidScenario> {
    let letter = |i: usize| char::from(b'A' + i as u8).to_string();
    let backbone = Backbone {
        name: name.into(),
        routers: (0..even.len()).map(|i| RouterSpec::new(letter(i), RouterClass::Backbone, i)).collect(),
        links,
        largest: largest.to_vec(),
        separator: "",
    };
    let mut topology = with_tiers(backbone, even, tiers)?;
    let direct = |letter: char| format!("{letter}0a");
    let pairs = long_lived.map(|(a, b)| (direct(a), direct(b)));
    if pairs.iter().all(|(a, b)| topology.router(a).is_some() && topology.router(b).is_some()) {
        topology.long_lived = pairs.to_vec();
    }
    Ok(topology)
}

/// Builds the tiers below a backbone: those of `even`, and those that `tiers` places.
///
/// # Errors
/// [`InvalidScenario`] with a path below `tiers` for a name that no router has.
pub fn with_tiers(
    backbone: Backbone,
    even: Vec<Attachment>,
    tiers: &TierParameters,
) -> Result<Topology, InvalidScenario> {
    let attachments = backbone.place(even, tiers)?;
    let Backbone { name, routers: backbone, links, separator, .. } = backbone;
    let regions = backbone.len();
    let (mut routers, mut links) = (backbone, links);
    let mut attach = |routers: &mut Vec<RouterSpec>, name: String, class, region, above| {
        routers.push(RouterSpec::new(name, class, region));
        links.push(LinkSpec::new(above, routers.len() - 1, 0.0, 0.0));
        routers.len() - 1
    };
    for (region, attachment) in attachments.iter().enumerate() {
        let above = format!("{}{separator}", routers[region].name);
        for i in 0..attachment.direct {
            attach(&mut routers, format!("{above}0{}", letters(i)), RouterClass::Direct, region, region);
        }
        for (p, &(fast, normal)) in attachment.pops.iter().enumerate() {
            let pop_name = format!("{above}{}", p + 1);
            let pop = attach(&mut routers, pop_name.clone(), RouterClass::Pop, region, region);
            for i in 0..fast + normal {
                let class = if i < fast { RouterClass::Fast } else { RouterClass::Normal };
                attach(&mut routers, format!("{pop_name}{}", letters(i)), class, region, pop);
            }
        }
    }
    Ok(Topology { name, routers, links, regions, long_lived: Vec::new() })
}

/// a to z, then aa, ab and so on: no two alike.
fn letters(index: usize) -> String {
    let last = char::from(b'a' + (index % 26) as u8).to_string();
    if index < 26 { last } else { letters(index / 26 - 1) + &last }
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 25, 26, 51, 52, 701, 702].map(letters), ["a", "z", "aa", "az", "ba", "zz", "aaa"]);
    }
}
