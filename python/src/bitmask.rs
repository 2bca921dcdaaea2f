//! Masks in memory that numpy or torch owns.
//!
//! A bitmask is a matrix of `int32`, one row per sequence, bit `t % 32` of word `t / 32` for token `t`.
//! Everything about it is checked before a word is written, since a wrong buffer would otherwise be silently
//! wrong masks. A torch tensor is taken through `Tensor.numpy()`, which shares its memory and costs 2 µs;
//! DLPack would cost 7 (measured), and its raw pointer nothing, but unchecked.

use std::ops::Range;

use numpy::npyffi::flags::NPY_ARRAY_WRITEABLE;
use numpy::{PyArray2, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::error;

/// A checked bitmask.
pub(crate) struct Bitmask<'py> {
    array: Bound<'py, PyArray2<i32>>,
}

impl<'py> Bitmask<'py> {
    /// Checks a buffer; rows must hold masks of `width` tokens.
    pub(crate) fn new(buffer: &Bound<'py, PyAny>, width: usize) -> PyResult<Self> {
        let array = match buffer.cast::<PyArray2<i32>>() {
            Ok(array) => array.clone(),
            Err(_) => array_of(buffer)?,
        };
        check_layout(&array)?;
        check_flags(&array)?;
        let (needed, words) = (width.div_ceil(32), array.shape()[1]);
        if words < needed {
            let message = format!(
                "the bitmask has {words} words a row, and {width} tokens need {needed}; \
                 allocate it for the width of the model's logits"
            );
            return Err(error::bitmask("shape", message));
        }
        Ok(Self { array })
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.array.shape()[0]
    }

    /// The number of words in a row.
    pub(crate) fn words(&self) -> usize {
        self.array.shape()[1]
    }

    /// Checks that `count` rows begin at `index`.
    pub(crate) fn first_row(&self, index: i64, count: usize) -> PyResult<usize> {
        let rows = self.rows();
        let first = usize::try_from(index).ok();
        first.filter(|first| first.checked_add(count).is_some_and(|end| end <= rows)).ok_or_else(|| {
            let wanted = if count == 1 { "row".to_owned() } else { format!("{count} rows from row") };
            error::bitmask("range", format!("there is no {wanted} {index}: the bitmask has {rows} rows"))
        })
    }

    /// The words of `count` rows from `first`.
    ///
    /// As everywhere in numpy, it is up to the caller not to touch these rows from two threads at a time.
    ///
    /// # Panics
    ///
    /// When there are fewer rows; see [`first_row`](Self::first_row).
    #[allow(unsafe_code)]
    pub(crate) fn rows_mut(&mut self, first: usize, count: usize) -> &mut [u32] {
        // SAFETY: this borrows all of `self`, so no other range is in use.
        unsafe { self.range_mut(first..first + count) }
    }

    /// The words of several ranges of rows, as [`rows_mut`](Self::rows_mut) gives one; an error where two
    /// overlap.
    #[allow(unsafe_code)]
    pub(crate) fn ranges_mut(&mut self, ranges: &[Range<usize>]) -> PyResult<Vec<&mut [u32]>> {
        let mut ordered: Vec<_> = ranges.iter().collect();
        ordered.sort_by_key(|range| range.start);
        if let Some(pair) = ordered.windows(2).find(|pair| pair[0].end > pair[1].start) {
            let message = format!("two matchers would fill row {}", pair[1].start);
            return Err(error::bitmask("range", message));
        }
        // SAFETY: the ranges do not overlap, as was just seen, and this borrows all of `self`.
        Ok(ranges.iter().map(|range| unsafe { self.range_mut(range.clone()) }).collect())
    }

