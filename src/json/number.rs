//! Temporary.
use crate::expression::{DfaLanguage, Leaf}; use crate::limits::LimitExceeded; use crate::schema::Numbers; use crate::regular::Dfa; use std::sync::Arc;
pub(super) fn numbers(_: &[Numbers], limit: usize) -> Result<Leaf, LimitExceeded> {
    let step = |s: &u8, b: u8| match (*s, b) { (0, b'-') => Some(1), (0|1, b'0') => Some(2), (0|1, b'1'..=b'9') => Some(3), (3, b'0'..=b'9') => Some(3), (2|3, b'.') => Some(4), (4|5, b'0'..=b'9') => Some(5), _ => None };
    let d = Dfa::explore(0_u8, b"0123456789-.", step, |s| matches!(s, 2|3|5).then_some(0), limit)?;
    Ok(Leaf::new(DfaLanguage::new(Arc::new(d), "a number")))
}
