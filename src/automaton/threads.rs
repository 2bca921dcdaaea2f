//! Threads that are gathered: those that stand at the same place are one thread, on a join of their stacks.

use std::hash::BuildHasher;
use std::ops::Deref;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::thread::Thread;

/// So many threads are compared one by one, which is quicker than hashing them. Most sets have one or two.
const FEW: usize = 64;

/// Threads in the order in which they came, no two at the same place.
#[derive(Default)]
pub(super) struct Threads {
    all: Vec<Thread>,
    /// Where each stands in the list, by its place in the grammar; none where there are few.
    places: Option<Box<Places>>,
}

/// Numbers of threads, with their hashes.
type Places = HashTable<(u64, usize)>;

impl Threads {
    /// None, and room for so many.
    pub(super) fn with_capacity(threads: usize) -> Self {
        Self { all: Vec::with_capacity(threads), places: None }
    }

    /// Adds a thread, to one that stands at the same place where there is one.
    #[inline]
    pub(super) fn add(&mut self, thread: Thread) {
        let known = match self.all.len() < FEW {
            true => self.all.iter().position(|known| known.joins(&thread)),
            false => self.find_among_many(&thread),
        };
        match known {
            Some(at) => self.all[at].below = self.all[at].below.join(&thread.below),
            None => self.all.push(thread),
        }
    }

    /// The number of the thread at the same place. Threads that were added since the last time are noted
    /// first.
    #[cold]
    fn find_among_many(&mut self, thread: &Thread) -> Option<usize> {
        let Self { all, places } = self;
        let places = places.get_or_insert_default();
        for (at, new) in all.iter().enumerate().skip(places.len()) {
            let own = hash(new);
            places.insert_unique(own, (own, at), |(hash, _)| *hash);
        }
        let own = hash(thread);
        let found = places.find(own, |(hash, at)| *hash == own && all[*at].joins(thread));
        found.map(|(_, at)| *at)
    }

    pub(super) fn into_vec(self) -> Vec<Thread> {
        self.all
    }
}

impl Deref for Threads {
    type Target = [Thread];

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

/// The same for threads that join. A join leaves it as it is.
fn hash(thread: &Thread) -> u64 {
    FixedState::default().hash_one(thread.place())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::stack::{Frame, Stack};
    use super::super::tape::Tape;
    use super::super::thread::Head;
    use super::*;
    use crate::expression::Expression;

    /// A thread in one of some literals, on one of some stacks: some with arms on top, as below a leaf.
    fn thread(number: usize) -> Thread {
        let literal = |number: usize| Expression::literal(format!("{number}"));
        let below = Stack::default().push_expression(&literal(number % 5));
        let below = match number % 3 {
            0 => below.push(Frame::Arms(vec![literal(number % 2)].into())),
            _ => below,
        };
        let tape = if number.is_multiple_of(7) { Tape::Any } else { Tape::Outside };
        let bytes: Arc<[u8]> = format!("head {}", number % 101).into_bytes().into();
        Thread { head: Head::Literal { bytes, at: 0 }, below, tape }
    }

    /// Many threads are gathered as few are: each is compared with those before it.
    #[test]
    fn threads_join_the_first_one_at_their_place() {
        let (mut gathered, mut expected) = (Threads::default(), Vec::<Thread>::new());
        for number in (0..1_000).map(|number| number * number) {
            gathered.add(thread(number));
            let new = thread(number);
            match expected.iter_mut().find(|known| known.joins(&new)) {
                Some(known) => known.below = known.below.join(&new.below),
                None => expected.push(new),
            }
            assert_eq!(*gathered, *expected, "{number}");
        }
        assert!(expected.len() > 2 * FEW && expected.len() < 1_000);
    }
}
