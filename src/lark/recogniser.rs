//! A slow recogniser that reads an expression straight off its definition, for tests.

use crate::expression::{Arms, Expression, Kind, Label, Language, Leaf, State};
use crate::special::SpecialToken;

/// Where a text stops being a prefix of the language, or what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    Prefix,
    /// After this many bytes of the text, special tokens counted by their spelling.
    RejectedAt(usize),
}

#[derive(Clone, Debug)]
enum Frame {
    Whole(Expression),
    Within { leaf: Leaf, state: State, arms: Arms },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Byte(u8),
    Special(SpecialToken),
}

/// Reads `text`, in which `<|end|>` is the special token.
pub(crate) fn recognise(language: &Expression, text: &str) -> Verdict {
    let mut stacks = vec![vec![Frame::Whole(language.clone())]];
    let mut offset = 0;
    for (unit, width) in units(text) {
        let mut next = Vec::new();
        for stack in stacks {
            walk(stack, Some(unit), &mut next);
        }
        if next.is_empty() {
            return Verdict::RejectedAt(offset);
        }
        stacks = next;
        offset += width;
    }
    let done = stacks.into_iter().any(|stack| walk(stack, None, &mut Vec::new()));
    if done { Verdict::Accepted } else { Verdict::Prefix }
}

fn units(text: &str) -> Vec<(Unit, usize)> {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let special = SpecialToken::ALL.into_iter().find(|token| rest.starts_with(&token.to_string()));
        match special.map(|token| (token, token.to_string().len())) {
            Some((token, width)) => {
                units.push((Unit::Special(token), width));
                rest = &rest[width..];
            }
            None => {
                let width = first.len_utf8();
                units.extend(rest.as_bytes()[..width].iter().map(|&byte| (Unit::Byte(byte), 1)));
                rest = &rest[width..];
            }
        }
    }
    units
}

/// Adds what is left after `unit`; says whether the stack may end here.
fn walk(mut stack: Vec<Frame>, unit: Option<Unit>, next: &mut Vec<Vec<Frame>>) -> bool {
    let Some(top) = stack.pop() else { return true };
    let mut on = |mut stack: Vec<Frame>, pushed: &[Expression]| {
        stack.extend(pushed.iter().rev().cloned().map(Frame::Whole));
        walk(stack, unit, next)
    };
    match top {
        Frame::Whole(expression) => match expression.kind() {
            Kind::Empty => on(stack, &[]),
            Kind::Sequence(head, tail) => on(stack, &[head.clone(), tail.clone()]),
            Kind::Choice(options) => {
                let ends: Vec<bool> =
                    options.iter().map(|option| on(stack.clone(), std::slice::from_ref(option))).collect();
                ends.contains(&true)
            }
            Kind::Rule(rule) => on(stack, &[rule.expand()]),
            Kind::Literal(bytes) => {
                if unit == Some(Unit::Byte(bytes[0])) {
                    stack.push(Frame::Whole(Expression::literal(&bytes[1..])));
                    next.push(stack);
                }
                false
            }
            Kind::Special(token) => {
                if unit == Some(Unit::Special(*token)) {
                    next.push(stack);
                }
                false
            }
            Kind::Match { leaf, arms } => {
                stack.push(Frame::Within { state: leaf.start(), leaf: leaf.clone(), arms: arms.clone() });
                walk(stack, unit, next)
            }
            Kind::Capture { .. } => panic!("grammars have no captures"),
        },
        Frame::Within { leaf, state, arms } => {
            let end = match leaf.accepts(state) {
                Some(label) => on(stack.clone(), arms.get(label).as_slice()),
                None => false,
            };
            if let Some(Unit::Byte(byte)) = unit
                && let Some(state) = leaf.step(state, byte)
            {
                stack.push(Frame::Within { leaf, state, arms });
                next.push(stack);
            }
            end
        }
    }
}

/// A finite set of words; the word's place in the list is its label.
#[derive(Debug)]
pub(crate) struct Words(pub(crate) Vec<String>);

impl Words {
    fn read(&self, state: State) -> &[u8] {
        let (word, length) = (state.0 as usize >> 32, state.0 as usize & 0xffff_ffff);
        &self.0[word].as_bytes()[..length]
    }
}

impl Language for Words {
    fn start(&self) -> State {
        State(0)
    }

    fn step(&self, state: State, byte: u8) -> Option<State> {
        let text = [self.read(state), &[byte]].concat();
        let word = self.0.iter().position(|word| word.as_bytes().starts_with(&text))?;
        Some(State((word as u128) << 32 | text.len() as u128))
    }

    fn accepts(&self, state: State) -> Option<Label> {
        self.0.iter().position(|word| word.as_bytes() == self.read(state)).map(|label| label as Label)
    }

    fn completion(&self, state: State, cost: &dyn Fn(Label) -> u32) -> (Vec<u8>, Label) {
        let rests = self.0.iter().enumerate().filter_map(|(label, word)| {
            word.as_bytes().strip_prefix(self.read(state)).map(|rest| (rest.to_vec(), label as Label))
        });
        rests.min_by_key(|(rest, label)| rest.len() as u32 + cost(*label)).expect("a live state")
    }

    fn expectation(&self, _: State) -> String {
        self.0.join(", ")
    }

    fn memory_bytes(&self) -> usize {
        self.0.iter().map(String::len).sum()
    }

    fn same(&self, other: &dyn Language) -> bool {
        (other as &dyn std::any::Any).downcast_ref::<Self>().is_some_and(|other| self.0 == other.0)
    }

    fn fingerprint(&self) -> u64 {
        self.0.len() as u64
    }
}
