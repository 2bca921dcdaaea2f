//! A part of a prompt that knows where it stands.

use crate::prompt::error::{Fault, ReadErrorKind};

/// Text of a prompt, and its first byte there.
#[derive(Clone, Copy, Debug)]
pub(in crate::prompt) struct Excerpt<'a> {
    pub(in crate::prompt) text: &'a str,
    pub(in crate::prompt) at: usize,
}

impl<'a> Excerpt<'a> {
    /// What comes after so many bytes.
    pub(in crate::prompt) fn from(self, start: usize) -> Self {
        Self { text: &self.text[start..], at: self.at + start }
    }

    pub(in crate::prompt) fn split_at(self, len: usize) -> (Self, Self) {
        (Self { text: &self.text[..len], at: self.at }, self.from(len))
    }

    /// What comes after these words, which must come here.
    pub(in crate::prompt) fn after(self, words: &str) -> Result<Self, Fault> {
        self.skip(words).ok_or_else(|| self.expected(format!("{words:?}")))
    }

    /// What comes after these words, where they come here.
    pub(in crate::prompt) fn skip(self, words: &str) -> Option<Self> {
        self.text.starts_with(words).then(|| self.from(words.len()))
    }

    /// The first line without its end, and the rest.
    pub(in crate::prompt) fn line(self) -> (Self, Self) {
        let len = self.text.find('\n').unwrap_or(self.text.len());
        let (line, rest) = self.split_at(len);
        (line, rest.skip("\n").unwrap_or(rest))
    }

    pub(in crate::prompt) fn fault(self, kind: ReadErrorKind) -> Fault {
        Fault { at: self.at, kind }
    }

    /// Something else comes here.
    pub(in crate::prompt) fn expected(self, expected: impl Into<String>) -> Fault {
        const SHOWN: usize = 40;
        let line = self.text.split('\n').next().unwrap_or_default();
        let shown: String = line.chars().take(SHOWN).collect();
        let found = match self.text {
            "" => "the end".to_owned(),
            _ if shown.is_empty() => "an empty line".to_owned(),
            _ => format!("{shown:?}"),
        };
        self.fault(ReadErrorKind::Expected { expected: expected.into(), found })
    }
}
