//! Law 1 on real schemas: masks equal the reference semantics, over all tokens, in thousands of states of
//! MaskBench's schemas.
//!
//! The reference is a depth-first walk of the trie that uses nothing but [`Automaton::step`], byte by byte,
//! and remembers where each residual goes along each byte. Most states reach few residuals, and are checked
//! on every token. A state that remembers what is read (a name that must not come again) reaches another
//! residual with every byte; of it, as many first bytes are checked as the budget allows, beginning with a
//! random one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::corpus::files;
use crate::harness::{COMPILER, EXAMPLES, HABITS, Random, WIDTH, example_text, walk};
use crate::wishes::untold;
use harmony_mask::automaton::{Automaton, Residual, Unit};
use harmony_mask::{
    Compiler, Grammar, Layout, MaskId, Matcher, Options, PropertyOrder, SpecialToken, TokenId, TokenMask,
    Vocabulary,
};
use serde_json::{Value, json};

const SCHEMAS: usize = 200;
const STATES_PER_SCHEMA: usize = 12;
const WALKS_PER_SCHEMA: usize = 12;
const STEPS: usize = 40;

/// Residuals that the reference may reach from one state.
const BUDGET: usize = 2_000;

/// Where a residual goes along a byte: nowhere, or nobody asked yet.
const DEAD: u32 = u32::MAX;
const UNKNOWN: u32 = u32::MAX - 1;

#[test]
fn masks_equal_the_reference_on_real_schemas() {
    let Some(files) = files() else {
        println!("skipped: MaskBench is not unpacked at target/corpora/maskbench-dev");
        return;
    };
    let (next, schemas, states) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while schemas.load(Ordering::Relaxed) < SCHEMAS {
            let at = next.fetch_add(1, Ordering::Relaxed);
            // A stride that is prime to the number of files spreads the sample over all splits.
            let file = &files[(at + 1) * 6007 % files.len()];
            let text = fs::read_to_string(file).expect("readable");
            let document: Value = serde_json::from_str(&text).expect("JSON");
            let order = if at % 2 == 0 { PropertyOrder::Any } else { PropertyOrder::Declared };
            let options = Options { property_order: order, ..Options::default() };
            let Ok(grammar) = COMPILER.compile_schema(&document["schema"], &options) else { continue };
            states.fetch_add(check(&grammar, at as u64, &file.display().to_string()), Ordering::Relaxed);
            schemas.fetch_add(1, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().for_each(|thread| thread.join().expect("law 1"));
    });
    let (schemas, states) = (schemas.into_inner(), states.into_inner());
    println!("{states} states of {schemas} schemas");
    assert!(states >= 2_000, "{states} states of {schemas} schemas");
}

/// Checks states on random walks; how many.
fn check(grammar: &Grammar, seed: u64, what: &str) -> usize {
    let mut random = Random::new(seed);
    let mut first_bytes = Random::new(!seed);
    #[expect(clippy::mutable_key_type, reason = "what is filled in later is neither hashed nor compared")]
    let mut seen: HashSet<Residual> = HashSet::new();
    let mut mask = TokenMask::new(WIDTH);
    for _ in 0..WALKS_PER_SCHEMA {
        let mut matcher = grammar.matcher();
        for step in 0..STEPS {
            matcher.fill_mask(&mut mask);
            if matcher.is_finished() || seen.len() == STATES_PER_SCHEMA {
                break;
            }
            let is_due = random.below(3) == 0 || step == 0;
            if is_due && seen.insert(matcher.residual().clone()) {
                check_state(&matcher, &mask, first_bytes.below(256), what);
            }
            let token = choose(&matcher, &mask, &mut random);
            matcher.accept(token).unwrap_or_else(|error| panic!("the mask allowed it: {error}"));
        }
    }
    seen.len()
}

/// A token that the mask allows: often on the shortest way to the end, often a single byte, otherwise any.
fn choose(matcher: &Matcher, mask: &TokenMask, random: &mut Random) -> TokenId {
    let habit = random.below(3);
    if let Some(token) = matcher.shortest_completion().first().filter(|_| habit == 0) {
        return *token;
    }
    // The first 256 tokens are the single bytes.
    let words =
        if habit == 1 && mask.words()[..8].iter().any(|word| *word != 0) { 8 } else { mask.words().len() };
    let start = random.below(words);
    let word = (0..words).map(|at| (start + at) % words).find(|word| mask.words()[*word] != 0);
    let word = word.expect("some token is allowed");
    let bits: Vec<u32> = (0..32).filter(|bit| mask.words()[word] >> bit & 1 == 1).collect();
    u32::try_from(word * 32).expect("fits") + bits[random.below(bits.len())]
}

