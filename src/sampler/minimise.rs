//! Smaller completions that fail alike.

use crate::matcher::Matcher;
use crate::special::TokenId;

/// A completion that still fails and from which no run of tokens can be left out, made from one that fails.
///
/// `fails` is asked about complete completions of the same grammar only; where leaving tokens out breaks a
/// completion, the shortest way to its end takes their place.
pub fn minimise(failing: &Matcher, mut fails: impl FnMut(&Matcher) -> bool) -> Matcher {
    let mut best = failing.clone();
    let mut run = best.tokens().len().next_power_of_two();
    while run > 0 {
        let mut at = 0;
        while at < best.tokens().len() {
            let smaller = candidates(&best, at, run)
                .into_iter()
                .find(|candidate| size(candidate) < size(&best) && fails(candidate));
            match smaller {
                Some(candidate) => best = candidate,
                None => at += run,
            }
        }
        run /= 2;
    }
    best
}

/// Completions without `run` tokens from `at` on: those after them kept, or given up for the shortest end.
fn candidates(best: &Matcher, at: usize, run: usize) -> Vec<Matcher> {
    let tokens = best.tokens();
    let mut start = best.clone();
    start.rollback(tokens.len() - at).expect("not more than there are");
    let rest = tokens.get(at + run..).unwrap_or_default();
    let kept = replay(start.clone(), rest);
    let closed = start.shortest_completion();
    kept.into_iter().chain(replay(start, &closed)).collect()
}

fn replay(mut matcher: Matcher, tokens: &[TokenId]) -> Option<Matcher> {
    tokens.iter().try_for_each(|token| matcher.accept(*token)).ok()?;
    matcher.is_accepting().then_some(matcher)
}

fn size(matcher: &Matcher) -> (usize, usize) {
    let bytes =
        matcher.tokens().iter().filter_map(|token| matcher.vocabulary().token_bytes(*token)).map(<[u8]>::len);
    (matcher.tokens().len(), bytes.sum())
}
