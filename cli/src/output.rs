//! Writing results: JSON for programs, plain sentences for people, colours only on a terminal.

use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use harmony_mask::{Matcher, Message, TokenId, Vocabulary};
use serde_json::{Value, json};

use crate::input::Failure;

/// Writes for people to standard output. Colours are removed where it is not a terminal, or where `NO_COLOR`
/// asks for it; so are other control characters, and what follows them. What comes from an input must
/// therefore be [visible].
///
/// Says whether anybody still reads it: who has closed the pipe has seen enough, which is no failure and
/// changes no verdict.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<bool, Failure> {
    print_to(anstream::stdout().lock(), write)
}

/// Writes for programs to standard output, as it is. Says whether anybody still reads it.
pub(crate) fn print_exactly(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<bool, Failure> {
    print_to(io::stdout().lock(), write)
}

fn print_to(
    stdout: impl Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<bool, Failure> {
    let mut out = io::BufWriter::new(stdout);
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Says something beside the result, on standard error.
pub(crate) fn note(text: &impl fmt::Display) {
    // The result does not depend on it being seen.
    let _ = writeln!(io::stderr(), "note: {}", shown(text));
}

/// Whether standard output shows colours.
pub(crate) fn is_coloured() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Writes one JSON document to standard output.
pub(crate) fn print_json(document: &Value) -> Result<bool, Failure> {
    print_exactly(|out| writeln!(out, "{document}"))
}

/// The messages of a completion, as all commands print them.
pub(crate) fn messages(matcher: &Matcher) -> Vec<Value> {
    matcher.transcript().messages.iter().map(Message::to_json).collect()
}

/// Bytes as people can read them on a terminal: text as it is, but control characters and broken UTF-8 made
/// visible.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let mut text = String::new();
    for character in String::from_utf8_lossy(bytes).chars() {
        match character {
            '\n' | '\t' => text.push(character),
            control if control.is_control() => text.extend(control.escape_default()),
            other => text.push(other),
        }
    }
    text
}

/// The same of a text.
pub(crate) fn shown(text: impl fmt::Display) -> String {
    visible(text.to_string().as_bytes())
}

/// The spelling of one token.
pub(crate) fn token_text(vocabulary: &Vocabulary, token: TokenId) -> String {
    vocabulary.decode(&[token])
}

/// Joins alternatives into a phrase: `a`, `a or b`, `a, b or c`.
pub(crate) fn alternatives(words: &[String]) -> String {
    match words {
        [] => "nothing more".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Durations of equal calls, for percentiles.
#[derive(Debug, Default)]
pub(crate) struct Durations(Vec<Duration>);

impl Durations {
    pub(crate) fn push(&mut self, duration: Duration) {
        self.0.push(duration);
    }

    pub(crate) fn extend(&mut self, others: &Self) {
        self.0.extend(&others.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The smallest duration that at least `share` of all do not exceed; zero where there are none.
    pub(crate) fn percentile(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// Median, 99th percentile and maximum in microseconds.
    pub(crate) fn document(&self) -> Value {
        let micros = |share| self.percentile(share).as_nanos() as f64 / 1e3;
        json!({"p50": micros(0.5), "p99": micros(0.99), "max": micros(1.0)})
    }
}

/// A duration with a unit that fits.
pub(crate) fn duration(duration: Duration) -> String {
    let micros = duration.as_nanos() as f64 / 1e3;
    match micros {
        ..10.0 => format!("{micros:.1} µs"),
        10.0..1e4 => format!("{micros:.0} µs"),
        1e4..1e6 => format!("{:.0} ms", micros / 1e3),
        _ => format!("{:.1} s", micros / 1e6),
    }
}

/// A number of bytes with a unit that fits.
pub(crate) fn byte_size(bytes: usize) -> String {
    match bytes {
        ..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1_024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let mut durations = Durations::default();
        assert_eq!(durations.percentile(0.5), Duration::ZERO);
        (1..=100).rev().for_each(|micros| durations.push(Duration::from_micros(micros)));
        for (share, expected) in [(0.0, 1), (0.5, 50), (0.99, 99), (1.0, 100)] {
            assert_eq!(durations.percentile(share), Duration::from_micros(expected));
        }
    }

    #[test]
    fn terminals_are_not_controlled_by_a_completion() {
        assert_eq!(visible(b"a\x1b[31m\nb\xff"), "a\\u{1b}[31m\nb\u{fffd}");
    }

    #[test]
    fn units_fit() {
        let cases = [(3_200, "3.2 µs"), (450_000, "450 µs"), (12_000_000, "12 ms"), (2_500_000_000, "2.5 s")];
        for (nanos, expected) in cases {
            assert_eq!(duration(Duration::from_nanos(nanos)), expected);
        }
        assert_eq!([byte_size(12), byte_size(2_048), byte_size(3 << 20)], ["12 B", "2.0 KiB", "3.0 MiB"]);
    }
}
