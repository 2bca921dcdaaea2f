//! Divisibility of a number that is being read.
//!
//! A divisor is p × 10^x with p not a multiple of ten. Only residues modulo p are kept, and trailing zeros
//! are counted: so 10^6 takes seven states, not a million. Of the residues only those are kept apart that
//! digits to come can tell apart: 264 has 64 of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use crate::limits::LimitExceeded;
use crate::schema::Decimal;

/// The divisor p × 10^x.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Divisor {
    modulus: u64,
    exponent: i32,
    /// The least residue that stands for each; `None` where each stands for itself.
    alike: Option<Arc<[u64]>>,
}

/// What must be known of the digits read, as value = (residue + k × p) × 10^zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Residue {
    residue: u64,
    zeros: u16,
}

impl Residue {
    /// Of no digits, or of digits that no divisor asks for.
    pub(super) const NOTHING: Self = Self { residue: 0, zeros: 0 };
}

/// How many residues numbers have by all these divisors at once, at most: those of one modulus are known
/// together.
pub(super) fn residues<'a>(divisors: impl Iterator<Item = &'a Divisor>) -> u64 {
    let moduli: BTreeSet<u64> = divisors.map(|divisor| divisor.modulus).collect();
    moduli.into_iter().fold(1, u64::saturating_mul)
}

impl Divisor {
    /// # Errors
    ///
    /// The residues are more than can be numbered, whatever the limit.
    pub(super) fn new(
        divisor: &Decimal,
        limit: usize,
        known: &mut KnownAlike,
    ) -> Result<Self, LimitExceeded> {
        let modulus = divisor.digits().parse().map_err(|_| LimitExceeded {
            what: "dfa_states",
            limit,
            given: limit.saturating_add(1),
        })?;
        Ok(Self { modulus, exponent: divisor.exponent(), alike: known.of(modulus, limit as u64) })
    }

    /// The power of ten x.
    pub(super) fn exponent(&self) -> i32 {
        self.exponent
    }

    /// Significant digits after the point that a multiple may have.
    pub(super) fn places(&self) -> u16 {
        u16::try_from(-self.exponent).unwrap_or(0)
    }

    /// The residue of the digit zero: it has all the zeros that are asked for.
    pub(super) fn of_zero(&self) -> Residue {
        Residue { residue: 0, zeros: u16::try_from(self.exponent).unwrap_or(0) }
    }

    /// One more digit before the point. Zeros at the end are counted as far as the divisor has them.
    pub(super) fn after_integer_digit(&self, residue: Residue, digit: u8) -> Residue {
        if digit == b'0' && i32::from(residue.zeros) < self.exponent {
            return Residue { zeros: residue.zeros + 1, ..residue };
        }
        if digit == b'0' {
            return Residue { residue: self.shifted(residue.residue, 1), ..residue };
        }
        Residue { residue: self.appended(residue.residue, residue.zeros, digit), zeros: 0 }
    }

    /// One more digit after the point, where `places` have been read; `None` where there may be none but
    /// zeros.
    pub(super) fn after_fraction_digit(&self, residue: Residue, places: u16, digit: u8) -> Option<Residue> {
        if places >= self.places() {
            return (digit == b'0').then_some(residue);
        }
        Some(Residue { residue: self.appended(residue.residue, 0, digit), zeros: 0 })
    }

    /// Whether the number read, with `places` digits after the point, is a multiple.
    pub(super) fn divides(&self, residue: Residue, places: u16) -> bool {
        let missing = u32::from(self.places().saturating_sub(places));
        i32::from(residue.zeros) >= self.exponent && self.shifted(residue.residue, missing) == 0
    }

    /// The residue after `zeros` zeros and a digit.
    pub(super) fn appended(&self, residue: u64, zeros: u16, digit: u8) -> u64 {
        let sum = u128::from(self.shifted(residue, zeros.into())) * 10 + u128::from(digit - b'0');
        self.reduced(sum)
    }

    /// The least power of ten that makes a number with this residue a multiple of p, if any does: 2 and 5
    /// divide p less than 64 times.
    pub(super) fn least_shift(&self, residue: u64) -> Option<i32> {
        let mut shifted = residue;
        for shift in 0..64 {
            if shifted == 0 {
                return Some(shift);
            }
            shifted = self.shifted(shifted, 1);
        }
        None
    }

