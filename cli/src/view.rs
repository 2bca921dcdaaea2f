//! A completion as a person enjoys reading it: by message, what was forced dimmed, what was repaired marked.

use std::fmt;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use harmony_mask::automaton::Unit;
use harmony_mask::{Message, SpecialToken};

use crate::draft::{Action, Edit};
use crate::output::{self, Durations};
use crate::sampler::{Origin, Sample};
use crate::verify::Opinion;

const HEADING: Style = AnsiColor::Cyan.on_default().bold();
const FORCED: Style = Style::new().dimmed();
const CHOSEN: Style = Style::new().bold();
const CLOSING: Style = AnsiColor::Yellow.on_default();
const DROPPED: Style = AnsiColor::Red.on_default().strikethrough();
const INSERTED: Style = AnsiColor::Green.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default();
const UNKNOWN: Style = AnsiColor::Yellow.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Writes text in a style.
struct Styled<T>(Style, T);

impl<T: fmt::Display> fmt::Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.0, self.1, self.0.render_reset())
    }
}

/// What the colours mean, where there are colours.
pub(crate) fn write_legend(out: &mut dyn Write) -> io::Result<()> {
    if !output::is_coloured() {
        return Ok(());
    }
    let [forced, chosen, closing] =
        [Styled(FORCED, "forced"), Styled(CHOSEN, "chosen"), Styled(CLOSING, "closed by the token budget")];
    writeln!(out, "{forced} · {chosen} · {closing}\n")
}

/// The edits of a draft, in the notation of `git diff --word-diff`.
pub(crate) fn write_edits(out: &mut dyn Write, edits: &[Edit]) -> io::Result<()> {
    let is_kept = |edit: &Edit| edit.action == Action::Keep;
    let places = edits.chunk_by(|a, b| is_kept(a) == is_kept(b)).filter(|run| !is_kept(&run[0])).count();
    let heading = match places {
        0 if edits.is_empty() => "the draft is empty".to_owned(),
        0 => "the draft needs no repair".to_owned(),
        1 => "the draft, repaired in 1 place".to_owned(),
        more => format!("the draft, repaired in {more} places"),
    };
    writeln!(out, "{}", Styled(HEADING, format!("── {heading} ──")))?;
    for run in edits.chunk_by(|a, b| a.action == b.action) {
        let text = spell(run);
        match run[0].action {
            Action::Keep => write!(out, "{text}")?,
            Action::Drop => write!(out, "{}", Styled(DROPPED, format!("[-{text}-]")))?,
            Action::Insert => write!(out, "{}", Styled(INSERTED, format!("{{+{text}+}}")))?,
        }
    }
    writeln!(out, "\n")
}

fn spell(edits: &[Edit]) -> String {
    let mut bytes = Vec::new();
    for edit in edits {
        match edit.unit {
            Unit::Byte(byte) => bytes.push(byte),
            Unit::Special(special) => bytes.extend_from_slice(special.to_string().as_bytes()),
        }
    }
    output::visible(&bytes)
}

/// The messages of a completion, each under a heading.
pub(crate) fn write_transcript(out: &mut dyn Write, sample: &Sample) -> io::Result<()> {
    let messages = sample.matcher.transcript().messages;
    let mut runs = runs(sample).into_iter();
    for message in &messages[said_before(sample)..] {
        writeln!(out, "{}", Styled(HEADING, format!("── {} ──", output::shown(heading(message)))))?;
        for run in runs.by_ref() {
            write!(out, "{}", Styled(run.style, output::visible(&run.bytes)))?;
            match run.special {
                Some(SpecialToken::Message) => writeln!(out)?,
                Some(SpecialToken::End | SpecialToken::Call | SpecialToken::Return) => break,
                _ => {}
            }
        }
        writeln!(out, "\n")?;
    }
    Ok(())
}

/// How many messages were whole where the completion began.
fn said_before(sample: &Sample) -> usize {
    let vocabulary = sample.matcher.vocabulary();
    let given = sample.matcher.given_tokens().iter().filter_map(|token| vocabulary.special(*token));
    given
        .filter(|special| matches!(special, SpecialToken::End | SpecialToken::Call | SpecialToken::Return))
        .count()
}

fn heading(message: &Message) -> String {
    let mut heading = message.channel.clone().unwrap_or_default();
    if let Some(recipient) = &message.recipient {
        heading.push_str(" → ");
        heading.push_str(recipient);
    }
    if let Some(content_type) = &message.content_type {
        heading.push_str(" · ");
        heading.push_str(content_type);
    }
    heading
}

/// Text of one style, or one special token.
struct Run {
    style: Style,
    bytes: Vec<u8>,
    special: Option<SpecialToken>,
}

fn runs(sample: &Sample) -> Vec<Run> {
    let vocabulary = sample.matcher.vocabulary();
    let mut runs: Vec<Run> = Vec::new();
    for (token, origin) in sample.matcher.tokens().iter().zip(&sample.origins) {
        let style = match origin {
            Origin::Forced => FORCED,
            Origin::Chosen => CHOSEN,
            Origin::Closing => CLOSING,
        };
        let special = vocabulary.special(*token);
        let mut bytes = match special {
            Some(special) => special.to_string().into_bytes(),
            None => vocabulary.token_bytes(*token).unwrap_or_default().to_vec(),
        };
        if let Some(last) = runs.last_mut().filter(|last| last.special.is_none() && special.is_none()) {
            // The rest of a character stays with its beginning.
            let rest = bytes.iter().take_while(|byte| (0x80..0xc0).contains(*byte)).count();
            last.bytes.extend(bytes.drain(..rest));
            if last.style == style {
                last.bytes.append(&mut bytes);
            }
        }
        if !bytes.is_empty() {
            runs.push(Run { style, bytes, special });
        }
    }
    runs
}

/// One line on what a completion took.
pub(crate) fn write_footer(out: &mut dyn Write, sample: &Sample, opinion: &Opinion) -> io::Result<()> {
    let tokens = sample.origins.len();
    write!(out, "{tokens} tokens, {} forced", percent(sample.forced(), tokens))?;
    if sample.origins.contains(&Origin::Closing) {
        write!(out, ", closed by the token budget")?;
    }
    write!(out, " · ")?;
    write_times(out, &sample.mask_times)?;
    let (style, verdict) = match opinion {
        Opinion { problems, .. } if !problems.is_empty() => (BAD, "not valid"),
        opinion if opinion.is_verified() => (GOOD, "verified"),
        _ => (UNKNOWN, "not verified"),
    };
    writeln!(out, " · {}", Styled(style, verdict))?;
    let (problems, unverified) = (&opinion.problems, &opinion.unverified);
    problems.iter().try_for_each(|problem| writeln!(out, "  {}", Styled(BAD, output::shown(problem))))?;
    unverified.iter().try_for_each(|reason| writeln!(out, "  {}", Styled(UNKNOWN, output::shown(reason))))
}

/// What the masks took.
pub(crate) fn write_times(out: &mut dyn Write, times: &Durations) -> io::Result<()> {
    let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| output::duration(times.percentile(share)));
    write!(out, "{} masks: p50 {p50}, p99 {p99}, max {max}", times.len())
}

/// A share in whole percent.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    format!("{} %", (part * 100).checked_div(whole).unwrap_or(0))
}
