//! Alternatives of objects as one cell, in which one of several members must be as some alternative asks.
//!
//! A chain of `if`s or of dependencies has two kinds of objects for each, which multiply: thirteen make 8,192
//! cells. But most say only that one member or another is there, or has some value, and that is a
//! [wish](super::granted).

use super::algebra::Algebra;
use super::cells::{MemberCell, ObjectCell, Rest, Wish};
use super::formula::FormulaId;

/// What an alternative asks for: all of these.
struct Asked<'d> {
    members: Vec<MemberCell<'d>>,
    wishes: Vec<Wish<'d>>,
}

impl Algebra {
    /// The objects of any of some cells as one cell, where all of them but one ask for one thing only, beside
    /// what those before them do not have.
    pub(super) fn together<'d>(&mut self, cells: &[ObjectCell<'d>]) -> Option<ObjectCell<'d>> {
        let mut left: Vec<Asked<'d>> = cells.iter().map(Asked::of).collect::<Option<_>>()?;
        let mut any = Wish::default();
        while let Some(only) = left.iter().position(Asked::is_one) {
            let Asked { members, wishes } = left.swap_remove(only);
            let others = wishes.into_iter().next().unwrap_or_default();
            for member in members.into_iter().chain(others.members) {
                let turned = member.turned(&mut self.formulas);
                left.iter_mut().for_each(|asked| asked.members.retain(|member| *member != turned));
                any.members.push(member);
            }
            any.others.extend(others.others);
        }
        let with = |wish: Wish<'d>| Wish {
            members: any.members.iter().cloned().chain(wish.members).collect(),
            others: any.others.iter().cloned().chain(wish.others).collect(),
        };
        let wishes = match left.pop() {
            None => vec![any],
            Some(_) if !left.is_empty() => return None,
            Some(Asked { members, wishes }) => {
                let one = |member| Wish { members: vec![member], others: Vec::new() };
                members.into_iter().map(one).chain(wishes).map(with).collect()
            }
        };
        // Their members are declared where it meets another cell.
        Some(ObjectCell { wishes, ..ObjectCell::all() })
    }
}

impl<'d> Asked<'d> {
    /// What a cell asks for, where it asks only for members and wishes.
    fn of(cell: &ObjectCell<'d>) -> Option<Self> {
        let asks_for_more =
            cell.counts_members() || cell.lacks_names.is_some() || cell.rest != Rest::Same(FormulaId::TRUE);
        let is_asked = |member: &&MemberCell<'d>| member.required || member.formula != FormulaId::TRUE;
        let members = cell.members.iter().filter(is_asked).cloned().collect();
        (!asks_for_more).then(|| Self { members, wishes: cell.wishes.clone() })
    }

    /// Whether there is one thing to ask for, be it one of several.
    fn is_one(&self) -> bool {
        self.members.len() + self.wishes.len() == 1
    }
}
