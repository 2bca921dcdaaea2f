//! Each of some things once, in the order in which they first come.

use std::hash::{BuildHasher, Hash};
use std::ops::Index;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// So many are compared one by one: most lists are short, and need no table.
const FEW: usize = 16;

/// The things without those that came before. Each is hashed once at most.
pub(crate) fn each_once<T: Eq + Hash>(things: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut firsts = Firsts::default();
    things.into_iter().for_each(|thing| drop(firsts.add(thing)));
    firsts.into_vec()
}

/// Different things, in the order in which they came.
pub(crate) struct Firsts<T> {
    all: Vec<T>,
    /// Where each stands in the list, with its hash; none where there are few.
    places: Option<Box<HashTable<(u64, usize)>>>,
}

impl<T> Firsts<T> {
    /// None, and room for so many.
    pub(crate) fn with_capacity(things: usize) -> Self {
        Self { all: Vec::with_capacity(things), places: None }
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        self.all
    }
}

impl<T> Default for Firsts<T> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl<T> Index<usize> for Firsts<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        &self.all[place]
    }
}

impl<T: Eq + Hash> Firsts<T> {
    /// Adds a thing and gives its place, or gives it back with the place of the equal one that came before.
    #[inline]
    pub(crate) fn add(&mut self, thing: T) -> Result<usize, (usize, T)> {
        if self.all.len() >= FEW {
            return self.add_to_many(thing);
        }
        match self.all.iter().position(|known| *known == thing) {
            Some(place) => Err((place, thing)),
            None => Ok(self.push(thing)),
        }
    }

    fn push(&mut self, thing: T) -> usize {
        self.all.push(thing);
        self.all.len() - 1
    }

    #[cold]
    fn add_to_many(&mut self, thing: T) -> Result<usize, (usize, T)> {
        let places = self.places.get_or_insert_with(|| Box::new(numbered(&self.all)));
        let own = hash(&thing);
        let known = places.find(own, |(hash, place)| *hash == own && self.all[*place] == thing);
        if let Some((_, place)) = known {
            return Err((*place, thing));
        }
        places.insert_unique(own, (own, self.all.len()), |(hash, _)| *hash);
        Ok(self.push(thing))
    }
}

/// The places of different things.
fn numbered<T: Hash>(all: &[T]) -> HashTable<(u64, usize)> {
    let mut places = HashTable::new();
    for (place, hash) in all.iter().map(hash).enumerate() {
        places.insert_unique(hash, (hash, place), |(hash, _)| *hash);
    }
    places
}

fn hash(thing: &impl Hash) -> u64 {
    FixedState::default().hash_one(thing)
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
