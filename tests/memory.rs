//! Memory under load: many matchers of many grammars stay within the configured bytes, a dropped grammar
//! gives back what it held, and known states allocate nothing.

use harmony_mask::{
    Compiler, Grammar, Limits, Matcher, Options, PropertyOrder, SpecialToken, TokenMask, Vocabulary,
};
use serde_json::{Map, Value, json};

use crate::harness::{COMPILER, EXAMPLES, Random, WIDTH, example};

const GRAMMARS: usize = 500;
const MATCHERS: usize = 10_000;
/// Steps of all matchers together.
const STEPS: usize = 30_000;
/// What a grammar and a matcher hold beside their tables: the schema, the automata of its leaves; the
/// residuals on the way. Which entries a table drops is a matter of chance (hashes are seeded), and of the
/// bytes that these allow together a run takes 97 to 98 %.
const GRAMMAR_BYTES: usize = 64 << 10;
const MATCHER_BYTES: usize = 17 << 8;

fn limits() -> Limits {
    Limits { cache_bytes: 8 << 20, grammar_cache_bytes: 64 << 10, ..Limits::default() }
}

/// A schema like no other.
fn schema(number: usize) -> Value {
    json!({
        "type": "object",
        "properties": {
            format!("n{number}"): {"type": "integer", "minimum": number},
            "code": {"type": "string", "pattern": format!("^[a-z]{{1,{}}}-\\d+$", 1 + number % 40)},
            "kind": {"enum": [format!("k{number}"), "other"]},
            "list": {"type": "array", "items": {"type": "string", "maxLength": number}, "maxItems": 5}
        },
        "required": ["code"],
        "additionalProperties": false
    })
}

fn grammars(compiler: &Compiler) -> Vec<Grammar> {
    let compile = |number| compiler.compile_schema(&schema(number), &Options::default()).expect("compiles");
    (0..GRAMMARS).map(compile).collect()
}

/// One step of one matcher: from the start again where it is at its end.
fn step(matcher: &mut Matcher, mask: &mut TokenMask, random: &mut Random) {
    matcher.fill_mask(mask);
    let count = mask.count();
    if count == 0 || matcher.tokens().len() > 40 {
        return matcher.reset();
    }
    let token = mask.iter().nth(random.below(count.min(2_000))).expect("below the count");
    matcher.accept(token).expect("the mask allows it");
}

fn run(grammars: &[Grammar]) {
    let mut matchers: Vec<Matcher> =
        (0..MATCHERS).map(|number| grammars[number % GRAMMARS].matcher()).collect();
    let (mut random, mut mask) = (Random::new(7), TokenMask::new(WIDTH));
    for _ in 0..STEPS {
        step(&mut matchers[random.below(MATCHERS)], &mut mask, &mut random);
    }
}

#[test]
fn many_matchers_stay_within_the_configured_bytes() {
    let limits = limits();
    let configured = limits.cache_bytes + GRAMMARS * limits.grammar_cache_bytes;
    let allowed = configured + GRAMMARS * GRAMMAR_BYTES + MATCHERS * MATCHER_BYTES;
    let compiler = Compiler::with_limits(Vocabulary::o200k_harmony(), limits.clone());
    // What is made once per process is not theirs.
    run(&grammars(&Compiler::with_limits(Vocabulary::o200k_harmony(), limits)));
    let used = allocation_counter::measure(|| run(&grammars(&compiler)));
    println!("{} MB at most, {} MB allowed", used.bytes_max >> 20, allowed >> 20);
    assert!(used.bytes_max <= allowed as u64, "{} bytes of {allowed}", used.bytes_max);
}

#[test]
fn dropped_grammars_give_their_memory_back() {
    let limits = limits();
    let shared = i64::try_from(limits.cache_bytes).expect("fits");
    let compiler = Compiler::with_limits(Vocabulary::o200k_harmony(), limits);
    // What is made once per process, like the automaton of a pattern, is made now.
    run(&grammars(&compiler));
    let again = allocation_counter::measure(|| run(&grammars(&compiler)));
    println!("{} KB kept", again.bytes_current >> 10);
    assert!(again.bytes_max > 8 << 20, "the test does something: {again:?}");
    assert!(again.bytes_current <= shared, "{} bytes are kept", again.bytes_current);
}

