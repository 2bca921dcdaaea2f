//! Elements of which there is one value.
//!
//! `{"enum": [["a", "a"], ["b"]], "uniqueItems": true}` lists an array that repeats itself. An element that
//! could only say what stands before it is none: so the array ends before it, or is left out like anything
//! else that has no values. Where elements must not differ, such an array needs no further look.

use std::rc::Rc;

use serde_json::Value;

use super::cells::{ArrayCell, Cells, ObjectCell};
use super::decimal::Decimal;
use super::equality::ByValue;
use super::expand::ElementKind;
use super::formula::FormulaId;
use super::normalise::Graph;
use crate::each_once::Firsts;
use crate::limits::{Budget, LimitExceeded};

/// Parts of a value that are looked at; one with more counts as one of many.
const PARTS: usize = 256;

/// Values that nest deeper count as some of many, too.
const DEPTH: usize = 16;

impl Graph<'_> {
    /// Settles for arrays whose elements must differ, or must not, what is plain from elements with one value.
    pub(super) fn settle_repeated(&mut self, budget: &Budget) -> Result<(), LimitExceeded> {
        for node in 0..self.cells.len() {
            for array in 0..self.cells[node].arrays.len() {
                let ArrayCell { unique, repeats, .. } = self.cells[node].arrays[array];
                if unique || repeats {
                    budget.charge(1 + self.expanded[node].arrays[array].prefix.len())?;
                    self.settle(node, array);
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self, node: usize, array: usize) {
        let elements = &self.expanded[node].arrays[array];
        let only: Vec<_> = elements.positions().map(|kinds| self.only_element(kinds)).collect();
        let are_known = elements.rest.is_empty() && only[..elements.prefix.len()].iter().all(Option::is_some);
        let ArrayCell { unique, min_items, .. } = self.cells[node].arrays[array];
        match first_repeated(only) {
            Some(position) if unique => self.expanded[node].arrays[array].leave_out(position),
            Some(position) if position < min_items as usize => {
                Rc::make_mut(&mut self.cells[node]).arrays[array].repeats = false;
            }
            // Nothing is repeated, though something must be.
            None if are_known && !unique => self.expanded[node].arrays[array].leave_out(0),
            _ => {}
        }
    }

    /// The value besides which no element of some kinds has another one.
    fn only_element(&self, kinds: &[ElementKind]) -> Option<Value> {
        let is_possible =
            |kind: &&ElementKind| self.position(kind.formula).is_some_and(|at| !self.cells[at].is_empty());
        let mut kinds = kinds.iter().filter(is_possible);
        let only = kinds.next().filter(|_| kinds.next().is_none())?;
        self.only_value(only.formula)
    }

    /// The value besides which a formula has no other, as far as that is plain.
    pub(super) fn only_value(&self, formula: FormulaId) -> Option<Value> {
        let mut parts = PARTS;
        self.only(formula, DEPTH, &mut parts)
    }

    fn only(&self, formula: FormulaId, depth: usize, parts: &mut usize) -> Option<Value> {
        let (cells, depth) = (&*self.cells[self.position(formula)?], depth.checked_sub(1)?);
        *parts = parts.checked_sub(1)?;
        match (&scalars(cells)?[..], &cells.arrays[..], &cells.objects[..]) {
            ([scalar], [], []) => Some(scalar.clone()),
            ([], [array], []) => self.only_array(array, depth, parts),
            ([], [], [object]) => self.only_object(object, depth, parts),
            _ => None,
        }
    }

    fn only_array(&self, array: &ArrayCell, depth: usize, parts: &mut usize) -> Option<Value> {
        let is_fixed =
            array.max_items == Some(array.min_items) && array.prefix.len() == array.min_items as usize;
        let elements = is_fixed.then(|| array.prefix.iter())?;
        elements.map(|element| self.only(*element, depth, parts)).collect::<Option<_>>().map(Value::Array)
    }

    fn only_object(&self, object: &ObjectCell<'_>, depth: usize, parts: &mut usize) -> Option<Value> {
        let is_fixed = object.rest.is_empty() && object.members.iter().all(|member| member.required);
        let members = is_fixed.then(|| object.members.iter())?;
        let value =
            members.map(|member| Some((member.name.to_owned(), self.only(member.formula, depth, parts)?)));
        value.collect::<Option<_>>().map(Value::Object)
    }
}

/// The first position whose one value is that of a position before.
fn first_repeated(only: Vec<Option<Value>>) -> Option<usize> {
    let mut before = Firsts::default();
    let is_repeated = |value: Option<Value>| value.is_some_and(|value| before.add(ByValue(value)).is_err());
    only.into_iter().position(is_repeated)
}

/// The values of some cells that have no parts; `None` where there is more than one.
fn scalars(cells: &Cells<'_>) -> Option<Vec<Value>> {
    let Cells { null, booleans, points, ranges, words, texts, .. } = cells;
    if !ranges.is_empty() || !texts.is_empty() || cells.listed_count() > 1 {
        return None;
    }
    let number = |point: &Decimal| point.to_string().parse().ok().map(Value::Number);
    let mut all = points.iter().map(number).collect::<Option<Vec<_>>>()?;
    all.extend(words.iter().map(|word| Value::from(*word)));
    all.extend(null.then_some(Value::Null));
    all.extend(booleans.allows_true.then_some(Value::Bool(true)));
    all.extend(booleans.allows_false.then_some(Value::Bool(false)));
    (all.len() <= 1).then_some(all)
}
