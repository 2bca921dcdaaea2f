//! Every public function of a matcher, in every state and under any token: an error or a defined value, and
//! after an error nothing has changed.

use std::fs;
use std::path::Path;

use harmony_mask::automaton::Residual;
use harmony_mask::matcher::{Delta, Deltas, DraftNode, Status};
use harmony_mask::transcript::Header;
use harmony_mask::{MaskId, Matcher, Request, SpecialToken, TokenId, TokenMask, TokenMaskMut, Transcript};

use crate::harness::{EXAMPLES, HABITS, Random, WIDTH, choose, example};

/// All that can be asked of a matcher.
#[derive(Clone, Debug, PartialEq)]
struct Observed {
    tokens: Vec<TokenId>,
    residual: Residual,
    mask: TokenMask,
    mask_id: Option<MaskId>,
    is_finished: bool,
    is_accepting: bool,
    stop_tokens: Vec<TokenId>,
    forced_tokens: Vec<TokenId>,
    shortest_completion: Vec<TokenId>,
    transcript: Transcript,
    expected: Vec<String>,
    place: String,
    given_tokens: Vec<TokenId>,
    tokens_left: Option<usize>,
    status: Status,
    matching_formats: Vec<String>,
    delta: Option<Delta>,
    open_message: Option<Header>,
}

