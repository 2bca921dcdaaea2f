//! Dynamic scope: through which resources a schema was reached.
//!
//! `$dynamicRef` leads to the outermost resource on the way that has the anchor, so such a schema means
//! different things on different ways. Only resources with dynamic anchors are remembered, each where it was
//! first entered: there are finitely many scopes, and one for nearly every document.

use std::rc::Rc;

use foldhash::HashMap;

use super::document::Location;

/// The resources with dynamic anchors that were entered, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Scope(u32);

impl Scope {
    pub(super) const EMPTY: Self = Self(0);
}

/// All scopes so far.
pub(super) struct Scopes {
    resources: Vec<Rc<[Location]>>,
    numbers: HashMap<Rc<[Location]>, Scope>,
}

impl Scopes {
    pub(super) fn new() -> Self {
        let empty: Rc<[Location]> = Rc::from([]);
        Self { resources: vec![Rc::clone(&empty)], numbers: HashMap::from_iter([(empty, Scope::EMPTY)]) }
    }

    /// The resources of a scope, outermost first.
    pub(super) fn resources(&self, scope: Scope) -> &[Location] {
        &self.resources[scope.0 as usize]
    }

    /// The scope after entering a resource.
    pub(super) fn enter(&mut self, scope: Scope, resource: Location) -> Scope {
        let entered = self.resources(scope);
        if entered.contains(&resource) {
            return scope;
        }
        let longer: Rc<[Location]> = entered.iter().copied().chain([resource]).collect();
        let next = Scope(u32::try_from(self.resources.len()).expect("fewer scopes than locations"));
        let scope = *self.numbers.entry(Rc::clone(&longer)).or_insert(next);
        if scope == next {
            self.resources.push(longer);
        }
        scope
    }
}
