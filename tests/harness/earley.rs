//! An oracle for Lark grammars: its own reader of the notation and a plain Earley recogniser over bytes.
//! Slow, and without anything in common with the crate but the syntax of regular expressions.
//!
//! A terminal is a regular expression that is tried from every place; an item that stands before it goes on
//! wherever a match ends.

use std::collections::{BTreeMap, BTreeSet};

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};

type Terminal = dense::DFA<Vec<u32>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Symbol {
    Rule(usize),
    Terminal(usize),
}

/// The rules of a grammar; the first is the start.
pub(crate) struct Earley {
    rules: Vec<Vec<Vec<Symbol>>>,
    terminals: Vec<Terminal>,
    nullable: BTreeSet<usize>,
}

/// A production, the place in it, and where it began.
type Item = (usize, usize, usize, usize);

impl Earley {
    /// Reads a grammar; `None` where it holds what only the crate knows (`%json`, special tokens).
    pub(crate) fn read(source: &str) -> Option<Self> {
        let words = words(source);
        let is_foreign = |word: &Word<'_>| matches!(word, Word::Special | Word::Directive("json"));
        (!words.iter().any(is_foreign)).then(|| Reader::read(&words))
    }

    /// Whether the whole text is one of the grammar.
    pub(crate) fn accepts(&self, text: &[u8]) -> bool {
        let mut chart: Vec<BTreeSet<Item>> = vec![BTreeSet::new(); text.len() + 1];
        let mut ends: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        chart[0].extend((0..self.rules[0].len()).map(|production| (0, production, 0, 0)));
        for at in 0..=text.len() {
            let mut pending: Vec<Item> = chart[at].iter().copied().collect();
            while let Some((rule, production, dot, origin)) = pending.pop() {
                let mut add = |place: usize, item: Item, pending: &mut Vec<Item>| {
                    if chart[place].insert(item) && place == at {
                        pending.push(item);
                    }
                };
                match self.rules[rule][production].get(dot) {
                    Some(&Symbol::Rule(next)) => {
                        for production in 0..self.rules[next].len() {
                            add(at, (next, production, 0, at), &mut pending);
                        }
                        if self.nullable.contains(&next) {
                            add(at, (rule, production, dot + 1, origin), &mut pending);
                        }
                    }
                    Some(&Symbol::Terminal(terminal)) => {
                        let found = ends
                            .entry((terminal, at))
                            .or_insert_with(|| matches(&self.terminals[terminal], text, at));
                        for &end in &*found {
                            add(end, (rule, production, dot + 1, origin), &mut pending);
                        }
                    }
                    None => {
                        let waiting: Vec<Item> = chart[origin]
                            .iter()
                            .filter(|(rule_, production, dot, _)| {
                                self.rules[*rule_][*production].get(*dot) == Some(&Symbol::Rule(rule))
                            })
                            .copied()
                            .collect();
                        for (rule, production, dot, origin) in waiting {
                            if chart[at].insert((rule, production, dot + 1, origin)) {
                                pending.push((rule, production, dot + 1, origin));
                            }
                        }
                    }
                }
            }
        }
        let is_whole = |&(rule, production, dot, origin): &Item| {
            rule == 0 && origin == 0 && dot == self.rules[0][production].len()
        };
        chart[text.len()].iter().any(is_whole)
    }

    fn find_nullable(&mut self) {
        let empty: BTreeSet<usize> = (0..self.terminals.len())
            .filter(|&terminal| matches(&self.terminals[terminal], b"", 0) == [0])
            .collect();
        loop {
            let is_nullable = |symbol: &Symbol| match symbol {
                Symbol::Rule(rule) => self.nullable.contains(rule),
                Symbol::Terminal(terminal) => empty.contains(terminal),
            };
            let next: BTreeSet<usize> = (0..self.rules.len())
                .filter(|&rule| self.rules[rule].iter().any(|symbols| symbols.iter().all(is_nullable)))
                .collect();
            if next == self.nullable {
                return;
            }
            self.nullable = next;
        }
    }
}

/// The ends of all matches that begin at `from`.
fn matches(terminal: &Terminal, text: &[u8], from: usize) -> Vec<usize> {
    // From the beginning of a text of its own: `^` means the beginning of the terminal.
    let start = start::Config::new().anchored(Anchored::Yes);
    let mut state: StateID = terminal.start_state(&start).expect("a start");
    let mut ends = Vec::new();
    for end in from..=text.len() {
        if terminal.is_match_state(terminal.next_eoi_state(state)) {
            ends.push(end);
        }
        if end < text.len() {
            state = terminal.next_state(state, text[end]);
        }
        if terminal.is_dead_state(state) {
            break;
        }
    }
    ends
}

