//! What the keywords of one schema say by themselves, type by type (the specification calls them assertions).

use super::cells::{ArrayCell, Cells, CountCell, MemberCell, ObjectCell, Rest};
use super::decimal::Decimal;
use super::document::Location;
use super::error::SchemaError;
use super::formula::FormulaId;
use super::keyword::{Contains, Keywords, Types};
use super::normalise::Normaliser;
use super::numbers;
use super::scope::Scope;
use super::strings;
use super::values::{Booleans, Numbers, Strings, Written};
use crate::limits::LimitExceeded;

/// Keywords that may lead to a limit on strings.
const OF_TEXTS: [&str; 4] = ["pattern", "format", "minLength", "maxLength"];

impl<'d> Normaliser<'d> {
    /// What the keywords that apply no other schema allow.
    pub(super) fn assertion_cells(
        &mut self,
        location: Location,
        scope: Scope,
        keywords: &Keywords<'d>,
    ) -> Result<Cells<'d>, SchemaError> {
        let types = keywords.types;
        let mut cells = Cells { null: types.include(Types::NULL), ..Cells::default() };
        if types.include(Types::BOOLEAN) {
            cells.booleans = Booleans::BOTH;
        }
        if types.include(Types::INTEGER) {
            let numbers = self.numbers(keywords);
            let numbers = numbers.map_err(|limit| self.limit_among(location, &["multipleOf"], limit))?;
            cells.add_range(numbers);
        }
        if types.include(Types::STRING) {
            let texts = self.texts(keywords).map_err(|limit| self.limit_among(location, &OF_TEXTS, limit))?;
            cells.texts = texts.into_iter().collect();
        }
        if types.include(Types::ARRAY) {
            cells.arrays = self.array_cell(scope, keywords)?.into_iter().collect();
        }
        if types.include(Types::OBJECT) {
            cells.objects = self.object_cell(location, scope, keywords)?.into_iter().collect();
        }
        self.keep_listed(location, keywords, cells)
    }

    fn numbers(&self, keywords: &Keywords<'d>) -> Result<Numbers, LimitExceeded> {
        let mut numbers = keywords.numbers.clone();
        if !keywords.types.include(Types::NUMBER) {
            numbers.written = if keywords.integers_are_digits { Written::InDigits } else { Written::Anyhow };
            let one = Decimal::one();
            numbers.multiple_of = Some(match &numbers.multiple_of {
                Some(step) => {
                    numbers::common_multiple(step, &one, self.algebra.budget.limits().number_digits)?
                }
                None => one,
            });
        }
        Ok(numbers)
    }

    fn texts(&mut self, keywords: &Keywords<'d>) -> Result<Option<Strings>, LimitExceeded> {
        let mut texts = strings::normal(keywords.strings.clone(), self.algebra.budget.limits())?;
        for (language, superset) in &keywords.languages {
            let (language, superset) = (Some(language.clone()), superset.clone());
            let language = Strings { language, superset, ..Strings::default() };
            texts = match texts {
                Some(texts) => strings::intersect(&texts, &language, &mut self.algebra.languages)?,
                None => None,
            };
        }
        Ok(texts)
    }

    fn array_cell(
        &mut self,
        scope: Scope,
        keywords: &Keywords<'d>,
    ) -> Result<Option<ArrayCell>, SchemaError> {
        let arrays = &keywords.arrays;
        let prefix: Result<_, _> =
            arrays.prefix.iter().map(|&element| self.formula_at(element, scope)).collect();
        let rest = arrays.items.or(arrays.additional).map(|rest| self.formula_at(rest, scope)).transpose()?;
        let counts = match arrays.contains {
            None => Vec::new(),
            Some(Contains { schema, min, max }) => {
                vec![CountCell { formula: self.formula_at(schema, scope)?, from: 0, min, max }]
            }
        };
        let cell = ArrayCell {
            prefix: prefix?,
            rest: rest.unwrap_or(FormulaId::TRUE),
            min_items: arrays.min_items,
            max_items: arrays.max_items,
            unique: arrays.unique,
            repeats: false,
            counts,
        };
        Ok(cell.normal())
    }

    fn object_cell(
        &mut self,
        location: Location,
        scope: Scope,
        keywords: &Keywords<'d>,
    ) -> Result<Option<ObjectCell<'d>>, SchemaError> {
        let objects = &keywords.objects;
        let other = objects
            .additional
            .map(|other| self.formula_at(other, scope))
            .transpose()?
            .unwrap_or(FormulaId::TRUE);
        let mut patterns = Vec::new();
        for (language, schema) in &objects.patterns {
            patterns.push((language.clone(), self.formula_at(*schema, scope)?));
        }
        let mut members = Vec::with_capacity(objects.properties.len());
        for &(name, schema) in &objects.properties {
            let mut formula = self.formula_at(schema, scope)?;
            for (_, also) in patterns.iter().filter(|(language, _)| language.contains(name.as_bytes())) {
                let both = self.algebra.and(formula, *also);
                formula = self.locate(location, both)?;
            }
            members.push(MemberCell { name, formula, required: false });
        }
        let rest = match patterns[..] {
            [] => Rest::Same(other),
            _ => {
                let rest = self.algebra.partition(&patterns, other);
                rest.map_err(|limit| self.limit_among(location, &["patternProperties"], limit))?
            }
        };
        let (min_members, max_members) = (objects.min_members, objects.max_members);
        let mut cell = ObjectCell { members, rest, min_members, max_members, ..ObjectCell::all() };
        cell.require(&objects.required);
        Ok(cell.normal())
    }
}
