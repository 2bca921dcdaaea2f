//! JSON strings, as the language of their *decoded* text.
//!
//! A string is read from its opening to its closing quote. What stands between is decoded on the way, escape
//! by escape, and the decoded bytes step the automaton of the text; so a pattern never sees a backslash, and
//! `"\u0061"` and `"a"` are the same string. Every prefix is live: after `\u00` only those digits may follow
//! that can still spell a character with which the text can be completed.

mod completion;
mod escape;
mod excluded;
mod state;
#[cfg(test)]
mod tests;
mod wide;
mod words;

use std::any::Any;
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

pub(super) use escape::has_one_spelling;
use escape::{Unfinished, cheapest_first, cheapest_spelling};
use excluded::Excluded;
use state::{Phase, Position, Unpacked};
use wide::Wide;
pub(super) use words::{OpenWords, Words};

use crate::expression::{Class, Expression, Kind, Label, Language, Leaf, PlainText, State, fingerprint};
use crate::json::listed::Listed;
use crate::limits::LimitExceeded;
use crate::regular::{ByteSet, Dfa, Rests, Window, begins_character};

/// Which characters may be written as escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Escapes {
    /// Every character, in every way that JSON has.
    Any,
    /// Those that JSON cannot write otherwise (in every way), and non-ASCII characters as `\u`: an ASCII text
    /// without quotes and backslashes has one spelling.
    Needed,
}

/// The strings whose decoded text is in a language.
pub(super) struct StringLanguage {
    dfa: Arc<Dfa>,
    window: Window,
    escapes: Escapes,
    /// Whether characters are counted beyond what the bounds ask for. Otherwise most texts of a string
    /// without a maximum lead to one state, whose mask is made once; what stands for the states of other
    /// languages counts them as its costs.
    is_counting: bool,
    /// Texts that are no strings after all, where every state of the language has words without end: then
    /// they only forbid the closing quote.
    excluded: Option<Excluded>,
    /// The words that count, where the language is a list of words of which not all are open.
    open: Option<OpenWords>,
    fingerprint: u64,
    /// What stands for states of this language, made when a mask is first asked for.
    wide: OnceLock<Option<Wide>>,
    /// The strings with those that are excluded, made when a deadline first asks.
    all: OnceLock<Leaf>,
    /// For each class of bytes that the automaton tells apart, the one that is cheapest to spell, and the
    /// length of its spelling.
    cheapest_bytes: OnceLock<Box<[(u8, u32)]>>,
    /// The cheapest ways to spell what completes a word of `dfa`, whatever the bounds and what is excluded;
    /// made when a completion is first asked for.
    rests: Arc<OnceLock<Rests>>,
}

impl fmt::Debug for StringLanguage {
    /// What it is, not what was computed of it so far.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("StringLanguage");
        shown
            .field("dfa", &self.dfa)
            .field("characters", &self.window.bounds())
            .field("escapes", &self.escapes);
        shown.field("fingerprint", &self.fingerprint).finish_non_exhaustive()
    }
}

/// The bytes that stand for themselves within quotation marks.
const RAW: ByteSet =
    ByteSet::range(b' ', b'!').or(ByteSet::range(b'#', b'[')).or(ByteSet::range(b']', u8::MAX));

/// Any string.
pub(super) fn any_string() -> Leaf {
    static ANY: LazyLock<Leaf> = LazyLock::new(|| {
        Leaf::new(StringLanguage::new(Dfa::text(), 0, None, Escapes::Any, usize::MAX).expect("no limit"))
    });
    ANY.clone()
}

/// The strings of a leaf but some; `None` where none is left.
pub(super) fn all_but(strings: &Expression, words: Listed) -> Option<Expression> {
    let Kind::Match { leaf, .. } = strings.kind() else { unreachable!("strings are a leaf") };
    let strings: &StringLanguage = leaf.downcast_ref().expect("of strings");
    strings.but(None, words).map(|others| Expression::leaf(Leaf::new(others)))
}

