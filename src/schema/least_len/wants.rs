//! What each cell of a node wants of other nodes.

use std::cmp::Reverse;

use super::cell::{More, Want};
use super::{Place, Search};
use crate::limits::LimitExceeded;
use crate::schema::cells::{ArrayCell, Cells, MemberCell, ObjectCell};
use crate::schema::counted::Counted;
use crate::schema::expand::{Elements, Expanded, Members, NameGroup};
use crate::schema::few::ELEMENTS;
use crate::schema::formula::FormulaId;
use crate::schema::granted::MemberGrants;
use crate::schema::json::spelled_len;
use crate::schema::{names, numbers, strings};

/// Numbers that are counted for the price of one step.
const ELEMENTS_PER_STEP: usize = 16;

impl Search<'_, '_> {
    /// Adds the cells of a node: its scalars, arrays and objects.
    pub(super) fn add_cells(
        &mut self,
        node: usize,
        cells: &Cells<'_>,
        expanded: &Expanded,
    ) -> Result<(), LimitExceeded> {
        if let Some(len) = least_scalar(cells) {
            self.queue.push(Reverse((len, Place::Node(node))));
        }
        for (array, elements) in cells.arrays.iter().zip(&expanded.arrays) {
            self.add_array(node, array, elements)?;
        }
        for (object, members) in cells.objects.iter().zip(&expanded.objects) {
            self.add_object(node, object, members);
        }
        Ok(())
    }

    fn add_array(
        &mut self,
        node: usize,
        array: &ArrayCell,
        elements: &Elements,
    ) -> Result<(), LimitExceeded> {
        if array.unique {
            let counts = array.counts.iter().map(|count| count.min).chain([array.min_items]);
            let counted: u64 = counts.map(|count| u64::from(count).min(ELEMENTS)).sum();
            self.budget.charge(1 + counted as usize / ELEMENTS_PER_STEP)?;
            if self.graph.lacks_elements(array, elements) {
                let cell = self.open(node, 0);
                self.want(cell, FormulaId::FALSE, Want::Needs(1));
                return Ok(());
            }
        }
        match array.counts[..] {
            [] if !array.repeats => self.add_uncounted(node, array),
            _ => self.add_counted(node, array, elements)?,
        }
        Ok(())
    }

    fn add_uncounted(&mut self, node: usize, array: &ArrayCell) {
        let count = u64::from(array.min_items);
        let cell = self.open(node, 2 + count.saturating_sub(1));
        for &element in array.prefix.iter().take(array.min_items as usize) {
            self.want(cell, element, Want::Needs(1));
        }
        let more = count.saturating_sub(array.prefix.len() as u64);
        if more > 0 {
            self.want(cell, array.rest, Want::Needs(more));
        }
        self.offer(cell);
    }

    fn add_counted(
        &mut self,
        node: usize,
        array: &ArrayCell,
        elements: &Elements,
    ) -> Result<(), LimitExceeded> {
        let counted = Counted::new(array, elements.prefix.len(), self.budget)?;
        let cell = self.open(node, 0);
        self.cells[cell].counted = Some(Box::new(counted));
        for (position, kinds) in elements.positions().enumerate() {
            for kind in kinds {
                self.want(cell, kind.formula, Want::Counts { position, counts_for: kind.counts_for });
            }
        }
        self.offer(cell);
        Ok(())
    }

    fn add_object(&mut self, node: usize, object: &ObjectCell<'_>, members: &Members) {
        // Those that grant wishes are looked at together.
        let grants = |place: usize| members.declared.get(place).is_some_and(MemberGrants::grant_any);
        let settled =
            object.members.iter().enumerate().filter(|(place, member)| member.required && !grants(*place));
        let settled: Vec<&MemberCell<'_>> = settled.map(|(_, member)| member).collect();
        let required = settled.len() as u64;
        let needed = u64::from(object.min_members).saturating_sub(required);
        let names: u64 = settled.iter().map(|member| spelled_len(member.name) as u64 + 1).sum();
        let cell = self.open(node, 2 + names);
        // One that lacks names is kept for the sake of its complement.
        if !object.is_possible() {
            return self.want(cell, FormulaId::FALSE, Want::Needs(1));
        }
        let room =
            object.max_members.map_or(usize::MAX, |max| (max as usize).saturating_sub(required as usize));
        self.cells[cell].more = Some(More::new(required, needed, object.wishes.len(), room));
        for member in settled {
            self.want(cell, member.formula, Want::Needs(1));
        }
        for (member, grants) in
            object.members.iter().zip(&members.declared).filter(|(_, grants)| grants.grant_any())
        {
            self.add_declared(cell, member, grants);
        }
        if needed > 0 {
            self.add_offers(cell, object, needed);
        }
        if !object.wishes.is_empty() {
            self.add_grants(cell, object, &members.others);
        }
        self.offer_after(cell, 0);
    }

    /// Adds a declared member that may grant wishes.
    fn add_declared(&mut self, cell: usize, member: &MemberCell<'_>, grants: &MemberGrants) {
        let absence = (!member.required).then_some(grants.absence);
        let declared = self.cells[cell].more().add_declared(absence);
        let name_len = spelled_len(member.name) as u64;
        for kind in &grants.kinds {
            self.want(cell, kind.formula, Want::Kind { declared, grants: kind.grants, name_len });
        }
    }

    fn add_offers(&mut self, cell: usize, object: &ObjectCell<'_>, needed: u64) {
        for member in object.members.iter().filter(|member| !member.required) {
            let name_len = spelled_len(member.name) as u64;
            self.want(cell, member.formula, Want::Offers { name_len, count: 1 });
        }
        for (class, formula) in object.name_classes() {
            for (name_len, count) in names::cheapest(class, object, needed) {
                self.want(cell, formula, Want::Offers { name_len, count });
            }
        }
    }

    fn add_grants(&mut self, cell: usize, object: &ObjectCell<'_>, groups: &[NameGroup]) {
        for group in groups.iter().filter(|group| group.grants != 0) {
            // A class of names may consist of members alone.
            if let Some((name_len, _)) = names::cheapest(group.names.as_deref(), object, 1).first() {
                let scarce = names::few(group.names.as_deref(), object, object.wishes.len());
                let want = self.cells[cell].more().add_class(group.grants, *name_len, scarce);
                self.want(cell, group.formula, want);
            }
        }
    }
}

/// The length of a shortest text that is neither an array nor an object.
fn least_scalar(cells: &Cells<'_>) -> Option<u64> {
    let null = cells.null.then_some(4);
    let yes = cells.booleans.allows_true.then_some(4);
    let no = cells.booleans.allows_false.then_some(5);
    let points = cells.points.iter().map(|point| point.text_len() as u64);
    let ranges = cells.offered_ranges().map(|range| numbers::least_len(range) as u64);
    let words = cells.words.iter().map(|word| spelled_len(word) as u64);
    let texts = cells.offered_texts().map(strings::least_len);
    [null, yes, no].into_iter().flatten().chain(points).chain(ranges).chain(words).chain(texts).min()
}
