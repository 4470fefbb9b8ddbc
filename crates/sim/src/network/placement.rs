//! Places of access routers below a backbone. A rule or names choose the backbone routers that have more
//! access routers of a class than the even tiers give them.

use super::routing::{adjacency, routes_to};
use super::topology::{LinkSpec, RouterSpec};
use crate::scenario::{InvalidScenario, PlaceRule, Places, TierParameters, invalid};
use mesonet_cc::picos;

/// The routers below a backbone router.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Access routers directly on the backbone router.
    pub direct: usize,
    /// For each point of presence: fast and normal access routers.
    pub pops: Vec<(usize, usize)>,
}

impl Attachment {
    /// Two points of presence with a fast router each and these numbers of normal ones; no direct router.
    #[must_use]
    pub fn even(normal: [usize; 2]) -> Self {
        Self { direct: 0, pops: normal.map(|count| (1, count)).to_vec() }
    }
}

/// A backbone before the tiers below it.
#[derive(Clone, Debug)]
pub struct Backbone {
    /// Name typed by users.
    pub name: String,
    /// Its routers.
    pub routers: Vec<RouterSpec>,
    /// Its links.
    pub links: Vec<LinkSpec>,
    /// The largest routers. Every rule chooses this number of routers.
    pub largest: Vec<usize>,
    /// Text between the name of a backbone router and the number of a point of presence.
    pub separator: &'static str,
}

/// Most names that a message lists.
const MOST_LISTED: usize = 30;

impl Backbone {
    /// Places the access routers that `tiers` puts somewhere, in addition to those of `even`: direct routers,
    /// second fast routers, and the uneven shares of normal ones.
    ///
    /// # Errors
    /// [`InvalidScenario`] with a path below `tiers` for a name that no router has.
    pub fn place(
        &self,
        mut even: Vec<Attachment>,
        tiers: &TierParameters,
    ) -> Result<Vec<Attachment>, InvalidScenario> {
        let direct = self.counts("tiers.direct_at", &tiers.direct_at)?;
        let crowded = self.counts("tiers.double_normal_at", &tiers.double_normal_at)?;
        if crowded.iter().any(|count| *count > 0) {
            share_normal(&mut even, &crowded);
        }
        for (region, pop) in self.second_fast(&even, &tiers.second_fast_at)? {
            // Without points of presence there is nothing to add to.
            if let Some((fast, _)) = even[region].pops.get_mut(pop) {
                *fast += 1;
            }
        }
        for (attachment, count) in even.iter_mut().zip(direct) {
            attachment.direct = count;
        }
        Ok(even)
    }

    /// Number of times that each backbone router is chosen.
    fn counts(&self, path: &str, places: &Places) -> Result<Vec<usize>, InvalidScenario> {
        let mut counts = vec![0; self.routers.len()];
        let chosen = match places {
            Places::Rule(rule) => self.by_rule(*rule),
            Places::Names(names) => {
                let find = |name: &String| {
                    self.router(name).ok_or_else(|| self.unknown(path, name, "backbone router"))
                };
                names.iter().map(find).collect::<Result<_, _>>()?
            }
        };
        for router in chosen {
            counts[router] += 1;
        }
        Ok(counts)
    }

    /// Points of presence with one more fast router, as region and place: of a backbone router the first.
    fn second_fast(
        &self,
        even: &[Attachment],
        places: &Places,
    ) -> Result<Vec<(usize, usize)>, InvalidScenario> {
        let path = "tiers.second_fast_at";
        let names = match places {
            Places::Rule(rule) => return Ok(self.by_rule(*rule).into_iter().map(|r| (r, 0)).collect()),
            Places::Names(names) => names,
        };
        let pop = |name: &String| {
            let pops = (0..even.len()).flat_map(|r| (0..even[r].pops.len()).map(move |p| (r, p)));
            let pop_name =
                |(r, p): (usize, usize)| format!("{}{}{}", self.routers[r].name, self.separator, p + 1);
            let first = self.router(name).map(|region| (region, 0));
            first
                .or_else(|| pops.into_iter().find(|place| pop_name(*place) == *name))
                .ok_or_else(|| self.unknown(path, name, "backbone router or point of presence"))
        };
        names.iter().map(pop).collect()
    }

    fn router(&self, name: &str) -> Option<usize> {
        self.routers.iter().position(|r| r.name == name)
    }