fn observe(matcher: &Matcher) -> Observed {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    Observed {
        tokens: matcher.tokens().to_vec(),
        residual: matcher.residual().clone(),
        mask,
        mask_id: matcher.mask_id(),
        is_finished: matcher.is_finished(),
        is_accepting: matcher.is_accepting(),
        stop_tokens: matcher.stop_tokens(),
        forced_tokens: matcher.forced_tokens(),
        shortest_completion: matcher.shortest_completion(),
        transcript: matcher.transcript(),
        expected: matcher.expected(),
        place: matcher.place(),
        given_tokens: matcher.given_tokens().to_vec(),
        tokens_left: matcher.tokens_left(),
        status: matcher.status(),
        matching_formats: matcher.matching_formats().into_iter().map(str::to_owned).collect(),
        delta: matcher.delta(),
        open_message: matcher.open_message().cloned(),
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
    assert_eq!(matcher.automaton().accepts(matcher.residual()), before.is_accepting);
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
    check_rows(matcher, &before.mask);
    check_drafts(matcher, &tokens(random));
    check_deadlines(matcher, before.shortest_completion.len());
    assert_eq!(observe(matcher), before);
}

/// A row that is too narrow, or none at all, gets the bits that fit.
fn check_rows(matcher: &Matcher, mask: &TokenMask) {
    for width in [0, 1, 33, 200_000, WIDTH, WIDTH + 100] {
        let mut words = vec![u32::MAX; width.div_ceil(32)];
        matcher.fill_row(&mut TokenMaskMut::new(&mut words, width));
        let row = TokenMaskMut::new(&mut words, width);
        assert!(row.iter().eq(mask.iter().filter(|token| (*token as usize) < width)), "{width} wide");
    }
}

/// Drafts of any tokens, in a row and as a tree, are judged as if they were accepted.
fn check_drafts(matcher: &Matcher, tokens: &[TokenId]) {
    let mut fork = matcher.fork();
    let accepted = tokens.iter().take_while(|token| fork.accept(**token).is_ok()).count();
    assert_eq!(matcher.validate_tokens(tokens), accepted);
    let mut masks = vec![TokenMask::new(WIDTH); 3];
    assert_eq!(matcher.fill_draft_masks(tokens, &mut masks), (accepted + 1).min(masks.len()));
    assert_eq!(matcher.fill_draft_masks(tokens, &mut []), 0);
    let nodes = [(tokens[0], None), (tokens[1], Some(0)), (tokens[1], None)];
    let tree = nodes.map(|(token, parent)| DraftNode { token, parent });
    let reached = matcher.fill_tree_masks(&tree, &mut masks);
    let single = |token| matcher.validate_tokens(&[token]) == 1;
    let both = matcher.validate_tokens(&tokens[..2]) == 2;
    assert_eq!(reached, [single(tokens[0]), both, single(tokens[1])]);
}

/// Any number of tokens is a deadline or too few, and too few change nothing; a reset takes the deadline
/// back.
fn check_deadlines(matcher: &mut Matcher, needed: usize) {
    for within in (0..needed).step_by(7) {
        let error = matcher.finish_within(within).expect_err("too few");
        assert_eq!((error.requested, error.needed), (within, needed));
    }
    for within in [needed, needed + 1, usize::MAX] {
        let mut fork = matcher.fork();
        fork.finish_within(within).expect("enough");
        fork.finish_within(usize::MAX).expect("a deadline may be moved");
        for token in matcher.shortest_completion() {
            fork.accept(token).expect("the shortest completion is in time");
        }
        assert!(fork.is_accepting());
        fork.reset();
        assert_eq!((fork.tokens_left(), fork.tokens().len()), (None, 0));
    }
}

/// Any tokens and any text as a prompt, as a transcript and as text: read, or refused where they break.
#[test]
fn any_tokens_are_read_or_refused() {
    let matcher = example(EXAMPLES[0]).matcher();
    let vocabulary = matcher.vocabulary();
    let texts =
        ["", "<|start|>", "<|start|>assistant<|channel|>", "é<|end|>", "<|start|>user<|message|>x<|end|>"];
    for (name, seed) in EXAMPLES.iter().zip(90..) {
        let (grammar, mut random) = (example(name), Random::new(seed));
        let whole = grammar.matcher().shortest_completion();
        for _ in 0..100 {
            let mut prompt = whole[..random.below(whole.len() + 1)].to_vec();
            let broken = tokens(&mut random);
            prompt.extend(&broken[..random.below(3)]);
            match grammar.matcher_after(&prompt) {
                Ok(matcher) => {
                    assert!(prompt.ends_with(matcher.given_tokens()) && matcher.tokens().is_empty());
                }
                Err(error) => assert_eq!(error.source.token, prompt[error.token]),
            }
            prompt.extend(&broken);
            let read = Transcript::read(vocabulary, &prompt);
            assert!(read.messages.len() <= prompt.len());
            assert!(Transcript::place(vocabulary, &prompt).len() < 100);
            assert!(Request::from_prompt_tokens(vocabulary, &prompt).is_err());
            assert!(vocabulary.decode(&prompt).len() <= prompt.len() * vocabulary.longest_token().max(20));
        }
        for text in texts {
            let read = grammar.matcher_after_text(text).map(|matcher| matcher.given_tokens().len());
            assert!(read.as_ref().map_or_else(|error| error.offset, |given| *given) <= text.len());
        }
    }
}

/// Whoever follows the deltas through errors and rollbacks has the transcript.
#[test]
fn deltas_follow_any_history() {
    let (mut matcher, mut random) = (example(EXAMPLES[0]).matcher(), Random::new(95));
    let mut deltas = Deltas::default();
    for token in matcher.shortest_completion() {
        for wrong in tokens(&mut random) {
            if matcher.accept(wrong).is_ok() {
                deltas.update(&matcher);
                matcher.rollback(1).expect("one was accepted");
                deltas.update(&matcher);
            }
            assert_eq!(deltas.update(&matcher), []);
        }
        matcher.accept(token).expect("the shortest completion is accepted");
        assert_eq!(deltas.update(&matcher), matcher.delta().into_iter().collect::<Vec<_>>());
    }
}

/// Whoever adds a public function to matchers, or to grammars, adds it here.
#[test]
fn no_public_function_is_left_out() {
    /// These make a matcher's parts, are given no tokens, or (`after_prompt`) are what `matcher_after` calls.
    const PARTS: [&str; 8] = [
        "of_text",
        "of_turn",
        "new",
        "coverage",
        "warnings",
        "memory_bytes",
        "allows_parallel_calls",
        "after_prompt",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/matcher");
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let mut sources: Vec<String> = files.map(|file| fs::read_to_string(file).expect("text")).collect();
    let compiler = include_str!("../src/compiler.rs");
    sources.push(compiler[compiler.find("impl Grammar {").expect("there is one")..].to_owned());
    let functions = sources.iter().flat_map(|source| source.split("\n    pub fn ").skip(1));
    let names = functions.map(|rest| rest.split(['(', '<']).next().expect("a name"));
    let here = include_str!("arbitrary_tokens.rs");
    let missing: Vec<_> =
        names.filter(|name| !PARTS.contains(name) && !here.contains(&format!(".{name}("))).collect();
    assert!(missing.is_empty(), "{missing:?}");
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
