//! `mask`: which tokens may come next.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use harmony_mask::{Matcher, TokenId, TokenMask, Vocabulary};
use serde_json::json;

use crate::check::Outcome;
use crate::input::{self, Failure};
use crate::{Verdict, output, prompt};

/// Lists the tokens that may come next, the most telling first
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "harmony-mask mask [OPTIONS] <REQUEST>
       harmony-mask mask [OPTIONS] --prompt <PROMPT>")]
pub(crate) struct Mask {
    /// The request
    #[arg(required_unless_present = "prompt", conflicts_with = "prompt")]
    request: Option<PathBuf>,
    /// A prompt, which says what is allowed, instead of a request
    #[arg(long, value_name = "PROMPT")]
    prompt: Option<PathBuf>,
    /// What has been said so far, after `<|start|>assistant`, or after the prompt
    #[arg(long, value_name = "TEXT", default_value = "")]
    prefix: String,
    /// How many tokens to list
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 20)]
    limit: usize,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Special tokens come first, then the beginnings of the shortest way to the end, then the others by id.

Examples:
  harmony-mask mask examples/weather.json
  harmony-mask mask examples/weather.json --prefix '<|channel|>commentary to=functions.get_'";

impl Mask {
    pub(crate) fn run(&self) -> Result<Verdict, Failure> {
        let mut matcher = prompt::allowed(self.request.as_deref(), self.prompt.as_deref())?.matcher;
        let prefix = input::completion_tokens(matcher.vocabulary(), self.prefix.as_bytes());
        let outcome = Outcome::of(&mut matcher, &prefix);
        if outcome.is_rejected() {
            match self.json {
                true => output::print_json(&outcome.document(false, &output::messages(&matcher)))?,
                false => output::print(|out| outcome.write(out, false))?,
            };
            return Ok(Verdict::Rejected);
        }
        let allowed = most_telling_first(&matcher);
        if self.json {
            output::print_json(&self.document(&matcher, &allowed))?;
        } else {
            output::print(|out| self.write(out, &matcher, &allowed))?;
        }
        Ok(Verdict::Accepted)
    }

    fn document(&self, matcher: &Matcher, allowed: &[TokenId]) -> serde_json::Value {
        let token = |id: &TokenId| json!({"id": id, "text": output::token_text(matcher.vocabulary(), *id)});
        json!({
            "count": allowed.len(),
            "tokens": allowed.iter().take(self.limit).map(token).collect::<Vec<_>>(),
            "finished": matcher.is_finished(),
            "stop": matcher.stop_tokens(),
        })
    }

    fn write(&self, out: &mut dyn Write, matcher: &Matcher, allowed: &[TokenId]) -> io::Result<()> {
        if matcher.is_finished() {
            return writeln!(out, "the completion is finished: no token may follow");
        }
        writeln!(out, "{} of {} tokens", allowed.len(), Vocabulary::HARMONY_LOGITS)?;
        for &id in allowed.iter().take(self.limit) {
            let text = output::token_text(matcher.vocabulary(), id);
            match matcher.vocabulary().special(id) {
                Some(special) => writeln!(out, "{id:>7}  {special}")?,
                None => writeln!(out, "{id:>7}  {text:?}")?,
            }
        }
        match allowed.len().saturating_sub(self.limit) {
            0 => Ok(()),
            more => writeln!(out, "    and {more} more"),
        }
    }
}

/// The allowed tokens: special ones, then beginnings of the shortest way to the end (the longest first), then
/// all others by id, which in a byte-pair vocabulary is by how common they are.
fn most_telling_first(matcher: &Matcher) -> Vec<TokenId> {
    let mut mask = TokenMask::new(Vocabulary::HARMONY_LOGITS);
    matcher.fill_mask(&mut mask);
    let mut allowed: Vec<TokenId> = mask.iter().collect();
    let vocabulary = matcher.vocabulary();
    let shortest = matcher.shortest_completion();
    let way: Vec<u8> =
        shortest.iter().map_while(|token| vocabulary.token_bytes(*token)).flatten().copied().collect();
    allowed.sort_by_cached_key(|token| match vocabulary.token_bytes(*token) {
        None => (0, Reverse(0), *token),
        Some(bytes) if way.starts_with(bytes) => (1, Reverse(bytes.len()), *token),
        Some(_) => (2, Reverse(0), *token),
    });
    allowed
}
