//! Threads that are gathered: those that stand at the same place are one thread, on a join of their stacks.

use std::hash::{Hash, Hasher};
use std::iter;

use super::stack::Stack;
use super::thread::Thread;
use crate::each_once::Firsts;

/// Threads in the order in which they came, no two at the same place.
#[derive(Default)]
pub(super) struct Threads {
    firsts: Firsts<Standing>,
    /// The stacks of others that stand at the place of one of them. They are joined when all are known, as
    /// each join copies those before it.
    others: Vec<(usize, Stack)>,
}

/// A thread; two are equal where they are one on a join of their stacks.
struct Standing(Thread);

impl PartialEq for Standing {
    fn eq(&self, other: &Self) -> bool {
        self.0.place() == other.0.place()
    }
}

impl Eq for Standing {}

impl Hash for Standing {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.place().hash(state);
    }
}

impl Threads {
    /// None, and room for so many.
    pub(super) fn with_capacity(threads: usize) -> Self {
        Self { firsts: Firsts::with_capacity(threads), others: Vec::new() }
    }

    /// Adds a thread, to one that stands at the same place where there is one.
    #[inline]
    pub(super) fn add(&mut self, thread: Thread) {
        if let Err((place, Standing(thread))) = self.firsts.add(Standing(thread)) {
            self.others.push((place, thread.below));
        }
    }

    pub(super) fn into_vec(self) -> Vec<Thread> {
        let Self { firsts, mut others } = self;
        let mut all: Vec<Thread> = firsts.into_vec().into_iter().map(|Standing(thread)| thread).collect();
        others.sort_by_key(|(place, _)| *place);
        for others in others.chunk_by(|(place, _), (next, _)| place == next) {
            let below = &mut all[others[0].0].below;
            *below = Stack::join(iter::once(&*below).chain(others.iter().map(|(_, below)| below)));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::stack::Frame;
    use super::super::tape::Tape;
    use super::super::thread::Head;
    use super::*;
    use crate::expression::{Arms, Expression};

    /// A thread in one of some literals, on one of some stacks: some with arms on top, as below a leaf.
    fn thread(number: usize) -> Thread {
        let literal = |number: usize| Expression::literal(format!("{number}"));
        let below = Stack::default().push_expression(&literal(number % 5));
        let below = match number % 3 {
            0 => below.push(Frame::Arms(Arms::listed([literal(number % 2)]))),
            _ => below,
        };
        let tape = if number.is_multiple_of(7) { Tape::Any } else { Tape::Outside };
        let bytes: Arc<[u8]> = format!("head {}", number % 101).into_bytes().into();
        Thread { head: Head::Literal { bytes, at: 0 }, below, tape }
    }

    /// Many threads are gathered as few are: each is compared with those before it.
    #[test]
    fn threads_join_the_first_one_at_their_place() {
        for count in [1, 2, 10, 100, 1_000] {
            let (mut gathered, mut expected) = (Threads::default(), Vec::<Thread>::new());
            for number in (0..count).map(|number| number * number) {
                gathered.add(thread(number));
                let new = thread(number);
                match expected.iter_mut().find(|known| known.place() == new.place()) {
                    Some(known) => known.below = Stack::join([&known.below, &new.below]),
                    None => expected.push(new),
                }
            }
            assert!(count < 1_000 || (32..1_000).contains(&expected.len()), "some join, and many do not");
            assert_eq!(gathered.into_vec(), expected, "{count}");
        }
    }
}
