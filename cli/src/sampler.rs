//! Sampling under the mask, with a stand-in for the model.
//!
//! No weights are needed to see what masks do: anything that scores tokens will do, and whatever it prefers,
//! the result is valid. The [`StandIn`] scores at random, leaning towards common words and, the longer a text
//! gets, towards its end; uniformly random tokens would be unreadable and would hardly ever close a string.
//! With a [`Plan`] it wants to say a given text instead.

use std::time::Instant;

use harmony_mask::{Matcher, SpecialToken, TokenId, TokenMask, Vocabulary};

use crate::draft::Plan;
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
/// The end is always in reach: a token after which it would not be is taken back, and the shortest way is
/// gone instead.
pub(crate) fn sample(matcher: Matcher, stand_in: &mut StandIn<'_>, max_tokens: usize) -> Sample {
    let mut run = Run {
        sample: Sample { matcher, origins: Vec::new(), mask_times: Durations::default() },
        mask: TokenMask::new(Vocabulary::HARMONY_LOGITS),
        max_tokens,
    };
    stand_in.begin();
    while !run.sample.matcher.is_finished() {
        // After one of several calls it is for the host to stop.
        if run.sample.matcher.is_accepting() && stand_in.stops() {
            break;
        }
        if !run.step(stand_in) {
            run.close();
            break;
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
    /// Takes what is forced, or else one token that the stand-in chooses; `false` where the budget does not
    /// allow it.
    fn step(&mut self, stand_in: &mut StandIn<'_>) -> bool {
        let forced = self.sample.matcher.forced_tokens();
        if !forced.is_empty() {
            return forced.into_iter().all(|token| self.take(token, Origin::Forced, stand_in));
        }
        let started = Instant::now();
        self.sample.matcher.fill_mask(&mut self.mask);
        self.sample.mask_times.push(started.elapsed());
        let token = stand_in.choose(&self.mask);
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
        stand_in.hear(token);
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
/// Words drawn to go on with a text; the scores of all others are taken to be too low to matter.
const WORDS: usize = 12;
/// Once in so many times any other token is a candidate too, so that nothing is never said.
const RARELY: u32 = 16;
/// What the stand-in likes to say where it may say anything. Each is one token, with a space before it.
const FAVOURITES: &str = "the of and to in is it with on as at by from or an be this that for not are was \
    now then here there soon today again early late often still over under near far between after before \
    north south east west city river sea hill road bridge garden house window door table paper book letter \
    rain wind sun snow cloud light dark warm cold dry wet clear quiet slow quick small large long short old \
    new good better green blue red white black coffee tea bread milk water salt rice fish apple lemon \
    morning evening night week month year walk carry open close find keep bring read write ask answer wait";

/// Scores tokens in place of a model.
pub(crate) struct StandIn<'a> {
    vocabulary: &'a Vocabulary,
    random: fastrand::Rng,
    temperature: f64,
    plan: Option<&'a Plan>,
    /// Favourites as they begin a text, and as they go on with it.
    first_words: Vec<TokenId>,
    words: Vec<TokenId>,
    said: Said,
}

/// What the stand-in remembers of what was said.
#[derive(Default)]
struct Said {
    /// Bytes and special tokens.
    units: usize,
    /// Tokens since the last special one.
    since_special: u32,
    /// Tokens since a quote or a special token.
    since_quote: u32,
    /// Whether the text since the last special token has an odd number of quotes.
    in_string: bool,
    /// Digits since anything else.
    digits: usize,
    /// Whether the text since the last special token began like JSON.
    in_json: bool,
}

impl Said {
    fn hear(&mut self, bytes: Option<&[u8]>) {
        self.units += bytes.map_or(1, <[u8]>::len);
        if self.since_special == 0 {
            self.in_json = bytes.is_some_and(|bytes| matches!(bytes, [b'{' | b'[' | b'"', ..]));
        }
        self.since_special = if bytes.is_some() { self.since_special + 1 } else { 0 };
        let quotes = bytes.map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'"').count());
        self.since_quote = if quotes > 0 || bytes.is_none() { 0 } else { self.since_quote + 1 };
        self.in_string = bytes.is_some() && self.in_string ^ (quotes % 2 == 1);
        let digits = bytes.filter(|bytes| bytes.iter().all(u8::is_ascii_digit));
        self.digits = digits.map_or(0, |digits| self.digits + digits.len());
    }
}

impl<'a> StandIn<'a> {
    pub(crate) fn new(
        vocabulary: &'a Vocabulary,
        seed: u64,
        temperature: f64,
        plan: Option<&'a Plan>,
    ) -> Self {
        let token = |text: String| {
            let (token, len) = vocabulary.trie().longest_match(text.as_bytes())?;
            (len == text.len()).then_some(token)
        };
        let first = |word: &str| token(word[..1].to_uppercase() + &word[1..]);
        let favourites = || FAVOURITES.split_whitespace();
        Self {
            vocabulary,
            random: fastrand::Rng::with_seed(seed),
            temperature,
            plan,
            first_words: favourites().filter_map(first).collect(),
            words: favourites().filter_map(|word| token(format!(" {word}"))).collect(),
            said: Said::default(),
        }
    }

    /// Forgets the last completion.
    fn begin(&mut self) {
        self.said = Said::default();
    }

    /// Takes note of a token that was said, whoever chose it.
    fn hear(&mut self, token: TokenId) {
        self.said.hear(self.vocabulary.token_bytes(token));
    }

    /// The token that the plan has next, or else one sampled from the scores of the allowed ones.
    fn choose(&mut self, mask: &TokenMask) -> TokenId {
        let planned = self.plan.and_then(|plan| plan.token_at(self.vocabulary, self.said.units));
        if let Some(token) = planned.filter(|token| mask.contains(*token)) {
            return token;
        }
        let candidates = self.candidates(mask);
        let crowd = (candidates.len() as f64).ln();
        let mut best = (f64::NEG_INFINITY, candidates[0]);
        for token in candidates {
            // The highest of logits with Gumbel noise is a sample from their softmax.
            let gumbel = -(-self.uniform().ln()).ln();
            let score = self.uniform() + self.leaning(token, crowd) + self.temperature * gumbel;
            if score > best.0 {
                best = (score, token);
            }
        }
        best.1
    }

    /// Whether to stop where one may.
    fn stops(&mut self) -> bool {
        self.random.bool()
    }

    fn candidates(&mut self, mask: &TokenMask) -> Vec<TokenId> {
        if mask.count() <= SCORED {
            return mask.iter().collect();
        }
        let specials = SpecialToken::ALL.map(|special| self.vocabulary.special_id(special));
        let quote = self.vocabulary.trie().longest_match(b"\"").expect("every byte is a token").0;
        let words = if self.said.since_quote == 0 { &self.first_words } else { &self.words };
        let drawn = (0..WORDS).map(|_| words[self.random.usize(..words.len())]);
        let closers = specials.into_iter().chain(self.said.in_json.then_some(quote));
        let mut candidates: Vec<TokenId> = closers.chain(drawn).collect();
        if self.random.u32(..RARELY) == 0 {
            candidates.push(self.random.u32(..Vocabulary::HARMONY_LOGITS as TokenId));
        }
        candidates.retain(|token| mask.contains(*token));
        // Where neither words nor what closes a text are allowed, the rest is few enough after all.
        if candidates.is_empty() { mask.iter().collect() } else { candidates }
    }

    /// How much the stand-in likes a token before chance has its say. What ends a text or a value is disliked
    /// at first, and liked the more the longer it lasts; `crowd` makes up for the number of other candidates.
    /// Otherwise a longer token says more, and odd signs are for others.
    fn leaning(&self, token: TokenId, crowd: f64) -> f64 {
        let Said { since_special, since_quote, in_string, digits, in_json, .. } = self.said;
        match self.vocabulary.token_bytes(token) {
            None => match self.vocabulary.special(token) {
                Some(SpecialToken::Channel | SpecialToken::Message) => crowd + 1.0,
                _ => crowd - 3.0 + f64::from(since_special) / 8.0,
            },
            Some(bytes) if bytes.iter().any(|byte| is_odd(*byte)) => -4.0,
            Some(b"\"") if in_json && !in_string => crowd + 5.0,
            Some([b'"', ..]) if in_string => crowd - 3.0 + f64::from(since_quote),
            Some([b'}' | b']', ..]) => crowd - 2.0 + f64::from(since_special) / 30.0,
            Some([b'0'..=b'9', ..]) => -(digits as f64),
            Some(bytes) => bytes.len().min(8) as f64 / 4.0,
        }
    }

    /// Uniform between 0 and 1, never 0.
    fn uniform(&mut self) -> f64 {
        1.0 - self.random.f64()
    }
}

/// Signs that are neither frequent in text nor part of JSON's structure.
fn is_odd(byte: u8) -> bool {
    byte.is_ascii_punctuation() && !b"\"{}[],:.-".contains(&byte)
}