/// Whether a byte of a text is a character that is spelled in one byte.
pub(super) fn is_one_byte(byte: u8) -> bool {
    byte.is_ascii() && RAW.contains(byte)
}

/// The length of the shortest spelling of a text.
pub(super) fn spelled_len(text: &str) -> usize {
    const QUOTES: usize = 2;
    QUOTES + text.bytes().map(|byte| cheapest_spelling(byte).len()).sum::<usize>()
}

/// The text that a JSON string stands for.
///
/// # Panics
///
/// When it is no JSON string.
pub(super) fn decode(string: &[u8]) -> String {
    serde_json::from_slice(string).expect("a string that the language accepted")
}

impl StringLanguage {
    /// The strings whose text is a word of `dfa` with at least `min` and at most `max` characters; there must
    /// be one.
    ///
    /// # Errors
    ///
    /// When the table for `min` has more than `limit` entries.
    pub(super) fn new(
        dfa: Arc<Dfa>,
        min: u32,
        max: Option<u32>,
        escapes: Escapes,
        limit: usize,
    ) -> Result<Self, LimitExceeded> {
        let window = Window::new(dfa.clone(), min, max, limit)?;
        Ok(Self::within(dfa, window, escapes).hashed())
    }

    /// The strings whose text is a word of `dfa` that the window lets through.
    fn within(dfa: Arc<Dfa>, window: Window, escapes: Escapes) -> Self {
        Self {
            dfa,
            window,
            escapes,
            is_counting: false,
            excluded: None,
            open: None,
            fingerprint: 0,
            wide: OnceLock::new(),
            all: OnceLock::new(),
            cheapest_bytes: OnceLock::new(),
            rests: Arc::default(),
        }
    }

    /// The strings within the same bounds, of which none is excluded.
    fn unrestricted(&self) -> Self {
        let strings = Self::within(self.dfa.clone(), self.window.clone(), self.escapes);
        Self { rests: self.rests.clone(), ..strings }
    }

    /// The strings whose text is one of the open words, told apart by label.
    pub(super) fn words(open: OpenWords) -> Self {
        let dfa = open.words.dfa.clone();
        let window = Window::new(dfa.clone(), 0, None, usize::MAX).expect("no bounds, no table");
        let (fingerprint, wide) = (open.fingerprint(), OnceLock::from(None));
        Self { fingerprint, open: Some(open), wide, ..Self::within(dfa, window, Escapes::Needed) }
    }

    /// The words that count, where the language is a list of words.
    pub(super) fn open_words(&self) -> Option<&OpenWords> {
        self.open.as_ref()
    }

    /// The same strings, with states that know how many characters were read.
    fn counting(self) -> Self {
        Self { is_counting: true, ..self }.hashed()
    }

    /// The same strings and those that are excluded.
    fn all(&self) -> Leaf {
        let make = || Leaf::new(Self { is_counting: self.is_counting, ..self.unrestricted() }.hashed());
        self.all.get_or_init(make).clone()
    }

    fn hashed(mut self) -> Self {
        self.fingerprint =
            fingerprint(&(&self.dfa, self.window.bounds(), self.escapes, self.is_counting, &self.excluded));
        self
    }

    /// The position after one byte of decoded text, where the text can still be completed.
    #[inline]
    fn read(&self, position: Position, byte: u8) -> Option<Position> {
        self.read_all(position, &[byte])
    }

    /// The position after several. Whether the text can still be completed is looked at once, at the end: no
    /// text goes on where it cannot.
    #[inline]
    fn read_all(&self, from: Position, bytes: &[u8]) -> Option<Position> {
        let (mut dfa, mut begun) = (from.dfa, 0);
        for byte in bytes {
            dfa = self.dfa.next(dfa, *byte)?;
            begun += u32::from(begins_character(*byte));
        }
        let chars = self.counted(from.chars.saturating_add(begun));
        let excluded = from.excluded.and_then(|state| self.excluded.as_ref()?.reads(state, bytes));
        let position = Position { dfa, chars, excluded };
        self.is_live(position).then_some(position)
    }

