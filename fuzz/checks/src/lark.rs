//! Any text as a grammar: read or refused with a position, and what is read can be walked to its end.

use harmony_mask::Options;

use crate::reproduction::text_target;
use crate::tokens::nth;
use crate::vocabulary::{SMALL, mask};

text_target! {
    /// A text that may be a grammar.
    LarkText, "lark", check
}

fn check(text: &str) {
    let Ok(grammar) = SMALL.compile_lark(text, &Options::default()) else { return };
    let mut matcher = grammar.matcher();
    for step in 0..4 {
        let mask = mask(&matcher);
        assert!(mask.count() > 0 || matcher.is_finished(), "a dead end");
        let Some(token) = nth(&mask, step * 7) else { break };
        matcher.accept(token).expect("the mask allows it");
    }
    for token in matcher.shortest_completion() {
        matcher.accept(token).expect("the shortest completion is accepted");
    }
    assert!(matcher.is_accepting());
}
