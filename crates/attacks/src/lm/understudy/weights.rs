//! The networks that guestlist carries: three for each kind of access, in half precision, made by
//! `bench/understudy_lm`.

use std::sync::LazyLock;

use half::f16;

use super::features::{VARIANTS, Variant};
use super::network::{Layout, Network};

/// Networks for each kind of access, from different beginnings; their mean is steadier than any.
const EACH: usize = 3;

static FILE: &[u8] = include_bytes!("weights.bin");
static NETWORKS: LazyLock<Vec<Network>> = LazyLock::new(|| parsed(FILE));

pub fn of(variant: Variant) -> &'static [Network] {
    let place = VARIANTS.iter().position(|other| *other == variant);
    let first = place.unwrap_or(0) * EACH;
    NETWORKS.get(first..first + EACH).unwrap_or_default()
}

/// One network after another, the poorest access first.
fn parsed(file: &[u8]) -> Vec<Network> {
    let mut rest = file;
    let mut networks = Vec::new();
    for variant in VARIANTS {
        for _ in 0..EACH {
            let (own, later) = rest.split_at(2 * Layout::new(variant).len());
            rest = later;
            let half = |bytes: &[u8]| f16::from_le_bytes([bytes[0], bytes[1]]).to_f32();
            networks.push(Network {
                variant,
                numbers: own.chunks_exact(2).map(half).collect(),
            });
        }
    }
    networks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        let numbers = VARIANTS.map(|variant| EACH * Layout::new(variant).len());
        assert_eq!(FILE.len(), 2 * numbers.iter().sum::<usize>());
        for network in NETWORKS.iter() {
            assert!(network.numbers.iter().all(|number| number.is_finite()));
            let layout = network.layout();
            let spreads = [layout.spread(), layout.known_spread()];
            let spreads = spreads.into_iter().flat_map(|part| network.part(part));
            assert!(spreads.into_iter().all(|spread| *spread > 0.0));
        }
    }
}
