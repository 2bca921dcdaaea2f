//! What every rule of one JSON text shares: the schema, the layout, and the leaves made ahead.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::array::array;
use super::layout::{Layout, Punctuation};
use super::number::numbers;
use super::object::object;
use super::string::{Escapes, StringLanguage, any_string};
use crate::expression::{Expression, Leaf, Rule};
use crate::limits::{LimitExceeded, Limits};
use crate::regular::Dfa;
use crate::schema::{NodeId, Schema, Strings};

/// In which order an object's members may come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PropertyOrder {
    /// Declared members in the order of the schema, others after them.
    #[default]
    Declared,
    /// Any.
    Any,
}

/// How JSON is spelled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Where whitespace may stand.
    pub layout: Layout,
    /// In which order members may come.
    pub order: PropertyOrder,
}

/// One JSON text: a schema with the style in which its values are spelled.
pub(super) struct Spelling {
    pub(super) schema: Schema,
    pub(super) order: PropertyOrder,
    pub(super) punctuation: Punctuation,
    /// What the text is, for messages: `arguments of functions.get_weather`.
    what: String,
    /// The numerals of the nodes that allow numbers. Made ahead, because their automata count against a limit; so are
    numerals: HashMap<NodeId, Expression>,
    /// the strings of the nodes that allow strings.
    strings: HashMap<NodeId, Vec<Expression>>,
}

impl Spelling {
    pub(super) fn new(
        schema: Schema,
        style: &Style,
        what: &str,
        limits: &Limits,
    ) -> Result<Self, LimitExceeded> {
        let (mut numerals, mut strings) = (HashMap::new(), HashMap::new());
        for node in schema.nodes() {
            let values = schema.values(node);
            if !values.numbers.is_empty() {
                numerals.insert(node, Expression::leaf(numbers(&values.numbers, limits.dfa_states)?));
            }
            if !values.strings.is_empty() {
                let leaves = values.strings.iter().map(|cell| string(cell, limits).map(Expression::leaf));
                strings.insert(node, leaves.collect::<Result<_, _>>()?);
            }
        }
        let punctuation = Punctuation::new(style.layout);
        Ok(Self { schema, order: style.order, punctuation, what: what.to_owned(), numerals, strings })
    }

    /// The texts of a node.
    pub(super) fn value(self: &Arc<Self>, node: NodeId) -> Expression {
        Expression::rule(Arc::new(Value { spelling: self.clone(), node }))
    }

    /// The texts of the objects of a node, where it allows objects.
    pub(super) fn objects(self: &Arc<Self>, node: NodeId) -> Option<Expression> {
        let cells = 0..self.schema.values(node).objects.len();
        Expression::choice(cells.map(|cell| object(self, node, cell)))
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
}

impl Rule for Value {
    fn expand(&self) -> Expression {
        let (spelling, node) = (&self.spelling, self.node);
        let values = spelling.schema.values(node);
        let mut options = Vec::new();
        options.extend(values.null.then(|| Expression::literal("null")));
        options.extend(values.booleans.allows_true.then(|| Expression::literal("true")));
        options.extend(values.booleans.allows_false.then(|| Expression::literal("false")));
        options.extend(spelling.numerals.get(&node).cloned());
        options.extend(spelling.strings.get(&node).into_iter().flatten().cloned());
        options.extend((0..values.arrays.len()).map(|cell| array(spelling, node, cell)));
        options.extend(spelling.objects(node));
        Expression::choice(options).expect("every node of a schema is inhabited")
    }

    fn min_len(&self) -> u32 {
        self.spelling.schema.least_len(self.node)
    }

    fn place(&self) -> String {
        self.spelling.place(self.node)
    }

    fn same(&self, other: &dyn Rule) -> bool {
        (other as &dyn Any)
            .downcast_ref::<Self>()
            .is_some_and(|other| Arc::ptr_eq(&self.spelling, &other.spelling) && self.node == other.node)
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&("value", Arc::as_ptr(&self.spelling), self.node))
    }
}

fn string(cell: &Strings, limits: &Limits) -> Result<Leaf, LimitExceeded> {
    let (min, max) = (cell.min_length, cell.max_length);
    let Some(language) = &cell.language else {
        return if (min, max) == (0, None) {
            Ok(any_string())
        } else {
            strings(Dfa::text(), min, max, Escapes::Any, limits)
        };
    };
    let escapes = if cell.finite { Escapes::Needed } else { Escapes::Any };
    strings(language.clone(), min, max, escapes, limits)
}

fn strings(
    dfa: Arc<Dfa>,
    min: u32,
    max: Option<u32>,
    escapes: Escapes,
    limits: &Limits,
) -> Result<Leaf, LimitExceeded> {
    StringLanguage::new(dfa, min, max, escapes, limits.window_entries).map(Leaf::new)
}

/// A hash of what makes a rule or binder what it is.
pub(super) fn fingerprint(content: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}
