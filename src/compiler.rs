//! The pipeline: from a request, a schema or a grammar's text to a grammar, and from a grammar to matchers.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::automaton::{Automaton, Shared};
use crate::error::Error;
use crate::expression::Expression;
use crate::harmony::{self, Body, Options, Request, Syntax};
use crate::json::{self, SpellingError, Style};
use crate::lark::{self, LarkError, LarkErrorKind, Template};
use crate::limits::{Budget, Cancellation, Limits};
use crate::matcher::{Matcher, PromptError, Rules};
use crate::regular::Dfa;
use crate::schema::{Coverage, Occurrences, Schema, SchemaError, SchemaOptions, SchemaSource};
use crate::special::{SpecialToken, TokenId};
use crate::vocabulary::Vocabulary;

/// Compiles requests and schemas for one vocabulary. Cheap to clone; `Send` and `Sync`.
///
/// All grammars of a compiler share the tables of what depends on the vocabulary alone, so keep one compiler
/// per process.
#[derive(Clone, Debug)]
pub struct Compiler {
    shared: Shared,
    limits: Limits,
    resources: Arc<[(String, Value)]>,
    cancellation: Cancellation,
}

impl Compiler {
    /// A compiler with the default limits.
    #[must_use]
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self::with_limits(vocabulary, Limits::default())
    }

    /// A compiler with other limits.
    #[must_use]
    pub fn with_limits(vocabulary: Vocabulary, limits: Limits) -> Self {
        Self {
            shared: Shared::new(vocabulary, limits.cache_bytes),
            limits,
            resources: Arc::from([]),
            cancellation: Cancellation::default(),
        }
    }

    /// The same compiler, with documents that references of schemas may lead into, by URI. Nothing is ever
    /// fetched; the metaschemas of all drafts are known without this.
    ///
    /// ```
    /// use harmony_mask::{Compiler, Options, Vocabulary};
    /// use serde_json::json;
    ///
    /// let city = ("https://example.com/city.json".to_owned(), json!({"type": "string"}));
    /// let compiler = Compiler::new(Vocabulary::o200k_harmony()).with_resources([city]);
    /// compiler.compile_schema(&json!({"$ref": "https://example.com/city.json"}), &Options::default())?;
    /// # Ok::<(), harmony_mask::Error>(())
    /// ```
    #[must_use]
    pub fn with_resources(self, resources: impl IntoIterator<Item = (String, Value)>) -> Self {
        Self { resources: resources.into_iter().collect(), ..self }
    }

    /// The same compiler, with compilations that end early where somebody cancels them.
    ///
    /// A clone shares all tables with the compiler that it was made from, so each request of a server can
    /// have a flag of its own:
    ///
    /// ```
    /// use harmony_mask::{Cancellation, Compiler, Vocabulary};
    ///
    /// let compiler = Compiler::new(Vocabulary::o200k_harmony()); // one per process
    /// let cancellation = Cancellation::default(); // one per request; a clone goes to whoever may cancel
    /// let grammar = compiler.clone().with_cancellation(&cancellation).compile(&"{}".parse()?)?;
    /// assert!(!grammar.matcher().is_finished());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_cancellation(self, cancellation: &Cancellation) -> Self {
        Self { cancellation: cancellation.clone(), ..self }
    }

    /// The vocabulary.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        self.shared.vocabulary()
    }

    /// The grammar of what may follow `<|start|>assistant` under a request: tools, tool choice and response
    /// format in one.
    ///
    /// # Errors
    ///
    /// When a schema is wrong, cannot be satisfied, cannot be enforced, or exceeds a limit. Everything is
    /// checked here: masks cannot fail.
    pub fn compile(&self, request: &Request) -> Result<Grammar, Error> {
        let mut job = self.job(request.options());
        job.report.warnings.extend_from_slice(request.warnings());
        let turn = harmony::lower(request, &self.limits, &mut |body| match body {
            Body::Arguments(tool, schema) => {
                let what = format!("arguments of {}", tool.recipient());
                let part = Part { tool: Some(&tool.name), at: &tool.pointer, what: &what };
                self.arguments(schema.into(), &part, &mut job)
            }
            Body::Grammar(tool, syntax, definition) => {
                let what = format!("the text of {}", tool.recipient());
                let part = Part { tool: Some(&tool.name), at: &tool.pointer, what: &what };
                self.body(syntax, definition, &part, &mut job)
            }
            Body::Answer(format) => {
                let part = Part { tool: None, at: &format.pointer, what: "the answer" };
                self.value((&format.schema).into(), &part, &mut job)
            }
            Body::TextAnswer(format) => {
                let part = Part { tool: None, at: &format.pointer, what: "the answer" };
                self.body(format.syntax, &format.definition, &part, &mut job)
            }
        });
        let turn = turn.map_err(|error| job.refusal(error))?;
        let rules = Rules::of_turn(self.automaton(&turn.start), &turn, *request.reasoning());
        Ok(Grammar { rules: Arc::new(rules), report: Arc::new(job.report) })
    }

    /// The grammar of the JSON texts of a schema's values, without a message around them. `<|return|>` may
    /// end the text wherever it is a whole value.
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile).
    ///
    /// ```
    /// use harmony_mask::{Compiler, Options, Vocabulary};
    ///
    /// let compiler = Compiler::new(Vocabulary::o200k_harmony());
    /// let schema = serde_json::json!({"type": "boolean"});
    /// let grammar = compiler.compile_schema(&schema, &Options::default())?;
    /// let mut matcher = grammar.matcher();
    /// for token in compiler.vocabulary().encode("true").expect("it has an encoder") {
    ///     matcher.accept(token)?;
    /// }
    /// assert!(matcher.is_accepting());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The schema can be its text, which is read faster than a `Value` is made of it:
    ///
    /// ```
    /// # use harmony_mask::{Compiler, Options, Vocabulary};
    /// # let compiler = Compiler::new(Vocabulary::o200k_harmony());
    /// compiler.compile_schema(r#"{"type": "boolean"}"#, &Options::default())?;
    /// let error = compiler.compile_schema(r#"{"type": "#, &Options::default()).unwrap_err();
    /// assert_eq!(error.kind(), "not_json");
    /// # Ok::<(), harmony_mask::Error>(())
    /// ```
    pub fn compile_schema<'s>(
        &self,
        schema: impl Into<SchemaSource<'s>>,
        options: &Options,
    ) -> Result<Grammar, Error> {
        let mut job = self.job(options);
        let part = Part { tool: None, at: "", what: "the value" };
        let text = self.value(schema.into(), &part, &mut job);
        self.ended(text, job)
    }

    /// The grammar of the texts of a Lark grammar, from its rule `start`, in the dialect of OpenAI's grammar
    /// tools; `grammars/README.md` in the repository describes it. The options are for the JSON of `%json`,
    /// and [`forbids_spelled_tokens`](Options::forbids_spelled_tokens) is for all of it.
    /// `<|return|>` may end the text wherever it is whole.
    ///
    /// # Errors
    ///
    /// When the grammar is wrong, has a rule that matches no text, uses what is not supported, or exceeds a
    /// limit.
    ///
    /// ```
    /// use harmony_mask::{Compiler, Options, Vocabulary};
    ///
    /// let compiler = Compiler::new(Vocabulary::o200k_harmony());
    /// let sum = r#"
    ///     start: start "+" NUMBER | NUMBER
    ///     NUMBER: /[0-9]+/
    ///     %import common.WS
    ///     %ignore WS
    /// "#;
    /// let mut matcher = compiler.compile_lark(sum, &Options::default())?.matcher();
    /// for token in compiler.vocabulary().encode("1 + 22").expect("it has an encoder") {
    ///     matcher.accept(token)?;
    /// }
    /// assert!(matcher.is_accepting());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compile_lark(&self, grammar: &str, options: &Options) -> Result<Grammar, Error> {
        let mut job = self.job(options);
        let part = Part { tool: None, at: "", what: "the text" };
        let text = template(grammar, &part, &job).and_then(|grammar| self.text(&grammar, &part, &mut job));
        self.ended(text, job)
    }

    /// The grammar of the texts that a regular expression matches from end to end, in the syntax of Rust's
    /// `regex` crate. `<|return|>` may end the text wherever it is whole. Of the options only
    /// `forbids_spelled_tokens` matters.
    ///
    /// # Errors
    ///
    /// When the expression cannot be read, looks around or refers back, matches nothing, or exceeds a limit.
    ///
    /// ```
    /// # use harmony_mask::{Compiler, Options, Vocabulary};
    /// let compiler = Compiler::new(Vocabulary::o200k_harmony());
    /// assert!(compiler.compile_regex("[0-9]{4}-[0-9]{2}", &Options::default()).is_ok());
    /// assert_eq!(compiler.compile_regex("a(?=b)", &Options::default()).unwrap_err().kind(), "unsupported");
    /// ```
    pub fn compile_regex(&self, pattern: &str, options: &Options) -> Result<Grammar, Error> {
        let job = self.job(options);
        let text = regex(pattern, &Part { tool: None, at: "", what: "the text" }, &job);
        self.ended(text, job)
    }

    /// The texts of a tool or response format that declares a grammar. They are bodies, so they contain no
    /// special tokens.
    fn body(
        &self,
        syntax: Syntax,
        definition: &str,
        part: &Part<'_>,
        job: &mut Job<'_>,
    ) -> Result<Expression, Error> {
        if syntax == Syntax::Regex {
            return regex(definition, part, job);
        }
        let template = template(definition, part, job)?;
        match template.special() {
            Some((special, position)) => {
                Err(part.refused(LarkError::at(position, LarkErrorKind::SpecialInText(special))))
            }
            None => self.text(&template, part, job),
        }
    }

    /// The texts of a Lark grammar.
    fn text(&self, template: &Template, part: &Part<'_>, job: &mut Job<'_>) -> Result<Expression, Error> {
        let mut schemas = Vec::new();
        for (schema, position) in template.schemas() {
            let json = self.value(schema.into(), part, job);
            schemas.push(json.map_err(|source| Error::InGrammar { position, source: Box::new(source) })?);
        }
        template.text(schemas).map_err(|source| part.refused(source))
    }

    fn ended(&self, text: Result<Expression, Error>, job: Job<'_>) -> Result<Grammar, Error> {
        let text = text.map_err(|error| job.refusal(error))?;
        let end = Expression::special(SpecialToken::Return).optional();
        let rules = Rules::of_text(self.automaton(&text.then(end)));
        Ok(Grammar { rules: Arc::new(rules), report: Arc::new(job.report) })
    }

    /// Any value of a schema.
    fn value(
        &self,
        schema: SchemaSource<'_>,
        part: &Part<'_>,
        job: &mut Job<'_>,
    ) -> Result<Expression, Error> {
        let (schema, style) = self.read(schema, part, job)?;
        json::value(schema, &style, part.what, &job.budget).map_err(|error| part.error(error))
    }

    /// The arguments of a tool: an object of its schema.
    fn arguments(
        &self,
        schema: SchemaSource<'_>,
        part: &Part<'_>,
        job: &mut Job<'_>,
    ) -> Result<Expression, Error> {
        let (schema, style) = self.read(schema, part, job)?;
        json::object(schema, &style, part.what, &job.budget).map_err(|error| part.error(error))?.ok_or_else(
            || Error::ArgumentsNotAnObject {
                tool: part.tool.unwrap_or_default().to_owned(),
                at: part.at.to_owned(),
            },
        )
    }

    fn read(
        &self,
        schema: SchemaSource<'_>,
        part: &Part<'_>,
        job: &mut Job<'_>,
    ) -> Result<(Schema, Style), Error> {
        let options = job.options;
        let schema_options =
            SchemaOptions { formats: options.formats, resources: self.resources.clone(), texts: job.texts() };
        let schema = Schema::read(schema, &schema_options, &job.budget).map_err(|source| Error::Schema {
            tool: part.tool.map(str::to_owned),
            at: part.at.to_owned(),
            source,
        })?;
        job.report.add(part, &schema);
        Ok((schema, Style { layout: options.whitespace, order: options.property_order }))
    }

    fn automaton(&self, expression: &Expression) -> Automaton {
        Automaton::new(self.shared.clone(), expression, self.limits.grammar_cache_bytes)
    }

    fn job<'o>(&self, options: &'o Options) -> Job<'o> {
        Job { options, budget: Budget::new(&self.limits, &self.cancellation), report: Report::default() }
    }
}

