//! Errors: a kind to match on, words for people, and a place.

use std::ffi::{CStr, CString, c_char};
use std::fmt::Display;
use std::mem::MaybeUninit;

use harmony_mask::{AcceptError, DeadlineError, Error, PromptError, RollbackError};

use crate::guard::quiet;
use crate::memory::c_string;

/// `hm_error`: why a call failed.
pub struct Failure {
    kind: CString,
    message: CString,
    pointer: CString,
}

/// Where the caller wants the error, if it does. What is there before the call may be anything, so it is not
/// dropped.
pub type Slot<'a> = Option<&'a mut MaybeUninit<Option<Box<Failure>>>>;

impl Failure {
    /// An error without a place.
    pub(crate) fn new(kind: &str, message: impl Display) -> Self {
        Self::at("", kind, message)
    }

    /// An error at a JSON pointer.
    pub(crate) fn at(pointer: &str, kind: &str, message: impl Display) -> Self {
        Self { kind: c_string(kind), message: c_string(&message.to_string()), pointer: c_string(pointer) }
    }

    /// A pointer that cannot be used.
    pub(crate) fn pointer(message: impl Display) -> Self {
        Self::new("invalid_pointer", message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::at(&error.pointer(), error.kind(), &error)
    }
}

impl From<AcceptError> for Failure {
    fn from(error: AcceptError) -> Self {
        Self::new("token_rejected", error)
    }
}

impl From<PromptError> for Failure {
    fn from(error: PromptError) -> Self {
        Self::new("prompt_rejected", error)
    }
}

impl From<RollbackError> for Failure {
    fn from(error: RollbackError) -> Self {
        Self::new("rollback", error)
    }
}

impl From<DeadlineError> for Failure {
    fn from(error: DeadlineError) -> Self {
        Self::new("deadline", error)
    }
}

/// A short stable name of what is wrong.
#[unsafe(no_mangle)]
pub extern "C" fn hm_error_kind(error: Option<&Failure>) -> *const c_char {
    words(error.map(|error| &*error.kind))
}

/// What is wrong, in words.
#[unsafe(no_mangle)]
pub extern "C" fn hm_error_message(error: Option<&Failure>) -> *const c_char {
    words(error.map(|error| &*error.message))
}

/// Where in the request or schema it is, as a JSON pointer.
#[unsafe(no_mangle)]
pub extern "C" fn hm_error_pointer(error: Option<&Failure>) -> *const c_char {
    words(error.map(|error| &*error.pointer))
}

/// Frees an error.
#[unsafe(no_mangle)]
pub extern "C" fn hm_error_free(error: Option<Box<Failure>>) {
    quiet((), || drop(error));
}

/// The empty text where there is no error, so that printing it is fine.
fn words(words: Option<&CStr>) -> *const c_char {
    quiet(c"".as_ptr(), || words.unwrap_or_default().as_ptr())
}
