//! The whole loop of an agent: request, prompt, constrained generation, tool result, next prompt, final
//! answer.
//!
//! `cargo run --example loop`. There are no weights, so a script stands in for the model. It errs as models
//! do: it invents a tool, forgets a brace, and talks on. The masks let none of it through.

#![expect(clippy::print_stdout, reason = "an example talks to its reader")]

use std::error::Error;

use harmony_mask::prompt::Conversation;
use harmony_mask::{Compiler, Grammar, Matcher, Request, TokenId, TokenMask, Vocabulary};
use serde_json::{Value, json};

/// What the model would like to say in each of its turns.
const SCRIPT: [&str; 2] = [
    "<|channel|>analysis<|message|>I need the weather in Lisbon.<|end|><|start|>assistant<|channel|>commentary \
     to=functions.get_umbrella <|constrain|>json<|message|>{\"city\": \"Lisbon\", \"unit\": \"kelvin\"<|call|>",
    "<|channel|>analysis<|message|>Rain.<|end|><|start|>assistant<|channel|>final<|message|>Take an umbrella: \
     14 degrees and rain.<|return|><|start|>user<|message|>Thanks!<|end|>",
];

fn main() -> Result<(), Box<dyn Error>> {
    let document = json!({
        "instructions": "Be brief.",
        "input": "Do I need an umbrella in Lisbon?",
        "tools": [{
            "type": "function",
            "name": "get_weather",
            "description": "Gets the current weather.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "The city", "maxLength": 40},
                    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"}
                },
                "required": ["city"],
                "additionalProperties": false
            }
        }]
    });

    // One source for both: the masks and the prompt.
    let compiler = Compiler::new(Vocabulary::o200k_harmony());
    let grammar = compiler.compile(&Request::read(&document)?)?;
    let mut conversation = Conversation::read(&document)?;

    for says in SCRIPT {
        let prompt = conversation.for_completion();
        let tokens = prompt.tokens(compiler.vocabulary()).ok_or("this vocabulary has an encoder")?;
        println!("--- prompt, {} tokens\n{prompt}\n", tokens.len());

        let answer = generate(&grammar, &mut Model::new(compiler.vocabulary(), says))?;
        println!("--- answer\n{}\n", compiler.vocabulary().decode(answer.tokens()));

        let transcript = answer.transcript();
        conversation.answer(&transcript)?;
        let Some(last) = transcript.messages.last() else { break };
        match &last.recipient {
            Some(tool) => conversation.result(tool, call(tool, &serde_json::from_str(&last.content)?))?,
            None => println!("--- to the user\n{}", last.content),
        }
    }
    Ok(())
}

/// An engine's sampling loop.
fn generate(grammar: &Grammar, model: &mut Model) -> Result<Matcher, Box<dyn Error>> {
    let mut matcher = grammar.matcher();
    let mut mask = TokenMask::new(201_088);
    while !matcher.is_finished() {
        matcher.fill_mask(&mut mask);
        matcher.accept(model.next(&mask, &matcher))?;
    }
    Ok(matcher)
}

/// The tools of the application.
fn call(tool: &str, arguments: &Value) -> String {
    println!("--- {tool} is called with {arguments}\n");
    json!({"city": arguments["city"], "degrees": 14, "rain": true}).to_string()
}

/// A model that follows a script as far as it is allowed to.
struct Model {
    says: std::vec::IntoIter<TokenId>,
}

impl Model {
    fn new(vocabulary: &Vocabulary, says: &str) -> Self {
        Self { says: vocabulary.encode_with_special(says).unwrap_or_default().into_iter() }
    }

    /// The next token of the script that the mask allows before the next control token; else one that leads
    /// to the end. There is one, as a turn like this may stop only where it is finished.
    fn next(&mut self, mask: &TokenMask, matcher: &Matcher) -> TokenId {
        let allowed = self.says.as_slice().iter().position(|token| mask.contains(*token));
        match allowed {
            Some(skipped) => self.says.nth(skipped),
            None => None,
        }
        .unwrap_or_else(|| matcher.shortest_completion()[0])
    }
}
