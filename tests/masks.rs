//! Law 1 on real schemas: masks equal the reference semantics, over all tokens, in thousands of states of MaskBench's schemas.
//!
//! The reference is a depth-first walk of the trie that uses nothing but [`Automaton::step`], byte by byte, and remembers where each
//! residual goes along each byte. Most states reach few residuals, and are checked on every token. A state that remembers what is read (a name that
//! must not come again) reaches another residual with every byte; of it, as many first bytes are checked as the budget allows, beginning with a random one.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::corpus::files;
use crate::harness::{COMPILER, HABITS, Random, WIDTH, walk};
use harmony_mask::automaton::{Automaton, Residual, Unit};
use harmony_mask::{Grammar, Matcher, Options, PropertyOrder, SpecialToken, TokenMask, Vocabulary};
use serde_json::Value;

const SCHEMAS: usize = 200;
const STATES_PER_SCHEMA: usize = 12;
const WALKS_PER_SCHEMA: usize = 12;

/// Residuals that the reference may reach from one state.
const BUDGET: usize = 6_000;

#[test]
fn masks_equal_the_reference_on_real_schemas() {
    let Some(files) = files() else {
        println!("skipped: MaskBench is not unpacked at target/corpora/maskbench-dev");
        return;
    };
    let (next, schemas, states) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while schemas.load(Ordering::Relaxed) < SCHEMAS {
            let at = next.fetch_add(1, Ordering::Relaxed);
            // A stride that is prime to the number of files spreads the sample over all splits.
            let file = &files[(at + 1) * 6007 % files.len()];
            let text = fs::read_to_string(file).expect("readable");
            let document: Value = serde_json::from_str(&text).expect("JSON");
            let order = if at % 2 == 0 { PropertyOrder::Any } else { PropertyOrder::Declared };
            let options = Options { property_order: order, ..Options::default() };
            let Ok(grammar) = COMPILER.compile_schema(&document["schema"], &options) else { continue };
            states.fetch_add(check(&grammar, at as u64, &file.display().to_string()), Ordering::Relaxed);
            schemas.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().for_each(|thread| thread.join().expect("law 1"));
    });
    let (schemas, states) = (schemas.into_inner(), states.into_inner());
    println!("{states} states of {schemas} schemas");
    assert!(states >= 10 * SCHEMAS, "{states} states of {schemas} schemas");
}

/// Checks states on random walks; how many.
fn check(grammar: &Grammar, seed: u64, what: &str) -> usize {
    let mut random = Random::new(seed);
    let mut first_bytes = Random::new(!seed);
    let mut seen: HashSet<Residual> = HashSet::new();
    for round in 0..WALKS_PER_SCHEMA {
        let skipped = random.below(4);
        walk(grammar, HABITS[round % HABITS.len()], 40, &mut random, |matcher, mask| {
            let is_due = matcher.tokens().len() % 3 == skipped % 3 && seen.len() < STATES_PER_SCHEMA;
            if is_due && !matcher.is_finished() && seen.insert(matcher.residual().clone()) {
                check_state(matcher, mask, first_bytes.below(256), what);
            }
        });
    }
    seen.len()
}

fn check_state(matcher: &Matcher, mask: &TokenMask, first_byte: usize, what: &str) {
    let (vocabulary, automaton) = (matcher.vocabulary(), matcher.automaton());
    for special in SpecialToken::ALL {
        let survives = automaton.step(matcher.residual(), Unit::Special(special)).is_some();
        assert_eq!(mask.contains(vocabulary.special_id(special)), survives, "{special} in {what}");
    }
    let unknown = (vocabulary.width()..WIDTH).find(|id| mask.bits()[*id]);
    assert_eq!(unknown, None, "an id that is no token, in {what}");
    let mut reference = Reference::new(automaton, matcher.residual());
    let roots: Vec<u32> = vocabulary.trie().children(None).collect();
    for at in 0..roots.len() {
        if reference.residuals.len() > BUDGET {
            break;
        }
        let wrong = reference.disagreement(vocabulary, roots[(first_byte + at) % roots.len()], mask);
        let text = || vocabulary.decode(matcher.tokens());
        assert_eq!(wrong.map(|token| vocabulary.decode(&[token])), None, "after {:?} in {what}", text());
    }
}

/// Where residuals go along bytes, found by stepping and remembered.
struct Reference<'a> {
    automaton: &'a Automaton,
    numbers: HashMap<Residual, usize>,
    residuals: Vec<Residual>,
    /// For each residual and byte the residual after it, `Some(None)` where there is none, `None` where nobody asked.
    nexts: Vec<[Option<Option<usize>>; 256]>,
}

impl<'a> Reference<'a> {
    fn new(automaton: &'a Automaton, start: &Residual) -> Self {
        let mut reference =
            Self { automaton, numbers: HashMap::new(), residuals: Vec::new(), nexts: Vec::new() };
        reference.number(start.clone());
        reference
    }

    fn number(&mut self, residual: Residual) -> usize {
        *self.numbers.entry(residual.clone()).or_insert_with(|| {
            self.residuals.push(residual);
            self.nexts.push([None; 256]);
            self.residuals.len() - 1
        })
    }

    fn step(&mut self, from: usize, byte: u8) -> Option<usize> {
        if let Some(known) = self.nexts[from][usize::from(byte)] {
            return known;
        }
        let next = self.automaton.step(&self.residuals[from], Unit::Byte(byte));
        let next = next.map(|residual| self.number(residual));
        self.nexts[from][usize::from(byte)] = Some(next);
        next
    }

    /// A token at or below a child of the root on which the mask is wrong.
    fn disagreement(&mut self, vocabulary: &Vocabulary, root: u32, mask: &TokenMask) -> Option<u32> {
        let trie = vocabulary.trie();
        // The residual after the path to each depth; below a dead end there is none.
        let mut path = vec![Some(0)];
        (root..trie.node(root).end).find_map(|at| {
            let node = trie.node(at);
            path.truncate(node.parent_depth() + 1);
            let next = path[node.parent_depth()].and_then(|before| self.step(before, node.byte));
            path.push(next);
            node.token.filter(|token| mask.contains(*token) != next.is_some())
        })
    }
}
