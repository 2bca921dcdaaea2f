//! What can be wrong with a vocabulary.

use crate::special::{SpecialToken, TokenId};

/// Why a list of tokens is not a vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// Two tokens have one id.
    #[error("token id {id} is given twice")]
    DuplicateId {
        /// The id.
        id: TokenId,
    },
    /// Two tokens have the same bytes, so that a text would not say which one it came from.
    #[error("tokens {first} and {second} are both \"{}\"", .bytes.escape_ascii())]
    DuplicateBytes {
        /// The lower id.
        first: TokenId,
        /// The higher id.
        second: TokenId,
        /// The bytes of both.
        bytes: Vec<u8>,
    },
    /// A token has no bytes: a sampler could choose it for ever.
    #[error("token {id} has no bytes")]
    EmptyToken {
        /// Its id.
        id: TokenId,
    },
    /// A token is longer than the trie can hold.
    #[error("token {id} has {len} bytes, more than {limit}")]
    LongToken {
        /// Its id.
        id: TokenId,
        /// Its length in bytes.
        len: usize,
        /// The longest length that is possible.
        limit: usize,
    },
    /// A token id is too large; ids are indices, so one stray id would cost memory.
    #[error("token id {id} is larger than {limit}")]
    LargeId {
        /// The id.
        id: TokenId,
        /// The largest id that is possible.
        limit: TokenId,
    },
    /// The tokens have more distinct prefixes than the trie can count.
    #[error("the tokens have more than {limit} distinct prefixes")]
    TooManyPrefixes {
        /// The largest number that is possible.
        limit: usize,
    },
    /// A byte is not a token. A text that needs it could then be demanded and never written.
    #[error("no token is the single byte 0x{byte:02x}")]
    MissingByte {
        /// The byte.
        byte: u8,
    },
    /// A special token is given two ids.
    #[error("special token {special} is given twice")]
    DuplicateSpecial {
        /// The special token.
        special: SpecialToken,
    },
    /// A special token is given no id.
    #[error("special token {special} has no id")]
    MissingSpecial {
        /// The special token.
        special: SpecialToken,
    },
}