    /// # Safety
    ///
    /// Nothing else that was borrowed from `self` may overlap with this range.
    #[allow(unsafe_code, clippy::mut_from_ref)]
    unsafe fn range_mut(&self, range: Range<usize>) -> &mut [u32] {
        assert!(range.end <= self.rows(), "the range was checked");
        let words = self.words();
        // SAFETY: `new` saw that the array is C-contiguous, aligned, writeable and made of 32-bit integers,
        // so `rows * words` of them lie at `data`, and the range is within; `u32` has the layout of `i32`.
        // The array is kept alive by `self`, for whose life this is borrowed.
        unsafe {
            let start = self.array.data().cast::<u32>().add(range.start * words);
            std::slice::from_raw_parts_mut(start, range.len() * words)
        }
    }
}

/// The array that shares a tensor's memory, or what is wrong with a buffer.
fn array_of<'py>(buffer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<i32>>> {
    let array = if buffer.cast::<PyUntypedArray>().is_ok() { buffer.clone() } else { tensor_memory(buffer)? };
    array.cast_into::<PyArray2<i32>>().map_err(|wrong| unlike(wrong.into_inner()))
}

/// `Tensor.numpy()`, for tensors that have memory on this side of the bus.
fn tensor_memory<'py>(buffer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = buffer.py();
    let kind = buffer.get_type().name()?.to_string();
    let Ok(is_cpu) = buffer.getattr(pyo3::intern!(py, "is_cpu")) else {
        let message = format!("a bitmask is a numpy array or a torch tensor, not {kind}");
        return Err(error::bitmask("type", message));
    };
    if !is_cpu.is_truthy()? {
        let device = buffer.getattr(pyo3::intern!(py, "device"))?;
        let message = format!("the bitmask is on device {device}: fill it on the CPU, then copy it there");
        return Err(error::bitmask("device", message));
    }
    buffer.call_method0(pyo3::intern!(py, "numpy")).map_err(|cause| {
        // numpy has no word for some of torch's types.
        match buffer.getattr("dtype").map(|dtype| dtype.to_string()) {
            Ok(dtype) if dtype != "torch.int32" => {
                error::bitmask("dtype", format!("a bitmask is of int32, not {dtype}"))
            }
            _ => error::bitmask("type", format!("the tensor's memory cannot be shared: {cause}")),
        }
    })
}

/// Why an array is not a matrix of `int32`.
fn unlike(array: Bound<'_, PyAny>) -> PyErr {
    let Ok(array) = array.cast_into::<PyUntypedArray>() else {
        return error::bitmask("type", "a bitmask is a numpy array or a torch tensor".to_owned());
    };
    if array.ndim() != 2 {
        let message =
            format!("a bitmask has two dimensions, rows and words; this one's shape is {:?}", array.shape());
        return error::bitmask("shape", message);
    }
    error::bitmask("dtype", format!("a bitmask is of int32, not {}", array.dtype()))
}

/// `as_slice_mut` of the numpy crate would accept Fortran order.
fn check_layout(array: &Bound<'_, PyArray2<i32>>) -> PyResult<()> {
    if array.is_c_contiguous() {
        return Ok(());
    }
    let message = format!(
        "the bitmask is not C-contiguous (shape {:?}, strides {:?}): its rows must lie one after the other",
        array.shape(),
        array.strides()
    );
    Err(error::bitmask("strides", message))
}

fn check_flags(array: &Bound<'_, PyArray2<i32>>) -> PyResult<()> {
    if !is_writeable(array) {
        return Err(error::bitmask("read_only", "the bitmask is read-only".to_owned()));
    }
    if !array.is_aligned() {
        return Err(error::bitmask("alignment", "the bitmask's words are not aligned".to_owned()));
    }
    Ok(())
}

#[allow(unsafe_code)]
fn is_writeable(array: &Bound<'_, PyArray2<i32>>) -> bool {
    // SAFETY: the pointer is to a live array, whose flags are read while the interpreter is held. (The numpy
    // crate would tell by borrowing the array, and refuse when another thread fills another row of it.)
    let flags = unsafe { (*array.as_array_ptr()).fields.flags };
    flags & NPY_ARRAY_WRITEABLE != 0
}
