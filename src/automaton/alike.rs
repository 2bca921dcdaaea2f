//! Sorting tokens by a state that is sorted already.
//!
//! An unanchored pattern (`[0-9a-f]{32}` among the names of an object) has states that nearly all tokens lead to the same places from. Where texts
//! had to be read one by one, another state of the leaf is sorted by walking the trie from both: where they lead to one state, all that is below is as it
//! was. In `Github_easy---o78130` of MaskBench a new state takes 0.14 instead of 1.8 ms (least of three runs).

use std::sync::Arc;

use super::leaf_table::LeafEntry;
use super::sort::{End, Exits, Sorted, by_label};
use super::ways::Ways;
use crate::expression::{Label, Leaf, State};
use crate::special::TokenId;
use crate::vocabulary::Vocabulary;

/// States that differ in more nodes than this are not alike: sorting takes some 300,000.
const MANY: usize = 30_000;

/// A state that is sorted.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) state: State,
    pub(super) entry: Arc<LeafEntry>,
}

/// Sorts a state, where it is much like the model; `None` where it is not, or may end before its texts do.
pub(super) fn sort_alike(
    vocabulary: &Vocabulary,
    leaf: &Leaf,
    state: State,
    model: &Model,
) -> Option<Sorted> {
    let ways = model.entry.exits.as_ref().filter(|_| leaf.accepts(state).is_none())?;
    let differing = differing(vocabulary, leaf, state, model.state)?;
    let trie = vocabulary.trie();
    let mut changed: Vec<TokenId> = differing.iter().filter_map(|(node, _)| trie.node(*node).token).collect();
    changed.sort_unstable();
    let is_kept = |(_, token): &(u8, TokenId)| changed.binary_search(token).is_err();
    let mut complete: Vec<_> = model.entry.complete.iter().filter(is_kept).collect();
    let mut inside = model.entry.inside(vocabulary).to_builder(vocabulary.width());
    inside.remove_all(&changed);
    let mut exits = kept_exits(ways, &differing);
    for (node, end) in differing {
        let token = trie.node(node).token;
        match end {
            None => {}
            Some(End::May) => return None,
            Some(End::No) => token.into_iter().for_each(|token| inside.insert(token)),
            Some(End::Must(label)) => {
                complete.extend(token.map(|token| (trie.first_byte(node), token)));
                exits.push((label, node));
            }
        }
    }
    Some(Sorted { inside, complete, exits: Some(by_label(vocabulary, exits)), is_dear: true })
}

/// The ways out at which the states do not differ.
fn kept_exits(exits: &Exits, differing: &[(u32, Option<End>)]) -> Vec<(Label, u32)> {
    let is_kept = |node: &u32| differing.binary_search_by_key(node, |(node, _)| *node).is_err();
    let kept = |(label, ways): &(Label, Ways)| {
        let nodes = ways.nodes().iter().copied().filter(is_kept);
        nodes.map(|node| (*label, node)).collect::<Vec<_>>()
    };
    exits.iter().flat_map(kept).collect()
}

/// The nodes to which two states of a leaf read differently, ascending, each with how the leaf may end there after the first state, where it reads so far.
fn differing(
    vocabulary: &Vocabulary,
    leaf: &Leaf,
    one: State,
    other: State,
) -> Option<Vec<(u32, Option<End>)>> {
    let trie = vocabulary.trie();
    let mut differing = Vec::new();
    let mut path = [(Some(one), Some(other)); 256];
    let mut at = 0;
    while at < trie.len() {
        let node = trie.node(at);
        let before = path[node.parent_depth()];
        let step = |before: Option<State>| before.and_then(|before| leaf.step(before, node.byte));
        let (one, other) = (step(before.0), step(before.1));
        if one == other {
            at = node.end;
            continue;
        }
        if differing.len() == MANY {
            return None;
        }
        differing.push((at, one.map(|state| End::of(leaf, state))));
        path[usize::from(node.depth)] = (one, other);
        at += 1;
    }
    Some(differing)
}

#[cfg(test)]
mod tests {
    use super::super::runs::Runs;
    use super::super::sort::{Scope, sort};
    use super::*;
    use crate::expression::DfaLanguage;
    use crate::regular::Pattern;
    use crate::token_mask::TokenMask;

    fn shown(vocabulary: &Vocabulary, entry: &LeafEntry) -> impl PartialEq + std::fmt::Debug {
        let mut mask = TokenMask::new(vocabulary.width());
        entry.inside(vocabulary).add_to(&mut mask.as_mut());
        let exits = entry.exits.as_ref().expect("texts end with a quotation mark");
        let exits: Vec<_> = exits.iter().map(|(label, ways)| (*label, ways.nodes().to_vec())).collect();
        (mask.iter().collect::<Vec<_>>(), entry.complete.iter().collect::<Vec<_>>(), exits)
    }

    /// The states of a pattern, each sorted by the others; how many could be.
    fn check(pattern: &str) -> usize {
        let vocabulary = Vocabulary::o200k_harmony();
        let dfa = Pattern::parse(pattern).expect("a pattern").to_dfa(10_000).expect("not large");
        let leaf = Leaf::new(DfaLanguage::new(Arc::new(dfa), "quoted text"));
        let runs = Runs::new(1 << 20);
        let after = |text: &str| leaf.reads(leaf.start(), text.as_bytes()).expect("a beginning");
        let states = ["", "\"", "\"a", "\"ab", "\"ab-ab"].map(after);
        let entry = |state| Arc::new(LeafEntry::new(sort(&vocabulary, &runs, (&leaf, state), Scope::All)));
        let mut alike = 0;
        for (state, model) in states.iter().flat_map(|one| states.map(|other| (*one, other))) {
            let model = Model { state: model, entry: entry(model) };
            if let Some(sorted) = sort_alike(&vocabulary, &leaf, state, &model) {
                let (found, expected) = (LeafEntry::new(sorted), entry(state));
                assert_eq!(shown(&vocabulary, &found), shown(&vocabulary, &expected), "{pattern}");
                alike += 1;
            }
        }
        alike
    }

    #[test]
    fn states_are_sorted_as_by_themselves() {
        // Each state is like itself; the start is like no other.
        assert!(check(r#"^"[^"]*[a-c]{3}[^"]*"$"#) > 5);
        assert!(check(r#"^"([^"a-c]|[a-c]{1,2}[^"a-c])*"$"#) > 5);
        assert_eq!(check(r#"^"[^"]{1,9}"$"#), 5, "lengths differ everywhere");
    }
}