    #[inline]
    fn is_live(&self, Position { dfa, chars, .. }: Position) -> bool {
        let is_open = self.open.as_ref().is_none_or(|open| open.is_live(dfa));
        is_open && self.window.is_live(dfa, chars)
    }

    #[inline]
    fn counted(&self, chars: u32) -> u32 {
        if self.is_counting { chars } else { self.window.counted(chars) }
    }

    fn read_char(&self, position: Position, character: char) -> Option<Position> {
        self.read_all(position, character.encode_utf8(&mut [0; 4]).as_bytes())
    }

    /// Whether any text may follow, as far as its length allows.
    fn is_free(&self, position: Position) -> bool {
        self.dfa.reads_any_text(position.dfa) && position.excluded.is_none()
    }

    /// No more bytes than must still come. More must come where the text so far is excluded.
    fn least_left(&self, position: Position) -> u32 {
        let missing = self.window.bounds().0.saturating_sub(position.chars);
        let more = missing.max(self.is_excluded(position).into());
        self.rests().least(position.dfa).max(more)
    }

    /// Whether the decoded text is an excluded word.
    fn is_excluded(&self, position: Position) -> bool {
        let state = position.excluded.zip(self.excluded.as_ref());
        state.is_some_and(|(state, excluded)| excluded.has(state))
    }

    /// The label of the decoded text, where it is a word within all bounds.
    fn label(&self, position: Position) -> Option<Label> {
        let label = self.dfa.label(position.dfa)?;
        let label = self.open.as_ref().map_or(Some(label), |open| open.label(label));
        label.filter(|_| self.window.contains(position.chars) && !self.is_excluded(position))
    }

    fn rests(&self) -> &Rests {
        self.rests.get_or_init(|| Rests::new(&self.dfa, cheapest_first().iter().copied()))
    }

    fn cheapest_bytes(&self) -> &[(u8, u32)] {
        self.cheapest_bytes.get_or_init(|| {
            let mut seen = [false; 512];
            let mut is_new = |byte: u8| !std::mem::replace(&mut seen[self.kind_of(byte)], true);
            cheapest_first().iter().copied().filter(|(byte, _)| is_new(*byte)).collect()
        })
    }

    /// A number below 512 that two bytes share where neither automaton nor bounds tell them apart.
    fn kind_of(&self, byte: u8) -> usize {
        2 * usize::from(self.dfa.class_of(byte)) + usize::from(begins_character(byte))
    }

    #[inline]
    fn step_unpacked(&self, Unpacked { position, phase }: Unpacked, byte: u8) -> Option<Unpacked> {
        match phase {
            Phase::Opening => (byte == b'"').then(|| Unpacked::text(position)),
            Phase::Text => self.step_text(position, byte),
            Phase::Backslash => self.step_backslash(position, byte),
            Phase::Hex(unfinished) => self.step_hex(position, unfinished, byte),
            Phase::LowBackslash(high) if byte == b'\\' => {
                Some(Unpacked { position, phase: Phase::LowU(high) })
            }
            Phase::LowU(high) if byte == b'u' => {
                Some(Unpacked { position, phase: Phase::Hex(Unfinished::low(high)) })
            }
            Phase::LowBackslash(_) | Phase::LowU(_) | Phase::Closed => None,
        }
    }

    /// The bytes that may follow in the middle of a text; `None` where they are too many to be looked at one
    /// by one.
    fn next_in_text(&self, position: Position) -> Option<ByteSet> {
        const FEW: u32 = 32;
        let next = self.dfa.next_bytes(position.dfa);
        if next.len() > FEW {
            return None;
        }
        let live: ByteSet = next.iter().filter(|byte| self.read(position, *byte).is_some()).collect();
        let quote = self.label(position).map(|_| b'"');
        let escape = (!live.and(self.escapes.begin()).is_empty()).then_some(b'\\');
        let ends: ByteSet = quote.into_iter().chain(escape).collect();
        Some(live.and(RAW).or(ends))
    }