/// One compilation: what was asked for, what may still be spent, and what was found.
struct Job<'o> {
    options: &'o Options,
    budget: Budget,
    report: Report,
}

impl Job<'_> {
    /// The language that all texts and strings are confined to, if they are.
    fn texts(&self) -> Option<Arc<Dfa>> {
        self.options.forbids_spelled_tokens.then(harmony::unspelled)
    }

    /// The error of the compilation, or that it was cancelled.
    fn refusal(&self, error: Error) -> Error {
        if self.budget.is_given_up() { Error::Cancelled } else { error }
    }

    /// Counts the reading of a grammar, which has ceilings of its own; gives up where somebody cancelled.
    fn charge_text(&self, text: &str, part: &Part<'_>) -> Result<(), Error> {
        const BYTES_PER_STEP: usize = 16;
        let limit = self.budget.charge(1 + text.len() / BYTES_PER_STEP);
        limit.map_err(|limit| part.error(SpellingError::Limit(limit)))
    }
}

fn template(grammar: &str, part: &Part<'_>, job: &Job<'_>) -> Result<Template, Error> {
    job.charge_text(grammar, part)?;
    Template::parse_confined(grammar, &job.budget, job.texts()).map_err(|source| part.refused(source))
}

fn regex(pattern: &str, part: &Part<'_>, job: &Job<'_>) -> Result<Expression, Error> {
    job.charge_text(pattern, part)?;
    lark::regex(pattern, &job.budget, job.texts()).map_err(|source| part.refused(source))
}

