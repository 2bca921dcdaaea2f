//! What the law tests share: the vocabulary, random walks through grammars, and the brute-force mask.

pub(crate) mod baseline;
pub(crate) mod earley;
pub(crate) mod grafts;
pub(crate) mod mutants;
pub(crate) mod python;
pub(crate) mod reference;
pub(crate) mod requests;
pub(crate) mod schemas;
pub(crate) mod unique;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use harmony_mask::automaton::{Residual, Unit};
use harmony_mask::{Compiler, Grammar, Matcher, TokenId, TokenMask, Vocabulary};

/// The width of gpt-oss' logits.
pub(crate) const WIDTH: usize = Vocabulary::HARMONY_LOGITS;

pub(crate) static COMPILER: LazyLock<Compiler> = LazyLock::new(|| Compiler::new(Vocabulary::o200k_harmony()));

/// The three requests that the README shows.
pub(crate) const EXAMPLES: [&str; 3] = ["weather", "shopping", "tools_and_format"];

pub(crate) fn example(name: &str) -> Grammar {
    COMPILER.compile(&example_text(name).parse().expect("a request")).expect("compiles")
}

pub(crate) fn example_text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.json"));
    fs::read_to_string(path).expect("an example")
}

/// A small deterministic generator (splitmix64): walks must be the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((word ^ (word >> 31)) % bound as u64).expect("below bound")
    }
}

/// How a walk chooses among the allowed tokens: each habit reaches states that the others rarely see.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Habit {
    /// Any allowed token.
    Uniform,
    /// Mostly on the shortest way to the end, sometimes any.
    Hasty,
    /// Single bytes and escapes.
    Bytewise,
}

pub(crate) const HABITS: [Habit; 3] = [Habit::Uniform, Habit::Hasty, Habit::Bytewise];

/// One token that the mask allows.
pub(crate) fn choose(matcher: &Matcher, mask: &TokenMask, habit: Habit, random: &mut Random) -> TokenId {
    let allowed: Vec<TokenId> = mask.iter().collect();
    assert!(!allowed.is_empty(), "a dead end after {:?}", matcher.vocabulary().decode(matcher.tokens()));
    match habit {
        Habit::Hasty if random.below(4) > 0 => {
            // A text that may end here and go on has nothing on the shortest way.
            matcher.shortest_completion().first().copied().unwrap_or(allowed[random.below(allowed.len())])
        }
        Habit::Bytewise if random.below(8) > 0 => {
            let short = |token: &&TokenId| {
                matcher.vocabulary().token_bytes(**token).is_some_and(|bytes| bytes.len() == 1)
            };
            let short: Vec<&TokenId> = allowed.iter().filter(short).collect();
            if short.is_empty() {
                allowed[random.below(allowed.len())]
            } else {
                *short[random.below(short.len())]
            }
        }
        _ => allowed[random.below(allowed.len())],
    }
}

/// A completion of at most about `steps` random tokens, closed by the shortest completion; `visit` sees every
/// state on the way.
pub(crate) fn walk(
    grammar: &Grammar,
    habit: Habit,
    steps: usize,
    random: &mut Random,
    mut visit: impl FnMut(&Matcher, &TokenMask),
) -> Matcher {
    let mut matcher = grammar.matcher();
    let mut mask = TokenMask::new(WIDTH);
    for _ in 0..steps {
        matcher.fill_mask(&mut mask);
        visit(&matcher, &mask);
        if matcher.is_finished() {
            return matcher;
        }
        let token = choose(&matcher, &mask, habit, random);
        matcher.accept(token).unwrap_or_else(|error| panic!("the mask allowed what accept refuses: {error}"));
    }
    for token in matcher.shortest_completion() {
        matcher.fill_mask(&mut mask);
        visit(&matcher, &mask);
        assert!(mask.contains(token), "the shortest completion is not allowed by the mask");
        matcher.accept(token).unwrap_or_else(|error| panic!("the shortest completion is refused: {error}"));
    }
    matcher
}

/// What was said, without the end of the completion.
pub(crate) fn text(matcher: &Matcher) -> String {
    let bytes = matcher.tokens().iter().filter_map(|token| matcher.vocabulary().token_bytes(*token));
    String::from_utf8(bytes.flatten().copied().collect()).expect("a text")
}

/// The mask by definition: every id on its own, unit by unit.
pub(crate) fn brute_force(matcher: &Matcher) -> TokenMask {
    let (vocabulary, automaton) = (matcher.vocabulary(), matcher.automaton());
    let mut mask = TokenMask::new(WIDTH);
    // Most tokens die at their first byte: remember what each first byte leads to.
    let first: Vec<Option<Residual>> =
        (0..=u8::MAX).map(|byte| automaton.step(matcher.residual(), Unit::Byte(byte))).collect();
    for id in 0..TokenId::try_from(WIDTH).expect("fits") {
        let survives = match (vocabulary.token_bytes(id), vocabulary.special(id)) {
            (Some([head, tail @ ..]), _) => {
                let start = first[usize::from(*head)].clone();
                tail.iter()
                    .try_fold(start, |at, byte| Some(automaton.step(&at?, Unit::Byte(*byte))))
                    .flatten()
                    .is_some()
            }
            (_, Some(special)) => automaton.step(matcher.residual(), Unit::Special(special)).is_some(),
            _ => false,
        };
        if survives {
            mask.insert(id);
        }
    }
    mask
}
