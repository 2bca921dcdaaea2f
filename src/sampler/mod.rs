//! Random completions of a grammar: for fuzzing whatever reads them, and the grammar itself.
//!
//! A [`Sampler`] walks the masks with changing [`Habit`]s, since each reaches states that the others rarely
//! see, and closes every walk by the shortest completion. Its [`Coverage`] tells which branches of the
//! grammar the walks took, and [`minimise`] makes a completion that somebody's parser fails on as short as it
//! can.

mod coverage;
mod habit;
mod minimise;
#[cfg(test)]
mod tests;

pub use coverage::Coverage;
pub use habit::Habit;
pub use minimise::minimise;

use fastrand::Rng;

use crate::compiler::Grammar;
use crate::matcher::Matcher;
use crate::special::TokenId;
use crate::token_mask::TokenMask;
use habit::Choosers;

/// Samples complete completions of a grammar. The same seed gives the same completions.
///
/// ```
/// use harmony_mask::{Compiler, Options, Sampler, Vocabulary};
/// use serde_json::json;
///
/// let compiler = Compiler::new(Vocabulary::o200k_harmony());
/// let schema = json!({"type": "array", "items": {"enum": ["rain", "snow"]}, "maxItems": 2});
/// let grammar = compiler.compile_schema(&schema, &Options::default())?;
/// let mut sampler = Sampler::new(&grammar, 1);
/// for matcher in sampler.by_ref().take(20) {
///     assert!(matcher.is_accepting());
/// }
/// assert_eq!(sampler.coverage().missing().count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sampler {
    start: Matcher,
    choosers: Choosers,
    random: Rng,
    mask: TokenMask,
    coverage: Coverage,
    habits: Vec<Habit>,
    max_steps: usize,
}

/// Random tokens of a completion, unless the caller says otherwise.
const STEPS: usize = 100;

impl Sampler {
    /// A sampler with all habits in turn.
    #[must_use]
    pub fn new(grammar: &Grammar, seed: u64) -> Self {
        let start = grammar.matcher();
        Self {
            choosers: Choosers::new(start.vocabulary()),
            random: Rng::with_seed(seed),
            mask: TokenMask::new(start.vocabulary().width()),
            coverage: Coverage::default(),
            habits: Habit::ALL.to_vec(),
            max_steps: STEPS,
            start,
        }
    }

    /// The same sampler with these habits in turn; with all where there are none.
    #[must_use]
    pub fn with_habits(self, habits: &[Habit]) -> Self {
        let habits = if habits.is_empty() { &Habit::ALL } else { habits };
        Self { habits: habits.to_vec(), ..self }
    }

    /// The same sampler with at most so many random tokens in a completion; the shortest way to the end comes
    /// after them.
    #[must_use]
    pub fn with_max_steps(self, max_steps: usize) -> Self {
        Self { max_steps, ..self }
    }

    /// One completion, at its end. Finished, unless the grammar breaks a promise: a mask that allows nothing
    /// before the end, or allows what is then refused. The matcher then stands where that happened.
    pub fn sample(&mut self) -> Matcher {
        let habit = self.habits[self.random.usize(..self.habits.len())];
        let steps = self.random.usize(..=self.max_steps);
        let mut matcher = self.start.fork();
        self.walk(&mut matcher, habit, steps);
        // Refused only where a promise is broken.
        let _ = matcher.shortest_completion().into_iter().try_for_each(|token| matcher.accept(token));
        self.coverage.add(&matcher);
        matcher
    }

    fn walk(&mut self, matcher: &mut Matcher, habit: Habit, steps: usize) {
        while matcher.tokens().len() < steps && !matcher.is_finished() {
            let tokens = self.next_tokens(matcher, habit);
            if tokens.is_empty() || tokens.into_iter().any(|token| matcher.accept(token).is_err()) {
                return;
            }
        }
    }

    /// What the habit says next: one token, or those that take a rare branch.
    fn next_tokens(&mut self, matcher: &Matcher, habit: Habit) -> Vec<TokenId> {
        if habit == Habit::Rare
            && let Some(way) = self.coverage.rarest(matcher, &mut self.random)
        {
            return matcher.spell(&way);
        }
        matcher.fill_mask(&mut self.mask);
        self.choosers.choose(matcher, &self.mask, habit, &mut self.random).into_iter().collect()
    }

    /// Which branches all completions so far took.
    #[must_use]
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }
}

/// Without end: a sampler has always one more completion.
impl Iterator for Sampler {
    type Item = Matcher;

    fn next(&mut self) -> Option<Matcher> {
        Some(self.sample())
    }
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sampler")
            .field("habits", &self.habits)
            .field("max_steps", &self.max_steps)
            .field("coverage", &self.coverage)
            .finish_non_exhaustive()
    }
}