/// Within a captured text each token has a state of its own, which must not hold a copy of all that was read.
#[test]
fn a_captured_text_is_held_once() {
    const TOKENS: usize = 3_000;
    let strings = json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true});
    let cases = [(json!({"type": "object"}), "{\""), (strings, "[\"")];
    let compiler = Compiler::with_limits(Vocabulary::o200k_harmony(), limits());
    let word = COMPILER.vocabulary().encode(" international").expect("has an encoder")[0];
    for (schema, beginning) in cases {
        let grammar = compiler.compile_schema(&schema, &Options::default()).expect("compiles");
        let mut mask = TokenMask::new(WIDTH);
        let run = || {
            let mut matcher = grammar.matcher();
            let beginning = COMPILER.vocabulary().encode(beginning).expect("has an encoder");
            for token in beginning.into_iter().chain([word; TOKENS]) {
                matcher.fill_mask(&mut mask);
                matcher.accept(token).expect("in the mask");
            }
        };
        let used = allocation_counter::measure(run);
        // A copy for each token would be 63 MB.
        println!("{schema}: {} MB at most", used.bytes_max >> 20);
        assert!(used.bytes_max < 16 << 20, "{schema}: {} bytes", used.bytes_max);
    }
}

/// The most bytes that are held while a matcher reads a number of items, each the pattern with a number of
/// its own, all of the same length.
fn held(grammar: &Grammar, open: &str, item: &str, items: usize) -> u64 {
    let items: Vec<String> = (0..items).map(|at| item.replace('#', &(10_000_000 + at).to_string())).collect();
    let text = format!("{open}{}", items.join(", "));
    let tokens = COMPILER.vocabulary().encode(&text).expect("has an encoder");
    let run = || {
        let mut matcher = grammar.matcher();
        tokens.into_iter().for_each(|token| matcher.accept(token).expect("allowed"));
    };
    allocation_counter::measure(run).bytes_max
}

/// A matcher keeps a state for each token, so states must share what was used before: four times as many
/// names or elements take four times the memory, and not sixteen times.
#[test]
fn what_was_used_is_held_once() {
    const FEW: usize = 500;
    let array = |items: Value| json!({"type": "array", "items": items, "uniqueItems": true});
    let patterns = json!({"^n": {"type": "integer"}, "^m": {"type": "string"}});
    let named = json!({"type": "object", "properties": {"id": {}}, "required": ["id"]});
    let name = "\"name #\": 1";
    let cases = [
        (json!({"type": "object"}), "{", name),
        (json!({"type": "object", "patternProperties": patterns, "additionalProperties": false}), "{", name),
        (json!({"anyOf": [named, {"type": "object", "maxProperties": 1_000_000}]}), "{", name),
        (array(json!({"type": "integer"})), "[", "#"),
        (array(json!({"type": "string"})), "[", "\"text #\""),
        (json!({"type": "array", "uniqueItems": true, "prefixItems": [{}, {}]}), "[", "#, \"text #\""),
    ];
    let compiler = Compiler::with_limits(Vocabulary::o200k_harmony(), limits());
    for (schema, open, item) in cases {
        let grammar = compiler.compile_schema(&schema, &Options::default()).expect("compiles");
        // Caches are full before anything is measured.
        held(&grammar, open, item, FEW);
        let (few, many) = (held(&grammar, open, item, FEW), held(&grammar, open, item, 4 * FEW));
        println!("{schema}: {} KB, {} KB", few >> 10, many >> 10);
        assert!(many < 6 * few, "{schema}: {few} and {many} bytes");
    }
}

/// What may follow each name of an object is made for the name that is read: an object has as many states as
/// members.
#[test]
fn a_large_object_is_held_once() {
    let held = |members: usize| {
        let name = |at: usize| format!("name{}", 10_000 + at);
        let properties: Map<String, Value> =
            (0..members).map(|at| (name(at), json!({"type": "integer"}))).collect();
        let schema = json!({"type": "object", "properties": properties});
        let compiler = Compiler::with_limits(Vocabulary::o200k_harmony(), limits());
        let grammar = compiler.compile_schema(&schema, &Options::default()).expect("compiles");
        let item = |at: usize| format!("\"{}\": {at}", name(at));
        let text = format!("{{{}}}", (0..members).map(item).collect::<Vec<_>>().join(", "));
        let tokens = COMPILER.vocabulary().encode(&text).expect("has an encoder");
        let run = || {
            let mut matcher = grammar.matcher();
            tokens.into_iter().for_each(|token| matcher.accept(token).expect("allowed"));
        };
        allocation_counter::measure(run).bytes_max
    };
    let (few, many) = (held(400), held(1_600));
    println!("{} KB, {} KB", few >> 10, many >> 10);
    // Were all that may follow made in each state, it would grow with the square.
    assert!(many < 9 * few && many < 32 << 20, "{few} and {many} bytes");
}

