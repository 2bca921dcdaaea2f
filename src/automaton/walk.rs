//! The tokens of a residual by walking the trie with all threads at once.
//!
//! Going thread by thread is what makes most masks cheap, but where terminals may be divided in many ways
//! (`in` is a keyword, and the beginning of a name) it reads the same remainders again for each way. Here
//! each set of threads is stepped once for each byte, whatever led to it, as in the construction of a
//! deterministic automaton; so the cost is bounded by the trie and by how many such sets there are.

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};

use super::Unit;
use super::expansions::Expansions;
use super::residual::{ThreadSet, step};
use super::steps::Steps;
use super::thread::Thread;
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// The ordinary tokens that `threads` allow; `None` where finding them takes more steps than these.
pub(super) fn tokens(
    vocabulary: &Vocabulary,
    rules: &Expansions,
    threads: &[Thread],
    steps: Steps,
) -> Option<Vec<TokenId>> {
    let trie = vocabulary.trie();
    let mut sets = Sets { rules, steps, numbers: HashMap::new(), sets: Vec::new(), nexts: HashMap::new() };
    let start = sets.number(threads.to_vec());
    // The set before each depth; tokens are at most 255 bytes long.
    let mut path = [start; 256];
    let mut tokens = Vec::new();
    let mut node = 0;
    while node < trie.len() {
        if sets.steps.are_used_up() {
            return None;
        }
        let current = trie.node(node);
        match sets.next(path[current.parent_depth()], current.byte) {
            Some(set) => {
                tokens.extend(current.token);
                path[usize::from(current.depth)] = set;
                node += 1;
            }
            None => node = current.end,
        }
    }
    Some(tokens)
}

/// Threads or stacks that are compared in the time of a step.
const COMPARED_PER_STEP: usize = 64;

/// Sets of threads by number, and where they go.
struct Sets<'a> {
    rules: &'a Expansions,
    steps: Steps,
    numbers: HashMap<Rc<ThreadSet>, u32>,
    sets: Vec<Rc<ThreadSet>>,
    nexts: HashMap<(u32, u8), Option<u32>>,
}

impl Sets<'_> {
    fn number(&mut self, threads: Vec<Thread>) -> u32 {
        let set = Rc::new(ThreadSet::new(threads));
        if let Some(known) = self.numbers.get(&set) {
            return *known;
        }
        let number = u32::try_from(self.sets.len()).expect("fewer sets than nodes of the trie");
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }

    fn next(&mut self, from: u32, byte: u8) -> Option<u32> {
        if let Some(known) = self.nexts.get(&(from, byte)) {
            return *known;
        }
        let before = self.sets[from as usize].threads();
        let threads = step(before, Unit::Byte(byte), self.rules);
        // Each thread and stack that comes is compared with those before it.
        let come: usize = threads.iter().map(|thread| thread.below.alternatives().len()).sum();
        self.steps.spend(before.len() + come + come.pow(2) / COMPARED_PER_STEP);
        let next = (!threads.is_empty()).then(|| self.number(threads));
        self.nexts.insert((from, byte), next);
        next
    }
}
