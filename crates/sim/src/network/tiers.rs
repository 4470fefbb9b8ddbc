//! The tiers below a backbone: points of presence and access routers, joined by links without delay.

use super::topology::{LinkSpec, RouterClass, RouterSpec, Topology};

/// The routers below a backbone router.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Access routers directly on the backbone router.
    pub direct: usize,
    /// For each point of presence: fast and normal access routers.
    pub pops: Vec<(usize, usize)>,
}

/// The tiers below a lettered backbone: A with A1, A1a and A0a. Long-lived flows run between the direct routers of the
/// given pairs of letters.
#[must_use]
pub fn lettered(
    name: &str,
    links: Vec<LinkSpec>,
    attachments: &[Attachment],
    long_lived: [(char, char); 3],
) -> Topology {
    let letter = |i: usize| char::from(b'A' + i as u8).to_string();
    let backbone =
        (0..attachments.len()).map(|i| RouterSpec::new(letter(i), RouterClass::Backbone, i)).collect();
    let direct = |letter: char| format!("{letter}0a");
    let long_lived = long_lived.iter().map(|&(a, b)| (direct(a), direct(b))).collect();
    Topology { long_lived, ..with_tiers(name, backbone, links, attachments, "") }
}

/// Builds the tiers below `backbone`. `separator` stands between the name of a backbone router and the rest.
#[must_use]
pub fn with_tiers(
    name: &str,
    backbone: Vec<RouterSpec>,
    links: Vec<LinkSpec>,
    attachments: &[Attachment],
    separator: &str,
) -> Topology {
    let regions = backbone.len();
    let (mut routers, mut links) = (backbone, links);
    let mut attach = |routers: &mut Vec<RouterSpec>, name: String, class, region, above| {
        routers.push(RouterSpec::new(name, class, region));
        links.push(LinkSpec { a: above, b: routers.len() - 1, delay: 0.0, cost: 0.0 });
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
    Topology { name: name.into(), routers, links, regions, long_lived: Vec::new() }
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
