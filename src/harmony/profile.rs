//! Profiles: which forms of headers are admitted. Each is a grammar file, with the evidence for a form beside
//! it.

use std::sync::LazyLock;

use crate::expression::Expression;
use crate::lark::{LarkErrorKind, Template};

/// Which forms of headers are admitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The forms that the format guide shows for what a model says.
    Canonical,
    /// Every form that gpt-oss was seen to use.
    #[default]
    Trained,
    /// Turns as renderers write them into a prompt, for checking logs. Not for sampling.
    History,
}

/// The grammar of a whole profile: the turn, and the forms that are its own.
macro_rules! grammar {
    ($file:literal) => {
        LazyLock::new(|| {
            let turn = include_str!("../../grammars/harmony/turn.lark");
            let forms = include_str!(concat!("../../grammars/harmony/", $file));
            Template::parse(&format!("{turn}\n{forms}")).expect("our own grammar")
        })
    };
}

static CANONICAL: LazyLock<Template> = grammar!("canonical.lark");
static TRAINED: LazyLock<Template> = grammar!("trained.lark");
static HISTORY: LazyLock<Template> = grammar!("history.lark");

impl Profile {
    /// A form with its holes filled; `None` where the profile does not have it.
    pub(super) fn form(self, name: &str, holes: &[(&str, Expression)]) -> Option<Expression> {
        let template = match self {
            Self::Canonical => &CANONICAL,
            Self::Trained => &TRAINED,
            Self::History => &HISTORY,
        };
        match template.fill(name, holes) {
            Ok(expression) => Some(expression),
            Err(error) if *error.kind() == LarkErrorKind::UndefinedRule(name.to_owned()) => None,
            Err(error) => panic!("our own grammar takes these holes: {error}"),
        }
    }

    /// A form that every profile has.
    pub(super) fn turn(self, name: &str, holes: &[(&str, Expression)]) -> Expression {
        self.form(name, holes).expect("every profile has the forms of a turn")
    }
}