/// Checks one mask against the reference.
pub(crate) fn check_state(matcher: &Matcher, mask: &TokenMask, first_byte: usize, what: &str) {
    let (vocabulary, automaton) = (matcher.vocabulary(), matcher.automaton());
    for special in SpecialToken::ALL {
        let survives = automaton.step(matcher.residual(), Unit::Special(special)).is_some();
        assert_eq!(mask.contains(vocabulary.special_id(special)), survives, "{special} in {what}");
    }
    let unknown = (vocabulary.width()..WIDTH).find(|id| mask.bits()[*id]);
    assert_eq!(unknown, None, "an id that is no token, in {what}");
    let mut reference = Reference::new(automaton, matcher.residual());
    let roots: Vec<u32> = vocabulary.trie().children(None).collect();
    for at in 0..roots.len() {
        if reference.residuals.len() > BUDGET {
            break;
        }
        let wrong = reference.disagreement(vocabulary, roots[(first_byte + at) % roots.len()], mask);
        let text = || vocabulary.decode(matcher.tokens());
        assert_eq!(wrong.map(|token| vocabulary.decode(&[token])), None, "after {:?} in {what}", text());
    }
}

/// Where residuals go along bytes, found by stepping and remembered.
struct Reference<'a> {
    automaton: &'a Automaton,
    numbers: HashMap<Residual, u32>,
    residuals: Vec<Residual>,
    /// For each residual and byte the number of the residual after it.
    nexts: Vec<[u32; 256]>,
}

impl<'a> Reference<'a> {
    fn new(automaton: &'a Automaton, start: &Residual) -> Self {
        let mut reference =
            Self { automaton, numbers: HashMap::new(), residuals: Vec::new(), nexts: Vec::new() };
        reference.number(start.clone());
        reference
    }

    fn number(&mut self, residual: Residual) -> u32 {
        *self.numbers.entry(residual.clone()).or_insert_with(|| {
            self.residuals.push(residual);
            self.nexts.push([UNKNOWN; 256]);
            u32::try_from(self.residuals.len() - 1).expect("fits")
        })
    }

    /// The number of the residual after a byte, or [`DEAD`].
    fn step(&mut self, from: u32, byte: u8) -> u32 {
        let known = self.nexts[from as usize][usize::from(byte)];
        if known != UNKNOWN {
            return known;
        }
        let next = self.automaton.step(&self.residuals[from as usize], Unit::Byte(byte));
        let next = next.map_or(DEAD, |residual| self.number(residual));
        self.nexts[from as usize][usize::from(byte)] = next;
        next
    }

    /// A token at or below a child of the root on which the mask is wrong.
    fn disagreement(&mut self, vocabulary: &Vocabulary, root: u32, mask: &TokenMask) -> Option<u32> {
        let trie = vocabulary.trie();
        // The residual after the path to each depth.
        let mut path = [0; 256];
        let mut at = root;
        while at < trie.node(root).end {
            let node = trie.node(at);
            let next = self.step(path[node.parent_depth()], node.byte);
            if next == DEAD {
                let mut tokens = (at..node.end).filter_map(|below| trie.node(below).token);
                if let Some(wrong) = tokens.find(|token| mask.contains(*token)) {
                    return Some(wrong);
                }
                at = node.end;
                continue;
            }
            if let Some(missing) = node.token.filter(|token| !mask.contains(*token)) {
                return Some(missing);
            }
            path[usize::from(node.depth)] = next;
            at += 1;
        }
        None
    }
}

/// Checks each state along a text, in the layouts that have it.
fn check_along(compiler: &Compiler, schema: &Value, text: &str) {
    for (layout, order) in [
        (Layout::Single, PropertyOrder::Any),
        (Layout::Any, PropertyOrder::Declared),
        (Layout::Compact, PropertyOrder::Any),
    ] {
        let options = Options { whitespace: layout, property_order: order, ..Options::default() };
        let mut matcher = compiler.compile_schema(schema, &options).expect("compiles").matcher();
        let mut mask = TokenMask::new(WIDTH);
        for token in tokens(matcher.vocabulary(), text) {
            matcher.fill_mask(&mut mask);
            check_state(&matcher, &mask, usize::from(b'"'), &format!("{schema} in {layout:?}"));
            matcher.accept(token).expect("the schema has the text");
        }
    }
}

