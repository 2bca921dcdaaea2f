//! Plain text read by shape, by several states and text by text, against reading it byte by byte.

use super::super::token_set::TokenSet;
use super::*;
use crate::regular::Pattern;
use crate::token_mask::TokenMask;

/// The tokens that are plain text, read byte by byte within the budget.
fn by_bytes(vocabulary: &Vocabulary, dfa: &Dfa, at: StateId, budget: u32) -> Vec<TokenId> {
    let fits = |token: &TokenId, characters: u8| {
        let bytes = vocabulary.token_bytes(*token).unwrap_or_default();
        let end = bytes.iter().try_fold(at, |state, byte| dfa.next(state, *byte));
        let cost = |end| u32::from(characters).saturating_add(dfa.least_chars()[end as usize]);
        end.is_some_and(|end| budget == u32::MAX || cost(end) <= budget)
    };
    let plain = vocabulary.plain();
    let of = |place| {
        let characters = plain.shape(place).characters;
        plain.tokens[plain.tokens(place..place + 1)]
            .iter()
            .copied()
            .filter(move |token| fits(token, characters))
    };
    let mut tokens: Vec<_> = (0..plain.len()).flat_map(of).collect();
    tokens.sort_unstable();
    tokens
}

fn check(pattern: &str) {
    let vocabulary = Vocabulary::o200k_harmony();
    let dfa = Pattern::parse(pattern).expect("a pattern").to_dfa(10_000).expect("not large");
    let runs = Runs::new(1 << 20);
    let states = (0..dfa.states() as StateId).filter(|state| !dfa.is_within_character(*state));
    for (state, budget) in states.take(6).flat_map(|state| [u32::MAX, 5, 1].map(|budget| (state, budget))) {
        let expected = by_bytes(&vocabulary, &dfa, state, budget);
        let read = |budget, breaks| Plain::read(&vocabulary, &dfa, state, budget, breaks);
        for breaks in [Breaks::Wanted, Breaks::Unwanted] {
            let mut set = TokenSet::builder(vocabulary.width());
            read(budget, breaks).add_to(&vocabulary, &runs, &mut set);
            let mut mask = TokenMask::new(vocabulary.width());
            set.finish().add_to(&mut mask.as_mut());
            let found: Vec<_> = mask.iter().collect();
            assert_eq!(found, expected, "{pattern} in state {state} within {budget}");
        }
        let in_order = |mut breaks: Vec<Break>| {
            breaks.sort_unstable_by_key(|found| found.node);
            breaks
        };
        let breaks = in_order(read(budget, Breaks::Wanted).breaks(&vocabulary));
        let all = breaks_behind(&vocabulary, &dfa, state, 0..vocabulary.plain().len());
        assert_eq!(breaks, in_order(all.collect()), "{pattern} in state {state} within {budget}");
    }
}

#[test]
fn shapes_are_read_as_their_texts_are() {
    for pattern in [
        "^[a-z]+$",
        "^[^/]*$",
        "x",
        r"\.(jpg|png)$",
        r"\s",
        r"^\S+ \d{2,4}$",
        r"^[\u4e00-\u9fff]{2,8}é?$",
        r"^(\S+\s+){0,3}\S+$",
        r"^[^\u0100-\u0110\u4e00é]*$",
        r"^.*$",
        r"^[^\u00a0\u1680\u2003\u3000\ufeff]*$",
        r"^[\u00a0\u1680\u2003\u3000\ufeff]*$",
        r"^[^\u3001\u2014]*$",
        // Letters are told apart, and are all read; some of them are not, at once or later on.
        "[0-9a-f]{3}",
        "^[^b]*a[^b]*$",
        "^.*a[^b]*$",
        "^(a[^x]|[^a])*[xyz]$",
        // No letter stands before a quotation mark within a token, but such a character does before a line
        // end.
        "^([^。]|。+[^。9])*。*$",
        r"^([^\u{10000}-\u{10ffff}]|\ud83d\ude00)*$",
    ] {
        check(pattern);
    }
}
