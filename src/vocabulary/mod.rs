//! The tokens of a model: their bytes, the trie that masks walk, and the special tokens.
//!
//! A [`Vocabulary`] holds the *ordinary* tokens, which are byte strings, and the seven [`SpecialToken`]s,
//! which are not. Every other id of a model (padding, reserved ids, tokens that only prompts contain) is
//! unknown to it, so no mask can allow one.

mod characters;
mod encoding;
mod error;
mod image;
mod kinds;
mod shapes;
mod tables;
mod trie;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

pub use error::VocabularyError;
pub use trie::{Node, Trie};

use crate::special::{SpecialToken, TokenId};
pub(crate) use kinds::{CharacterKind, character_kinds};
pub(crate) use shapes::{Shape, Shapes};
use tables::{LARGEST_ID, Tables};

/// The tokens of a model. Cheap to clone.
///
/// ```
/// # use harmony_mask::{SpecialToken, Vocabulary};
/// let vocabulary = Vocabulary::o200k_harmony();
/// assert_eq!(vocabulary.token_bytes(13_225), Some("Hello".as_bytes()));
/// assert_eq!(vocabulary.special(200_007), Some(SpecialToken::End));
/// assert_eq!(vocabulary.token_bytes(200_018), None); // reserved
/// ```
#[derive(Clone)]
pub struct Vocabulary(Arc<Inner>);

struct Inner {
    tables: Tables,
    /// By the order of [`SpecialToken::ALL`].
    specials: [TokenId; SpecialToken::ALL.len()],
    /// Whether this is `o200k_harmony`. Two things are known of that alone: how it encodes, and the special
    /// tokens that are never generated.
    is_harmony: bool,
    /// The words of all plain tokens: 25 KB that are read for most patterns.
    all_plain: OnceLock<Box<[u32]>>,
}

impl Vocabulary {
    /// The number of logits that gpt-oss gives for each token: the width of its masks. Larger than the
    /// vocabulary's own [`width`](Self::width), as the ids from there on are reserved, and never allowed.
    ///
    /// ```
    /// # use harmony_mask::{TokenMask, Vocabulary};
    /// assert!(Vocabulary::HARMONY_LOGITS > Vocabulary::o200k_harmony().width());
    /// let mask = TokenMask::new(Vocabulary::HARMONY_LOGITS);
    /// assert_eq!(mask.words().len() * 32, Vocabulary::HARMONY_LOGITS);
    /// ```
    pub const HARMONY_LOGITS: usize = 201_088;

    /// The vocabulary of gpt-oss. Its tables are part of the program, so this costs no more than a lookup.
    #[must_use]
    pub fn o200k_harmony() -> Self {
        static SHARED: LazyLock<Vocabulary> = LazyLock::new(|| {
            let specials = SpecialToken::ALL.map(SpecialToken::harmony_id);
            Vocabulary::of(image::o200k_harmony(), specials, true)
        });
        SHARED.clone()
    }

    /// Any other vocabulary, such as an engine's own: its ordinary tokens and its ids of the seven special
    /// tokens.
    ///
    /// Byte strings must be distinct, and all 256 single bytes must be tokens: otherwise a text could be
    /// demanded that the model has no tokens for. Leave out whatever must never be generated.
    ///
    /// ```
    /// # use harmony_mask::{SpecialToken, Vocabulary, vocabulary::VocabularyError};
    /// let bytes = (0..=255).map(|byte: u8| (u32::from(byte), vec![byte]));
    /// let specials = SpecialToken::ALL.into_iter().zip(1_000..);
    /// let vocabulary = Vocabulary::new(bytes.clone(), specials)?;
    /// assert_eq!(vocabulary.width(), 1_007);
    ///
    /// let error = Vocabulary::new(bytes, [(SpecialToken::Return, 1_000)]).unwrap_err();
    /// assert_eq!(error, VocabularyError::MissingSpecial { special: SpecialToken::Constrain });
    /// # Ok::<(), VocabularyError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong with the list, as a [`VocabularyError`].
    pub fn new(
        tokens: impl IntoIterator<Item = (TokenId, Vec<u8>)>,
        specials: impl IntoIterator<Item = (SpecialToken, TokenId)>,
    ) -> Result<Self, VocabularyError> {
        let tables = Tables::new(tokens.into_iter().collect())?;
        let specials = special_ids(specials)?;
        let vocabulary = Self::of(tables, specials, false);
        match specials.into_iter().find(|id| vocabulary.token_bytes(*id).is_some()) {
            Some(id) => Err(VocabularyError::DuplicateId { id }),
            None => Ok(vocabulary),
        }
    }

    fn of(tables: Tables, specials: [TokenId; SpecialToken::ALL.len()], is_harmony: bool) -> Self {
        Self(Arc::new(Inner { tables, specials, is_harmony, all_plain: OnceLock::new() }))
    }

