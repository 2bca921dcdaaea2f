//! From the graph of formulas to the public normal form: only what has values, children as nodes.

use std::collections::HashMap;
use std::sync::Arc;

use super::NodeId;
use super::cells::{ArrayCell, Cells, MemberCell, ObjectCell, Rest};
use super::document::Location;
use super::formula::FormulaId;
use super::normalise::{Graph, Normaliser};
use super::values::{Arrays, Member, NameClass, Numbers, Objects, Strings, Values};
use crate::limits::LimitExceeded;
use crate::regular::Dfa;

/// A node of a schema.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub values: Values,
    pub least_len: u32,
    pub location: Location,
}

/// Builds the nodes that the root reaches through inhabited cells.
pub(super) struct Pruner<'g, 'd> {
    graph: &'g Graph<'d>,
    lens: &'g [Option<u32>],
    dfa_states: usize,
    ids: HashMap<usize, NodeId>,
    /// The positions of the nodes in the graph.
    order: Vec<usize>,
}

impl<'g, 'd> Pruner<'g, 'd> {
    pub(super) fn new(graph: &'g Graph<'d>, lens: &'g [Option<u32>], dfa_states: usize) -> Self {
        Self { graph, lens, dfa_states, ids: HashMap::from([(0, NodeId(0))]), order: vec![0] }
    }

    /// The nodes, the root first. The root has values.
    pub(super) fn nodes(
        mut self,
        normaliser: &Normaliser<'d>,
    ) -> Result<Vec<Node>, (FormulaId, LimitExceeded)> {
        let mut nodes = Vec::new();
        while let Some(&position) = self.order.get(nodes.len()) {
            let formula = self.graph.nodes[position];
            let values = self.values(&self.graph.cells[position]).map_err(|limit| (formula, limit))?;
            let least_len = self.lens[position].expect("only inhabited nodes are named");
            nodes.push(Node { values, least_len, location: normaliser.location(formula) });
        }
        Ok(nodes)
    }

    fn values(&mut self, cells: &Cells<'d>) -> Result<Values, LimitExceeded> {
        let mut strings = cells.texts.clone();
        if !cells.words.is_empty() {
            let words = cells.words.iter().map(|word| (word.as_bytes(), 0));
            let language = Some(Arc::new(Dfa::words(words, self.dfa_states)?));
            strings.insert(0, Strings { language, finite: true, ..Strings::default() });
        }
        let objects: Result<Vec<_>, _> = cells.objects.iter().map(|object| self.objects(object)).collect();
        Ok(Values {
            null: cells.null,
            booleans: cells.booleans,
            numbers: cells
                .points
                .iter()
                .cloned()
                .map(Numbers::point)
                .chain(cells.ranges.iter().cloned())
                .collect(),
            strings,
            arrays: cells.arrays.iter().filter_map(|array| self.arrays(array)).collect(),
            objects: objects?.into_iter().flatten().collect(),
        })
    }

    /// The node of a formula; `None` where it has no values.
    fn node(&mut self, formula: FormulaId) -> Option<NodeId> {
        let position = self.inhabited(formula)?;
        Some(*self.ids.entry(position).or_insert_with(|| {
            self.order.push(position);
            NodeId(u32::try_from(self.order.len() - 1).expect("fewer nodes than the limit"))
        }))
    }

    fn inhabited(&self, formula: FormulaId) -> Option<usize> {
        self.graph.position(formula).filter(|&position| self.lens[position].is_some())
    }

    /// An array ends before the first position that nothing can take.
    fn arrays(&mut self, array: &ArrayCell) -> Option<Arrays> {
        let end = array.prefix.iter().position(|&element| self.inhabited(element).is_none());
        let end = end.unwrap_or(array.prefix.len());
        let open = end == array.prefix.len() && self.inhabited(array.rest).is_some();
        let limit = if open { None } else { u32::try_from(end).ok() };
        let max_items = array.max_items.into_iter().chain(limit).min();
        if max_items.is_some_and(|max| max < array.min_items) {
            return None;
        }
        let longest = max_items.map_or(usize::MAX, |max| max as usize);
        let prefix: Vec<NodeId> =
            array.prefix[..end.min(longest)].iter().filter_map(|&element| self.node(element)).collect();
        let rest = if open && prefix.len() < longest { self.node(array.rest) } else { None };
        let max_items = max_items.filter(|_| rest.is_some());
        Some(Arrays { prefix, rest, min_items: array.min_items, max_items })
    }

    fn objects(&mut self, object: &ObjectCell<'d>) -> Result<Option<Objects>, LimitExceeded> {
        let (possible, impossible): (Vec<_>, Vec<_>) =
            object.members.iter().partition(|member| self.inhabited(member.formula).is_some());
        let required = object.required().count();
        if impossible.iter().any(|member| member.required) {
            return Ok(None);
        }
        let full = object.max_members.is_some_and(|max| max as usize <= required);
        let optional = possible.iter().filter(|member| !member.required).count();
        let rest = if full { Vec::new() } else { self.rest(object)? };
        let most = if rest.is_empty() { required + if full { 0 } else { optional } } else { usize::MAX };
        if most < object.min_members as usize {
            return Ok(None);
        }
        let members = possible.into_iter().filter(|member| member.required || !full);
        let members =
            members.map(|member| self.member(member, most == object.min_members as usize)).collect();
        let closed = rest.is_empty();
        Ok(Some(Objects {
            members,
            forbidden: impossible.into_iter().filter(|_| !closed).map(|member| member.name.into()).collect(),
            rest,
            min_members: if object.min_members as usize > required && most > object.min_members as usize {
                object.min_members
            } else {
                0
            },
            max_members: object.max_members.filter(|&max| (max as usize) < most && !full),
        }))
    }

    fn member(&mut self, member: &MemberCell<'d>, all_needed: bool) -> Member {
        let schema = self.node(member.formula).expect("an inhabited member");
        Member { name: member.name.into(), schema, required: member.required || all_needed }
    }

    fn rest(&mut self, object: &ObjectCell<'d>) -> Result<Vec<NameClass>, LimitExceeded> {
        match &object.rest {
            Rest::Same(formula) => {
                Ok(self.node(*formula).map(|schema| NameClass { names: None, schema }).into_iter().collect())
            }
            Rest::Classes(classes) => {
                let mut rest = Vec::new();
                for (names, formula) in classes {
                    let names = self.without_members(names, object)?;
                    if let Some(schema) = self.node(*formula).filter(|_| !names.is_empty()) {
                        rest.push(NameClass { names: Some(names), schema });
                    }
                }
                Ok(rest)
            }
        }
    }

    fn without_members(&self, names: &Arc<Dfa>, object: &ObjectCell<'d>) -> Result<Arc<Dfa>, LimitExceeded> {
        let inside = object.members.iter().map(|member| member.name.as_bytes());
        let inside: Vec<_> = inside.filter(|name| names.contains(name)).map(|name| (name, 0)).collect();
        if inside.is_empty() {
            return Ok(Arc::clone(names));
        }
        let members = Dfa::words(inside, self.dfa_states)?;
        Ok(Arc::new(names.difference(&members, self.dfa_states)?))
    }
}
