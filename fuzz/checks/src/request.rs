//! Any text as a request: compiled or refused with a place in it, and what is compiled has a completion.

use harmony_mask::Request;
use serde_json::Value;

use crate::reproduction::text_target;
use crate::vocabulary::SMALL;

text_target! {
    /// A text that may be a request.
    RequestText, "request", check
}

fn check(text: &str) {
    let Ok(request) = serde_json::from_str::<Value>(text) else { return };
    let grammar = Request::read(&request).map_err(Into::into).and_then(|read| SMALL.compile(&read));
    match grammar {
        Ok(grammar) => {
            let mut matcher = grammar.matcher();
            for token in matcher.shortest_completion() {
                matcher.accept(token).expect("the shortest completion is accepted");
            }
            assert!(
                matcher.is_finished()
                    && matcher.transcript().messages.iter().all(|message| message.end.is_some())
            );
        }
        Err(error) => {
            let pointer = error.pointer();
            assert!(
                request.pointer(&pointer).is_some() || is_missing(&request, &pointer),
                "{pointer}: {error}"
            );
        }
    }
}

/// Whether a pointer names a member that its object should have.
fn is_missing(request: &Value, pointer: &str) -> bool {
    pointer.rsplit_once('/').is_some_and(|(parent, _)| request.pointer(parent).is_some())
}