    fn step_text(&self, position: Position, byte: u8) -> Option<Unpacked> {
        match byte {
            b'"' => self.label(position).map(|_| Unpacked { position, phase: Phase::Closed }),
            b'\\' => self.can_escape(position).then_some(Unpacked { position, phase: Phase::Backslash }),
            0..=0x1f => None,
            _ => self.read(position, byte).map(Unpacked::text),
        }
    }
}

impl Language for StringLanguage {
    fn start(&self) -> State {
        let excluded = self.excluded.as_ref().map(Excluded::start);
        let position = Position { dfa: self.dfa.start(), chars: 0, excluded };
        Unpacked { position, phase: Phase::Opening }.pack()
    }

    fn step(&self, state: State, byte: u8) -> Option<State> {
        self.step_unpacked(Unpacked::from(state), byte).map(Unpacked::pack)
    }

    fn reads(&self, state: State, bytes: &[u8]) -> Option<State> {
        let (state, read) = self.reads_to_text(state, bytes)?;
        (read == bytes.len()).then_some(state)
    }

    /// Raw bytes are read together: the median of mask and accept is 0.96 of what it was with one after the
    /// other, the mean 0.97 (500 files of maskbench-dev, old and new in turn, five times).
    fn reads_to_text(&self, state: State, bytes: &[u8]) -> Option<(State, usize)> {
        let (mut at, mut rest) = (Unpacked::from(state), bytes);
        while let [byte, ..] = rest {
            let is_text = at.phase == Phase::Text;
            let raw = rest.iter().take_while(|byte| is_text && RAW.contains(**byte)).count();
            at = match raw {
                0 => self.step_unpacked(at, *byte)?,
                _ => Unpacked::text(self.read_all(at.position, &rest[..raw])?),
            };
            rest = &rest[raw.max(1)..];
            if at.phase == Phase::Closed {
                break;
            }
        }
        Some((at.pack(), bytes.len() - rest.len()))
    }

    fn next_bytes(&self, state: State) -> Option<ByteSet> {
        let Unpacked { position, phase } = Unpacked::from(state);
        match phase {
            Phase::Opening => Some([b'"'].into_iter().collect()),
            Phase::Text => self.next_in_text(position),
            Phase::Closed => Some(ByteSet::EMPTY),
            Phase::Backslash | Phase::Hex(_) | Phase::LowBackslash(_) | Phase::LowU(_) => None,
        }
    }

    fn texts(&self, state: State) -> Option<Vec<(&[u8], Label)>> {
        let Unpacked { position, phase } = Unpacked::from(state);
        let open = self.open.as_ref()?;
        match phase {
            Phase::Opening | Phase::Text => open.texts(position.dfa, phase == Phase::Text),
            _ => None,
        }
    }

    fn accepts(&self, state: State) -> Option<Label> {
        let Unpacked { position, phase } = Unpacked::from(state);
        if phase == Phase::Closed { self.label(position) } else { None }
    }

    fn is_complete(&self, state: State) -> bool {
        Unpacked::from(state).phase == Phase::Closed
    }

    fn completion(&self, state: State, cost: &dyn Fn(Label) -> u32) -> (Vec<u8>, Label) {
        completion::shortest(self, state, cost)
    }

