//! The normal form: which values a node allows, one set per JSON type.
//!
//! A value is allowed where the set of its type has it; the set of a type is a union of *cells*, and a cell
//! is a conjunction. Cells may overlap. Everything here is inhabited: each cell, and each node that a cell
//! names, has a value.

use std::cell::LazyCell;
use std::sync::Arc;

use super::NodeId;
use super::decimal::Decimal;
use super::granters::Granters;
use super::reached::Choices;
use super::wishes::{self, Granting};
use super::words::Words;
use crate::regular::Dfa;

/// The values that a node allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Whether `null` is allowed.
    pub null: bool,
    /// Which booleans are.
    pub booleans: Booleans,
    /// The numbers: the union of these.
    pub numbers: Vec<Numbers>,
    /// Strings that are listed one by one, where there are such.
    pub words: Option<Arc<Words>>,
    /// The other strings: the union of these.
    pub strings: Vec<Strings>,
    /// The arrays: the union of these.
    pub arrays: Vec<Arrays>,
    /// The objects: the union of these.
    pub objects: Vec<Objects>,
}

/// A set of booleans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Booleans {
    /// Whether `true` is in it.
    pub allows_true: bool,
    /// Whether `false` is in it.
    pub allows_false: bool,
}

/// One end of an interval of numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// Where it ends.
    pub value: Decimal,
    /// Whether the end itself belongs to it.
    pub inclusive: bool,
}

/// The numbers of an interval that are multiples of something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Numbers {
    /// The lower end, if there is one.
    pub lower: Option<Bound>,
    /// The upper end, if there is one.
    pub upper: Option<Bound>,
    /// Of what they are whole multiples; an integer is a multiple of one. Positive.
    pub multiple_of: Option<Decimal>,
    /// Of what they are no whole multiples. Positive.
    pub no_multiples_of: Vec<Decimal>,
    /// How they are written.
    pub written: Written,
}

/// Which numerals of a number count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Written {
    /// All of them.
    #[default]
    Anyhow,
    /// Those of digits only: in draft 4 `1.0` is no integer.
    InDigits,
    /// Numerals of integers that are not plain digits, such as `1.0`: what is left where integers of draft 4
    /// are subtracted. Some validators take them for integers, so no node has them; they are kept only
    /// because a later subtraction must remove them, too.
    Otherwise,
}

/// The strings of a language whose length lies in a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strings {
    /// The language of the decoded text; `None` where any text will do.
    pub language: Option<Arc<Dfa>>,
    /// Characters at least.
    pub min_length: u32,
    /// Characters at most.
    pub max_length: Option<u32>,
    /// Where the language lacks some strings (of a format that is not wholly known): a language that has them
    /// all. What is in neither is surely none of these strings.
    pub superset: Option<Arc<Dfa>>,
}

/// Arrays by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrays {
    /// The first elements, as far as they are there: the kinds of each. At least one.
    pub prefix: Vec<Vec<Kind>>,
    /// The kinds of the elements after the prefix; none where nothing may follow it.
    pub rest: Vec<Kind>,
    /// Elements at least.
    pub min_items: u32,
    /// Elements at most; never less than the prefix is long, and `None` where the prefix is the ceiling
    /// already.
    pub max_items: Option<u32>,
    /// How many elements of some kinds there may be; at most 16 counts.
    pub counts: Vec<Count>,
    /// Whether no two elements are equal.
    pub unique: bool,
    /// Whether some two elements are.
    pub repeats: bool,
    /// The length of a shortest text, as [`Schema::least_len`](super::Schema::least_len) counts it; that
    /// elements differ is not counted.
    pub least_len: u32,
}

/// The bounds of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds<'a> {
    pub(crate) min_items: u32,
    pub(crate) max_items: Option<u32>,
    pub(crate) counts: &'a [Count],
    pub(crate) repeats: bool,
}

impl Bounds<'_> {
    /// So many lengths are told apart, from none on: to the end of the prefix and the bounds. All others are
    /// one.
    pub(crate) fn lengths(self, prefix: usize) -> u32 {
        let prefix = u32::try_from(prefix).unwrap_or(u32::MAX);
        self.max_items.unwrap_or_else(|| prefix.max(self.min_items).max(1))
    }
}

/// A kind of element. The kinds of one position exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What an element of this kind may be.
    pub schema: NodeId,
    /// Bit `i`: the element counts for `counts[i]`.
    pub counts_for: u32,
}

/// How many of the elements that count there may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// At least.
    pub min: u32,
    /// At most.
    pub max: Option<u32>,
    /// Elements at earlier positions do not count.
    pub from: u32,
}

