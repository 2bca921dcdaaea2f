//! What every rule of one JSON text shares: the schema, the layout, and the leaves made ahead.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foldhash::{HashMap, HashMapExt};

use serde_json::{Map, Value as Json};

use super::array::array;
use super::distinct::{Counts, Plans, Scarce, Supply};
use super::enough::enough_len;
use super::error::SpellingError;
use super::layout::{Layout, Punctuation};
use super::leaves::{LeafMaker, Leaves};
use super::length;
use super::listed::Listed;
use super::number;
use super::object::{self, Facts, objects};
use super::string::{self, Words};
use super::used::Used;
use crate::expression::{Expression, RULE_BYTES, Rule, fingerprint};
use crate::limits::{Budget, LimitExceeded};
use crate::schema::{ArrayPlan, Arrays, Kind, NodeId, PlannedKind, Schema, Strings, Values, WAYS_PER_STEP};

/// In which order an object's members may come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PropertyOrder {
    /// Declared members in the order of the schema, others after them. Every name counts as declared that a
    /// keyword says something of, be it in a `not`, in one of several branches, or in `required` alone.
    #[default]
    Declared,
    /// Any.
    Any,
}

/// What is added to the length of a continuation whose next member or element brings nothing nearer that must
/// still come. It exceeds any other cost, so that a shortest completion heads for what is required. Lengths
/// alone do not lead there: they leave out the white space of lines and take used names for free, so
/// repeating something could look shorter each time. What remains has no such addition by itself, or what was
/// begun could be put off for what was not.
pub(super) const WAITING_LEN: u32 = 1 << 16;

/// How JSON is spelled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Where whitespace may stand.
    pub layout: Layout,
    /// In which order members may come.
    pub order: PropertyOrder,
}

type Names = Box<[Arc<str>]>;

/// One JSON text: a schema with the style in which its values are spelled.
pub(super) struct Spelling {
    pub(super) schema: Schema,
    pub(super) order: PropertyOrder,
    pub(super) punctuation: Punctuation,
    /// What the text is, for messages: `arguments of functions.get_weather`.
    what: String,
    /// The numerals and strings of each node.
    leaves: Vec<Arc<Leaves>>,
    /// What was found out about the objects of each node.
    facts: Box<[OnceLock<Arc<Facts>>]>,
    pub(super) plans: Plans,
    pub(super) counts: Counts,
    /// Of the arrays whose elements could use each other up.
    scarce: HashMap<(NodeId, usize), Scarce>,
    /// Lists of names that objects were asked for, each made once: alternatives of a union often have the
    /// same.
    names: Mutex<HashMap<Names, Arc<Words>>>,
    /// See [`enough_len`](Self::enough_len).
    enough_lens: Mutex<HashMap<(NodeId, u32), Option<u32>>>,
}

impl Spelling {
    pub(super) fn new(
        schema: Schema,
        style: &Style,
        what: &str,
        budget: &Budget,
    ) -> Result<Self, SpellingError> {
        length::check(&schema, budget.limits())?;
        let plans = plans(&schema, budget)?;
        let counts = Counts::new(&schema, &plans, budget)?;
        let refused = |node, keywords, limit| SpellingError::limit_at(&schema, node, keywords, limit);
        let (mut maker, mut leaves, mut scarce) = (LeafMaker::default(), Vec::new(), HashMap::new());
        for node in schema.nodes() {
            let values = schema.values(node);
            let wishing = values.objects.iter().map(object::wishing_size).fold(0, usize::saturating_add);
            budget.charge(1 + wishing / WAYS_PER_STEP).map_err(|limit| refused(node, &[], limit))?;
            let made = maker.make(values, budget);
            leaves.push(made.map_err(|(keywords, limit)| refused(node, keywords, limit))?);
            for (cell, arrays) in values.arrays.iter().enumerate() {
                let supply = counts.supply(&schema, arrays, budget);
                match supply.map_err(|limit| refused(node, &["uniqueItems"], limit))? {
                    Supply::Enough => {}
                    Supply::Scarce(values) => drop(scarce.insert((node, cell), values)),
                    Supply::Unknown => {
                        return Err(SpellingError::TooFewDistinct { pointer: schema.place(node) });
                    }
                }
            }
            if !can_repeat(&plans, node, &values.arrays) {
                return Err(SpellingError::NoRoomToRepeat {
                    pointer: schema.place_of_keyword(node, "uniqueItems"),
                });
            }
        }
        let punctuation = Punctuation::new(style.layout);
        let facts = std::iter::repeat_with(OnceLock::new).take(leaves.len()).collect();
        Ok(Self {
            schema,
            facts,
            order: style.order,
            punctuation,
            what: what.to_owned(),
            leaves,
            plans,
            counts,
            scarce,
            names: Mutex::default(),
            enough_lens: Mutex::default(),
        })
    }

