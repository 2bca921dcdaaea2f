//! Sampling under the mask, with a stand-in for the model.
//!
//! No weights are needed to see what masks do: anything that scores tokens will do, and whatever it prefers, the result is valid. The [`StandIn`]
//! scores at random, leaning towards common words and, the longer a text gets, towards its end; uniformly random tokens would be unreadable and
//! would hardly ever close a string. With a [`Plan`] it wants to say a given text instead.

use std::time::Instant;

use harmony_mask::{Grammar, Matcher, TokenId, TokenMask, Vocabulary};

use crate::draft::Plan;
use crate::mask::LOGITS;
use crate::output::Durations;

/// Why a token is part of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The grammar left no choice.
    Forced,
    /// The stand-in chose it.
    Chosen,
    /// The budget was used up, and this is the shortest way to the end.
    Closing,
}

/// One sampled completion.
pub(crate) struct Sample {
    pub(crate) matcher: Matcher,
    /// One for each token.
    pub(crate) origins: Vec<Origin>,
    /// One for each mask that was filled.
    pub(crate) mask_times: Durations,
}

impl Sample {
    /// How many tokens were forced.
    pub(crate) fn forced(&self) -> usize {
        self.origins.iter().filter(|origin| **origin == Origin::Forced).count()
    }
}

/// Samples one completion of at most `max_tokens` tokens, or of as many as the shortest has.
///
/// The end is always in reach: a token after which it would not be is taken back, and the shortest way is gone instead.
pub(crate) fn sample(grammar: &Grammar, stand_in: &mut StandIn<'_>, max_tokens: usize) -> Sample {
    let mut run = Run {
        sample: Sample { matcher: grammar.matcher(), origins: Vec::new(), mask_times: Durations::default() },
        mask: TokenMask::new(LOGITS),
        max_tokens,
    };
    stand_in.begin();
    while !run.sample.matcher.is_finished() {
        if !run.step(stand_in) {
            run.close();
        }
    }
    run.sample
}

struct Run {
    sample: Sample,
    mask: TokenMask,
    max_tokens: usize,
}

impl Run {
    /// Takes what is forced, or else one token that the stand-in chooses; `false` where the budget does not allow it.
    fn step(&mut self, stand_in: &mut StandIn<'_>) -> bool {
        let forced = self.sample.matcher.forced_tokens();
        if !forced.is_empty() {
            return forced.into_iter().all(|token| self.take(token, Origin::Forced, stand_in));
        }
        let started = Instant::now();
        self.sample.matcher.fill_mask(&mut self.mask);
        self.sample.mask_times.push(started.elapsed());
        let token = stand_in.choose(self.sample.matcher.vocabulary(), &self.mask);
        self.take(token, Origin::Chosen, stand_in)
    }

    /// Takes a token, unless the end would be out of reach.
    fn take(&mut self, token: TokenId, origin: Origin, stand_in: &mut StandIn<'_>) -> bool {
        let matcher = &mut self.sample.matcher;
        matcher.accept(token).expect("masks and forced tokens are accepted");
        if matcher.tokens().len() + matcher.shortest_completion().len() > self.max_tokens {
            matcher.rollback(1).expect("one was accepted");
            return false;
        }
        stand_in.hear(matcher.vocabulary(), token);
        self.sample.origins.push(origin);
        true
    }

    fn close(&mut self) {
        for token in self.sample.matcher.shortest_completion() {
            self.sample.matcher.accept(token).expect("the shortest completion is accepted");
            self.sample.origins.push(Origin::Closing);
        }
    }
}

/// Up to so many allowed tokens are all scored. Of more, which is where text may stand, a few are drawn.
const SCORED: usize = 4_096;
/// Words drawn from the common ones; the scores of all others are taken to be too low to matter.
const WORDS: usize = 40;
/// Tokens drawn from all that are allowed, so that nothing is never said.
const ANY: usize = 1;
/// Ids below this one are the more common tokens of the vocabulary.
const COMMON: TokenId = 20_000;

/// Scores tokens in place of a model.
pub(crate) struct StandIn<'a> {
    random: fastrand::Rng,
    temperature: f64,
    plan: Option<&'a Plan>,
    /// Lower-case words among the common tokens.
    words: Vec<TokenId>,
    /// Units said so far: bytes and special tokens.
    said: usize,
    /// Tokens since the message began.
    since_special: u32,
    /// Tokens since a quote, which is where most strings begin.
    since_quote: u32,
}

