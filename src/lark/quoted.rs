//! Strings in quotation marks, with their escapes.

use super::error::{LarkError, LarkErrorKind, Position};
use super::lexer::Lexer;

/// The text of the string that begins here.
pub(super) fn text(lexer: &mut Lexer<'_>, opening: Position) -> Result<String, LarkError> {
    lexer.bump();
    let mut text = String::new();
    loop {
        let position = lexer.position;
        match lexer.bump() {
            Some('"') => return Ok(text),
            None | Some('\n') => return Err(LarkError::at(opening, LarkErrorKind::UnclosedString)),
            Some('\\') => {
                let unknown = || LarkError::at(position, LarkErrorKind::UnknownEscape);
                text.push(escaped(lexer).ok_or_else(unknown)?);
            }
            Some(plain) => text.push(plain),
        }
    }
}

/// The character after a backslash.
fn escaped(lexer: &mut Lexer<'_>) -> Option<char> {
    Some(match lexer.bump()? {
        plain @ ('"' | '\'' | '\\' | '/') => plain,
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'f' => '\x0c',
        'v' => '\x0b',
        'b' => '\x08',
        'x' => char::from_u32(hex(lexer, 2)?)?,
        'U' => char::from_u32(hex(lexer, 8)?)?,
        'u' => utf16(lexer)?,
        _ => return None,
    })
}

/// `\uXXXX`, or two of them that are one character, as JSON writes it.
fn utf16(lexer: &mut Lexer<'_>) -> Option<char> {
    let first = u16::try_from(hex(lexer, 4)?).ok()?;
    let is_high = (0xd800..0xdc00).contains(&first);
    let second = match is_high && lexer.bump()? == '\\' && lexer.bump()? == 'u' {
        true => Some(u16::try_from(hex(lexer, 4)?).ok()?),
        false => None,
    };
    char::decode_utf16([first].into_iter().chain(second)).next()?.ok()
}

fn hex(lexer: &mut Lexer<'_>, digits: usize) -> Option<u32> {
    (0..digits).try_fold(0, |value, _| Some(value * 16 + lexer.bump()?.to_digit(16)?))
}