    /// A list of names, as a whole. There are no more lists than objects in the schema.
    pub(super) fn names<'n>(&self, names: impl Iterator<Item = &'n Arc<str>>) -> Arc<Words> {
        let names: Names = names.cloned().collect();
        let known = || self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = known().get(&names) {
            return words.clone();
        }
        // Made while nobody waits for the lock; two that make the same list at once keep one.
        let words = Arc::new(Words::new(&names));
        known().entry(names).or_insert(words).clone()
    }

    /// What is known of an array cell whose elements could use each other up.
    pub(super) fn scarce(&self, node: NodeId, cell: usize) -> Option<&Scarce> {
        self.scarce.get(&(node, cell))
    }

    /// What is known of the objects of a node.
    pub(super) fn facts(&self, node: NodeId) -> Arc<Facts> {
        let new = || Arc::new(Facts::new(&self.schema.values(node).objects));
        self.facts[node.index()].get_or_init(new).clone()
    }

    /// The texts of a node inside of `level` containers.
    pub(super) fn value(self: &Arc<Self>, node: NodeId, level: u32) -> Expression {
        Expression::rule(Arc::new(Value { spelling: self.clone(), node, level, avoid: Used::default() }))
    }

    /// The texts of a node that denote none of the `used` ones of its values and none of some others; `None`
    /// where no other value is left.
    pub(super) fn value_avoiding(
        self: &Arc<Self>,
        node: NodeId,
        level: u32,
        used: &Used,
        others: &[Arc<Json>],
    ) -> Option<Expression> {
        let avoid = self.values_of(node, others).fold(used.clone(), |avoid, value| avoid.with(value));
        let left = self.has_more_than(node, avoid.len());
        left.then(|| Expression::rule(Arc::new(Value { spelling: self.clone(), node, level, avoid })))
    }

    /// The least length of the texts of so many values of a node that differ from each other and from those
    /// that were seen, as far as it is soon found: an empty array or object comes once, and the next one may
    /// be much longer.
    pub(super) fn least_len_of_distinct(self: &Arc<Self>, node: NodeId, count: u32, seen: &Used) -> u32 {
        /// The length of an empty array or object.
        const EMPTY: u32 = 2;
        let (least, values) = (self.schema.least_len(node), self.schema.values(node));
        if values.arrays.is_empty() && values.objects.is_empty() {
            return least.saturating_mul(count);
        }
        let all = [Json::Array(Vec::new()), Json::Object(Map::new())].map(Arc::new);
        let unseen = self.values_of(node, &all).filter(|value| !seen.has(value)).count();
        let other = self.least_len_of_others(node).max(least);
        let of_empty = count.min(u32::try_from(unseen).unwrap_or(u32::MAX));
        other.saturating_mul(count).saturating_sub(other.saturating_sub(EMPTY).saturating_mul(of_empty))
    }

    /// No more than the length of any value of a node but an empty array or object. It is not asked how long
    /// elements and members are that are not empty either: they may be values of the same node.
    fn least_len_of_others(self: &Arc<Self>, node: NodeId) -> u32 {
        /// An object with a member: braces, an empty name, a colon and a value.
        const ONE_MEMBER: u32 = 6;
        let Values { arrays, objects, .. } = self.schema.values(node);
        let array = |arrays: &Arrays| {
            let first = arrays.kinds(0).iter().map(|kind| self.schema.least_len(kind.schema)).min()?;
            // Each further element has a character and a comma.
            let more = arrays.min_items.saturating_sub(1).saturating_mul(2);
            Some(first.saturating_add(2).saturating_add(more))
        };
        let value = Value { spelling: self.clone(), node, level: 0, avoid: Used::default() };
        let nested = arrays.iter().filter_map(array).chain(objects.iter().map(|_| ONE_MEMBER));
        nested.chain(value.least_scalar_len()).min().unwrap_or(0)
    }

    /// A number of bytes that a shortest text of a node does not exceed, where so many values must not be
    /// spelled and there is another one. Asked for whenever an array is gone through, so numbers of values
    /// are few: powers of two.
    pub(super) fn enough_len(&self, node: NodeId, used: u32) -> Option<u32> {
        let used = used.checked_next_power_of_two()?;
        let known = || self.enough_lens.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = known().get(&(node, used)).copied();
        asked.unwrap_or_else(|| {
            // Made while nobody waits for the lock; two that look at once find the same.
            let found = enough_len(self.schema.values(node), used);
            known().insert((node, used), found);
            found
        })
    }

    /// Whether a node has other values than these.
    pub(super) fn has_value_but(&self, node: NodeId, avoid: &[Arc<Json>]) -> bool {
        self.has_more_than(node, self.values_of(node, avoid).count())
    }

    /// Those of some values that a node has.
    fn values_of<'v>(&self, node: NodeId, values: &'v [Arc<Json>]) -> impl Iterator<Item = &'v Arc<Json>> {
        values.iter().filter(move |value| self.schema.node_has(node, value))
    }

    /// Whether a node surely has more than so many values.
    pub(super) fn has_more_than(&self, node: NodeId, values: usize) -> bool {
        values == 0 || self.counts.node(node) > values as u64
    }

    /// The texts of the objects of a node, where it allows objects.
    pub(super) fn objects(self: &Arc<Self>, node: NodeId) -> Option<Expression> {
        objects(self, node, 0, &[])
    }

    /// Where a node stands, for messages.
    pub(super) fn place(&self, node: NodeId) -> String {
        match self.schema.place(node) {
            pointer if pointer.is_empty() => self.what.clone(),
            pointer => format!("{}, {pointer}", self.what),
        }
    }
}

