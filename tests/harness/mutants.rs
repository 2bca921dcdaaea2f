//! Values that are nearly what others are.

use serde_json::{Value, json};

use super::Random;

/// Changes one place of a value: to something else, to a part of another value, or by one member or element.
pub(crate) fn mutate(value: &mut Value, other: &Value, random: &mut Random) {
    let inner = match value {
        Value::Object(members) => members.values_mut().collect(),
        Value::Array(elements) => elements.iter_mut().collect(),
        _ => Vec::new(),
    };
    // Deep inside more often than at the top, where most changes are fatal.
    if !inner.is_empty() && random.below(4) > 0 {
        let at = random.below(inner.len());
        return mutate(inner.into_iter().nth(at).expect("within"), other, random);
    }
    match value {
        Value::Object(members) if random.below(3) > 0 => {
            let at = random.below(members.len() + 1);
            match members.keys().nth(at).cloned() {
                Some(name) => drop(members.shift_remove(&name)),
                None => drop(members.insert("unexpected".to_owned(), scalar(random))),
            }
        }
        Value::Array(elements) if random.below(3) > 0 => match elements.pop() {
            Some(last) if random.below(2) == 0 => elements.extend([last.clone(), last]),
            Some(_) => {}
            None => elements.push(scalar(random)),
        },
        _ if random.below(3) == 0 => *value = part(other, random).clone(),
        _ => *value = scalar(random),
    }
}

fn part<'v>(value: &'v Value, random: &mut Random) -> &'v Value {
    let inner: Vec<&Value> = match value {
        Value::Object(members) => members.values().collect(),
        Value::Array(elements) => elements.iter().collect(),
        _ => Vec::new(),
    };
    if inner.is_empty() || random.below(4) == 0 {
        value
    } else {
        part(inner[random.below(inner.len())], random)
    }
}

fn scalar(random: &mut Random) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(7),
        json!(1.5),
        json!(100_000),
        json!(""),
        json!("a"),
        json!("Ab-1_é"),
        json!("2024-02-29"),
        json!("https://example.com/a?b#c"),
        json!([]),
        json!({}),
    ];
    values[random.below(values.len())].clone()
}
