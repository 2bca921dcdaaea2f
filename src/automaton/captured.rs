//! Completions of a captured text of which only the leaf state is known, not the bytes that were read.
//!
//! A binder distinguishes few texts: those that an element or name must not say again. One completion serves
//! all texts that it does not distinguish, and each distinguished text has one of its own. Whatever the text
//! is, one of them completes it.

use std::sync::Arc;

use super::completion::{Completion, completion};
use super::expansions::Expansions;
use super::residual::Unit;
use super::stack::{Frame, Stack};
use super::tape::Tape;
use super::thread::Thread;

/// Where captured texts are told apart at several levels, every combination counts. Beyond this many each
/// text must be looked at.
const MOST: usize = 64;

/// Completions of which each text that leads to this place of a leaf has one; `None` where texts differ more
/// than can be told from their place.
pub(super) fn completions(thread: &Thread, rules: &Expansions) -> Option<Vec<Vec<Unit>>> {
    let (frames, base) = taken_apart(thread);
    let mut found = Found { thread, frames, base, rules, texts: Vec::new(), completions: Vec::new() };
    let mut ways = vec![Way::new()];
    found.complete(&ways[0]);
    found.forget_own();
    for at in 0..found.frames.len() {
        let Frame::CaptureEnd { binder, .. } = found.frames[at] else { continue };
        let told_apart = binder.told_apart(&found.texts)?;
        if (told_apart.len() + 1) * ways.len() > MOST {
            return None;
        }
        let with = |way: &Way, text: Arc<[u8]>| [&way[..], &[(at, text)]].concat();
        let new: Vec<Way> = told_apart
            .into_iter()
            .flat_map(|text| ways.iter().map(move |way| with(way, text.clone())))
            .collect();
        new.iter().for_each(|way| found.complete(way));
        ways.extend(new);
    }
    Some(found.completions)
}

/// What some captures turn out to have read: for the frame that ends one its text.
type Way = Vec<(usize, Arc<[u8]>)>;

struct Found<'a> {
    thread: &'a Thread,
    /// From the top to the end of the outermost capture.
    frames: Vec<&'a Frame>,
    /// What is below these.
    base: &'a Stack,
    rules: &'a Expansions,
    /// All that is captured in the completions.
    texts: Vec<Arc<[u8]>>,
    completions: Vec<Vec<Unit>>,
}

impl Found<'_> {
    fn complete(&mut self, way: &Way) {
        let below = self.frames.iter().enumerate().rev().fold(self.base.clone(), |below, (at, frame)| {
            let known = way.iter().find(|(known, _)| *known == at);
            match (known, frame) {
                (Some((_, text)), Frame::CaptureEnd { then, binder, .. }) => {
                    let bind = Frame::Bind { text: text.clone(), binder: binder.clone() };
                    below.push(bind).push_expression(then)
                }
                _ => below.push((*frame).clone()),
            }
        });
        let Completion { units, captured } =
            completion(&[Thread { below, ..self.thread.clone() }], self.rules);
        self.completions.push(units);
        self.texts.extend(captured);
    }

    /// Without the texts of the open captures themselves: in their own completion these are captured before
    /// all others that begin alike.
    fn forget_own(&mut self) {
        let Tape::Read(tape) = &self.thread.tape else { return };
        for frame in &self.frames {
            let Frame::CaptureEnd { start, .. } = frame else { continue };
            let own = tape.since(*start);
            if let Some(own) = self.texts.iter().position(|text| text.starts_with(&own)) {
                self.texts.remove(own);
            }
        }
    }
}

/// The frames of the captures that are open, and the stack below them. Of alternatives the shortest: one
/// completion is enough.
fn taken_apart(thread: &Thread) -> (Vec<&Frame>, &Stack) {
    let (mut frames, mut below) = (Vec::new(), &thread.below);
    let mut is_open = thread.tape != Tape::Outside;
    while is_open {
        let Some((frame, next)) = below.shortest().top() else { break };
        frames.push(frame);
        below = next;
        is_open = !matches!(frame, Frame::CaptureEnd { outermost: true, .. });
    }
    (frames, below)
}