/// The tokens of a text, byte by byte where the vocabulary is not the real one.
fn tokens(vocabulary: &Vocabulary, text: &str) -> Vec<TokenId> {
    vocabulary.encode(text).unwrap_or_else(|| text.bytes().map(TokenId::from).collect())
}

/// Bytes, and what elements may end with and begin with as one token: the real vocabulary has few such
/// tokens.
fn joined() -> Vocabulary {
    let ends = ["", "\"", "1", "}", "]", "e"];
    let begins = [
        "", "\"", "\"a", "{", "{\"", "{}", "[", "[]", "-", "-1", "0", "3", "t", "f", "n", "]", "}", "}]",
        "]]",
    ];
    let between = ["", ",", ", ", "},", "],", "\","];
    let mut texts = BTreeSet::new();
    for (end, between) in ends.iter().flat_map(|end| between.map(|between| (end, between))) {
        texts.extend(begins.map(|begin| format!("{end}{between}{begin}")));
    }
    let texts = texts.into_iter().filter(|text| text.len() > 1);
    let tokens = (0..=255).map(|byte| vec![byte]).chain(texts.map(String::into_bytes));
    Vocabulary::new((0..).zip(tokens), SpecialToken::ALL.into_iter().zip(5_000..)).expect("distinct tokens")
}

/// Tokens that end a text on which the rest depends, and go on behind it: a name that is used up, an element
/// that must not come again.
#[test]
fn what_goes_on_behind_a_captured_text() {
    let check = |schema: Value, text: &str| check_along(&COMPILER, &schema, text);
    let used_up = json!({"type": "array", "items": {"enum": ["a", []]}, "uniqueItems": true});
    check(used_up, r#"[[],"a"]"#);
    let empty = json!({"enum": ["", [], {}, null]});
    check(json!({"additionalProperties": empty}), r#"{"a":"","bc":[],"d":null}"#);
    check(
        json!({"additionalProperties": empty, "minProperties": 2, "maxProperties": 2}),
        r#"{"a":"","bc":[]}"#,
    );
    check(
        json!({"properties": {"a": empty}, "required": ["a"], "additionalProperties": empty}),
        r#"{"a":"","bc":[]}"#,
    );
    check(
        json!({"patternProperties": {"^(x|yz)$": empty}, "additionalProperties": false}),
        r#"{"x":"","yz":[]}"#,
    );
    check(json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}), r#"["a","","b"]"#);
    check(json!({"type": "array", "items": empty, "uniqueItems": true, "minItems": 2}), r#"["",[],null]"#);
    check(
        json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true, "minItems": 2, "maxItems": 2}),
        r#"["a",""]"#,
    );
    check(
        json!({"type": "array", "items": {"type": "object", "additionalProperties": empty}, "uniqueItems": true}),
        r#"[{"a":""},{}]"#,
    );
    check(
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": ["string", "null"]}], "items": false, "uniqueItems": true}),
        r#"["a",null]"#,
    );
    // Elements that are arrays of the same kind.
    let nested = |items: Value| json!({"type": "array", "uniqueItems": true, "items": items});
    check(nested(json!({"$ref": "#"})), "[[],[[]],[[],[[]]]]");
    let or_else = |other: Value| nested(json!({"anyOf": [other, {"$ref": "#"}]}));
    check(or_else(json!({"type": "null"})), "[null,[],[null]]");
    let mut two = or_else(json!({"enum": [null, []]}));
    two["minItems"] = json!(2);
    check(two, "[null,[null,[]]]");
    let repeating = |items: Value| json!({"type": "array", "items": items, "not": {"uniqueItems": true}});
    check(repeating(json!({"type": "string"})), r#"["a","","ab",""]"#);
    check(repeating(empty), r#"["",{},[],{}]"#);
    let listed = json!(["a", "ab", "b\n", "é", 1]);
    check(
        json!({"type": "array", "items": {"enum": listed}, "uniqueItems": true}),
        r#"["ab","b\n","a","é"]"#,
    );
    let (flag, some) = (json!({"type": "boolean"}), json!(["a"]));
    let object =
        json!({"type": "object", "properties": {"a": flag, "b": flag}, "additionalProperties": false});
    check(
        json!({"type": "array", "items": {"allOf": [object], "anyOf": [{"required": some}, {"maxProperties": 1}, {}]}, "uniqueItems": true}),
        r#"[{"b":true},{"a":true},{"a":true,"b":false}]"#,
    );
}

/// Elements that differ are followed alike as far as there are others without end: what may be used up is
/// not.
#[test]
fn how_elements_that_differ_begin() {
    let compiler = Compiler::new(joined());
    let check_items = |items: Value, text: &str| {
        let schema = json!({"type": "array", "items": items, "uniqueItems": true});
        check_along(&COMPILER, &schema, text);
        check_along(&compiler, &schema, text);
        let options = Options { whitespace: Layout::Pretty, ..Options::default() };
        let grammar = COMPILER.compile_schema(&schema, &options).expect("compiles");
        check(&grammar, 5, &format!("{schema} in lines"));
    };
    let flag = json!({"type": "boolean"});
    check_items(json!(true), r#"["",{},null,[],-1,true,"a",{"a":""}]"#);
    check_items(json!({"not": {"type": ["string", "integer"]}}), r#"[{},null,[],-0.5,false,true]"#);
    check_items(json!({"pattern": "^[-.]"}), r#"["-",{},null,".",true,[-1]]"#);
    check_items(
        json!({"anyOf": [{"type": "string", "maxLength": 0}, {"type": "number", "maximum": 0}]}),
        r#"["",-1,0]"#,
    );
    check_items(
        json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "integer", "minimum": 3}]}),
        r#"["a",3,"b",30]"#,
    );
    check_items(json!({"type": "object"}), r#"[{"a":""},{},{"a":[],"b":""}]"#);
    check_items(json!({"type": "object", "minProperties": 1}), r#"[{"a":""},{"b":[]}]"#);
    check_items(
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": flag}, "required": ["a"], "additionalProperties": false}),
        r#"[{"a":""},{"a":"","b":true},{"a":"c"}]"#,
    );
    check_items(
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": flag}, "additionalProperties": false}),
        r#"[{"a":"b"},{},{"a":"b","b":true},{"a":""}]"#,
    );
    check_items(
        json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "object"}}, "required": ["a"]}),
        r#"[{"a":1},{"a":1,"b":{}},{"a":12,"b":{}},{"a":1,"b":{"c":""}}]"#,
    );
    check_items(
        json!({"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"type": "array", "items": flag, "maxItems": 1}]}),
        r#"["a",{"a":""},[],{"a":"","b":1},[true],""]"#,
    );
    let inner = json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true});
    check_items(inner, r#"[["a",""],[],["a"],[""]]"#);
}

