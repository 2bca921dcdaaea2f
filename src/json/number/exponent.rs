//! The exponent of a scientific numeral, between two values: `e+07`.

/// Where in an exponent the text stands, and which magnitudes it may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Exponent {
    /// Right after the `e`.
    Start { least: i32, most: i32 },
    /// After the sign.
    Signed(Magnitude),
    /// After a digit.
    Digits(Magnitude),
}

/// An exponent's magnitude: the value read, how many digits may follow, and its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Magnitude {
    least: i32,
    most: i32,
    value: i32,
    left: u8,
}

impl Exponent {
    /// One more byte of an exponent of at most `digits` digits.
    pub(super) fn step(self, digits: u8, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Start { least, most }, b'+') => Magnitude::new(least, most, digits).map(Self::Signed),
            (Self::Start { least, most }, b'-') => Magnitude::new(-most, -least, digits).map(Self::Signed),
            (Self::Start { least, most }, b'0'..=b'9') => {
                Magnitude::new(least, most, digits)?.digit(byte).map(Self::Digits)
            }
            (Self::Signed(magnitude) | Self::Digits(magnitude), b'0'..=b'9') => {
                magnitude.digit(byte).map(Self::Digits)
            }
            _ => None,
        }
    }

    pub(super) fn is_complete(self) -> bool {
        matches!(self, Self::Digits(Magnitude { value, least, .. }) if value >= least)
    }
}

impl Magnitude {
    /// `None` where none is between the bounds.
    fn new(least: i32, most: i32, left: u8) -> Option<Self> {
        (most >= 0).then_some(Self { least: least.max(0), most, value: 0, left })
    }

    /// One more digit; `None` where no more may follow, or what follows is beyond the bounds.
    fn digit(self, digit: u8) -> Option<Self> {
        let left = self.left.checked_sub(1)?;
        let value = self.value * 10 + i32::from(digit - b'0');
        let reach = (0..left).fold(value, |reach, _| reach * 10 + 9);
        if value > self.most || reach < self.least {
            return None;
        }
        // Where all that may follow is within the bounds, neither they nor the value matter any more.
        let is_free = value >= self.least && reach <= self.most;
        Some(if is_free {
            Self { least: 0, most: i32::MAX, value: 0, left }
        } else {
            Self { value, left, ..self }
        })
    }
}