impl fmt::Debug for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Spelling").field(&self.what).finish()
    }
}

/// The texts of one schema node.
#[derive(Debug)]
struct Value {
    spelling: Arc<Spelling>,
    node: NodeId,
    /// The containers around it, as far as the layout asks.
    level: u32,
    /// Values of the node that must not be spelled. There are others.
    avoid: Used,
}

impl Value {
    fn leaves(&self) -> &Leaves {
        &self.spelling.leaves[self.node.index()]
    }

    fn numerals(&self) -> Option<Expression> {
        let cells = &self.spelling.schema.values(self.node).numbers;
        if cells.is_empty() {
            return None;
        }
        let make = || Expression::leaf(number::numbers(cells, usize::MAX).expect("no limit"));
        let all = self.leaves().numerals.get_or_init(make);
        let avoid = self.avoid.numbers();
        if avoid.len() == 0 { Some(all.clone()) } else { number::all_but(all, avoid.clone()) }
    }

    fn listed(&self) -> Option<Expression> {
        let list = self.spelling.schema.values(self.node).words.as_ref()?;
        let strings = self.leaves().listed.as_ref()?;
        let avoid: Vec<&str> = self.texts().filter(|text| list.contains(text)).collect();
        if avoid.is_empty() { Some(strings.all(list)) } else { strings.all_but(list, &avoid) }
    }

    fn strings(&self) -> Vec<Expression> {
        let Values { words, strings, .. } = self.spelling.schema.values(self.node);
        let is_alone = words.is_none() && strings.len() == 1;
        let left = |(cell, all): (&Strings, &Expression)| {
            let of_cell = || Listed::new(self.texts().filter(|text| cell.contains(text)));
            let avoid = if is_alone { self.avoid.texts().clone() } else { of_cell() };
            if avoid.is_empty() { Some(all.clone()) } else { string::all_but(all, avoid) }
        };
        strings.iter().zip(&self.leaves().strings).filter_map(left).collect()
    }

    /// No more than the length of any numeral, string or name.
    fn least_scalar_len(&self) -> Option<u32> {
        let Values { null, booleans, numbers, words, strings, .. } = self.spelling.schema.values(self.node);
        let has_strings = words.is_some() || !strings.is_empty();
        let lens = [
            (!numbers.is_empty(), 1),
            (has_strings, 2),
            (*null && !self.avoid.has_null(), 4),
            (booleans.allows_true && !self.avoid.has_bool(true), 4),
            (booleans.allows_false && !self.avoid.has_bool(false), 5),
        ];
        lens.into_iter().find_map(|(is_there, len)| is_there.then_some(len))
    }

    /// The texts to avoid.
    fn texts(&self) -> impl Iterator<Item = &str> {
        self.avoid.texts().iter().map(|text| &**text)
    }

