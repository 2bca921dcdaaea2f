//! Every public function of a matcher, in every state and under any token: an error or a defined value, and after an error nothing has changed.

use harmony_mask::automaton::Residual;
use harmony_mask::{Matcher, SpecialToken, TokenId, TokenMask, Transcript};

use crate::harness::{EXAMPLES, HABITS, Random, WIDTH, choose, example};

/// All that can be asked of a matcher.
#[derive(Clone, Debug, PartialEq)]
struct Observed {
    tokens: Vec<TokenId>,
    residual: Residual,
    mask: TokenMask,
    is_finished: bool,
    is_accepting: bool,
    stop_tokens: Vec<TokenId>,
    forced_tokens: Vec<TokenId>,
    shortest_completion: Vec<TokenId>,
    transcript: Transcript,
    expected: Vec<String>,
    place: String,
}

fn observe(matcher: &Matcher) -> Observed {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    Observed {
        tokens: matcher.tokens().to_vec(),
        residual: matcher.residual().clone(),
        mask,
        is_finished: matcher.is_finished(),
        is_accepting: matcher.is_accepting(),
        stop_tokens: matcher.stop_tokens(),
        forced_tokens: matcher.forced_tokens(),
        shortest_completion: matcher.shortest_completion(),
        transcript: matcher.transcript(),
        expected: matcher.expected(),
        place: matcher.place(),
    }
}

/// Tokens at every border between kinds of ids, and some at random.
fn tokens(random: &mut Random) -> Vec<TokenId> {
    let borders = [
        0,
        1,
        255,
        256,
        199_997,
        199_998,
        200_000,
        200_013,
        200_018,
        201_087,
        201_088,
        1 << 31,
        TokenId::MAX,
    ];
    let specials = SpecialToken::ALL.map(SpecialToken::harmony_id);
    let any = (0..12).map(|_| TokenId::try_from(random.below(WIDTH)).expect("fits"));
    borders.into_iter().chain(specials).chain(any).collect()
}

/// Whatever is wrong is refused and leaves no trace; whatever is right can be taken back.
fn check(matcher: &mut Matcher, random: &mut Random) {
    let before = observe(matcher);
    assert_eq!(before.mask.count() == 0, before.is_finished, "a mask is empty at the end and nowhere else");
    for token in tokens(random) {
        let is_allowed = before.mask.contains(token);
        match matcher.accept(token) {
            Ok(()) => {
                assert!(is_allowed, "{token} was accepted against the mask");
                matcher.rollback(1).expect("one was accepted");
            }
            Err(error) => {
                assert!(!is_allowed, "the mask allowed {token}: {error}");
                assert_eq!(error.token, token);
                assert!(!error.to_string().is_empty());
            }
        }
    }
    for count in [before.tokens.len() + 1, usize::MAX] {
        let error = matcher.rollback(count).expect_err("more than were accepted");
        assert_eq!((error.requested, error.accepted), (count, before.tokens.len()));
    }
    matcher.rollback(0).expect("nothing to do");
    assert_eq!(observe(matcher), before);
}

#[test]
fn errors_leave_every_state_as_it_was() {
    for (name, seed) in EXAMPLES.iter().zip(80..) {
        let grammar = example(name);
        let mut random = Random::new(seed);
        for round in 0..4 {
            let (mut matcher, mut mask) = (grammar.matcher(), TokenMask::new(WIDTH));
            for _ in 0..15 {
                check(&mut matcher, &mut random);
                matcher.fill_mask(&mut mask);
                if matcher.is_finished() {
                    break;
                }
                let token = choose(&matcher, &mask, HABITS[round % HABITS.len()], &mut random);
                matcher.accept(token).expect("the mask allows it");
            }
            for token in matcher.shortest_completion() {
                matcher.accept(token).expect("the shortest completion is accepted");
            }
            assert!(matcher.is_finished());
            check(&mut matcher, &mut random);
        }
    }
}