    /// The bytes of an ordinary token.
    #[must_use]
    pub fn token_bytes(&self, token: TokenId) -> Option<&[u8]> {
        let Tables { starts, bytes, .. } = &self.0.tables;
        let [start, end] = *starts.get(token as usize..)?.first_chunk()?;
        (start < end).then(|| &bytes[start as usize..end as usize])
    }

    /// The special token with this id.
    #[must_use]
    pub fn special(&self, token: TokenId) -> Option<SpecialToken> {
        let index = self.0.specials.iter().position(|id| *id == token)?;
        Some(SpecialToken::ALL[index])
    }

    /// The id of a special token.
    #[must_use]
    pub fn special_id(&self, special: SpecialToken) -> TokenId {
        self.0.specials[special as usize]
    }

    /// One past the highest id known here. A model's logits may be wider:
    /// [`HARMONY_LOGITS`](Self::HARMONY_LOGITS) in gpt-oss, where this is 200 013.
    #[must_use]
    pub fn width(&self) -> usize {
        let highest = self.0.specials.iter().copied().max().expect("there are special tokens");
        (self.0.tables.starts.len() - 1).max(highest as usize + 1)
    }

    /// The number of ordinary tokens. Not a width for masks: special tokens have higher ids.
    #[must_use]
    pub fn token_count(&self) -> usize {
        self.0.tables.count as usize
    }

    /// The length in bytes of the longest ordinary token, which is also the greatest depth in the trie.
    #[must_use]
    pub fn longest_token(&self) -> usize {
        self.0.tables.longest as usize
    }

    /// The *plain* tokens that begin at most so many characters, as mask words and what is to be taken out of
    /// these: text from the beginning of a character, without control characters, quotation marks and
    /// backslashes; its last character may be incomplete.
    ///
    /// Plain tokens are what stays inside quoted text whatever stands around it: 195,000 of the 200,000.
    pub(crate) fn plain_within(&self, characters: u32) -> (Cow<'_, [u32]>, Vec<TokenId>) {
        let tables = &self.0.tables.characters;
        match tables.at_most(characters) {
            Some(words) => (words.into(), Vec::new()),
            None => (self.plain_words().into(), tables.longer(characters).collect()),
        }
    }

    /// The mask words of all plain tokens.
    pub(crate) fn plain_words(&self) -> &[u32] {
        self.0.all_plain.get_or_init(|| self.0.tables.characters.all().into())
    }

    /// Whether a plain token may contain the byte.
    #[must_use]
    pub fn is_plain(byte: u8) -> bool {
        tables::is_plain(byte)
    }

    /// The plain prefixes of tokens, by shape.
    pub(crate) fn plain(&self) -> &Shapes {
        &self.0.tables.plain
    }

    /// The size of the tables, whether they are on the heap or part of the program.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let Tables { nodes, roots, seconds, starts, bytes, characters, plain, .. } = &self.0.tables;
        let words = [&**roots, &**seconds, &**starts].map(size_of_val).into_iter().sum::<usize>();
        size_of_val(&**nodes) + words + plain.memory_bytes() + bytes.len() + characters.memory_bytes()
    }

    /// The trie of the ordinary tokens.
    #[must_use]
    pub fn trie(&self) -> Trie<'_> {
        Trie::new(&self.0.tables)
    }

    /// The bytes that lead to a node of the [trie](Self::trie).
    ///
    /// # Panics
    ///
    /// When the trie has no such node.
    #[must_use]
    pub fn prefix(&self, node: u32) -> &[u8] {
        let trie = self.trie();
        // The first token at or below a node begins with the node's bytes.
        let token = (node..trie.node(node).end).find_map(|below| trie.node(below).token);
        let bytes =
            token.and_then(|token| self.token_bytes(token)).expect("there is a token below every node");
        &bytes[..usize::from(trie.node(node).depth)]
    }
}

/// The ids in the order of [`SpecialToken::ALL`].
fn special_ids(
    specials: impl IntoIterator<Item = (SpecialToken, TokenId)>,
) -> Result<[TokenId; SpecialToken::ALL.len()], VocabularyError> {
    let mut ids = [None; SpecialToken::ALL.len()];
    for (special, id) in specials {
        if id > LARGEST_ID {
            return Err(VocabularyError::LargeId { id, limit: LARGEST_ID });
        }
        if ids.contains(&Some(id)) {
            return Err(VocabularyError::DuplicateId { id });
        }
        if ids[special as usize].replace(id).is_some() {
            return Err(VocabularyError::DuplicateSpecial { special });
        }
    }
    let missing = SpecialToken::ALL.into_iter().find(|special| ids[*special as usize].is_none());
    match missing {
        Some(special) => Err(VocabularyError::MissingSpecial { special }),
        None => Ok(ids.map(|id| id.expect("none is missing"))),
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocabulary({} tokens)", self.token_count())
    }
}
