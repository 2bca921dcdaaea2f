//! The rows of many sequences at once.
//!
//! An engine that steps hundreds of sequences has one row of a bitmask for each. Rows do not depend on each
//! other, and known masks are read without waiting for each other, so they are filled on all threads of a
//! pool. The only part of the crate that uses threads, and a feature of its own.

use std::borrow::Borrow;

use rayon::prelude::*;

use super::Matcher;
use crate::token_mask::TokenMaskMut;

/// A row is copied in half a microsecond where its mask is known: fewer are not worth handing to another
/// thread.
const LEAST_ROWS: usize = 8;

/// Memory that does not fit the matchers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{matchers} rows of {row_words} words were to be filled, but there are {words} words")]
pub struct BatchError {
    /// How many matchers there are, a row for each.
    pub matchers: usize,
    /// Words that a row has: the width divided by 32 and rounded up.
    pub row_words: usize,
    /// Words that were given.
    pub words: usize,
}

/// Fills a row for each matcher, as [`Matcher::fill_row`] does, on the threads of rayon's current pool.
/// `words` are the rows one after the other, each of `width` bits in whole words. The row of a finished
/// sequence is all zeros, as `fill_row` says.
///
/// Install a pool of your own (`rayon::ThreadPool::install`) to decide how many threads; a process that forks
/// after the global pool has started has no threads in it.
///
/// # Errors
///
/// When the memory does not have exactly these rows; nothing is written then.
///
/// ```
/// use harmony_mask::{Compiler, Options, Vocabulary, fill_batch};
///
/// let compiler = Compiler::new(Vocabulary::o200k_harmony());
/// let matcher = |pattern| compiler.compile_regex(pattern, &Options::default()).map(|grammar| grammar.matcher());
/// let matchers = [matcher("yes|no")?, matcher("[0-9]+")?];
/// let row_words = Vocabulary::HARMONY_LOGITS / 32;
/// let mut words = vec![0; 2 * row_words];
/// fill_batch(&matchers, &mut words, Vocabulary::HARMONY_LOGITS)?;
/// let digits: u32 = words[row_words..].iter().map(|word| word.count_ones()).sum();
/// assert_eq!(digits, 10 + 100 + 1_000, "all numbers of up to three digits are tokens");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fill_batch<M: Borrow<Matcher> + Sync>(
    matchers: &[M],
    words: &mut [u32],
    width: usize,
) -> Result<(), BatchError> {
    let row_words = width.div_ceil(32);
    // More words than can be counted are more than there are.
    if matchers.len().checked_mul(row_words) != Some(words.len()) {
        return Err(BatchError { matchers: matchers.len(), row_words, words: words.len() });
    }
    if row_words > 0 {
        let rows = words.par_chunks_exact_mut(row_words).with_min_len(LEAST_ROWS);
        let fill = |(row, matcher): (&mut [u32], &M)| {
            matcher.borrow().fill_row(&mut TokenMaskMut::new(row, width));
        };
        rows.zip(matchers).for_each(fill);
    }
    Ok(())
}