    fn shifted(&self, residue: u64, zeros: u32) -> u64 {
        if residue == 0 {
            return 0;
        }
        (0..zeros).fold(residue, |residue, _| self.reduced(u128::from(residue) * 10))
    }

    fn reduced(&self, value: u128) -> u64 {
        // Most fit a machine word, which is divided many times as fast.
        let residue = match u64::try_from(value) {
            Ok(value) => value % self.modulus,
            Err(_) => u64::try_from(value % u128::from(self.modulus)).expect("less than the modulus"),
        };
        self.alike.as_ref().map_or(residue, |alike| alike[residue as usize])
    }
}

/// Which residues are alike, by the moduli of a union.
#[derive(Default)]
pub(super) struct KnownAlike {
    known: HashMap<u64, Option<Arc<[u64]>>>,
    /// The residues of all tables together.
    residues: u64,
}

impl KnownAlike {
    /// How many residues are compared for each state that the limit allows. To those of further moduli each
    /// residue is itself, which is no less right.
    const RESIDUES_PER_STATE: u64 = 8;

    fn of(&mut self, modulus: u64, limit: u64) -> Option<Arc<[u64]>> {
        if let Some(known) = self.known.get(&modulus) {
            return known.clone();
        }
        if self.residues > limit.saturating_mul(Self::RESIDUES_PER_STATE) {
            return None;
        }
        let made = alike(modulus, limit);
        self.residues += made.as_ref().map_or(0, |alike| alike.len() as u64);
        self.known.insert(modulus, made.clone());
        made
    }
}

/// For each residue the least one from which the same digits lead to a multiple, where that may be another.
///
/// After enough digits only the residue by the factor without 2 and 5 counts. Before that, j more digits make
/// a multiple only as the number that is missing, if it has no more digits than that.
fn alike(modulus: u64, limit: u64) -> Option<Arc<[u64]>> {
    let lasting = [2, 5].into_iter().fold(modulus, without_factor);
    if lasting == modulus || modulus > limit {
        return None;
    }
    let powers = || std::iter::successors(Some(1_u64), |power| Some(power * 10));
    let early = powers().take_while(|power| power % (modulus / lasting) != 0).collect::<Vec<_>>();
    let mut known = HashMap::new();
    let least = |residue: u64| {
        let missing = early.iter().map(|power| {
            let missing = (modulus - residue * (power % modulus) % modulus) % modulus;
            (missing < *power).then_some(missing)
        });
        let futures: Vec<Option<u64>> = missing.chain([Some(residue % lasting)]).collect();
        *known.entry(futures).or_insert(residue)
    };
    Some((0..modulus).map(least).collect())
}

fn without_factor(mut number: u64, prime: u64) -> u64 {
    while number.is_multiple_of(prime) {
        number /= prime;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By any three digits to come, residues are alike exactly where they stand for each other.
    #[test]
    fn alike_is_what_no_digits_tell_apart() {
        for (modulus, count) in [(8, 5), (12, 7), (25, 4), (264, 64), (375, 10)] {
            let alike = alike(modulus, 1000).expect("factors of ten");
            let futures = |residue: u64| {
                let read = |len: u32| {
                    (0..10_u64.pow(len))
                        .map(move |digits| (residue * 10_u64.pow(len) + digits).is_multiple_of(modulus))
                };
                (0..4).flat_map(read).collect::<Vec<bool>>()
            };
            for one in 0..modulus {
                assert_eq!(futures(one), futures(alike[one as usize]), "{one} of {modulus}");
            }
            let kept: BTreeSet<u64> = alike.iter().copied().collect();
            assert_eq!(kept.len(), count, "{modulus}");
            let kept: Vec<_> = kept.into_iter().map(futures).collect();
            assert!((1..kept.len()).all(|at| !kept[..at].contains(&kept[at])), "{modulus}");
        }
        assert!(alike(7, 1000).is_none() && alike(12, 11).is_none());
    }

    /// However many divisors a union has, and each once.
    #[test]
    fn tables_of_a_union_have_a_ceiling() {
        let mut known = KnownAlike::default();
        let made = (0..1000).filter(|at| known.of(80 + 2 * (at % 20), 100).is_some()).count();
        assert_eq!((made, known.residues), (500, (80..100).step_by(2).sum()));
    }
}