/// Which part of a request a schema belongs to.
struct Part<'a> {
    tool: Option<&'a str>,
    at: &'a str,
    what: &'a str,
}

impl Part<'_> {
    fn refused(&self, source: LarkError) -> Error {
        Error::Grammar { tool: self.tool.map(str::to_owned), at: self.at.to_owned(), source }
    }

    fn error(&self, error: SpellingError) -> Error {
        let (tool, at) = (self.tool.map(str::to_owned), self.at.to_owned());
        match error {
            SpellingError::Limit(source) => Error::Limit { tool, at, source },
            SpellingError::LimitAt { pointer, keyword, limit } => {
                Error::Schema { tool, at, source: SchemaError::limit_exceeded(pointer, keyword, limit) }
            }
            SpellingError::TooFewDistinct { pointer } => {
                Error::Schema { tool, at, source: SchemaError::too_few_distinct(pointer) }
            }
            SpellingError::NoRoomToRepeat { pointer } => {
                Error::Schema { tool, at, source: SchemaError::no_room_to_repeat(pointer) }
            }
        }
    }
}

/// What a compilation found in the schemas.
#[derive(Debug, Default)]
struct Report {
    /// The keywords of each schema, with the tool it belongs to.
    occurrences: Vec<(Option<String>, Arc<Occurrences>)>,
    /// The same written out: made when somebody asks, because few do, and it took a twentieth of all compile
    /// time.
    coverage: OnceLock<Vec<CoverageEntry>>,
    warnings: Vec<String>,
}

