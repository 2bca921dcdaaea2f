//! Each of some things once, in the order in which they first come.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// So many are compared one by one: most lists are short, and need no table.
const FEW: usize = 16;

/// The things without those that came before. Each is hashed once at most.
pub(crate) fn each_once<T: Eq + Hash>(things: impl IntoIterator<Item = T>) -> Vec<T> {
    let hash = |thing: &T| FixedState::default().hash_one(thing);
    let (mut all, mut places) = (Vec::new(), HashTable::<(u64, usize)>::new());
    for thing in things {
        if all.len() < FEW {
            if !all.contains(&thing) {
                all.push(thing);
            }
            continue;
        }
        if places.is_empty() {
            for (place, hash) in all.iter().map(hash).enumerate() {
                places.insert_unique(hash, (hash, place), |(hash, _)| *hash);
            }
        }
        let own = hash(&thing);
        if places.find(own, |(hash, place)| *hash == own && all[*place] == thing).is_none() {
            places.insert_unique(own, (own, all.len()), |(hash, _)| *hash);
            all.push(thing);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_alike() {
        for count in [1, 2, FEW - 1, FEW, FEW + 1, FEW + 2, 100] {
            // Each comes again, beside itself and after many others.
            let numbers = (0..count).flat_map(|number| [number, number / 2, number, 0]);
            assert_eq!(each_once(numbers), (0..count).collect::<Vec<_>>());
        }
    }
}
