//! The pipeline: from a request or a schema to a grammar, and from a grammar to matchers.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::automaton::{Automaton, Shared};
use crate::error::Error;
use crate::expression::Expression;
use crate::harmony::{self, Body, Options, Request};
use crate::json::{self, SpellingError, Style};
use crate::limits::{Budget, Cancellation, Limits};
use crate::matcher::Matcher;
use crate::schema::{Coverage, Schema, SchemaError, SchemaOptions};
use crate::special::SpecialToken;
use crate::vocabulary::Vocabulary;

/// Compiles requests and schemas for one vocabulary. Cheap to clone; `Send` and `Sync`.
///
/// All grammars of a compiler share the tables of what depends on the vocabulary alone, so keep one compiler per process.
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

    /// The same compiler, with documents that references of schemas may lead into, by URI. Nothing is ever fetched; the metaschemas of all drafts
    /// are known without this.
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
    #[must_use]
    pub fn with_cancellation(self, cancellation: &Cancellation) -> Self {
        Self { cancellation: cancellation.clone(), ..self }
    }

    /// The vocabulary.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        self.shared.vocabulary()
    }

    /// The grammar of what may follow `<|start|>assistant` under a request: tools, tool choice and response format in one.
    ///
    /// # Errors
    ///
    /// When a schema is wrong, cannot be satisfied, cannot be enforced, or exceeds a limit. Everything is checked here: masks cannot fail.
    pub fn compile(&self, request: &Request) -> Result<Grammar, Error> {
        let mut report = Report::default();
        let (options, budget) = (request.options(), self.budget());
        let turn = harmony::lower(request, &self.limits, &mut |body| match body {
            Body::Arguments(tool) => {
                let what = format!("arguments of {}", tool.recipient());
                let part = Part { tool: Some(&tool.name), at: &tool.pointer, what: &what };
                self.arguments(&tool.schema, options, &part, (&budget, &mut report))
            }
            Body::Answer(format) => {
                let part = Part { tool: None, at: &format.pointer, what: "the answer" };
                self.value(&format.schema, options, &part, (&budget, &mut report))
            }
        });
        let turn = turn.map_err(|error| self.given_up(error))?;
        Ok(self.grammar(&turn, report))
    }

    /// The grammar of the JSON texts of a schema's values, without a message around them. `<|return|>` may end the text wherever it is
    /// a whole value.
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
    pub fn compile_schema(&self, schema: &Value, options: &Options) -> Result<Grammar, Error> {
        let mut report = Report::default();
        let part = Part { tool: None, at: "", what: "the value" };
        let text = self.value(schema, options, &part, (&self.budget(), &mut report));
        let text = text.map_err(|error| self.given_up(error))?;
        let end = Expression::special(SpecialToken::Return).optional();
        Ok(self.grammar(&text.then(end), report))
    }

    /// Any value of a schema.
    fn value(
        &self,
        schema: &Value,
        options: &Options,
        part: &Part<'_>,
        (budget, report): (&Budget, &mut Report),
    ) -> Result<Expression, Error> {
        let (schema, style) = self.read(schema, options, part, (budget, report))?;
        json::value(schema, &style, part.what, budget).map_err(|error| part.error(error))
    }

    /// The arguments of a tool: an object of its schema.
    fn arguments(
        &self,
        schema: &Value,
        options: &Options,
        part: &Part<'_>,
        (budget, report): (&Budget, &mut Report),
    ) -> Result<Expression, Error> {
        let (schema, style) = self.read(schema, options, part, (budget, report))?;
        json::object(schema, &style, part.what, budget).map_err(|error| part.error(error))?.ok_or_else(|| {
            Error::ArgumentsNotAnObject {
                tool: part.tool.unwrap_or_default().to_owned(),
                at: part.at.to_owned(),
            }
        })
    }

    fn read(
        &self,
        schema: &Value,
        options: &Options,
        part: &Part<'_>,
        (budget, report): (&Budget, &mut Report),
    ) -> Result<(Schema, Style), Error> {
        let schema_options = SchemaOptions { formats: options.formats, resources: self.resources.clone() };
        let schema = Schema::read(schema, &schema_options, budget).map_err(|source| Error::Schema {
            tool: part.tool.map(str::to_owned),
            at: part.at.to_owned(),
            source,
        })?;
        report.add(part, &schema);
        Ok((schema, Style { layout: options.whitespace, order: options.property_order }))
    }

    fn budget(&self) -> Budget {
        Budget::new(&self.limits, &self.cancellation)
    }

    /// The error of a compilation, or that it was cancelled.
    fn given_up(&self, error: Error) -> Error {
        let is_work = error.limit().is_some_and(|limit| limit.what == "work");
        if is_work && self.cancellation.is_cancelled() { Error::Cancelled } else { error }
    }

    fn grammar(&self, expression: &Expression, report: Report) -> Grammar {
        let automaton = Automaton::new(self.shared.clone(), expression, self.limits.grammar_cache_bytes);
        Grammar { automaton: Arc::new(automaton), report: Arc::new(report) }
    }
}

/// Which part of a request a schema belongs to.
struct Part<'a> {
    tool: Option<&'a str>,
    at: &'a str,
    what: &'a str,
}

impl Part<'_> {
    fn error(&self, error: SpellingError) -> Error {
        let (tool, at) = (self.tool.map(str::to_owned), self.at.to_owned());
        match error {
            SpellingError::Limit(source) => Error::Limit { tool, at, source },
            SpellingError::TooFewDistinct { pointer } => {
                Error::Schema { tool, at, source: SchemaError::too_few_distinct(pointer) }
            }
        }
    }
}

/// What a compilation found in the schemas.
#[derive(Debug, Default)]
struct Report {
    coverage: Vec<CoverageEntry>,
    warnings: Vec<String>,
}

impl Report {
    fn add(&mut self, part: &Part<'_>, schema: &Schema) {
        let tool = part.tool.map(str::to_owned);
        let entry = |coverage: Coverage| CoverageEntry { tool: tool.clone(), coverage };
        self.coverage.extend(schema.coverage().map(entry));
        self.warnings.extend(schema.warnings().iter().map(|warning| format!("{}: {warning}", part.what)));
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

/// A compiled grammar. Cheap to clone; `Send` and `Sync`, so one grammar serves any number of sequences on any number of threads.
#[derive(Clone)]
pub struct Grammar {
    automaton: Arc<Automaton>,
    report: Arc<Report>,
}

impl Grammar {
    /// A matcher for one sequence, at its start. Costs an allocation.
    #[must_use]
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.automaton.clone())
    }

    /// Every keyword of every schema: enforced exactly, or an annotation that constrains nothing.
    #[must_use]
    pub fn coverage(&self) -> &[CoverageEntry] {
        &self.report.coverage
    }

    /// What a schema's author should know: a property that can never occur, say.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.report.warnings
    }

    /// Bytes held by the tables of this grammar; they grow with use, up to [`Limits::grammar_cache_bytes`].
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.automaton.memory_bytes()
    }
}

impl fmt::Debug for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grammar").field("automaton", &self.automaton).finish_non_exhaustive()
    }
}