/// Objects and arrays to avoid are those that the array has, and what tables keep of them is weighed.
#[test]
fn objects_that_differ_are_held_once() {
    const ITEMS: usize = 600;
    let array = |items: Value| json!({"type": "array", "items": items, "uniqueItems": true});
    let cases = [
        (array(json!({"type": "object"})), "{\"id\": #}"),
        (array(json!({"type": "array"})), "[#, \"text\"]"),
    ];
    for (schema, item) in cases {
        let compiler = Compiler::with_limits(Vocabulary::o200k_harmony(), limits());
        let grammar = compiler.compile_schema(&schema, &Options::default()).expect("compiles");
        held(&grammar, "[", item, 10);
        // Were each object copied for each state, it would be some hundred bytes for each of 180,000 pairs.
        let (first, kept) = (held(&grammar, "[", item, ITEMS), memory_after(&grammar, item));
        println!("{schema}: {} KB at most, {} KB kept", first >> 10, kept >> 10);
        assert!(first < 14 << 20 && kept < 9 << 20, "{schema}: {first} and {kept} bytes");
    }
}

/// What is still held when three matchers read 300 items each.
fn memory_after(grammar: &Grammar, item: &str) -> i64 {
    let run = || {
        for _ in 0..3 {
            held(grammar, "[", item, 300);
        }
    };
    allocation_counter::measure(run).bytes_current
}

/// Engines try what was sampled before they make a mask, so a token is often refused. What the error says
/// does not take longer in a longer turn.
#[test]
fn refusing_a_token_costs_the_same_in_a_long_turn() {
    let mut matcher = example(EXAMPLES[0]).matcher();
    let accept = |matcher: &mut Matcher, text: &str| {
        let tokens = COMPILER.vocabulary().encode_with_special(text).expect("it has an encoder");
        tokens.into_iter().for_each(|token| matcher.accept(token).expect("allowed"));
    };
    accept(&mut matcher, "<|channel|>analysis<|message|>Hello");
    let wrong = COMPILER.vocabulary().special_id(SpecialToken::Call);
    let cost = |matcher: &mut Matcher| {
        allocation_counter::measure(|| {
            let error = matcher.accept(wrong).expect_err("reasoning calls nobody");
            assert_eq!(error.place, "a message on channel analysis");
        })
    };
    let early = cost(&mut matcher);
    accept(&mut matcher, &" and on".repeat(5_000));
    let late = cost(&mut matcher);
    assert_eq!((late.count_total, late.bytes_total), (early.count_total, early.bytes_total));
}

/// Masks and tokens of states that were met before, in messages' bodies: once the lists of a matcher have
/// their length, nothing is allocated. A header is kept as it is read.
#[test]
fn the_steady_state_allocates_nothing() {
    for name in EXAMPLES {
        let grammar = example(name);
        let mut matcher = grammar.matcher();
        let tokens = matcher.shortest_completion();
        let message = COMPILER.vocabulary().special_id(SpecialToken::Message);
        let body = 1 + tokens.iter().position(|token| *token == message).expect("a message");
        tokens[..body].iter().for_each(|token| matcher.accept(*token).expect("in the mask"));
        let mut mask = TokenMask::new(WIDTH);
        let mut run = || {
            for token in &tokens[body..] {
                matcher.fill_mask(&mut mask);
                matcher.accept(*token).expect("in the mask");
            }
            matcher.rollback(tokens.len() - body).expect("accepted before");
        };
        run();
        assert_eq!(allocation_counter::measure(run).count_total, 0, "{name}");
    }
}

/// The bytes that are taken on the way to a completion of an object with so many names, which may come in any
/// order.
fn completion_bytes(names: usize, kinds: usize) -> u64 {
    let properties: Map<String, Value> =
        (0..names).map(|name| (format!("name {name}"), json!({"type": "integer"}))).collect();
    let object = |kind: usize| {
        json!({"type": "object", "properties": properties, "required": [format!("name {kind}")],
            "additionalProperties": {"type": "string"}})
    };
    let schema = json!({"anyOf": (0..kinds).map(object).collect::<Vec<_>>()});
    let options = Options { property_order: PropertyOrder::Any, ..Options::default() };
    let grammar = COMPILER.compile_schema(&schema, &options).expect("compiles");
    let matcher = grammar.matcher();
    allocation_counter::measure(|| assert!(!matcher.shortest_completion().is_empty())).bytes_total
}

/// A completion asks what follows each name. Each was looked up among all names, and copied which of these
/// were read: four times the bytes for twice the names.
#[test]
fn completions_of_wide_objects_take_as_much_for_each_name() {
    for kinds in [1, 2] {
        let bytes = [8_000, 16_000].map(|names| completion_bytes(names, kinds));
        println!("{bytes:?}");
        assert!(2 * bytes[1] < 5 * bytes[0], "{bytes:?} with {kinds} kinds of objects");
    }
}