    /// The characters that a text must have at least, then more than an excluded word has (from each state
    /// then there are words without end), each written in at most six bytes; then the dearest of the cheapest
    /// rests, or where texts must not be long, as many characters as the automaton may ask for. Only open
    /// words have several labels.
    fn enough_from_any(&self) -> Option<u32> {
        const CHARACTER: u32 = 6;
        // A surrogate whose other half is missing, and the quotation mark.
        const BEGUN: u32 = 2 * CHARACTER + 1;
        if let Some(open) = &self.open {
            return Some(open.longest().saturating_add(BEGUN));
        }
        let (min, max) = self.window.bounds();
        let rest = match max {
            None => self.rests().most(),
            Some(_) => self.dfa.least_chars().iter().max()?.saturating_mul(CHARACTER),
        };
        let unlike = self.excluded.as_ref().map_or(0, Excluded::longer);
        let more = min.saturating_add(unlike).saturating_mul(CHARACTER);
        Some(more.saturating_add(rest).saturating_add(BEGUN))
    }

    /// The excluded words are read beside the text, and forgotten where it is no beginning of one.
    fn twin(&self, state: State) -> Option<(Leaf, State)> {
        self.excluded.as_ref()?;
        let Unpacked { position, phase } = Unpacked::from(state);
        let position = Position { excluded: None, ..position };
        Some((self.all(), Unpacked { position, phase }.pack()))
    }

    fn class(&self, state: State) -> Class {
        self.representative(state)
    }

    fn cost(&self, state: State) -> u32 {
        let Unpacked { position, phase } = Unpacked::from(state);
        self.least_cost(position, phase)
    }

    fn plain(&self, state: State) -> Option<PlainText<'_>> {
        let Unpacked { position: Position { dfa, .. }, phase } = Unpacked::from(state);
        let reads_plain = phase == Phase::Text
            && self.open.is_none()
            && self.window.is_unbounded()
            && !self.dfa.is_within_character(dfa);
        reads_plain.then_some(PlainText { dfa: &self.dfa, state: dfa, has_controls: false })
    }

    fn memory_bytes(&self) -> usize {
        let excluded = self.excluded.as_ref().map_or(0, Excluded::memory_bytes);
        let open = self.open.as_ref().map_or(0, OpenWords::memory_bytes);
        let rests = Rests::memory_bytes(&self.dfa);
        size_of::<Self>() + self.dfa.memory_bytes() + self.window.memory_bytes() + rests + excluded + open
    }

    fn expectation(&self, state: State) -> String {
        let Unpacked { position, phase } = Unpacked::from(state);
        match phase {
            Phase::Opening => self.described(position, "a string"),
            Phase::Text => self.described(position, "the rest of a string"),
            Phase::Backslash => "an escape".to_owned(),
            Phase::Hex(_) => "hexadecimal digits".to_owned(),
            Phase::LowBackslash(_) | Phase::LowU(_) => "the second half of a surrogate pair".to_owned(),
            Phase::Closed => "the end of the string".to_owned(),
        }
    }

    fn same(&self, other: &dyn Language) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            (self.escapes, self.is_counting) == (other.escapes, other.is_counting)
                && self.window.bounds() == other.window.bounds()
                && (Arc::ptr_eq(&self.dfa, &other.dfa) || self.dfa == other.dfa)
                && self.excluded == other.excluded
                && self.open == other.open
        })
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

impl StringLanguage {
    /// `general`, or the words themselves where they are few.
    fn described(&self, position: Position, general: &str) -> String {
        const SHOWN: u64 = 8;
        let count = match &self.open {
            Some(open) => Some(open.count(position.dfa)),
            None => self.dfa.count_from(position.dfa),
        };
        match count {
            Some(count) if count <= SHOWN => {
                let words = match &self.open {
                    Some(open) => open.rests(position.dfa),
                    None => self.dfa.words_from(position.dfa),
                };
                let quoted = words.iter().map(|word| format!("{:?}", String::from_utf8_lossy(word)));
                let quoted: Vec<String> = quoted.collect();
                match quoted.as_slice() {
                    [only] => only.clone(),
                    several => format!("one of {}", several.join(", ")),
                }
            }
            _ => general.to_owned(),
        }
    }
}
