//! Memory of the caller, and texts that the caller will free: all `unsafe` code of the interface.
//!
//! An [`Input`] and an [`Output`] are the pointers that C passes. Nothing but C makes one, so what the header
//! asks of a pointer and of the number that is passed with it is what their methods may rely on.

use std::ffi::{CString, c_char};
use std::{ptr, slice};

use crate::failure::Failure;
use crate::guard::quiet;

/// A pointer to memory that is only read: NULL, or to as many initialised elements as the same call says,
/// which nobody changes during the call.
#[repr(transparent)]
pub struct Input<T>(*const T);

/// A pointer to memory that is written: NULL, or to room for as many elements as the same call says, which
/// nobody else uses during the call.
#[repr(transparent)]
pub struct Output<T>(*mut T);

#[cfg(test)]
impl<T> Input<T> {
    /// What C would pass; a test keeps the promise itself.
    pub(crate) fn from_raw(pointer: *const T) -> Self {
        Self(pointer)
    }
}

#[cfg(test)]
impl<T> Output<T> {
    /// What C would pass; a test keeps the promise itself.
    pub(crate) fn from_raw(pointer: *mut T) -> Self {
        Self(pointer)
    }
}

impl<T> Input<T> {
    /// The elements. NULL is fine where there are none.
    pub(crate) fn slice(&self, len: usize) -> Result<&[T], Failure> {
        if len == 0 {
            return Ok(&[]);
        }
        check(self.0, len)?;
        // SAFETY: C says that so many elements are there, and stay as they are while `self`, an argument of
        // the call, is borrowed; `check` saw the rest.
        Ok(unsafe { slice::from_raw_parts(self.0, len) })
    }
}

impl Input<u8> {
    /// The bytes as text.
    pub(crate) fn text(&self, len: usize) -> Result<&str, Failure> {
        std::str::from_utf8(self.slice(len)?)
            .map_err(|error| Failure::new("not_utf8", format!("the text is not UTF-8: {error}")))
    }
}

impl<T: Copy> Output<T> {
    /// Writes the first elements, as many as there is room for, and returns how many there are.
    pub(crate) fn write(&mut self, capacity: usize, elements: &[T]) -> usize {
        let fitting = &elements[..capacity.min(elements.len())];
        if !self.0.is_null() {
            // SAFETY: C says that there is room for `capacity` elements, and `fitting` has no more. They are
            // written as bytes, which need no alignment, and cannot overlap with memory that Rust owns.
            unsafe {
                ptr::copy_nonoverlapping(fitting.as_ptr().cast::<u8>(), self.0.cast(), size_of_val(fitting));
            }
        }
        elements.len()
    }
}

impl Output<u32> {
    /// The words, all zero. What was there before does not matter: it may be memory that was never written.
    pub(crate) fn zeroed(&mut self, len: usize) -> Result<&mut [u32], Failure> {
        check(self.0, len)?;
        // SAFETY: C says that there is room for so many words, and that nobody else uses them while `self`,
        // an argument of the call, is borrowed; `check` saw the rest. Zeroing initialises them.
        unsafe {
            ptr::write_bytes(self.0, 0, len);
            Ok(slice::from_raw_parts_mut(self.0, len))
        }
    }
}

impl Output<f32> {
    /// The numbers that are there.
    pub(crate) fn slice_mut(&mut self, len: usize) -> Result<&mut [f32], Failure> {
        check(self.0, len)?;
        // SAFETY: C says that so many numbers are there, and that nobody else uses them while `self`, an
        // argument of the call, is borrowed; `check` saw the rest.
        Ok(unsafe { slice::from_raw_parts_mut(self.0, len) })
    }
}

/// What can be seen of a pointer: that it is not NULL, is aligned, and that so many elements fit into an
/// address space.
fn check<T>(pointer: *const T, len: usize) -> Result<(), Failure> {
    let wrong = if pointer.is_null() {
        "is NULL"
    } else if !pointer.is_aligned() {
        "is not aligned"
    } else if len > isize::MAX.unsigned_abs() / size_of::<T>() {
        "cannot be to so many"
    } else {
        return Ok(());
    };
    Err(Failure::pointer(format!("the pointer to {len} elements {wrong}")))
}

/// A text for the caller, ending with a NUL: NULL where there is none. It is freed when it is dropped, by
/// [`hm_text_free`] at the latest.
#[repr(transparent)]
pub struct Text(*mut c_char);

impl Text {
    /// No text.
    pub(crate) const NONE: Self = Self(ptr::null_mut());

    /// A copy of a text.
    pub(crate) fn new(text: &str) -> Self {
        Self(c_string(text).into_raw())
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the pointer is from `CString::into_raw`, as `new` alone makes texts and the header says
            // that C changes none. It is freed once: `self` is gone.
            drop(unsafe { CString::from_raw(self.0) });
        }
    }
}

/// Frees a text.
#[unsafe(no_mangle)]
pub extern "C" fn hm_text_free(text: Text) {
    quiet((), || drop(text));
}

/// A text as C has it. JSON has no NUL in it; in the words of an error, which quote what was given, U+FFFD
/// stands for one.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).expect("there is no NUL left")
}
