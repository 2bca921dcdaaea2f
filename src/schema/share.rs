//! Whether two nodes may have a value in common.
//!
//! Elements of a tuple that must differ use each other up only where they can be equal: `["a", "b"]` is the one array of two constants.

use serde_json::Value;

use super::values::Values;
use super::{NodeId, Schema};

/// Of longer lists it is not looked at each entry.
const LISTED: usize = 64;

impl Schema {
    /// Whether two nodes may have a value in common, as far as it is soon seen.
    pub(crate) fn may_share(&self, one: NodeId, other: NodeId) -> bool {
        for (one, other) in [(one, other), (other, one)] {
            if let Some(values) = listed(self.values(one)) {
                return values.iter().any(|value| self.node_has(other, value));
            }
        }
        share_a_type(self.values(one), self.values(other))
    }
}

/// All values of a node, where these are listed one by one and few.
fn listed(values: &Values) -> Option<Vec<Value>> {
    let Values { null, booleans, numbers, words, strings, arrays, objects } = values;
    let words = words.as_ref();
    let are_few = numbers.len() + words.map_or(0, |words| words.len()) <= LISTED;
    if !(are_few && strings.is_empty() && arrays.is_empty() && objects.is_empty()) {
        return None;
    }
    let numbers =
        numbers.iter().map(|numbers| numbers.as_point()?.to_string().parse().ok().map(Value::Number));
    let mut all = numbers.collect::<Option<Vec<Value>>>()?;
    all.extend(words.into_iter().flat_map(|words| words.iter()).map(Value::from));
    all.extend(null.then_some(Value::Null));
    all.extend(booleans.allows_true.then_some(Value::Bool(true)));
    all.extend(booleans.allows_false.then_some(Value::Bool(false)));
    Some(all)
}

fn share_a_type(one: &Values, other: &Values) -> bool {
    let types = |values: &Values| {
        let Values { null, booleans, numbers, words, strings, arrays, objects } = values;
        let has_strings = words.is_some() || !strings.is_empty();
        [
            *null,
            booleans.allows_true,
            booleans.allows_false,
            !numbers.is_empty(),
            has_strings,
            !arrays.is_empty(),
            !objects.is_empty(),
        ]
    };
    types(one).into_iter().zip(types(other)).any(|(one, other)| one && other)
}
