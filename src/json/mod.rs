//! How values are spelled: from a schema's normal form to an expression over bytes.
//!
//! Here and nowhere else it is decided which texts stand for a value:
//!
//! * strings are read through their escapes, so a pattern or a name is always compared with the *decoded*
//!   text;
//! * a free string (and a name that the schema does not declare) may use every escape JSON has; a declared
//!   name, an enum entry or a constant only those that JSON needs (and `\u` for non-ASCII characters), so
//!   that forced text has one spelling;
//! * a number may be written plainly or in scientific form with one digit before the point; `1.0` is the
//!   integer 1;
//! * whitespace stands where the [`Layout`] allows it, never after the text.
//!
//! Objects and arrays are rules whose data is what must be remembered: position or names read, and counts.

mod array;
mod beginning;
mod distinct;
mod enough;
mod error;
mod layout;
mod leaves;
mod length;
mod list;
mod listed;
mod number;
mod object;
mod sorted;
mod spelling;
mod string;
mod used;

use std::sync::Arc;

pub use error::SpellingError;
pub use layout::Layout;
pub use spelling::{PropertyOrder, Style};

use spelling::Spelling;

use crate::expression::Expression;
use crate::limits::Budget;
use crate::schema::Schema;

/// The texts of the values of a schema. `what` names them in messages: `arguments of functions.get_weather`.
///
/// # Errors
///
/// When something exceeds a limit, or an array needs more distinct elements than are known to exist.
pub fn value(
    schema: Schema,
    style: &Style,
    what: &str,
    budget: impl Into<Budget>,
) -> Result<Expression, SpellingError> {
    let root = schema.root();
    Ok(Arc::new(Spelling::new(schema, style, what, &budget.into())?).value(root, 0))
}

/// The texts of the objects among the values of a schema; `None` where it allows no object.
///
/// # Errors
///
/// As [`value`].
pub fn object(
    schema: Schema,
    style: &Style,
    what: &str,
    budget: impl Into<Budget>,
) -> Result<Option<Expression>, SpellingError> {
    let root = schema.root();
    Ok(Arc::new(Spelling::new(schema, style, what, &budget.into())?).objects(root))
}
