//! Speculation: drafts are judged as if their tokens were accepted one after the other, and nothing is taken.

use harmony_mask::matcher::DraftNode;
use harmony_mask::{Matcher, TokenId, TokenMask};

use crate::harness::{EXAMPLES, HABITS, Random, WIDTH, example, walk};

#[test]
fn drafts_are_judged_as_stepping_would() {
    for (name, seed) in EXAMPLES.iter().zip(100..) {
        let grammar = example(name);
        let mut random = Random::new(seed);
        for round in 0..30 {
            let complete = walk(&grammar, HABITS[round % 3], random.below(30), &mut random, |_, _| {});
            let mut matcher = complete.fork();
            matcher.rollback(random.below(complete.tokens().len() + 1)).expect("that many were accepted");
            if round % 2 == 0 {
                let needed = matcher.shortest_completion().len();
                matcher.finish_within(needed + random.below(4)).expect("the shortest fits");
            }
            let at = matcher.tokens().len();
            let mut draft = complete.tokens()[at..].to_vec();
            if !draft.is_empty() && round % 3 > 0 {
                let spoilt = random.below(draft.len());
                draft[spoilt] = TokenId::try_from(random.below(WIDTH)).expect("fits");
            }
            check_chain(&matcher, &draft);
            check_tree(&matcher, &draft, &mut random);
            assert_eq!(matcher.tokens().len(), at, "nothing was taken");
        }
    }
}

/// The masks before each token and after the last, by stepping.
fn stepped(matcher: &Matcher, draft: &[TokenId]) -> Vec<TokenMask> {
    let mut matcher = matcher.fork();
    let mut masks = vec![mask(&matcher)];
    for token in draft {
        if matcher.accept(*token).is_err() {
            break;
        }
        masks.push(mask(&matcher));
    }
    masks
}

fn mask(matcher: &Matcher) -> TokenMask {
    let mut mask = TokenMask::new(WIDTH);
    matcher.fill_mask(&mut mask);
    mask
}

fn check_chain(matcher: &Matcher, draft: &[TokenId]) {
    let expected = stepped(matcher, draft);
    assert_eq!(matcher.validate_tokens(draft), expected.len() - 1);
    let mut masks = vec![TokenMask::new(WIDTH); draft.len() + 1];
    let filled = matcher.fill_draft_masks(draft, &mut masks);
    assert_eq!(masks[..filled], expected);
    assert_eq!(matcher.fill_draft_masks(draft, &mut masks[..1]), 1, "no more than there is room for");
}

/// The draft as a trunk, with a branch that repeats its token at some nodes and a random one at others.
fn check_tree(matcher: &Matcher, draft: &[TokenId], random: &mut Random) {
    let mut tree: Vec<DraftNode> = Vec::new();
    let mut parent = None;
    for &token in draft {
        let branch =
            if random.below(2) == 0 { token } else { TokenId::try_from(random.below(WIDTH)).expect("fits") };
        tree.push(DraftNode { token: branch, parent });
        tree.push(DraftNode { token, parent });
        parent = Some(tree.len() - 1);
    }
    let mut masks = vec![TokenMask::new(WIDTH); tree.len()];
    let accepted = matcher.fill_tree_masks(&tree, &mut masks);
    for (index, node) in tree.iter().enumerate() {
        let mut way = vec![node.token];
        let mut at = node.parent;
        while let Some(parent) = at {
            way.insert(0, tree[parent].token);
            at = tree[parent].parent;
        }
        let stepped = stepped(matcher, &way);
        assert_eq!(accepted[index], stepped.len() == way.len() + 1);
        let expected = if accepted[index] { stepped[way.len()].clone() } else { TokenMask::new(WIDTH) };
        assert_eq!(masks[index], expected);
    }
}
