//! Where schemas stand: the one table of the keywords that hold schemas, and how they hold them.
//!
//! What looks like a schema anywhere else is data, or belongs to a keyword that nobody knows: its identifiers
//! and anchors name nothing. A pointer may lead there all the same, and then it is read as a schema of the
//! resource around it, as validators do.

use referencing::Draft;

use super::document::Step;
use super::json::Json;

/// What a place in a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceKind {
    Schema,
    /// A list of schemas, or schemas by name.
    Schemas,
    Other,
}

impl PlaceKind {
    /// The kind of a value that stands one step inside a place of this kind.
    pub(super) fn inside(self, step: Step<'_>, value: &Json<'_>, draft: Draft) -> Self {
        match (self, step) {
            (Self::Schema, Step::Key(keyword)) => Self::under(keyword, value, draft),
            (Self::Schemas, _) => Self::Schema,
            (Self::Schema, Step::Index(_)) | (Self::Other, _) => Self::Other,
        }
    }

    /// The kind of a keyword's value. A list of `items` is taken in every dialect.
    fn under(keyword: &str, value: &Json<'_>, draft: Draft) -> Self {
        let kind = match (keyword, value) {
            ("items", Json::Array(_)) => Self::Schemas,
            // The newest draft has other keywords for what these say. We still apply them, but no validator
            // looks for names in there.
            ("additionalItems" | "dependencies", _) if draft > Draft::Draft201909 => Self::Other,
            (
                "additionalItems"
                | "additionalProperties"
                | "contains"
                | "contentSchema"
                | "else"
                | "if"
                | "items"
                | "not"
                | "propertyNames"
                | "then"
                | "unevaluatedItems"
                | "unevaluatedProperties",
                Json::Object(_),
            ) => Self::Schema,
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Json::Array(_)) => Self::Schemas,
            (
                "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
                | "properties",
                Json::Object(_),
            ) => Self::Schemas,
            _ => Self::Other,
        };
        if kind == Self::Other || draft.is_known_keyword(keyword) { kind } else { Self::Other }
    }
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;
    use serde_json::{Value, json};

    use super::super::read::Tree;
    use super::*;
    use crate::limits::Limits;

    /// How many objects are schemas in the value of a keyword.
    fn schemas(keyword: &str, value: &Value, draft: Draft) -> usize {
        let arena = Bump::new();
        let root = Tree::read(value.into(), &arena, &Limits::default()).expect("a value").root;
        let kind = PlaceKind::Schema.inside(Step::Key(keyword), root, draft);
        let elements = root.as_array().map_or_else(Vec::new, <[_]>::to_vec);
        let members = root.as_object().into_iter().flatten().map(|(_, member)| *member);
        match kind {
            PlaceKind::Schema => 1,
            PlaceKind::Schemas => {
                elements.into_iter().chain(members).filter(|part| part.as_object().is_some()).count()
            }
            PlaceKind::Other => 0,
        }
    }

    /// The table is that of the `referencing` crate, which cannot be asked about our own kind of JSON; but in
    /// draft 4 that takes keywords of later drafts, too, in draft 2019-09 it finds anchors in `dependencies`
    /// and does not list them, and a list of `items` we take in all drafts.
    #[test]
    fn schemas_stand_where_validators_look_for_them() {
        let keywords = "$anchor $defs $ref additionalItems additionalProperties allOf anyOf const contains contentSchema default definitions dependencies \
            dependentRequired dependentSchemas else enum examples format if items maxItems not oneOf patternProperties prefixItems properties \
            propertyNames required then type unevaluatedItems unevaluatedProperties x-foo";
        let drafts = [Draft::Draft4, Draft::Draft6, Draft::Draft7, Draft::Draft201909, Draft::Draft202012];
        let values = [json!({"a": {}, "b": {}, "c": 1}), json!([{}, {}, {}, true]), json!(true)];
        for (draft, value) in drafts.iter().flat_map(|draft| values.iter().map(move |value| (*draft, value)))
        {
            for keyword in keywords.split_whitespace() {
                let is_ours = match draft {
                    Draft::Draft4 => !draft.is_known_keyword(keyword),
                    Draft::Draft201909 => keyword == "dependencies",
                    Draft::Draft202012 => keyword == "items" && value.is_array(),
                    _ => false,
                };
                if is_ours {
                    continue;
                }
                let document = json!({ keyword: value });
                let theirs = draft.subresources_of(&document).filter(|schema| schema.is_object()).count();
                assert_eq!(schemas(keyword, value, draft), theirs, "{draft:?} {document}");
            }
        }
    }
}
