//! Are members and non-members about the same topics?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stats::streams::{Seed, shuffle};

const SHUFFLES: usize = 999;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Topics {
    pub topics: usize,
    /// Half the summed difference of the shares: 0 for the same topics, 1 for none in common.
    pub distance: f64,
    /// The chance of so large a distance when membership has nothing to do with topics.
    pub p_value: f64,
    /// The topic that differs most, with its shares among members and non-members.
    pub widest: (String, f64, f64),
    pub documents: usize,
}

/// Nothing where no document has a topic, or one kind has none.
pub fn compare_topics(topics: &[Option<String>], members: &[bool], seed: Seed) -> Option<Topics> {
    let known = topics.iter().zip(members);
    let known: Vec<(&str, bool)> = known
        .filter_map(|(topic, member)| Some((topic.as_deref()?, *member)))
        .collect();
    let mut names: Vec<&str> = known.iter().map(|(topic, _)| *topic).collect();
    names.sort_unstable();
    names.dedup();
    let place: BTreeMap<&str, usize> = names
        .iter()
        .enumerate()
        .map(|(place, name)| (*name, place))
        .collect();
    let topics: Vec<usize> = known.iter().map(|(topic, _)| place[topic]).collect();
    let mut labels: Vec<bool> = known.iter().map(|(_, member)| *member).collect();
    let count = labels.iter().filter(|member| **member).count();
    if count == 0 || count == labels.len() {
        return None;
    }
    let shares = |labels: &[bool]| {
        let mut shares = vec![(0.0, 0.0); names.len()];
        for (topic, member) in topics.iter().zip(labels) {
            match member {
                true => shares[*topic].0 += 1.0 / count as f64,
                false => shares[*topic].1 += 1.0 / (labels.len() - count) as f64,
            }
        }
        shares
    };
    let distance =
        |shares: &[(f64, f64)]| shares.iter().map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0;
    let real = shares(&labels);
    let found = distance(&real);
    let mut rng = seed.stream("topics");
    let as_far = (0..SHUFFLES)
        .filter(|_| {
            shuffle(&mut rng, &mut labels);
            distance(&shares(&labels)) >= found - 1e-12
        })
        .count();
    let widest = (0..names.len()).max_by(|a, b| {
        let gap = |place: usize| (real[place].0 - real[place].1).abs();
        gap(*a).total_cmp(&gap(*b))
    })?;
    Some(Topics {
        topics: names.len(),
        distance: found,
        p_value: (1 + as_far) as f64 / (1 + SHUFFLES) as f64,
        widest: (names[widest].to_owned(), real[widest].0, real[widest].1),
        documents: known.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_topics_pass_and_different_ones_show() {
        let members: Vec<bool> = (0..80).map(|place| place < 40).collect();
        let topic = |place: usize| Some(["heart", "bone", "eye", "skin"][place % 4].to_owned());
        let alike: Vec<Option<String>> = (0..80).map(topic).collect();
        let found = compare_topics(&alike, &members, Seed(1)).unwrap();
        assert!(found.distance < 1e-9 && found.p_value > 0.5, "{found:?}");
        let apart: Vec<Option<String>> = (0..80)
            .map(|place| topic(usize::from(place >= 40)))
            .collect();
        let found = compare_topics(&apart, &members, Seed(1)).unwrap();
        assert!((found.distance - 1.0).abs() < 1e-9 && found.p_value < 0.01);
        assert_eq!(compare_topics(&vec![None; 80], &members, Seed(1)), None);
    }
}
