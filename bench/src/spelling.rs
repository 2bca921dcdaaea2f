//! JSON as Python's `json.dumps` writes it by default: a space after `,` and `:`, and nothing but ASCII.
//!
//! MaskBench spells its instances so, and so do most tools that models are trained with. Numbers keep the
//! digits that they have in the file.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};

pub(crate) fn python(value: &Value) -> String {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, Python)).expect("memory can be written");
    String::from_utf8(bytes).expect("only ASCII is written")
}

struct Python;

fn separate<W: ?Sized + io::Write>(writer: &mut W, first: bool) -> io::Result<()> {
    if first { Ok(()) } else { writer.write_all(b", ") }
}

impl Formatter for Python {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        separate(writer, first)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        separate(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, text: &str) -> io::Result<()> {
        for unit in text.encode_utf16() {
            match u8::try_from(unit) {
                Ok(byte @ ..0x7f) => writer.write_all(&[byte])?,
                _ => write!(writer, "\\u{unit:04x}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_python_does() {
        // The right-hand sides were written by Python 3.12.
        let cases = [
            (r#"{"a":[1,2.50,{}],"b":[]}"#, r#"{"a": [1, 2.50, {}], "b": []}"#),
            (r#""é\u0001\n\"\\😀""#, r#""\u00e9\u0001\n\"\\\ud83d\ude00""#),
            ("[12345678901234567890,true,null]", "[12345678901234567890, true, null]"),
        ];
        for (json, expected) in cases {
            assert_eq!(python(&serde_json::from_str(json).expect("JSON")), expected);
        }
    }
}
