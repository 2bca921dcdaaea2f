//! harmony-mask compiles what a gpt-oss model may say next into token masks.
pub mod expression;
pub mod limits;
pub mod regular;
pub mod schema;
pub mod special;
pub use limits::{LimitExceeded, Limits};
pub use special::{SpecialToken, TokenId};