impl<'a> StandIn<'a> {
    pub(crate) fn new(vocabulary: &Vocabulary, seed: u64, temperature: f64, plan: Option<&'a Plan>) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            temperature,
            plan,
            words: (0..COMMON).filter(|token| vocabulary.token_bytes(*token).is_some_and(is_word)).collect(),
            said: 0,
            since_special: 0,
            since_quote: 0,
        }
    }

    /// Forgets the last completion.
    fn begin(&mut self) {
        (self.said, self.since_special, self.since_quote) = (0, 0, 0);
    }

    /// Takes note of a token that was said, whoever chose it.
    fn hear(&mut self, vocabulary: &Vocabulary, token: TokenId) {
        let bytes = vocabulary.token_bytes(token);
        self.said += bytes.map_or(1, <[u8]>::len);
        self.since_special = if bytes.is_some() { self.since_special + 1 } else { 0 };
        let quotes = bytes.is_none_or(|bytes| bytes.contains(&b'"'));
        self.since_quote = if quotes { 0 } else { self.since_quote + 1 };
    }

    /// The allowed token with the highest score, after the temperature's share of chance.
    fn choose(&mut self, vocabulary: &Vocabulary, mask: &TokenMask) -> TokenId {
        let planned = self.plan.and_then(|plan| plan.token_at(vocabulary, self.said));
        if let Some(token) = planned.filter(|token| mask.contains(*token)) {
            return token;
        }
        let candidates = self.candidates(vocabulary, mask);
        let openness = (candidates.len() as f64).ln();
        let mut best = (f64::NEG_INFINITY, candidates[0]);
        for token in candidates {
            let logit = self.normal() + self.leaning(vocabulary, token, openness);
            // Adding Gumbel noise and taking the highest is sampling from the softmax.
            let gumbel = -(-self.uniform().ln()).ln();
            let score = logit + self.temperature * gumbel;
            if score > best.0 {
                best = (score, token);
            }
        }
        best.1
    }

    fn candidates(&mut self, vocabulary: &Vocabulary, mask: &TokenMask) -> Vec<TokenId> {
        if mask.count() <= SCORED {
            return mask.iter().collect();
        }
        let closers = mask.iter().filter(|token| closes(vocabulary.token_bytes(*token)));
        let mut candidates: Vec<TokenId> = closers.collect();
        let words = (0..WORDS).map(|_| self.words[self.random.usize(..self.words.len())]);
        candidates.extend(words.filter(|word| mask.contains(*word)));
        let allowed: Vec<TokenId> = mask.iter().collect();
        candidates.extend((0..ANY).map(|_| allowed[self.random.usize(..allowed.len())]));
        candidates
    }

    /// How much the stand-in likes a token before chance has its say. What closes a string, a value or a message is disliked at first, and the
    /// more liked the longer it lasts; `openness` makes up for the number of other candidates.
    fn leaning(&self, vocabulary: &Vocabulary, token: TokenId, openness: f64) -> f64 {
        match vocabulary.token_bytes(token) {
            None => openness - 3.0 + f64::from(self.since_special) / 10.0,
            Some([b'"', ..]) => openness - 3.0 + f64::from(self.since_quote),
            Some([b'}' | b']', ..]) => openness - 2.0 + f64::from(self.since_special) / 30.0,
            Some(_) => 0.0,
        }
    }

    /// Uniform between 0 and 1, never 0.
    fn uniform(&mut self) -> f64 {
        1.0 - self.random.f64()
    }

    /// The sum of uniform numbers, which is near enough to a bell.
    fn normal(&mut self) -> f64 {
        (0..4).map(|_| self.uniform()).sum::<f64>() - 2.0
    }
}

fn is_word(bytes: &[u8]) -> bool {
    matches!(bytes, [b' ', word @ ..] if word.len() > 1 && word.iter().all(u8::is_ascii_lowercase))
}

/// Special tokens, and the bare closing quote.
fn closes(bytes: Option<&[u8]>) -> bool {
    bytes.is_none_or(|bytes| bytes == b"\"")
}
