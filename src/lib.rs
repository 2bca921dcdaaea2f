//! harmony-mask compiles what a gpt-oss model may say next into token masks.
pub mod expression;
pub mod harmony;
pub mod lark;
pub mod limits;
pub mod special;
pub use limits::{LimitExceeded, Limits};
pub use special::{SpecialToken, TokenId};