/// Patterns that end, with more words than anybody lists: alone, with lengths, and as names.
#[test]
fn patterns_of_many_words() {
    let check = |schema: Value| {
        let grammar = COMPILER.compile_schema(&schema, &Options::default()).expect("compiles");
        assert!(check(&grammar, 3, &schema.to_string()) >= 4);
    };
    let package = r"^[^\.\s\\/:*?<>|]{1,32}(\.[^\.\s\\/:*?<>|]{1,32}){1,3}$";
    check(json!({"type": "string", "pattern": package}));
    check(json!({"type": "string", "pattern": package, "minLength": 20, "maxLength": 40}));
    check(json!({"type": "string", "pattern": "^.{3,12}$"}));
    check(
        json!({"type": "string", "pattern": "^[0-9a-f]{24}$", "not": {"const": "000000000000000000000000"}}),
    );
    check(json!({"patternProperties": {"^[A-Z]{1,6}$": {"type": "null"}}, "additionalProperties": false}));
}

/// Checks states of a grammar that has some.
fn check_schema(schema: Value) {
    let grammar = COMPILER.compile_schema(&schema, &Options::default()).expect("compiles");
    assert!(check(&grammar, 6, &schema.to_string()) >= 8);
}

/// Patterns that texts may have anywhere: most tokens lead to the same places from all of their states.
#[test]
fn patterns_without_anchors() {
    check_schema(
        json!({"type": "object", "patternProperties": {"[0-9a-f]{6}": {"type": "null"}}, "minProperties": 2}),
    );
    check_schema(json!({"type": "string", "not": {"pattern": "[a-z]{2}[aeiou]"}, "minLength": 30}));
    check_schema(json!({"type": "string", "pattern": "([a-e]+[0-9]){3}"}));
}

