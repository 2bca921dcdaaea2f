//! Wrong pointers, wrong lengths and wrong tokens, as C would pass them; and panics.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;
use std::thread;

use harmony_mask::{Compiler, Grammar, Matcher, Vocabulary};

use crate::compiler::*;
use crate::failure::*;
use crate::grammar::*;
use crate::guard::{guard, quiet};
use crate::matcher::*;
use crate::memory::{Input, Output, Text, hm_text_free};

const WORDS: usize = Vocabulary::HARMONY_LOGITS / 32;

/// What a call leaves in its slot.
type Left = MaybeUninit<Option<Box<Failure>>>;

/// Runs a call, and gives its result with the kind of its error; empty where it leaves NULL.
fn call<T>(run: impl FnOnce(Slot<'_>) -> T) -> (T, String) {
    let mut slot = Left::uninit();
    let result = run(Some(&mut slot));
    // SAFETY: every call writes to its slot; under valgrind the programs in C would show one that does not.
    let error = unsafe { slot.assume_init() };
    (result, string(hm_error_kind(error.as_deref())))
}

fn string(words: *const std::ffi::c_char) -> String {
    // SAFETY: the texts of an error end with a NUL, and the error is still there.
    unsafe { CStr::from_ptr(words) }.to_str().expect("UTF-8").to_owned()
}

fn compiler() -> Box<Compiler> {
    let (compiler, kind) = call(|slot| hm_compiler_new(Input::null(), 0, slot));
    assert_eq!(kind, "");
    compiler.expect("a compiler")
}

fn grammar(pattern: &str) -> Box<Grammar> {
    let (grammar, kind) = call(|slot| {
        let (pattern, len) = (Input::of(pattern.as_bytes()), pattern.len());
        hm_compile_regex(Some(&compiler()), pattern, len, Input::null(), 0, slot)
    });
    assert_eq!(kind, "");
    grammar.expect("a grammar")
}

fn matcher(pattern: &str) -> Box<Matcher> {
    hm_matcher_new(Some(&grammar(pattern)), Input::null(), 0, None).expect("a matcher")
}

#[test]
fn a_panic_is_an_error() {
    let (answer, kind) = call(|slot| guard(slot, 7, || panic!("a {}", "word")));
    assert_eq!((answer, &*kind), (7, "internal"));
    let mut slot = Left::uninit();
    assert!(!guard(Some(&mut slot), false, || -> Result<bool, Failure> { panic!("a word") }));
    // SAFETY: the guard has just written to the slot.
    let error = unsafe { slot.assume_init() };
    assert_eq!(string(hm_error_message(error.as_deref())), "a bug in harmony-mask: a word");
    hm_error_free(error);
    assert_eq!(quiet(7, || panic!("nobody hears it")), 7);
    assert!(!guard(None, false, || std::panic::panic_any(5)));
}

#[test]
fn success_leaves_null_in_the_slot() {
    let mut slot = MaybeUninit::new(Some(Box::new(Failure::new("old", "an error of before"))));
    // SAFETY: the slot was initialised; C keeps the pointer, too, and frees the error of before itself.
    let before = unsafe { slot.assume_init_mut().take() };
    assert!(hm_compiler_new(Input::null(), 0, Some(&mut slot)).is_some());
    // SAFETY: each call writes to its slot.
    assert!(unsafe { slot.assume_init() }.is_none());
    hm_error_free(before);
}

#[test]
fn texts_that_are_none_are_refused() {
    let compiler = compiler();
    let compile = |text: Input<u8>, len: usize| {
        let (grammar, kind) = call(|slot| hm_compile_request(Some(&compiler), text, len, slot));
        assert!(grammar.is_none());
        kind
    };
    assert_eq!(compile(Input::null(), 3), "invalid_pointer");
    assert_eq!(compile(Input::null(), 0), "not_json");
    assert_eq!(compile(Input::of(b"\xff{}"), 3), "not_utf8");
    assert_eq!(
        compile(Input::of("{\"a\": \"ü".as_bytes()), 8),
        "not_utf8",
        "cut in the middle of a character"
    );
    assert_eq!(compile(Input::of(b"{}"), usize::MAX), "invalid_pointer");
    assert_eq!(compile(Input::of(b"\0"), 1), "not_json");
}

#[test]
fn a_nul_in_words_does_not_end_them() {
    let error = Failure::at("/a\0b", "kind", "before\0after");
    assert_eq!(string(hm_error_message(Some(&error))), "before\u{fffd}after");
    assert_eq!(string(hm_error_pointer(Some(&error))), "/a\u{fffd}b");
    drop(Text::new("a\0b"));
    hm_text_free(Text::NONE);
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    let matcher = matcher("a");
    let mut row = vec![7_u32; WORDS + 1];
    let fill = |row: Output<u32>, words| {
        let (filled, kind) = call(|slot| hm_matcher_fill_mask(Some(&matcher), row, words, slot));
        assert_eq!(filled, kind.is_empty());
        kind
    };
    for words in [0, 1, 200_000 / 32] {
        assert_eq!(fill(Output::of(&mut row), words), "too_narrow");
    }
    assert_eq!(fill(Output::null(), WORDS), "invalid_pointer");
    assert_eq!(fill(Output::of(&mut row), usize::MAX), "invalid_pointer");
    assert_eq!(fill(Output::shifted(&mut row), WORDS), "invalid_pointer");
    assert!(row.iter().all(|word| *word == 7), "nothing was written");
    assert_eq!(fill(Output::of(&mut row), WORDS), "");
    assert_eq!(
        (row.iter().map(|word| word.count_ones()).sum::<u32>(), row[WORDS]),
        (1 + 7_u32.count_ones(), 7)
    );
}

#[test]
fn logits_that_do_not_fit_are_refused() {
    let matcher = matcher("a");
    let mut logits = vec![1.0_f32; Vocabulary::HARMONY_LOGITS + 5];
    let count = logits.len();
    let apply =
        |logits: Output<f32>, count| call(|slot| hm_matcher_apply(Some(&matcher), logits, count, slot)).1;
    assert_eq!(apply(Output::of(&mut logits), 200_000), "too_narrow");
    assert_eq!(apply(Output::null(), count), "invalid_pointer");
    assert_eq!(apply(Output::shifted(&mut logits), count - 1), "invalid_pointer");
    assert!(logits.iter().all(|logit| *logit == 1.0), "nothing was written");
    assert_eq!(apply(Output::of(&mut logits), count), "");
    let kept: Vec<usize> = (0..count).filter(|token| logits[*token] == 1.0).collect();
    assert_eq!(kept, [64], "`a`, and nothing past the mask's last word");
    assert!(logits.iter().filter(|logit| **logit == f32::NEG_INFINITY).count() == count - 1);
}

#[test]
fn lists_are_cut_at_their_capacity() {
    let matcher = matcher("abc abc abc");
    let forced = |tokens: Output<u32>, capacity| hm_matcher_forced_tokens(Some(&matcher), tokens, capacity);
    let mut tokens = [7; 3];
    assert_eq!(forced(Output::null(), 9), 2);
    assert_eq!(forced(Output::of(&mut tokens), 0), 2);
    assert_eq!(tokens, [7; 3]);
    assert_eq!(forced(Output::of(&mut tokens), 1), 2);
    assert_eq!(tokens[1..], [7; 2]);
    assert_eq!(forced(Output::of(&mut tokens), usize::MAX), 2);
    assert_eq!(tokens[2], 7);
}

#[test]
fn wrong_tokens_are_refused() {
    let mut matcher = matcher("a+");
    for token in [0, 200_000, 200_012, 201_087, 201_088, u32::MAX] {
        let (taken, kind) = call(|slot| hm_matcher_accept(Some(&mut matcher), token, slot));
        assert_eq!((taken, &*kind), (false, "token_rejected"), "{token}");
        assert_eq!(hm_matcher_validate_tokens(Some(&matcher), Input::of(&[64, token]), 2), 1);
    }
    assert_eq!(hm_matcher_validate_tokens(Some(&matcher), Input::null(), 2), 0);
    let (taken, kind) = call(|slot| hm_matcher_rollback(Some(&mut matcher), usize::MAX, slot));
    assert_eq!((taken, &*kind), (false, "rollback"));
    assert!(call(|slot| hm_matcher_finish_within(Some(&mut matcher), usize::MAX, slot)).0);
    assert!(hm_matcher_accept(Some(&mut matcher), 64, None) && hm_matcher_is_accepting(Some(&matcher)));
}

#[test]
fn options_that_do_not_exist_are_refused() {
    let compiler = compiler();
    let compile = |options: &'static str| {
        let options = (Input::of(options.as_bytes()), options.len());
        call(|slot| hm_compile_schema(Some(&compiler), Input::of(b"{}"), 2, options.0, options.1, slot)).1
    };
    assert_eq!(compile(r#"{"whitespace": "any", "formats": "perhaps"}"#), "unknown_value");
    assert_eq!(compile(r#"{"whitespace": "any"}"#), "");
    assert_eq!(compile("[]"), "wrong_type");
    assert_eq!(compile(r#"{"white_space": "any"}"#), "unknown_option");
}

#[test]
fn errors_of_options_have_a_place_in_them() {
    let (compiler, options) = (compiler(), r#"{"white_space": "any", "strictly": true}"#);
    let mut slot = Left::uninit();
    let options = (Input::of(options.as_bytes()), options.len());
    hm_compile_schema(Some(&compiler), Input::of(b"{}"), 2, options.0, options.1, Some(&mut slot));
    // SAFETY: each call writes to its slot.
    let error = unsafe { slot.assume_init() };
    let words = string(hm_error_message(error.as_deref()));
    assert!(words.starts_with("in the options: /white_space: there is no such option"), "{words}");
    assert_eq!(string(hm_error_pointer(error.as_deref())), "/white_space");
}

/// What the header promises of threads and of the order in which things are freed.
#[test]
fn a_grammar_serves_many_threads_and_what_is_freed_first_does_not_matter() {
    let grammar = grammar("(ab)*c");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut matcher = hm_matcher_new(Some(&grammar), Input::null(), 0, None).expect("a matcher");
                assert!((0..50).all(|step| hm_matcher_accept(Some(&mut matcher), 64 + step % 2, None)));
                hm_matcher_free(Some(matcher));
            });
        }
    });
    let mut matcher = hm_matcher_new(Some(&grammar), Input::null(), 0, None);
    hm_grammar_free(Some(grammar));
    assert!(hm_matcher_accept(matcher.as_deref_mut(), 66, None));
    hm_matcher_free(matcher);
}

impl<T> Input<T> {
    fn null() -> Self {
        Self::from_raw(ptr::null())
    }

    fn of(slice: &[T]) -> Self {
        Self::from_raw(slice.as_ptr())
    }
}

impl<T> Output<T> {
    fn null() -> Self {
        Self::from_raw(ptr::null_mut())
    }

    fn of(slice: &mut [T]) -> Self {
        Self::from_raw(slice.as_mut_ptr())
    }

    /// A pointer that is not aligned.
    fn shifted(slice: &mut [T]) -> Self {
        Self::from_raw(slice.as_mut_ptr().wrapping_byte_add(1))
    }
}
