//! Inputs as text: a fuzzer's finding prints itself, and the print is a test.

use std::fmt;

/// An input that can be written down and read again.
pub trait Reproduction: Sized {
    /// The input as the text of a file in `fuzz/regressions/`.
    fn write(&self) -> String;

    /// The input of such a text.
    ///
    /// # Panics
    ///
    /// Where the text is not one.
    fn read(text: &str) -> Self;
}

/// The debug form of an input: a command that keeps it as a regression and runs it.
pub(crate) fn fmt<T: crate::Target>(input: &T, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (name, text) = (T::NAME, input.write());
    write!(
        f,
        "cat > fuzz/regressions/{name}/new <<'INPUT'\n{text}\nINPUT\ncargo test -p harmony-mask-checks {name}"
    )
}

/// An input that is a text and nothing else.
macro_rules! text_target {
    ($(#[$doc:meta])* $type:ident, $name:literal, $check:path) => {
        $(#[$doc])*
        #[derive(arbitrary::Arbitrary)]
        pub struct $type(String);

        impl crate::Target for $type {
            const NAME: &'static str = $name;

            fn check(&self) {
                $check(&self.0);
            }
        }

        impl crate::Reproduction for $type {
            fn write(&self) -> String {
                self.0.clone()
            }

            fn read(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                crate::reproduction::fmt(self, f)
            }
        }
    };
}

/// An input that is written as JSON.
macro_rules! json_target {
    ($type:ident, $name:literal) => {
        impl crate::Target for $type {
            const NAME: &'static str = $name;

            fn check(&self) {
                self.run();
            }
        }

        impl crate::Reproduction for $type {
            fn write(&self) -> String {
                serde_json::to_string(self).expect("plain data")
            }

            fn read(text: &str) -> Self {
                serde_json::from_str(text).expect("the JSON of an input")
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                crate::reproduction::fmt(self, f)
            }
        }
    };
}

pub(crate) use {json_target, text_target};