/// Objects by name. A name is a member's, or forbidden, or in one class of the rest, or else not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objects {
    /// The members with a schema of their own, in declared order.
    pub members: Vec<Member>,
    /// Names that may not occur, whatever the rest says.
    pub forbidden: Vec<Arc<str>>,
    /// The other names, in classes. No name of a member and no forbidden one is in a class. Classes are
    /// disjoint, but for those that grant a wish: they repeat names of another class, with a narrower schema.
    pub rest: Vec<NameClass>,
    /// What else must hold of an object, at most 16 wishes: wish `i` is granted by a member that has bit `i`
    /// of what it [grants](Member::grants), or of its [class](NameClass::grants), or by the absence of a
    /// member that [has it then](Member::absence_grants). Objects whose members are counted have no wishes
    /// that declared members grant.
    pub wishes: u32,
    /// Members at least; zero where the required ones are enough.
    pub min_members: u32,
    /// Members at most; `None` where it does not matter.
    pub max_members: Option<u32>,
    /// The length of a shortest text, as [`Schema::least_len`](super::Schema::least_len) counts it.
    pub least_len: u32,
}

/// A member with a schema of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: Arc<str>,
    /// What its value may be.
    pub schema: NodeId,
    /// Whether every object has it.
    pub required: bool,
    /// The values by what they grant, where that is not the same for all. They exclude each other.
    pub kinds: Vec<MemberKind>,
    /// Bit `i`: with any value it grants wish `i` of the object. Zero where kinds are told apart.
    pub grants: u32,
    /// Bit `i`: an object without it is granted wish `i`.
    pub absence_grants: u32,
}

/// Values of a member that grant the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberKind {
    /// What the value is.
    pub schema: NodeId,
    /// Bit `i`: such a value grants wish `i` of the object.
    pub grants: u32,
}

/// Names that share a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameClass {
    /// The language of the names; `None`: every name that is neither a member's nor forbidden.
    pub names: Option<Arc<Dfa>>,
    /// What the value under such a name may be.
    pub schema: NodeId,
    /// Bit `i`: a member of this class grants wish `i` of the object.
    pub grants: u32,
}

impl Objects {
    /// Whether an object without members is one of them.
    pub(crate) fn may_be_empty(&self) -> bool {
        let granted = self.members.iter().fold(0, |granted, member| granted | member.absence_grants);
        self.min_members == 0
            && self.are_all_granted(granted)
            && !self.members.iter().any(|member| member.required)
    }

    /// Leaves out the wishes of a set, which are granted to all objects.
    pub(super) fn leave_out_wishes(&mut self, granted: u32) {
        if granted == 0 {
            return;
        }
        let left: Vec<u32> = (0..self.wishes).filter(|wish| granted >> wish & 1 == 0).collect();
        let keep = |grants: &mut u32| {
            *grants = (0..).zip(&left).fold(0, |kept, (place, wish)| kept | (*grants >> wish & 1) << place);
        };
        for member in &mut self.members {
            keep(&mut member.grants);
            keep(&mut member.absence_grants);
            member.kinds.iter_mut().for_each(|kind| keep(&mut kind.grants));
            member.join_kinds();
        }
        // Classes that grant a wish repeat names of others.
        self.rest.retain_mut(|class| {
            let granted = class.grants;
            keep(&mut class.grants);
            granted == 0 || class.grants != 0
        });
        self.wishes = u32::try_from(left.len()).expect("few wishes");
    }

    /// Whether a set is of all wishes.
    pub(crate) fn are_all_granted(&self, granted: u32) -> bool {
        granted == wishes::all_of(self.wishes)
    }

    /// Whether declared members may grant wishes.
    pub(crate) fn members_grant(&self) -> bool {
        self.wishes > 0 && self.members.iter().any(Member::grants_any)
    }

    /// The fewest further members that grant all wishes when some are granted, `used` are names that are no
    /// longer free, and the [granters](Granters) at open places may come; `None` where they cannot be granted.
    /// Where declared members may grant wishes, as no matter how many come, it is one if any must.
    pub(crate) fn wishing(
        &self,
        granters: &Granters,
        granted: u32,
        is_open: impl Fn(usize) -> bool,
        used: impl Fn() -> Vec<Arc<str>>,
    ) -> Option<u32> {
        if self.are_all_granted(granted) {
            return Some(0);
        }
        if granters.is_empty() {
            return self.granting(&used()).fewest(self.wishes, granted);
        }
        if self.are_all_granted(granted | granters.absence_grants(&is_open)) {
            return Some(0);
        }
        let others = LazyCell::new(|| self.granting(&used()));
        let grant_all =
            |granted: u32| self.are_all_granted(granted) || others.fewest(self.wishes, granted).is_some();
        let reached = granters.reached(granted, is_open);
        reached.sets().iter().any(|(granted, _)| grant_all(*granted)).then_some(1)
    }

    /// The members of the rest that may still grant wishes when some names were used, each at a cost of one.
    pub(crate) fn granting(&self, used: &[Arc<str>]) -> Granting {
        let mut granting = Granting::none();
        for class in self.rest.iter().filter(|class| class.grants != 0) {
            granting.add(class.grants, 1, class.names_but(used, self.wishes as usize));
        }
        granting
    }
}