#[derive(Clone, Debug, PartialEq)]
enum Word<'a> {
    Name(&'a str),
    /// A regular expression for a string, a range's end, or a regular expression.
    Pattern(String),
    Number(u32),
    Mark(&'a str),
    Directive(&'a str),
    Special,
    Line,
}

const MARKS: [&str; 14] = ["->", "..", ":", "|", "(", ")", "[", "]", "?", "*", "+", "~", ",", "."];

fn words(mut rest: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    while let Some(first) = rest.chars().next() {
        let name =
            rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("<|") {
            words.push(Word::Special);
            rest.find("|>").expect("closed") + 2
        } else if first == '"' || first == '/' {
            let (pattern, length) = pattern(rest, first);
            words.push(Word::Pattern(pattern));
            length
        } else if let Some(directive) = rest.strip_prefix('%') {
            let length = directive.find(|c: char| !c.is_ascii_lowercase()).expect("more");
            words.push(Word::Directive(&directive[..length]));
            length + 1
        } else if let Ok(number) = rest[..name].parse() {
            words.push(Word::Number(number));
            name
        } else if name > 0 {
            words.push(Word::Name(&rest[..name]));
            name
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            words.push(Word::Mark(mark));
            mark.len()
        } else {
            if first == '\n' && !rest.trim_start().starts_with('|') {
                words.push(Word::Line);
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    words.push(Word::Line);
    words
}

/// The pattern of a string or regular expression, and its length in the source.
fn pattern(source: &str, quote: char) -> (String, usize) {
    let mut escaped = false;
    let end = source[1..]
        .find(|c: char| {
            let ends = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })
        .expect("closed")
        + 1;
    let (inner, after) = (&source[1..end], &source[end + 1..]);
    let flags = after.len() - after.trim_start_matches(|c: char| c.is_ascii_lowercase()).len();
    let body = if quote == '"' {
        let json = inner.replace("\\U0001F600", "😀");
        regex_syntax::escape(&serde_json::from_str::<String>(&format!("\"{json}\"")).expect("a string"))
    } else {
        inner.replace("\\/", "/")
    };
    let flagged = if flags > 0 { format!("(?{}:{body})", &after[..flags]) } else { format!("(?:{body})") };
    (flagged, end + 1 + flags)
}

/// Reads definitions, terminals first, as texts of patterns.
struct Reader<'a> {
    words: &'a [Word<'a>],
    next: usize,
    names: BTreeMap<&'a str, usize>,
    definitions: BTreeMap<&'a str, usize>,
    terminals: BTreeMap<String, usize>,
    earley: Earley,
    ignored: Option<Symbol>,
}

impl<'a> Reader<'a> {
    fn read(words: &'a [Word<'a>]) -> Earley {
        let earley = Earley { rules: vec![Vec::new()], terminals: Vec::new(), nullable: BTreeSet::new() };
        let (names, definitions, terminals) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut reader = Self { words, next: 0, names, definitions, terminals, earley, ignored: None };
        let starts: Vec<usize> =
            (0..words.len()).filter(|&at| at == 0 || words[at - 1] == Word::Line).collect();
        let mut ignored = Vec::new();
        for &at in &starts {
            match (&words[at], words.get(at + 1)) {
                (Word::Name(name), Some(Word::Mark(":"))) => {
                    reader.definitions.insert(name, at + 2);
                    if name.starts_with(|c: char| c.is_ascii_lowercase()) {
                        reader.names.insert(name, reader.earley.rules.len());
                        reader.earley.rules.push(Vec::new());
                    }
                }
                (Word::Directive("ignore"), _) => ignored.push(at + 1),
                _ => {}
            }
        }
        if !ignored.is_empty() {
            let options: Vec<String> = ignored.iter().map(|&at| reader.pattern_at(at)).collect();
            let terminal = reader.terminal(format!("(?:{})*", options.join("|")));
            reader.ignored = Some(terminal);
        }
        let names: Vec<(&str, usize)> = reader.names.iter().map(|(name, rule)| (*name, *rule)).collect();
        for (name, rule) in names {
            reader.next = reader.definitions[name];
            reader.earley.rules[rule] = reader.choice();
        }
        let start = Symbol::Rule(reader.names["start"]);
        reader.earley.rules[0] = vec![reader.ignored.into_iter().chain([start]).collect()];
        reader.earley.find_nullable();
        reader.earley
    }

    fn terminal(&mut self, pattern: String) -> Symbol {
        if let Some(known) = self.terminals.get(&pattern) {
            return Symbol::Terminal(*known);
        }
        let config = dense::Config::new().match_kind(MatchKind::All).start_kind(StartKind::Anchored);
        let dfa = dense::Builder::new().configure(config).build(&pattern).expect("a pattern");
        self.earley.terminals.push(dfa);
        self.terminals.insert(pattern, self.earley.terminals.len() - 1);
        Symbol::Terminal(self.earley.terminals.len() - 1)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = matches!(self.words[self.next], Word::Mark(known) if known == mark);
        self.next += usize::from(found);
        found
    }

    fn choice(&mut self) -> Vec<Vec<Symbol>> {
        let mut options = vec![self.sequence()];
        while self.eat("|") {
            options.push(self.sequence());
        }
        options
    }

    fn sequence(&mut self) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        loop {
            let body = match self.words[self.next] {
                Word::Pattern(_) => self.lone_terminal(),
                Word::Name(name) if self.names.contains_key(name) => {
                    self.next += 1;
                    vec![Symbol::Rule(self.names[name])]
                }
                Word::Name(_) => self.lone_terminal(),
                Word::Mark(open @ ("(" | "[")) => {
                    self.next += 1;
                    let mut options = self.choice();
                    self.next += 1;
                    if open == "[" {
                        options.push(Vec::new());
                    }
                    vec![self.rule(options)]
                }
                Word::Mark("->") => {
                    self.next += 2;
                    return symbols;
                }
                _ => return symbols,
            };
            let repeated = self.repeated(body);
            symbols.extend(repeated);
        }
    }

    fn lone_terminal(&mut self) -> Vec<Symbol> {
        let pattern = self.atom();
        [self.terminal(pattern)].into_iter().chain(self.ignored).collect()
    }

    fn repeated(&mut self, body: Vec<Symbol>) -> Vec<Symbol> {
        let rule = self.earley.rules.len();
        let again = [body.clone(), vec![Symbol::Rule(rule)]].concat();
        match self.repetition() {
            None => body,
            Some((0, Some(1))) => vec![self.rule(vec![body, Vec::new()])],
            Some((min, None)) => {
                let star = self.rule(vec![again, Vec::new()]);
                [body.repeat(min), vec![star]].concat()
            }
            Some((min, Some(max))) => {
                let counts = (min..=max).map(|count| body.repeat(count)).collect();
                vec![self.rule(counts)]
            }
        }
    }

    fn repetition(&mut self) -> Option<(usize, Option<usize>)> {
        let known = [("?", (0, Some(1))), ("*", (0, None)), ("+", (1, None))];
        if let Some((_, counts)) = known.into_iter().find(|(mark, _)| self.eat(mark)) {
            return Some(counts);
        }
        if !self.eat("~") {
            return None;
        }
        let min = self.number();
        let max = if self.eat("..") { self.number() } else { min };
        Some((min, Some(max)))
    }

    fn number(&mut self) -> usize {
        self.next += 1;
        match self.words[self.next - 1] {
            Word::Number(number) => number as usize,
            ref other => panic!("a number, not {other:?}"),
        }
    }

    fn rule(&mut self, productions: Vec<Vec<Symbol>>) -> Symbol {
        self.earley.rules.push(productions);
        Symbol::Rule(self.earley.rules.len() - 1)
    }

    // --- Terminals, as the text of one pattern.

    fn pattern_at(&mut self, at: usize) -> String {
        let before = std::mem::replace(&mut self.next, at);
        let pattern = self.pattern_choice();
        self.next = before;
        pattern
    }

    fn pattern_choice(&mut self) -> String {
        let mut options = Vec::new();
        loop {
            let mut parts = String::new();
            while matches!(self.words[self.next], Word::Pattern(_) | Word::Name(_) | Word::Mark("(" | "[")) {
                parts += &self.atom();
                if let Some((min, max)) = self.repetition() {
                    let max = max.map_or(String::new(), |max| max.to_string());
                    parts += &format!("{{{min},{max}}}");
                }
            }
            options.push(parts);
            if !self.eat("|") {
                return format!("(?:{})", options.join("|"));
            }
        }
    }

    fn atom(&mut self) -> String {
        let word = self.words[self.next].clone();
        self.next += 1;
        match word {
            Word::Pattern(low) if self.eat("..") => {
                let Word::Pattern(high) = self.words[self.next].clone() else { panic!("a range") };
                self.next += 1;
                let inner = |pattern: &str| pattern["(?:".len()..pattern.len() - 1].to_owned();
                format!("[{}-{}]", inner(&low), inner(&high))
            }
            Word::Pattern(pattern) => pattern,
            Word::Name(name) => match self.definitions.get(name) {
                Some(&at) => self.pattern_at(at),
                None => common(name).to_owned(),
            },
            Word::Mark(open) => {
                let inner = self.pattern_choice();
                self.next += 1;
                if open == "[" { format!("(?:{inner})?") } else { inner }
            }
            other => panic!("a terminal, not {other:?}"),
        }
    }
}

/// The terminals of `%import common` that the cases use.
fn common(name: &str) -> &'static str {
    match name {
        "INT" => "(?:[0-9]+)",
        "CNAME" => "(?:[A-Za-z_][A-Za-z_0-9]*)",
        "SIGNED_NUMBER" => r"(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)",
        "ESCAPED_STRING" => r#"(?:"(?:[^"\\\n]|\\[^\n])*")"#,
        "NEWLINE" => r"(?:(?:\r?\n)+)",
        "WS" => r"(?:[ \t\f\r\n]+)",
        "WS_INLINE" => r"(?:[ \t]+)",
        "SQL_COMMENT" => r"(?:--[^\n]*)",
        "CPP_COMMENT" => r"(?://[^\n]*)",
        "C_COMMENT" => r"(?:/\*(?:[^*]|\*+[^*/])*\*+/)",
        other => panic!("`{other}` is neither defined nor known"),
    }
}
