//! harmony-mask compiles what a gpt-oss model may say next into token masks.
pub mod automaton;
pub mod expression;
pub mod harmony;
pub mod lark;
pub mod limits;
pub mod regular;
pub mod schema;
pub mod special;
pub mod token_mask;
pub mod vocabulary;
pub use limits::{LimitExceeded, Limits};
pub use special::{SpecialToken, TokenId};
pub use token_mask::{TokenMask, TokenMaskMut};
pub use vocabulary::{Vocabulary, VocabularyError};
