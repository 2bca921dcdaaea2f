//! Two small vocabularies and compilers with limits, which keep executions short: a fuzzer that is fast sees
//! more. Masks of gpt-oss' own vocabulary are compared with brute force by the tests of the laws.

use std::sync::LazyLock;

use harmony_mask::{Compiler, Limits, SpecialToken, TokenId, TokenMask, Vocabulary};

/// The special tokens come after the ordinary ones.
const FIRST_SPECIAL: TokenId = 500;
/// One past the highest id; the ids between are unknown, as in a model.
pub(crate) const WIDTH: usize = 540;

/// Of the odd tokens, every so many is taken.
const ODD_STEP: usize = 40;

/// Ceilings below which a compilation takes few milliseconds.
fn limits() -> Limits {
    Limits {
        schema_nodes: 1_000,
        alternatives: 32,
        dfa_states: 500,
        window_entries: 10_000,
        counter_states: 1_000,
        completion_bytes: 256,
        number_digits: 40,
        grammar_symbols: 300,
        left_recursive_rules: 50,
        work: 2_000,
        cache_bytes: 16 << 20,
        grammar_cache_bytes: 1 << 20,
        ..Limits::default()
    }
}

/// Compiles for the small vocabulary.
pub(crate) static SMALL: LazyLock<Compiler> = LazyLock::new(|| Compiler::with_limits(small(), limits()));

/// Compiles for the same tokens with the ids that they have in gpt-oss, for comparing with what knows no
/// others.
pub(crate) static SPARSE: LazyLock<Compiler> = LazyLock::new(|| Compiler::with_limits(sparse(), limits()));

/// All bytes, each its own id, and the tokens of [`longer`].
fn small() -> Vocabulary {
    let all = Vocabulary::o200k_harmony();
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let longer = longer(&all).into_iter().filter_map(|id| all.token_bytes(id)).map(<[u8]>::to_vec);
    let specials = SpecialToken::ALL.into_iter().zip(FIRST_SPECIAL..);
    Vocabulary::new((0..).zip(bytes.chain(longer)), specials).expect("distinct tokens, all bytes among them")
}

fn sparse() -> Vocabulary {
    let all = Vocabulary::o200k_harmony();
    let bytes = (0..).filter(|id| all.token_bytes(*id).is_some_and(|bytes| bytes.len() == 1));
    let tokens = bytes.take(256).chain(longer(&all));
    let tokens = tokens.filter_map(|id| Some((id, all.token_bytes(id)?.to_vec())));
    let specials = SpecialToken::ALL.map(|special| (special, special.harmony_id()));
    Vocabulary::new(tokens, specials).expect("distinct tokens, all bytes among them")
}

/// Some of the commonest tokens of several bytes, and some of the short ones that have quotes, escapes or
/// parts of characters.
fn longer(all: &Vocabulary) -> Vec<TokenId> {
    let is_odd =
        |bytes: &[u8]| bytes.len() < 6 && bytes.iter().any(|byte| b"\"\\{}[]".contains(byte) || *byte > 127);
    let of = |id| all.token_bytes(id).filter(|bytes| bytes.len() > 1);
    let common = (0..700).filter(|id| of(*id).is_some()).step_by(4);
    let odd = (700..20_000).filter(|id| of(*id).is_some_and(is_odd)).step_by(ODD_STEP);
    common.chain(odd).collect()
}

/// A mask as wide as the small vocabulary.
pub(crate) fn mask(matcher: &harmony_mask::Matcher) -> TokenMask {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    mask
}
