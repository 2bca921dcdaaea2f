//! From a text: by a visitor, so that `serde_json` knows what JSON is.

use std::fmt;

use bumpalo::Bump;
use foldhash::{HashMap, HashMapExt, HashSet};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::super::document::Step;
use super::super::json::{FEW, Json, Member};
use super::{Fault, Reading};
use crate::recursion;

/// Under this name `serde_json` hands over the numbers that are no integers of 64 bits, as they are written.
const WRITTEN_NUMBER: &str = "$serde_json::private::Number";

impl<'d> Reading<'d> {
    /// Reads a text that may be nested this deep.
    pub(super) fn text(&mut self, text: &'d str, levels: usize) -> Result<Json<'d>, Fault> {
        let mut open = Open { reading: self, elements: Vec::new(), members: Vec::new(), is_too_deep: false };
        let mut reader = serde_json::Deserializer::from_str(text);
        // Levels are counted here, by a limit that can be set.
        reader.disable_recursion_limit();
        let root = reader.deserialize_any(Place { open: &mut open, levels });
        let root = root.and_then(|root| reader.end().map(|()| root));
        root.map_err(|error| if open.is_too_deep { Fault::TooDeep } else { Fault::NotJson(error) })
    }
}

/// A text that is being read.
struct Open<'r, 'd> {
    reading: &'r mut Reading<'d>,
    /// The elements of arrays that are still open.
    elements: Vec<Json<'d>>,
    /// The members of objects that are still open.
    members: Vec<Member<'d>>,
    is_too_deep: bool,
}

impl<'d> Open<'_, 'd> {
    fn number(&mut self, written: &str) -> Json<'d> {
        let written = self.reading.arena.alloc_str(written);
        self.reading.number(written)
    }

    /// The array of the elements from `begin` on.
    fn array(&mut self, begin: usize) -> Json<'d> {
        let elements = self.reading.arena.alloc_slice_copy(&self.elements[begin..]);
        self.elements.truncate(begin);
        self.reading.array(elements)
    }

    /// The object of the members from `begin` on.
    fn object(&mut self, begin: usize) -> Json<'d> {
        if has_duplicates(&self.members[begin..]) {
            let members = last_of_each(self.members.drain(begin..));
            self.members.extend(members);
        }
        let members = self.reading.arena.alloc_slice_copy(&self.members[begin..]);
        self.members.truncate(begin);
        self.reading.object(members)
    }
}

fn has_duplicates(members: &[Member<'_>]) -> bool {
    if members.len() > FEW {
        let names: HashSet<&str> = members.iter().map(|&(name, _)| name).collect();
        return names.len() < members.len();
    }
    (1..members.len()).any(|at| members[..at].iter().any(|(name, _)| *name == members[at].0))
}

/// Of members with one name the last one, where the first one stood.
fn last_of_each<'d>(members: impl Iterator<Item = Member<'d>>) -> Vec<Member<'d>> {
    let mut positions = HashMap::new();
    let mut kept: Vec<Member<'d>> = Vec::new();
    for member in members {
        let position = *positions.entry(member.0).or_insert(kept.len());
        match kept.get_mut(position) {
            Some(earlier) => *earlier = member,
            None => kept.push(member),
        }
    }
    kept
}

/// Where a value is about to be read.
struct Place<'p, 'r, 'd> {
    open: &'p mut Open<'r, 'd>,
    /// How much deeper the document may be nested here.
    levels: usize,
}

impl<'r, 'd> Place<'_, 'r, 'd> {
    /// The place of a part of the value here.
    fn inside(&mut self) -> Place<'_, 'r, 'd> {
        Place { open: self.open, levels: self.levels }
    }

    fn array<A: SeqAccess<'d>>(mut self, mut elements: A) -> Result<Json<'d>, A::Error> {
        let begin = self.open.elements.len();
        for index in 0.. {
            let element = elements.next_element_seed(self.inside());
            match element.map_err(|error| self.open.reading.through(Step::Index(index), error))? {
                Some(element) => self.open.elements.push(element),
                None => break,
            }
        }
        Ok(self.open.array(begin))
    }

    fn object<A: MapAccess<'d>>(mut self, mut members: A) -> Result<Json<'d>, A::Error> {
        let begin = self.open.members.len();
        while let Some(name) = members.next_key_seed(Name(self.open.reading.arena))? {
            if name == WRITTEN_NUMBER && self.open.members.len() == begin {
                let number: Number = members.next_value::<String>()?.parse().map_err(A::Error::custom)?;
                return Ok(self.open.number(number.as_str()));
            }
            let value = members.next_value_seed(self.inside());
            let value = value.map_err(|error| self.open.reading.through(Step::Key(name), error))?;
            self.open.members.push((name, value));
        }
        Ok(self.open.object(begin))
    }
}

impl<'d> DeserializeSeed<'d> for Place<'_, '_, 'd> {
    type Value = Json<'d>;

    fn deserialize<D: Deserializer<'d>>(mut self, part: D) -> Result<Json<'d>, D::Error> {
        match self.levels.checked_sub(1) {
            Some(levels) => self.levels = levels,
            None => {
                self.open.is_too_deep = true;
                return Err(D::Error::custom("nested too deeply"));
            }
        }
        part.deserialize_any(self)
    }
}

impl<'d> Visitor<'d> for Place<'_, '_, 'd> {
    type Value = Json<'d>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'d>, E> {
        Ok(self.open.reading.null())
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'d>, E> {
        Ok(self.open.reading.bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json<'d>, E> {
        Ok(self.open.number(&number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json<'d>, E> {
        Ok(self.open.number(&number.to_string()))
    }

    fn visit_borrowed_str<E>(self, text: &'d str) -> Result<Json<'d>, E> {
        Ok(self.open.reading.string(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'d>, E> {
        let text = self.open.reading.arena.alloc_str(text);
        Ok(self.open.reading.string(text))
    }

    fn visit_seq<A: SeqAccess<'d>>(self, elements: A) -> Result<Json<'d>, A::Error> {
        recursion::one_level(|| self.array(elements))
    }

    fn visit_map<A: MapAccess<'d>>(self, members: A) -> Result<Json<'d>, A::Error> {
        recursion::one_level(|| self.object(members))
    }
}

/// The name of a member.
struct Name<'d>(&'d Bump);

impl<'d> DeserializeSeed<'d> for Name<'d> {
    type Value = &'d str;

    fn deserialize<D: Deserializer<'d>>(self, name: D) -> Result<&'d str, D::Error> {
        name.deserialize_str(self)
    }
}

impl<'d> Visitor<'d> for Name<'d> {
    type Value = &'d str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, text: &'d str) -> Result<&'d str, E> {
        Ok(text)
    }

    fn visit_str<E>(self, text: &str) -> Result<&'d str, E> {
        Ok(self.0.alloc_str(text))
    }
}
