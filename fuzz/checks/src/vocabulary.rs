//! A small vocabulary for targets that compare masks with brute force, and compilers with limits that keep executions short.

use std::sync::LazyLock;

use harmony_mask::{Compiler, Limits, SpecialToken, TokenId, TokenMask, Vocabulary};

/// The special tokens come after the ordinary ones.
const FIRST_SPECIAL: TokenId = 3_000;
/// One past the highest id; the ids between are unknown, as in a model.
pub(crate) const WIDTH: usize = 3_040;

/// Ceilings below which a compilation takes milliseconds.
fn limits() -> Limits {
    Limits {
        schema_nodes: 20_000,
        alternatives: 256,
        dfa_states: 5_000,
        window_entries: 200_000,
        counter_states: 20_000,
        completion_bytes: 4_096,
        number_digits: 60,
        cache_bytes: 16 << 20,
        grammar_cache_bytes: 1 << 20,
        ..Limits::default()
    }
}

/// Compiles for the small vocabulary.
pub(crate) static SMALL: LazyLock<Compiler> = LazyLock::new(|| Compiler::with_limits(small(), limits()));

/// Compiles for gpt-oss' own vocabulary.
pub(crate) static FULL: LazyLock<Compiler> =
    LazyLock::new(|| Compiler::with_limits(Vocabulary::o200k_harmony(), limits()));

/// All bytes, the commonest tokens, and the shorter ones of those that have quotes, escapes or parts of characters.
fn small() -> Vocabulary {
    let all = Vocabulary::o200k_harmony();
    let is_odd =
        |bytes: &[u8]| bytes.len() < 6 && bytes.iter().any(|byte| b"\"\\{}[]".contains(byte) || *byte > 127);
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let common = (0..700).filter_map(|id| all.token_bytes(id)).filter(|bytes| bytes.len() > 1);
    let odd = (700..20_000).filter_map(|id| all.token_bytes(id)).filter(|bytes| is_odd(bytes));
    let tokens = bytes.chain(common.chain(odd).map(<[u8]>::to_vec)).take(FIRST_SPECIAL as usize);
    let specials = SpecialToken::ALL.into_iter().zip(FIRST_SPECIAL..);
    Vocabulary::new((0..).zip(tokens), specials).expect("distinct tokens, all bytes among them")
}

/// A mask as wide as the small vocabulary.
pub(crate) fn mask(matcher: &harmony_mask::Matcher) -> TokenMask {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    mask
}