impl Report {
    fn add(&mut self, part: &Part<'_>, schema: &Schema) {
        self.occurrences.push((part.tool.map(str::to_owned), schema.occurrences()));
        self.warnings.extend(schema.warnings().iter().map(|warning| format!("{}: {warning}", part.what)));
    }

    fn coverage(&self) -> &[CoverageEntry] {
        self.coverage.get_or_init(|| {
            let entries = |(tool, found): &(Option<String>, Arc<Occurrences>)| {
                let entry = |coverage| CoverageEntry { tool: tool.clone(), coverage };
                found.written().map(entry).collect::<Vec<_>>()
            };
            self.occurrences.iter().flat_map(entries).collect()
        })
    }
}

/// One keyword of one schema, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageEntry {
    /// The tool whose arguments the schema describes; `None` for a response format or a bare schema.
    pub tool: Option<String>,
    /// The keyword, where it stands in the schema, and whether it is enforced.
    pub coverage: Coverage,
}

/// A compiled grammar. Cheap to clone; `Send` and `Sync`, so one grammar serves any number of sequences on
/// any number of threads.
#[derive(Clone)]
pub struct Grammar {
    rules: Arc<Rules>,
    report: Arc<Report>,
}

impl Grammar {
    /// A matcher for one sequence, at its start. Costs an allocation.
    #[must_use]
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.rules.clone())
    }

    /// A matcher for a sequence that goes on where a prompt ends: after `<|start|>assistant`, inside a
    /// header, in the middle of reasoning or of arguments, in a prefilled answer, or after the message of a
    /// tool. The end of a prompt does for a prompt, if it has the beginning of the assistant's turn:
    /// `<|start|>assistant`, or what follows it. After a turn that is over the matcher is finished.
    ///
    /// Of a bare grammar (of a schema, Lark or a regular expression) the prompt is the beginning of the text,
    /// without any messages.
    ///
    /// # Errors
    ///
    /// When what the prompt has of the turn is not the beginning of any completion; the error says where it
    /// breaks.
    ///
    /// ```
    /// use harmony_mask::{Compiler, Vocabulary};
    ///
    /// let compiler = Compiler::new(Vocabulary::o200k_harmony());
    /// let grammar = compiler.compile(&r#"{"response_format": {"type": "json_object"}}"#.parse()?)?;
    /// let prompt = "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>{\"a\":";
    /// let prompt = compiler.vocabulary().encode_with_special(prompt).expect("it has an encoder");
    /// let mut matcher = grammar.matcher_after(&prompt)?;
    /// for token in compiler.vocabulary().encode_with_special("1}<|return|>").expect("it has an encoder") {
    ///     matcher.accept(token)?;
    /// }
    /// assert!(matcher.is_finished());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn matcher_after(&self, prompt: &[TokenId]) -> Result<Matcher, PromptError> {
        Matcher::after_prompt(self.rules.clone(), prompt)
    }

    /// The same from the text of a prompt, in which `<|start|>` and its like stand for the special tokens;
    /// never for untrusted text.
    ///
    /// # Errors
    ///
    /// As [`matcher_after`](Self::matcher_after).
    pub fn matcher_after_text(&self, prompt: &str) -> Result<Matcher, PromptError> {
        self.matcher_after(&self.rules.automaton().vocabulary().spell_with_special(prompt))
    }

    /// Whether one call may follow another within a turn: then a completion may stop after each of them.
    #[must_use]
    pub fn allows_parallel_calls(&self) -> bool {
        self.rules.may_call_often()
    }

    /// Every keyword of every schema, where anything refers to it: enforced exactly, or an annotation that
    /// constrains nothing.
    #[must_use]
    pub fn coverage(&self) -> &[CoverageEntry] {
        self.report.coverage()
    }

    /// What a request's author should know, in words: a property that can never occur, a `oneOf` whose
    /// branches overlap, a field of the `harmony` object that does not exist.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.report.warnings
    }

    /// Bytes held by the tables of this grammar; they grow with use, up to [`Limits::grammar_cache_bytes`].
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.rules.automaton().memory_bytes()
    }
}

impl fmt::Debug for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grammar").field("automaton", self.rules.automaton()).finish_non_exhaustive()
    }
}