/// Plain text that may come in several ways, of which one reads any, or any that is short.
#[test]
fn plain_text_that_is_read_anyway() {
    check_schema(
        json!({"type": "object", "patternProperties": {"a": {"type": "null"}, "b": {"type": ["null", "boolean"]}},
        "minProperties": 2}),
    );
    check_schema(
        json!({"type": "object", "patternProperties": {"a": {"type": "null"}}, "propertyNames": {"maxLength": 7},
        "minProperties": 3}),
    );
    check_schema(
        json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "string", "pattern": "^[^b]*$", "minLength": 9},
        {"type": "integer"}]}),
    );
    check_schema(
        json!({"type": "array", "minItems": 3, "items": {"anyOf": [{"type": "string", "minLength": 2},
        {"type": "string", "pattern": "^[0-9a-f]*$", "maxLength": 1}]}}),
    );
}

/// Alternatives of which each knows names that the others do not.
#[test]
fn names_that_only_some_alternatives_know() {
    let check = |schema: Value| {
        for property_order in [PropertyOrder::Any, PropertyOrder::Declared] {
            let options = Options { property_order, ..Options::default() };
            let grammar = COMPILER.compile_schema(&schema, &options).expect("compiles");
            assert!(check(&grammar, 8, &schema.to_string()) >= 6);
        }
    };
    let either = |number| json!({"anyOf": [{"required": [format!("a{number}")]}, {"required": [format!("b{number}")]}]});
    check(json!({"type": "object", "allOf": [either(0), either(1), either(2)],
        "additionalProperties": {"type": ["null", "boolean"]}}));
    check(json!({"type": "object", "anyOf": [
        {"properties": {"xa": {"const": 1}}, "required": ["xa"], "patternProperties": {"^x": {"type": ["null", "integer"]}}},
        {"properties": {"xb": {"const": ""}, "c": false}, "required": ["xb"]},
        {"properties": {"c": {"type": "null"}}, "patternProperties": {"^x": {"type": "null"}}, "additionalProperties": false},
    ]}));
    check(json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "minProperties": 2,
        "patternProperties": {"^[a-c]$": {"type": "null"}}, "additionalProperties": false}));
    check(
        json!({"type": "array", "uniqueItems": true, "minItems": 3, "items": {"type": "object", "maxProperties": 1,
        "additionalProperties": {"enum": [1]}, "anyOf": [{"required": ["a"]}, {"not": {"required": ["b"]}}]}}),
    );
}

/// Numbers tell masks apart exactly, over all grammars of a compiler.
/// Branches without a member that tells for sure which one it is: of each other one some member is missing, or
/// has another value, and which ones may be is remembered.
#[test]
fn members_of_which_one_must_be_missing() {
    let schema = untold(5, 4);
    for property_order in [PropertyOrder::Any, PropertyOrder::Declared] {
        let options = Options { property_order, ..Options::default() };
        let grammar = COMPILER.compile_schema(&schema, &options).expect("compiles");
        assert!(check(&grammar, 9, "untold") >= 8);
    }
}

#[test]
fn mask_ids_are_numbers_of_masks() {
    let mut masks: HashMap<MaskId, Vec<u32>> = HashMap::new();
    let mut ids: HashMap<Vec<u32>, MaskId> = HashMap::new();
    let compiler = Compiler::new(Vocabulary::o200k_harmony());
    for (number, name) in EXAMPLES.iter().cycle().take(12).enumerate() {
        let grammar = compiler.compile(&example_text(name).parse().expect("a request")).expect("compiles");
        let visit = |matcher: &Matcher, mask: &TokenMask| {
            let id = matcher.mask_id().expect("not narrowed, and few");
            assert_eq!(masks.entry(id).or_insert_with(|| mask.words().to_vec()), mask.words());
            assert_eq!(ids.entry(mask.words().to_vec()).or_insert(id), &id);
        };
        walk(&grammar, HABITS[number % HABITS.len()], 60, &mut Random::new(number as u64), visit);
    }
    assert!(masks.len() > 20, "{} masks", masks.len());
    assert!(ids.values().all(|id| id.index() < masks.len()), "numbers without gaps");
}

#[test]
fn narrowed_masks_have_no_number() {
    let mut matcher = COMPILER.compile_regex("a{3,50}", &Options::default()).expect("compiles").matcher();
    assert!(matcher.mask_id().is_some());
    matcher.finish_within(1).expect("enough");
    assert_eq!(matcher.mask_id(), None);
}