    fn arrays(&self) -> impl Iterator<Item = Expression> {
        let avoid: Vec<_> = self.avoid.arrays().cloned().collect();
        let cells = 0..self.spelling.schema.values(self.node).arrays.len();
        cells.filter_map(move |cell| array(&self.spelling, self.node, cell, self.level, &avoid))
    }

    fn objects(&self) -> Option<Expression> {
        let avoid: Vec<_> = self.avoid.objects().cloned().collect();
        objects(&self.spelling, self.node, self.level, &avoid)
    }
}

impl Rule for Value {
    fn expand(&self) -> Expression {
        let values = self.spelling.schema.values(self.node);
        let mut options = Vec::new();
        options.extend((values.null && !self.avoid.has_null()).then(|| Expression::literal("null")));
        for (truth, allowed) in [(true, values.booleans.allows_true), (false, values.booleans.allows_false)] {
            let literal = || Expression::literal(truth.to_string());
            options.extend((allowed && !self.avoid.has_bool(truth)).then(literal));
        }
        options.extend(self.numerals());
        options.extend(self.listed());
        options.extend(self.strings());
        options.extend(self.arrays());
        options.extend(self.objects());
        Expression::choice(options).expect("every node of a schema is inhabited")
    }

    /// Where an empty array or object is to be avoided, the next one may be much longer. Were it not said how
    /// much, all others that are shorter would be tried before a completion goes on behind it.
    fn min_len(&self) -> u32 {
        let least = self.spelling.schema.least_len(self.node);
        if !self.avoid.arrays().any(|array| array.is_empty())
            && !self.avoid.objects().any(|object| object.is_empty())
        {
            return least;
        }
        let scalar = self.least_scalar_len();
        if scalar.is_some_and(|len| len <= least) {
            return least;
        }
        let nested = self.arrays().chain(self.objects()).map(|value| value.min_len());
        nested.chain(scalar).min().map_or(least, |len| len.max(least))
    }

    /// What is to be avoided differs after each element, so such a value is not completed to know.
    fn enough_len(&self) -> Option<u32> {
        let used = u32::try_from(self.avoid.len()).ok().filter(|used| *used > 0)?;
        self.spelling.enough_len(self.node, used)
    }

    fn held_bytes(&self) -> usize {
        RULE_BYTES + self.avoid.own_bytes()
    }

    fn place(&self) -> String {
        self.spelling.place(self.node)
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            Arc::ptr_eq(&self.spelling, &other.spelling)
                && (self.node, self.level) == (other.node, other.level)
                && self.avoid == other.avoid
        })
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("value", Arc::as_ptr(&self.spelling), self.node, self.level, &self.avoid))
    }
}

/// The plans of all array cells that need one.
fn plans(schema: &Schema, budget: &Budget) -> Result<Plans, SpellingError> {
    const KEYWORDS: &[&str] = &["contains", "uniqueItems", "minItems", "maxItems"];
    let cells =
        schema.nodes().flat_map(|node| (0..).zip(&schema.values(node).arrays).map(move |cell| (node, cell)));
    let planned = cells.filter(|(_, (_, arrays))| arrays.is_planned());
    let plan = |(node, (cell, arrays))| match plan(schema, arrays, budget) {
        Ok(plan) => Ok(((node, cell), plan)),
        Err(limit) => Err(SpellingError::limit_at(schema, node, KEYWORDS, limit)),
    };
    planned.map(plan).collect()
}

/// Whether two elements can always be made equal in those arrays of a node that ask for it.
fn can_repeat(plans: &Plans, node: NodeId, arrays: &[Arrays]) -> bool {
    let mut repeating = (0..).zip(arrays).filter(|(_, arrays)| arrays.repeats);
    repeating.all(|(cell, arrays)| plans[&(node, cell)].can_always_repeat(|position| arrays.kinds(position)))
}

/// The plan of an array cell.
fn plan(schema: &Schema, arrays: &Arrays, budget: &Budget) -> Result<ArrayPlan, LimitExceeded> {
    let planned =
        |kind: &Kind| PlannedKind { counts_for: kind.counts_for, len: schema.least_len(kind.schema).into() };
    let kinds = |kinds: &Vec<Kind>| kinds.iter().map(planned).collect();
    let positions: Vec<Vec<_>> = arrays.prefix.iter().map(kinds).collect();
    ArrayPlan::new(&positions, &kinds(&arrays.rest), arrays.bounds(), budget)
}
