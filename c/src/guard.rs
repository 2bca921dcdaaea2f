//! The one way in which functions fail, and the guard that lets no panic out.
//!
//! A panic would be a bug of the library. A matcher that panicked is still whole, since each of its methods
//! changes it last, so nothing else is done about it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::failure::{Failure, Slot};

/// Runs a function that may fail. Then the error goes where the caller wants it, and the answer is
/// `otherwise`; if not, NULL goes there.
pub(crate) fn guard<T>(slot: Slot<'_>, otherwise: T, run: impl FnOnce() -> Result<T, Failure>) -> T {
    let result = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(internal(&*panic)));
    let (answer, error) = match result {
        Ok(answer) => (answer, None),
        Err(failure) => (otherwise, Some(Box::new(failure))),
    };
    if let Some(slot) = slot {
        slot.write(error);
    }
    answer
}

/// Runs a function that cannot fail. Should it panic, the answer is `otherwise`.
pub(crate) fn quiet<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}

/// A handle that must be there.
pub(crate) fn given<T>(handle: Option<T>, name: &str) -> Result<T, Failure> {
    handle.ok_or_else(|| Failure::pointer(format!("the {name} is NULL")))
}

fn internal(panic: &(dyn Any + Send)) -> Failure {
    let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    Failure::new("internal", format!("a bug in harmony-mask: {}", words.unwrap_or("it panicked")))
}
