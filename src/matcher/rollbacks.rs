//! How far a matcher was rolled back, and when: so who knew its tokens before need not look at all of them
//! again to find out which it still has.

use std::sync::atomic::{AtomicU64, Ordering};

/// The rollbacks of one matcher.
#[derive(Debug)]
pub(super) struct Rollbacks {
    /// No two matchers of a process have the same.
    matcher: u64,
    count: u64,
    /// The number of a rollback and how many tokens it left, where none after it left as few: both ascend.
    least: Vec<(u64, usize)>,
}

/// A moment in the life of a matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    matcher: u64,
    count: u64,
}

impl Default for Rollbacks {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { matcher: NEXT.fetch_add(1, Ordering::Relaxed), count: 0, least: Vec::new() }
    }
}

/// A copy of a matcher has a life of its own.
impl Clone for Rollbacks {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Rollbacks {
    /// Notes that so many tokens are left.
    pub(super) fn note(&mut self, left: usize) {
        while self.least.last().is_some_and(|(_, least)| *least >= left) {
            self.least.pop();
        }
        self.count += 1;
        self.least.push((self.count, left));
    }

    pub(super) fn now(&self) -> Moment {
        Moment { matcher: self.matcher, count: self.count }
    }

    /// Of the tokens that the matcher had at a moment, how many were never taken back since. Nothing is known
    /// about the moments of others.
    pub(super) fn kept_since(&self, then: Moment) -> usize {
        if then.matcher != self.matcher {
            return 0;
        }
        let since = self.least.partition_point(|(number, _)| *number <= then.count);
        self.least.get(since).map_or(usize::MAX, |(_, left)| *left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_the_least_of_the_rollbacks_since() {
        let mut rollbacks = Rollbacks::default();
        let mut moments = vec![rollbacks.now()];
        let left = [9, 4, 7, 4, 5, 8, 8, 6];
        for left in left {
            rollbacks.note(left);
            moments.push(rollbacks.now());
        }
        for (at, moment) in moments.into_iter().enumerate() {
            let least = left[at..].iter().min().copied().unwrap_or(usize::MAX);
            assert_eq!(rollbacks.kept_since(moment), least, "before rollback {at}");
            assert_eq!(rollbacks.clone().kept_since(moment), 0, "of another matcher");
        }
        assert_eq!(rollbacks.least, [(4, 4), (5, 5), (8, 6)], "what no later one undercuts");
    }
}
