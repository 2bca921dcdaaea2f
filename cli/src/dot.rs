//! Drawings of automata, in the language of Graphviz.
//!
//! What is drawn is the automaton over bytes and special tokens; the one over tokens has the same states and
//! 200,000 arrows. A recursive grammar has no end of states, so the first ones are drawn, and those beyond
//! are dashed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use harmony_mask::automaton::{Automaton, Residual, Unit};
use harmony_mask::{Grammar, SpecialToken};

/// As many states as a page can bear.
const STATES: usize = 60;

/// The automaton of a grammar.
pub(crate) fn drawing(grammar: &Grammar) -> String {
    let matcher = grammar.matcher();
    let automaton = matcher.automaton();
    let mut states = States::default();
    states.number(automaton.start().clone());
    let mut arrows = String::new();
    let mut from = 0;
    while from < states.found.len().min(STATES) {
        for (to, label) in states.arrows(automaton, from) {
            line(&mut arrows, format_args!("  {from} -> {to} [label={}];", quoted(&label)));
        }
        from += 1;
    }
    let mut text = String::from("digraph automaton {\n  rankdir=LR;\n  node [shape=circle];\n");
    for (number, state) in states.found.iter().enumerate() {
        let shape = match (automaton.accepts(state), number < STATES) {
            (true, _) => "shape=doublecircle",
            (false, true) => "shape=circle",
            (false, false) => "shape=circle, style=dashed",
        };
        line(&mut text, format_args!("  {number} [{shape}];"));
    }
    text + &arrows + "}\n"
}

/// The states that were found, in the order in which they were.
#[derive(Default)]
struct States {
    found: Vec<Residual>,
    numbers: HashMap<Residual, usize>,
}

impl States {
    fn number(&mut self, state: Residual) -> usize {
        match self.numbers.entry(state) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                self.found.push(place.key().clone());
                *place.insert(self.found.len() - 1)
            }
        }
    }

    /// Where a state goes, and on what.
    fn arrows(&mut self, automaton: &Automaton, from: usize) -> Vec<(usize, String)> {
        let state = self.found[from].clone();
        let mut arrows: Vec<(usize, Vec<RangeInclusive<u8>>)> = Vec::new();
        for byte in 0..=u8::MAX {
            let Some(next) = automaton.step(&state, Unit::Byte(byte)) else { continue };
            let to = self.number(next);
            let Some((_, ranges)) = arrows.iter_mut().find(|(known, _)| *known == to) else {
                arrows.push((to, vec![byte..=byte]));
                continue;
            };
            match ranges.last_mut() {
                Some(last) if last.end().checked_add(1) == Some(byte) => *last = *last.start()..=byte,
                _ => ranges.push(byte..=byte),
            }
        }
        let mut arrows: Vec<(usize, String)> =
            arrows.into_iter().map(|(to, ranges)| (to, spelled(&ranges))).collect();
        for special in SpecialToken::ALL {
            if let Some(next) = automaton.step(&state, Unit::Special(special)) {
                arrows.push((self.number(next), special.to_string()));
            }
        }
        arrows
    }
}

fn spelled(ranges: &[RangeInclusive<u8>]) -> String {
    let byte = |byte: &u8| byte.escape_ascii().to_string();
    let range = |range: &RangeInclusive<u8>| match range.end() - range.start() {
        0 => byte(range.start()),
        1 => format!("{} {}", byte(range.start()), byte(range.end())),
        _ => format!("{}–{}", byte(range.start()), byte(range.end())),
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(" ")
}

fn quoted(label: &str) -> String {
    format!("\"{}\"", label.replace('\\', "\\\\").replace('"', "\\\""))
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("writing to a string");
}
