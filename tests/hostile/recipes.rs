//! Hostile inputs that are too large to store: each is made by a line, and has its verdict beside it.

use serde_json::{Map, Value, json};

pub(super) type Case = (String, Value, String);

pub(super) fn case(name: &str, input: Value, verdict: &str) -> Case {
    (name.to_owned(), input, verdict.to_owned())
}

/// `count` things, each made of its number.
pub(super) fn many(count: usize, thing: impl Fn(usize) -> Value) -> Value {
    (0..count).map(thing).collect()
}

/// An object of `count` members, each made of its number.
pub(super) fn members(count: usize, value: impl Fn(usize) -> Value) -> Value {
    (0..count).map(|number| (format!("m{number}"), value(number))).collect::<Map<_, _>>().into()
}

/// `levels` times wrapped.
fn nested(levels: usize, wrap: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(json!({"type": "string"}), |inner, _| wrap(inner))
}

/// `items` of `items`; moved, since `json!` would copy what is inside, with a call for each level.
fn deep(levels: usize) -> Value {
    let wrap = |inner| Value::from(Map::from_iter([("items".to_owned(), inner)]));
    (0..levels).fold(json!({"type": "string"}), |inner, _| wrap(inner))
}

fn target(number: usize) -> Value {
    json!({"$ref": format!("#/$defs/m{number}")})
}

/// `count` definitions; the first is the root.
fn definitions(count: usize, definition: impl Fn(usize) -> Value) -> Value {
    json!({"$defs": members(count, definition), "$ref": "#/$defs/m0"})
}