impl Member {
    /// Values that grant the same need not be told apart.
    fn join_kinds(&mut self) {
        let Some(first) = self.kinds.first().copied() else { return };
        if self.kinds.iter().all(|kind| kind.grants == first.grants) {
            self.grants = first.grants;
            self.kinds.clear();
        }
    }

    /// Whether a wish asks for it, or for its absence.
    pub(crate) fn grants_any(&self) -> bool {
        !self.kinds.is_empty() || self.grants | self.absence_grants != 0
    }

    /// What it may grant, where the length with a kind of value is told.
    pub(crate) fn choices(&self, len: impl Fn(NodeId) -> u64) -> Choices {
        let absence = (!self.required).then_some((self.absence_grants, 0));
        Choices::new(absence.into_iter().chain(self.kinds().map(|kind| (kind.grants, len(kind.schema)))))
    }

    /// The schemas that its value may have, each with what it grants.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = MemberKind> + '_ {
        self.kinds_told(true)
    }

    /// The same, as one where they need not be told apart.
    pub(crate) fn kinds_told(&self, are_told: bool) -> impl Iterator<Item = MemberKind> + '_ {
        let are_told = are_told && !self.kinds.is_empty();
        let widest = (!are_told).then_some(MemberKind { schema: self.schema, grants: self.grants });
        self.kinds.iter().copied().filter(move |_| are_told).chain(widest)
    }
}

impl NameClass {
    /// What a member of this class may be, and grants.
    pub(crate) fn kind(&self) -> MemberKind {
        MemberKind { schema: self.schema, grants: self.grants }
    }

    /// The names without the used ones, where they are at most so many.
    fn names_but(&self, used: &[Arc<str>], most: usize) -> Option<Vec<Vec<u8>>> {
        let names = self.names.as_ref()?;
        // Counted first: at each state of a long object they would be listed in vain.
        let taken = used.iter().filter(|name| names.contains(name.as_bytes())).count();
        names.count().filter(|all| *all <= (most + taken) as u64)?;
        let is_free = |name: &&Vec<u8>| used.iter().all(|used| used.as_bytes() != name.as_slice());
        Some(names.all_words().iter().filter(is_free).cloned().collect())
    }
}

impl Arrays {
    pub(crate) fn bounds(&self) -> Bounds<'_> {
        let Self { min_items, max_items, ref counts, repeats, .. } = *self;
        Bounds { min_items, max_items, counts, repeats }
    }

    /// Whether how an array goes on depends on what was counted, or on what came before.
    pub(crate) fn is_planned(&self) -> bool {
        !self.counts.is_empty() || self.repeats
    }

    /// So many lengths are told apart, from none on.
    pub(crate) fn lengths(&self) -> u32 {
        self.bounds().lengths(self.prefix.len())
    }

    /// The kinds of the element at a position; none where there cannot be one.
    #[must_use]
    pub fn kinds(&self, position: u32) -> &[Kind] {
        if self.max_items.is_some_and(|max| position >= max) {
            return &[];
        }
        self.prefix.get(position as usize).unwrap_or(&self.rest)
    }
}

impl Booleans {
    /// Both of them.
    pub const BOTH: Self = Self { allows_true: true, allows_false: true };

    /// Whether there is one.
    #[must_use]
    pub fn is_empty(self) -> bool {
        !self.allows_true && !self.allows_false
    }
}

impl Numbers {
    /// Just one number.
    #[must_use]
    pub fn point(value: Decimal) -> Self {
        let bound = Bound { value, inclusive: true };
        Self { lower: Some(bound.clone()), upper: Some(bound), ..Self::default() }
    }

    /// The number, where there is just one.
    #[must_use]
    pub fn as_point(&self) -> Option<&Decimal> {
        let (lower, upper) = (self.lower.as_ref()?, self.upper.as_ref()?);
        (lower == upper).then_some(&lower.value)
    }

    /// The multiples of its divisor between its bounds, ascending, those of the divisors that are excluded among
    /// them; `None` where they have no end.
    pub(crate) fn multiples(&self) -> Option<impl Iterator<Item = Decimal>> {
        let (step, lower, upper) = (self.multiple_of.as_ref()?, self.lower.as_ref()?, self.upper.as_ref()?);
        let first = lower.value.next_multiple(step, !lower.inclusive);
        let multiples = std::iter::successors(Some(first), |last| Some(last.next_multiple(step, true)));
        Some(
            multiples.take_while(|number| *number < upper.value || upper.inclusive && *number == upper.value),
        )
    }

    /// Whether a number is one of these.
    #[must_use]
    pub fn contains(&self, number: &Decimal) -> bool {
        self.lower
            .as_ref()
            .is_none_or(|bound| *number > bound.value || bound.inclusive && *number == bound.value)
            && self
                .upper
                .as_ref()
                .is_none_or(|bound| *number < bound.value || bound.inclusive && *number == bound.value)
            && self.multiple_of.as_ref().is_none_or(|step| number.is_multiple_of(step))
            && !self.no_multiples_of.iter().any(|step| number.is_multiple_of(step))
    }
}
