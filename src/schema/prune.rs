//! From the graph of formulas to the public normal form: only what has values, children as nodes.

use std::collections::BTreeSet;
use std::iter;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use super::NodeId;
use super::cells::{ArrayCell, CountCell, MemberCell, ObjectCell};
use super::document::Location;
use super::error::SchemaError;
use super::expand::{ElementKind, Elements, Members, NameGroup};
use super::formula::FormulaId;
use super::granted::MemberGrants;
use super::languages::Languages;
use super::least_len::Lens;
use super::normalise::{Graph, Normaliser};
use super::values::{Arrays, Kind, Member, MemberKind, NameClass, Numbers, Objects, Values};
use super::words::Words;
use crate::limits::{Budget, LimitExceeded};
use crate::regular::Dfa;

/// A node of a schema.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub values: Arc<Values>,
    pub least_len: u32,
    pub location: Location,
}

/// Builds the nodes that the root reaches through inhabited cells.
pub(super) struct Pruner<'g, 'd> {
    graph: &'g Graph<'d>,
    lens: &'g Lens,
    languages: Languages,
    /// By position in the graph.
    ids: Vec<Option<NodeId>>,
    /// The values of cells without children, by their address: schemas that say only a type share theirs.
    scalars: HashMap<usize, Arc<Values>>,
    /// Lists of words, each made once: alternatives of a union often have the same.
    words: HashMap<&'g BTreeSet<&'d str>, Arc<Words>>,
    /// The positions of the nodes in the graph.
    order: Vec<usize>,
}

impl<'g, 'd> Pruner<'g, 'd> {
    pub(super) fn new(graph: &'g Graph<'d>, lens: &'g Lens, budget: &Budget) -> Self {
        let mut ids = vec![None; graph.nodes.len()];
        ids[0] = Some(NodeId(0));
        let (scalars, words) = (HashMap::new(), HashMap::new());
        Self { graph, lens, languages: Languages::new(budget), ids, scalars, words, order: vec![0] }
    }

    /// The nodes with the formulas they stand for, the root first. The root has values.
    pub(super) fn nodes(
        mut self,
        normaliser: &Normaliser<'d>,
    ) -> Result<Vec<(FormulaId, Node)>, SchemaError> {
        let mut nodes = Vec::with_capacity(self.graph.nodes.len());
        while let Some(&position) = self.order.get(nodes.len()) {
            let formula = self.graph.nodes[position];
            let values = self.shared_values(position);
            let values = values.map_err(|limit| normaliser.limit_error(formula, limit))?;
            let least_len = self.lens.node(position).expect("only inhabited nodes are named");
            nodes.push((formula, Node { values, least_len, location: normaliser.location(formula) }));
        }
        Ok(nodes)
    }

    /// The values at a position. Those without children may have been made for another one.
    fn shared_values(&mut self, position: usize) -> Result<Arc<Values>, LimitExceeded> {
        let cells = &self.graph.cells[position];
        if !cells.arrays.is_empty() || !cells.objects.is_empty() {
            return self.values(position).map(Arc::new);
        }
        let address = Rc::as_ptr(cells).addr();
        if let Some(known) = self.scalars.get(&address) {
            return Ok(known.clone());
        }
        let made = Arc::new(self.values(position)?);
        self.scalars.insert(address, made.clone());
        Ok(made)
    }

    fn values(&mut self, position: usize) -> Result<Values, LimitExceeded> {
        let graph = self.graph;
        let cells = &graph.cells[position];
        let words = (!cells.words.is_empty()).then(|| self.words(&cells.words)).transpose()?;
        let points = cells.points.iter().cloned().map(Numbers::point);
        let (arrays, objects) = self.lens.cells(position).split_at(cells.arrays.len());
        let expanded = &self.graph.expanded[position];
        let arrays = cells.arrays.iter().zip(&expanded.arrays).zip(arrays);
        let objects = cells.objects.iter().zip(&expanded.objects).zip(objects);
        Ok(Values {
            null: cells.null,
            booleans: cells.booleans,
            numbers: points.chain(cells.offered_ranges().cloned()).collect(),
            words,
            strings: cells.offered_texts().cloned().collect(),
            arrays: arrays
                .filter_map(|((array, elements), least_len)| {
                    Some(self.arrays(array, elements, (*least_len)?))
                })
                .collect(),
            objects: objects
                .filter_map(|((object, members), least_len)| {
                    Some(self.objects(object, members, (*least_len)?))
                })
                .collect::<Result<_, _>>()?,
        })
    }

    fn words(&mut self, words: &'g BTreeSet<&'d str>) -> Result<Arc<Words>, LimitExceeded> {
        if let Some(known) = self.words.get(words) {
            return Ok(known.clone());
        }
        let made = Arc::new(Words::new(words.iter().copied(), self.languages.limits().dfa_states)?);
        self.words.insert(words, made.clone());
        Ok(made)
    }

    /// The node of a formula; `None` where it has no values.
    fn node(&mut self, formula: FormulaId) -> Option<NodeId> {
        let position = self.inhabited(formula)?;
        Some(*self.ids[position].get_or_insert_with(|| {
            self.order.push(position);
            NodeId(u32::try_from(self.order.len() - 1).expect("fewer nodes than the limit"))
        }))
    }

