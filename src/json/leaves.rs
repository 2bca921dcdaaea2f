//! The numerals and strings of a schema's nodes, as leaves.
//!
//! Masks may not fail, so what could go beyond a limit is made when compiling; what surely cannot is made
//! when a text first gets there, as most of it never is. Nodes with the same values have the same leaves, and
//! equal leaves are one: they are told to be equal without a look at their tables.

use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashSet};

use super::number;
use super::string::{Escapes, StringLanguage, Words, any_string};
use crate::expression::{Expression, Leaf};
use crate::limits::{Budget, LimitExceeded, Limits};
use crate::regular::Dfa;
use crate::schema::{Numbers, Strings, Values, Words as Listed};

/// The numerals and strings of a node. What could go beyond a limit is made ahead.
#[derive(Default)]
pub(super) struct Leaves {
    /// The listed strings; equal lists are one.
    pub(super) listed: Option<Arc<ListedStrings>>,
    /// The numerals, made ahead or when a text first gets there.
    pub(super) numerals: OnceLock<Expression>,
    /// The other strings, by cell.
    pub(super) strings: Vec<Expression>,
}

/// Strings that are listed one by one, made when a text first gets there.
#[derive(Default)]
pub(super) struct ListedStrings {
    /// All of them, by the automaton that the schema has: that of a long list was made when compiling.
    all: OnceLock<Expression>,
    /// The same words, told apart, for those that are left of them.
    words: OnceLock<Arc<Words>>,
}

impl ListedStrings {
    /// All strings of the list.
    pub(super) fn all(&self, list: &Listed) -> Expression {
        let make = || {
            let all = StringLanguage::new(list.dfa().clone(), 0, None, Escapes::Needed, usize::MAX);
            Expression::leaf(Leaf::new(all.expect("no window")))
        };
        self.all.get_or_init(make).clone()
    }

    /// Those but some of them; `None` where none is left.
    pub(super) fn all_but(&self, list: &Listed, avoid: &[&str]) -> Option<Expression> {
        let words = self.words.get_or_init(|| Arc::new(Words::new(&list.iter().collect::<Vec<_>>())));
        let open = words.all_but(avoid.iter().filter_map(|word| words.rank(word)))?;
        Some(Expression::leaf(Leaf::new(StringLanguage::words(open))))
    }
}

/// A limit, and the keywords that may have led there.
pub(super) type Refused = (&'static [&'static str], LimitExceeded);

const OF_NUMERALS: &[&str] = &["multipleOf", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"];
const OF_STRINGS: &[&str] = &["minLength", "maxLength", "pattern", "format"];

/// Makes leaves, each once for all nodes that have the same.
#[derive(Default)]
pub(super) struct LeafMaker {
    none: Arc<Leaves>,
    /// By the address of the values.
    of_values: HashMap<usize, Arc<Leaves>>,
    /// By the address of the words.
    of_words: HashMap<usize, Arc<ListedStrings>>,
    /// Every leaf that was made.
    known: HashSet<Leaf>,
}

impl LeafMaker {
    /// The leaves of some values, which must stay where they are.
    pub(super) fn make(&mut self, values: &Values, budget: &Budget) -> Result<Arc<Leaves>, Refused> {
        if values.numbers.is_empty() && values.words.is_none() && values.strings.is_empty() {
            return Ok(self.none.clone());
        }
        let address = std::ptr::from_ref(values).addr();
        if let Some(known) = self.of_values.get(&address) {
            return Ok(known.clone());
        }
        let listed = values.words.as_ref().map(Arc::as_ptr);
        let listed = listed.map(|words| self.of_words.entry(words.addr()).or_default().clone());
        let numerals = match &values.numbers[..] {
            [] => OnceLock::new(),
            numbers => self.numerals(numbers, budget).map_err(|limit| (OF_NUMERALS, limit))?,
        };
        let string = |cell| string(cell, budget.limits()).map(|leaf| self.leaf(leaf));
        let strings = values.strings.iter().map(string).collect::<Result<_, _>>();
        let strings = strings.map_err(|limit| (OF_STRINGS, limit))?;
        let made = Arc::new(Leaves { listed, numerals, strings });
        self.of_values.insert(address, made.clone());
        Ok(made)
    }

    /// The numerals of some cells, if their automaton could go beyond the limit; else nothing yet.
    fn numerals(
        &mut self,
        cells: &[Numbers],
        budget: &Budget,
    ) -> Result<OnceLock<Expression>, LimitExceeded> {
        if budget.limits().dfa_states >= number::SMALL && number::is_small(cells) {
            return Ok(OnceLock::new());
        }
        let leaf = number::numbers(cells, budget.limits().dfa_states)?;
        if !self.known.contains(&leaf) {
            budget.charge(leaf.memory_bytes() / BYTES_PER_STEP)?;
        }
        Ok(self.leaf(leaf).into())
    }

    /// The leaf, or an equal one that was met before.
    fn leaf(&mut self, leaf: Leaf) -> Expression {
        let same = self.known.get(&leaf).cloned();
        Expression::leaf(same.unwrap_or_else(|| {
            self.known.insert(leaf.clone());
            leaf
        }))
    }
}

/// Bytes of a leaf's tables that are made for the price of one step.
const BYTES_PER_STEP: usize = 64;

fn string(cell: &Strings, limits: &Limits) -> Result<Leaf, LimitExceeded> {
    let (min, max) = (cell.min_length, cell.max_length);
    let dfa = match &cell.language {
        None if (min, max) == (0, None) => return Ok(any_string()),
        language => language.clone().unwrap_or_else(Dfa::text),
    };
    StringLanguage::new(dfa, min, max, Escapes::Any, limits.window_entries).map(Leaf::new)
}