/// A number that looks random.
pub(super) fn scattered(number: usize) -> usize {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

pub(super) fn schemas() -> Vec<Case> {
    let mut cases = lists();
    cases.extend(nesting());
    cases.extend(references());
    cases.extend(texts());
    cases
}

fn lists() -> Vec<Case> {
    let required = |count| json!({"properties": members(count, |_| json!({"type": "null"})), "required": many(count, |i| format!("m{i}").into())});
    vec![
        case("100,000 texts", json!({"enum": many(100_000, |i| format!("entry {i}").into())}), "compiled"),
        case(
            "100,000 texts without order",
            json!({"enum": many(100_000, |i| format!("{:x}", scattered(i)).into())}),
            "dfa_states",
        ),
        case("100,000 integers", json!({"enum": many(100_000, Value::from)}), "alternatives"),
        case("30,000 fractions", json!({"enum": many(30_000, |i| (i as f64 / 7.0).into())}), "alternatives"),
        case("100,000 objects", json!({"enum": many(100_000, |i| json!({"a": i}))}), "schema_nodes"),
        case("20,000 arrays", json!({"enum": many(20_000, |i| json!([i, [i]]))}), "alternatives"),
        case("4 MB of one text", json!({"const": "x".repeat(4 << 20)}), "dfa_states"),
        case("4 MB of title", json!({"title": "x".repeat(4 << 20)}), "compiled"),
        case("4 MB of keywords that nobody knows", members(150_000, |i| json!({"x": i})), "compiled"),
        case(
            "4 MB of definitions that nobody uses",
            json!({"$defs": members(60_000, |i| json!({"type": "object", "properties": {"a": {"const": i}}}))}),
            "compiled",
        ),
        case(
            "a name of 1 MB",
            json!({"properties": {"x".repeat(1 << 20): {"type": "null"}}, "additionalProperties": false}),
            "compiled",
        ),
        case(
            "100,000 properties",
            json!({"properties": members(100_000, |_| json!({"type": "string"})), "additionalProperties": false}),
            "compiled",
        ),
        case(
            "1,000 properties, each another",
            json!({"properties": members(1_000, |i| json!({"type": "integer", "minimum": i})), "additionalProperties": false}),
            "compiled",
        ),
        case(
            "10,000 properties, each another",
            json!({"properties": members(10_000, |i| json!({"type": "integer", "minimum": i})), "additionalProperties": false}),
            "compiled",
        ),
        case(
            "1,000 properties, each of other multiples",
            json!({"properties": members(1_000, |i| json!({"minimum": i, "multipleOf": 101 + 2 * i})), "additionalProperties": false}),
            "work",
        ),
        case("20,000 required properties", required(20_000), "completion_bytes"),
        case(
            "100,000 required properties twice",
            json!({"allOf": [required(100_000), required(100_000)]}),
            "schema_nodes",
        ),
        case(
            "5,000 elements before the rest",
            json!({"prefixItems": many(5_000, |i| json!({"const": i})), "items": false, "minItems": 5_000}),
            "compiled",
        ),
        case(
            "200 patterns of names",
            json!({"type": "object", "patternProperties": members(200, |i| json!({"minimum": i}))}),
            "schema_nodes",
        ),
        case(
            "500 patterns of names",
            json!({"type": "object", "patternProperties": members(500, |i| json!({"minimum": i}))}),
            "schema_nodes",
        ),
        case(
            "13 pairs of patterns",
            json!({"type": "string", "allOf": many(13, |i| json!({"anyOf": [
                {"pattern": format!("a{i}x")}, {"pattern": format!("b{i}x")}
            ]}))}),
            "work",
        ),
        case(
            "200 alternatives of two names",
            json!({"anyOf": many(200, |i| json!({"required": [format!("a{i}"), format!("b{i}")]}))}),
            "compiled",
        ),
    ]
}

fn nesting() -> Vec<Case> {
    vec![
        case("items 250 deep", nested(250, |inner| json!({"items": inner})), "compiled"),
        case("items 1,000 deep", nested(1_000, |inner| json!({"items": inner})), "schema_depth"),
        case("items 10,000 deep", deep(10_000), "schema_depth"),
        case(
            "properties 120 deep",
            nested(120, |inner| json!({"properties": {"a": inner}, "required": ["a"]})),
            "compiled",
        ),
        case("allOf 120 deep", nested(120, |inner| json!({"allOf": [inner]})), "compiled"),
        case("not 120 deep", nested(120, |inner| json!({"not": inner})), "compiled"),
        case(
            "not of members 60 deep",
            nested(60, |inner| json!({"not": {"properties": {"a": inner}}})),
            "compiled",
        ),
        case(
            "conditions 60 deep",
            nested(
                60,
                |inner| json!({"if": {"required": ["a"]}, "then": inner, "else": {"required": ["b"]}}),
            ),
            "compiled",
        ),
        case("a constant 120 deep", json!({"const": nested(120, |inner| json!([inner]))}), "compiled"),
        case(
            "unevaluated members 20 deep",
            nested(
                20,
                |inner| json!({"anyOf": [{"properties": {"a": inner}}, {"properties": {"b": true}}], "unevaluatedProperties": false}),
            ),
            "compiled",
        ),
        case(
            "dependent schemas 40 deep",
            nested(40, |inner| json!({"dependentSchemas": {"a": inner, "b": {"required": ["c"]}}})),
            "compiled",
        ),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn references() -> Vec<Case> {
    vec![
        case(
            "a chain of 50,000 references",
            definitions(50_000, |i| if i == 49_999 { json!({"type": "null"}) } else { target(i + 1) }),
            "compiled",
        ),
        case(
            "a circle of 50,000 references",
            definitions(50_000, |i| target((i + 1) % 50_000)),
            "circular_reference",
        ),
        case(
            "a circle with siblings",
            definitions(1_000, |i| json!({"$ref": format!("#/$defs/m{}", (i + 1) % 1_000), "minLength": i})),
            "schema_depth",
        ),
        case(
            "1,000 objects in a circle",
            definitions(
                1_000,
                |i| json!({"type": "object", "properties": {"a": target((i + 1) % 1_000)}, "required": ["a"]}),
            ),
            "no_base_case",
        ),
        case(
            "1,000 objects in a circle with a way out",
            definitions(
                1_000,
                |i| json!({"type": "object", "properties": {"a": target((i + 1) % 1_000), "b": target((i * 7) % 1_000)}}),
            ),
            "compiled",
        ),
        case(
            "arrays that refer at random",
            definitions(
                3_000,
                |i| json!({"anyOf": [{"const": i}, {"type": "array", "items": target(scattered(i) % 3_000)}]}),
            ),
            "compiled",
        ),
        case(
            "unions that refer at random",
            definitions(
                300,
                |i| json!({"anyOf": [{"type": "object", "required": [format!("n{i}")], "properties": {"x": target(scattered(i) % 300)}}, {"type": "array", "items": {"anyOf": [target((i * 3) % 300), target((i * 5 + 1) % 300)]}}]}),
            ),
            "compiled",
        ),
        case(
            "doubling, 30 levels",
            definitions(31, |i| {
                if i == 30 {
                    json!({"type": "null"})
                } else {
                    json!({"type": "array", "prefixItems": [target(i + 1), target(i + 1)], "minItems": 2})
                }
            }),
            "completion_bytes",
        ),
        case(
            "doubling conjunctions, 30 levels",
            definitions(31, |i| {
                if i == 30 {
                    json!({"type": "null"})
                } else {
                    json!({"allOf": [target(i + 1), target(i + 1)]})
                }
            }),
            "compiled",
        ),
        case(
            "doubling choices, 30 levels",
            definitions(31, |i| {
                if i == 30 {
                    json!({"type": "null"})
                } else {
                    json!({"oneOf": [target(i + 1), {"not": target(i + 1)}]})
                }
            }),
            "compiled",
        ),
        case(
            "conjunctions of different circles",
            definitions(
                40,
                |i| json!({"type": "object", "properties": {"a": {"allOf": [target((i + 1) % 40), target((i * 3 + 2) % 40)]}}}),
            ),
            "compiled",
        ),
        case(
            "complements of different circles",
            definitions(
                40,
                |i| json!({"type": "object", "properties": {"a": {"allOf": [target((i + 1) % 40), {"not": target((i * 3 + 2) % 40)}]}}}),
            ),
            "schema_nodes",
        ),
        case(
            "dynamic references in 40 resources",
            json!({"$id": "https://a.example/0", "$ref": "r0", "$defs": members(40, |i| json!({"$id": format!("r{i}"), "$dynamicAnchor": "d", "properties": {"a": {"$dynamicRef": "#d"}, "b": {"$ref": format!("r{}", (i + 1) % 40)}}}))}),
            "compiled",
        ),
    ]
}

fn texts() -> Vec<Case> {
    vec![
        case(
            "between 10^6 and 10^6 characters",
            json!({"type": "string", "minLength": 1_000_000, "maxLength": 1_000_000}),
            "completion_bytes",
        ),
        case(
            "10^6 characters of a pattern",
            json!({"type": "string", "pattern": "^(ab|cd)*$", "minLength": 1_000_000}),
            "completion_bytes",
        ),
        case(
            "a name of 10^6 characters",
            json!({"type": "object", "propertyNames": {"minLength": 1_000_000}, "minProperties": 1}),
            "dfa_states",
        ),
        case(
            "names of at most 3,000 characters",
            json!({"type": "object", "propertyNames": {"maxLength": 3_000, "pattern": "^(\\w+\\s?)*$"}, "minProperties": 2}),
            "compiled",
        ),
        case(
            "a pattern that counts to 2^32",
            json!({"type": "string", "pattern": "^(?!x)\\w{1,4294967295}$"}),
            "compiled",
        ),
        case(
            "300 patterns at once",
            json!({"type": "string", "anyOf": many(300, |i| json!({"pattern": format!("^x{i}.*y{i}$")}))}),
            "compiled",
        ),
        case(
            "30 patterns that all hold",
            json!({"type": "string", "allOf": many(30, |i| json!({"pattern": format!("{i}")}))}),
            "dfa_states",
        ),
        case(
            "30 patterns that none holds",
            json!({"type": "string", "allOf": many(30, |i| json!({"not": {"pattern": format!("x{i}y")}}))}),
            "compiled",
        ),
    ]
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn patterns() -> Vec<Case> {
    let text = |text: String| Value::from(text);
    vec![
        case("1 MB of letters", text("a".repeat(1 << 20)), "dfa_states"),
        case("1 MB of dots", text(".".repeat(1 << 20)), "work"),
        case("640,000 braces", text("{".repeat(640_000)), "dfa_states"),
        case("600,000 properties", text(r"\p{L}".repeat(600_000)), "work"),
        case("600,000 properties in a class", text(format!("[{}]", r"\p{L}".repeat(600_000))), "work"),
        case("100,000 classes of all cases", text(format!("(?i){}", "[ -\u{ffff}]".repeat(100_000))), "work"),
        case(
            "20,000 characters that differ",
            text((0..20_000).filter_map(|i| char::from_u32(0x4e00 + i)).collect()),
            "dfa_states",
        ),
        case(
            "20,000 characters left out",
            text(
                (0..20_000)
                    .filter_map(|i| char::from_u32(0x4e00 + i))
                    .map(|left| format!("[^{left}]"))
                    .collect(),
            ),
            "dfa_states",
        ),
        case("four billion times nothing", text("(?:(?:(?=a)){0}){4294967295}".to_owned()), "compiled"),
        case(
            "20,000 alternatives",
            text(format!("^({})$", (0..20_000).map(|i| format!("w{i}")).collect::<Vec<_>>().join("|"))),
            "compiled",
        ),
        case(
            "20,000 alternatives, not anchored",
            text((0..20_000).map(|i| format!("w{i}")).collect::<Vec<_>>().join("|")),
            "compiled",
        ),
        case("groups 10,000 deep", text(format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000))), "invalid"),
        case("stars 200 deep", text(format!("{}a{}", "(".repeat(200), ")*".repeat(200))), "compiled"),
        case(
            "optional parts 500 deep",
            text(format!("^{}{}$", "(a".repeat(500), ")?".repeat(500))),
            "invalid",
        ),
        case(
            "look-aheads 100 deep",
            text(format!("^{}a{}", "(?=a".repeat(100), ")".repeat(100))),
            "compiled",
        ),
        case(
            "30 look-aheads in a row",
            text(format!("^{}.*$", (0..30).map(|i| format!("(?=.*{i})")).collect::<String>())),
            "dfa_states",
        ),
        case(
            "look-behinds 100 deep",
            text(format!("a{}{}$", "(?<=a".repeat(100), ")".repeat(100))),
            "compiled",
        ),
        case(
            "1,000 look-behinds in a row",
            text((0..1_000).map(|i| format!("(?<!{i})a")).collect::<String>()),
            "dfa_states",
        ),
        case(
            "30 look-aheads in a star",
            text(format!("^(?:{}.)*$", (0..30).map(|i| format!("(?:(?=.*x{i}y)|b)")).collect::<String>())),
            "dfa_states",
        ),
        case("5,000 classes of Unicode", text(r"\p{L}".repeat(5_000)), "dfa_states"),
        case("30 letters or not", text(format!("^{}{}$", "a?".repeat(30), "a".repeat(30))), "compiled"),
        case(
            "5,000 letters or not",
            text(format!("^{}{}$", "a?".repeat(5_000), "a".repeat(5_000))),
            "dfa_states",
        ),
        case(
            "a class of 5,000 ranges",
            text(format!(
                "[{}]",
                (0..5_000_u32).filter_map(|i| char::from_u32(0x1_0000 + 2 * i)).collect::<String>()
            )),
            "compiled",
        ),
        case(
            "a class of 50,000 ranges",
            text(format!(
                "[{}]",
                (0..50_000_u32).filter_map(|i| char::from_u32(0x1_0000 + 2 * i)).collect::<String>()
            )),
            "compiled",
        ),
        case(
            "braces 1,000 deep",
            text(format!("^{}a{}$", "(".repeat(1_000), "){2}".repeat(1_000))),
            "invalid",
        ),
    ]
}

pub(super) fn grammars() -> Vec<Case> {
    let rules = |count: usize, rule: &dyn Fn(usize) -> String| {
        let rules: Vec<String> = (0..count).map(|i| format!("r{i}: {}", rule(i))).collect();
        Value::from(format!("start: r0\n{}", rules.join("\n")))
    };
    vec![
        case(
            "groups 10,000 deep",
            format!("start: {}\"a\"{}", "(".repeat(10_000), ")".repeat(10_000)).into(),
            "limit",
        ),
        case(
            "60,000 places for the caller",
            (0..60_000).fold("start:".to_owned(), |grammar, i| format!("{grammar} @h{i}")).into(),
            "syntax",
        ),
        case("49,000 classes", format!("start: /{}/", r"\w".repeat(49_000)).into(), "dfa_states"),
        case(
            "49,000 classes in a class",
            format!("start: /[{}]/", r"\p{L}".repeat(19_000)).into(),
            "dfa_states",
        ),
        case(
            "a chain of 2,000 rules",
            rules(2_000, &|i| if i == 1_999 { "\"a\"".into() } else { format!("r{}", i + 1) }),
            "compiled",
        ),
        case(
            "a circle of 20,000 rules",
            rules(20_000, &|i| format!("\"a\" r{}", (i + 1) % 20_000)),
            "unsatisfiable",
        ),
        case(
            "left recursion through 2,000 rules",
            rules(2_000, &|i| format!("r{} \"a\" | \"b\"", (i + 1) % 2_000)),
            "left_recursive_rules",
        ),
        case(
            "a chain of 20,000 rules",
            rules(20_000, &|i| if i == 19_999 { "\"a\"".into() } else { format!("r{}", i + 1) }),
            "compiled",
        ),
        case(
            "doubling, 40 levels",
            rules(41, &|i| if i == 40 { "\"a\"".into() } else { format!("r{} r{}", i + 1, i + 1) }),
            "completion_bytes",
        ),
        case(
            "doubling, 12 levels",
            rules(13, &|i| if i == 12 { "\"a\"".into() } else { format!("r{} r{}", i + 1, i + 1) }),
            "compiled",
        ),
        case(
            "20,000 alternatives",
            format!("start: {}", (0..20_000).map(|i| format!("\"w{i}\"")).collect::<Vec<_>>().join(" | "))
                .into(),
            "compiled",
        ),
        case("a string of 1 MB", format!("start: \"{}\"", "a".repeat(1 << 20)).into(), "dfa_states"),
    ]
}

pub(super) fn requests() -> Vec<Case> {
    let tools = |count: usize, parameters: &dyn Fn(usize) -> Value| json!({"tools": many(count, |i| json!({"type": "function", "name": format!("f{i}"), "parameters": parameters(i)}))});
    vec![
        case("10,000 tools", tools(10_000, &|_| json!({})), "tools"),
        case("4,000 tools", tools(4_000, &|_| json!({})), "compiled"),
        case(
            "2,000 tools with arguments",
            tools(
                2_000,
                &|i| json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": i}}, "required": ["a"], "additionalProperties": false}),
            ),
            "compiled",
        ),
        case(
            "100 tools with patterns",
            tools(
                100,
                &|i| json!({"type": "object", "properties": {"a": {"pattern": format!("^.*{i}.{{20}}$")}}}),
            ),
            "dfa_states",
        ),
        case(
            "a name of 100,000 letters",
            json!({"tools": [{"type": "function", "name": "f".repeat(100_000), "parameters": {}}]}),
            "bad_name",
        ),
        case(
            "4 MB of description",
            json!({"tools": [{"type": "function", "name": "f", "description": "x".repeat(4 << 20), "parameters": {}}]}),
            "compiled",
        ),
        case("4 MB of what nobody knows", json!({"metadata": "x".repeat(4 << 20)}), "compiled"),
        case(
            "a choice among 4,000",
            {
                let mut request = tools(4_000, &|_| json!({}));
                request["tool_choice"] = json!({"type": "allowed_tools", "mode": "required", "tools": many(4_000, |i| json!({"type": "function", "name": format!("f{i}")}))});
                request
            },
            "compiled",
        ),
    ]
}