    fn unknown(&self, path: &str, name: &str, what: &str) -> InvalidScenario {
        let names: Vec<&str> = self.routers.iter().take(MOST_LISTED).map(|r| r.name.as_str()).collect();
        let more = if self.routers.len() > MOST_LISTED { " and more" } else { "" };
        let rules = PlaceRule::ALL.map(PlaceRule::word).join(", ");
        let example = if what.ends_with("presence") {
            format!(", points of presence such as {}{}1", names[0], self.separator)
        } else {
            String::new()
        };
        invalid(
            path,
            format!(
                "\"{}\" has no {what} \"{name}\"; allowed: {rules}, or names: {}{more}{example}",
                self.name,
                names.join(", ")
            ),
        )
    }

    /// The backbone routers that a rule chooses.
    fn by_rule(&self, rule: PlaceRule) -> Vec<usize> {
        let count = self.largest.len();
        if rule == PlaceRule::Metropolitan {
            return self.largest.clone();
        }
        let delays = self.delays();
        if rule == PlaceRule::Spread {
            return farthest_first(&delays, count);
        }
        let mut order: Vec<usize> = (0..delays.len()).collect();
        order.sort_by_key(|&r| {
            let sum = i128::from(sum(&delays[r]));
            if rule == PlaceRule::Near { sum } else { -sum }
        });
        order.truncate(count);
        order
    }

    /// Propagation delay on the way from each backbone router to each other one, ps: by target, then start.
    fn delays(&self) -> Vec<Vec<u64>> {
        let delays: Vec<[u64; 2]> = self.links.iter().map(|l| l.delay.map(picos)).collect();
        let neighbours = adjacency(self.routers.len(), &self.links);
        let towards = |target| routes_to(&self.links, &neighbours, target).sums(&self.links, &delays);
        (0..self.routers.len()).map(towards).collect()
    }
}

/// Sum of the delays of one router: at most 1000 of at most 1e15 ps.
fn sum(delays: &[u64]) -> u64 {
    delays.iter().sum()
}

/// The router with the least sum of delays, then always the one farthest from all chosen before; the first of
/// equals.
fn farthest_first(delays: &[Vec<u64>], count: usize) -> Vec<usize> {
    let mut chosen = Vec::new();
    // Delay to the nearest of those chosen; none for a chosen router.
    let mut nearest = vec![Some(u64::MAX); delays.len()];
    let mut next = (0..delays.len()).min_by_key(|&r| sum(&delays[r]));
    while let Some(router) = next.filter(|_| chosen.len() < count) {
        chosen.push(router);
        for (nearest, delay) in nearest.iter_mut().zip(&delays[router]) {
            *nearest = nearest.map(|known| known.min(*delay));
        }
        nearest[router] = None;
        // The last of equals in reverse order is the first.
        next = (0..delays.len()).rev().filter(|&r| nearest[r].is_some()).max_by_key(|&r| nearest[r]);
    }
    chosen
}

/// Shares all normal routers again: a point of presence has the weight 1 + `extra` of its backbone router.
/// What is left after rounding down goes to the largest remainders, the first of equals.
fn share_normal(attachments: &mut [Attachment], extra: &[usize]) {
    let places = || extra.iter().zip(attachments.iter()).flat_map(|(e, a)| a.pops.iter().map(move |_| 1 + e));
    let (total, weights): (usize, usize) =
        (attachments.iter().flat_map(|a| &a.pops).map(|pop| pop.1).sum(), places().sum());
    let mut shares: Vec<usize> = places().map(|weight| total * weight / weights).collect();
    let remainders: Vec<usize> = places().map(|weight| total * weight % weights).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|&place| std::cmp::Reverse(remainders[place]));
    let left = total - shares.iter().sum::<usize>();
    for &place in &order[..left] {
        shares[place] += 1;
    }
    for (pop, share) in attachments.iter_mut().flat_map(|a| &mut a.pops).zip(shares) {
        pop.1 = share;
    }
}

/// Refuses places of access routers for a topology that has its own.
///
/// # Errors
/// [`InvalidScenario`] with the path of the first value that would have no effect.
pub fn refuse_places(name: &str, tiers: &TierParameters) -> Result<(), InvalidScenario> {
    let metropolitan = |places: &Places| matches!(places, Places::Rule(PlaceRule::Metropolitan));
    for (path, is_default, default) in [
        ("tiers.direct_at", metropolitan(&tiers.direct_at), "metropolitan"),
        ("tiers.second_fast_at", metropolitan(&tiers.second_fast_at), "metropolitan"),
        (
            "tiers.double_normal_at",
            matches!(&tiers.double_normal_at, Places::Names(names) if names.is_empty()),
            "none",
        ),
    ] {
        if !is_default {
            let message = format!(
                "no access routers are built below \"{name}\", which has its own; allowed: {default}"
            );
            return Err(invalid(path, message));
        }
    }
    Ok(())
}