    fn inhabited(&self, formula: FormulaId) -> Option<usize> {
        self.graph.position(formula).filter(|&position| self.lens.node(position).is_some())
    }

    /// An array ends before the first position that nothing can take.
    fn arrays(&mut self, array: &ArrayCell, elements: &Elements, least_len: u32) -> Arrays {
        let longest = array.max_items.map_or(usize::MAX, |max| max as usize);
        let prefix = elements.prefix.iter().take(longest).map(|kinds| self.kinds(kinds));
        let prefix: Vec<_> = prefix.take_while(|kinds| !kinds.is_empty()).collect();
        let open = prefix.len() == elements.prefix.len() && prefix.len() < longest;
        let rest = if open { self.kinds(&elements.rest) } else { Vec::new() };
        let max_items = array.max_items.filter(|_| !rest.is_empty());
        let counts = array.counts.iter().map(CountCell::bounds).collect();
        let ArrayCell { min_items, unique, repeats, .. } = *array;
        Arrays { prefix, rest, min_items, max_items, counts, unique, repeats, least_len }
    }

    fn kinds(&mut self, kinds: &[ElementKind]) -> Vec<Kind> {
        let kind =
            |kind: &ElementKind| Some(Kind { schema: self.node(kind.formula)?, counts_for: kind.counts_for });
        kinds.iter().filter_map(kind).collect()
    }

    fn objects(
        &mut self,
        object: &ObjectCell<'d>,
        members: &Members,
        least_len: u32,
    ) -> Result<Objects, LimitExceeded> {
        let required = object.required().count();
        let (min, max) =
            (object.min_members as usize, object.max_members.map_or(usize::MAX, |max| max as usize));
        let grants = members.declared.iter().map(Some).chain(iter::repeat(None));
        let (mut possible, impossible): (Vec<_>, Vec<_>) = (object.members.iter().zip(grants))
            .partition(|(member, _)| self.inhabited(member.formula).is_some());
        let rest = if max > required { self.rest(object, &members.others)? } else { Vec::new() };
        if max <= required {
            possible.retain(|(member, _)| member.required);
        }
        // With no other names to choose from, a count that all members only just reach makes them all
        // required.
        let most = if rest.is_empty() { possible.len() } else { usize::MAX };
        // What is granted by the absence of members that no object has is granted to all.
        let absent = impossible.iter().filter_map(|(_, grants)| *grants);
        let granted = absent.fold(0, |granted, grants| granted | grants.absence);
        let members = possible.into_iter().map(|(member, grants)| self.member(member, min == most, grants));
        let members = members.collect();
        let forbidden = impossible.into_iter().filter(|_| !rest.is_empty());
        let mut objects = Objects {
            members,
            forbidden: forbidden.map(|(member, _)| member.name.into()).collect(),
            rest,
            wishes: u32::try_from(object.wishes.len()).expect("few wishes"),
            min_members: if min > required && min < most { object.min_members } else { 0 },
            max_members: object.max_members.filter(|_| required < max && max < most),
            least_len,
        };
        objects.leave_out_wishes(granted);
        Ok(objects)
    }

    fn member(&mut self, member: &MemberCell<'d>, all_needed: bool, grants: Option<&MemberGrants>) -> Member {
        let schema = self.node(member.formula).expect("an inhabited member");
        let required = member.required || all_needed;
        let kinds = grants.map_or(&[][..], |grants| &grants.kinds).iter();
        let mut kinds: Vec<_> = kinds
            .filter_map(|kind| Some(MemberKind { schema: self.node(kind.formula)?, grants: kind.grants }))
            .collect();
        let only = if kinds.len() == 1 { kinds.pop() } else { None };
        Member {
            name: member.name.into(),
            schema: only.map_or(schema, |only| only.schema),
            required,
            grants: only.map_or(0, |only| only.grants),
            absence_grants: grants.filter(|_| !required).map_or(0, |grants| grants.absence),
            kinds,
        }
    }

    fn rest(
        &mut self,
        object: &ObjectCell<'d>,
        groups: &[NameGroup],
    ) -> Result<Vec<NameClass>, LimitExceeded> {
        let mut rest = Vec::new();
        for group in groups {
            let names = group.names.as_ref().map(|names| self.without_members(names, object)).transpose()?;
            if names.as_ref().is_some_and(|names| names.is_empty()) {
                continue;
            }
            let schema = self.node(group.formula);
            rest.extend(schema.map(|schema| NameClass { names, schema, grants: group.grants }));
        }
        Ok(rest)
    }

    fn without_members(
        &mut self,
        names: &Arc<Dfa>,
        object: &ObjectCell<'d>,
    ) -> Result<Arc<Dfa>, LimitExceeded> {
        let members = object.members.iter().map(|member| member.name);
        let inside: Vec<&str> = members.filter(|name| names.contains(name.as_bytes())).collect();
        self.languages.without(names, &inside)
    }
}
