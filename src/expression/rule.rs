//! Rules and binders: the parts of an expression that are made when reached.

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use super::Expression;
use super::arms::MakeArms;
use crate::regular::ByteSet;

/// What a rule or binder holds that remembers nothing.
pub(crate) const RULE_BYTES: usize = 256;

/// A named expression whose body is computed on demand.
///
/// A rule is a value: two rules that are [`same`](Rule::same) have the same body, whenever it is computed.
pub trait Rule: Debug + Send + Sync + Any {
    /// The body. Productive, and never left-recursive.
    fn expand(&self) -> Expression;

    /// The length in bytes of a shortest text of the body. Must not expand: it is asked while expressions are
    /// built.
    fn min_len(&self) -> u32;

    /// A part of the body that holds one of its shortest texts, where it is found without making the rest.
    /// Completions go straight on in it.
    fn shortest(&self) -> Option<Expression> {
        None
    }

    /// A number of bytes that the completion of a text of the body does not exceed, where one is known without
    /// making it. Who asks completes the rule otherwise.
    fn enough_len(&self) -> Option<u32> {
        None
    }

    /// Whether this rule is likely to occur again with something else behind it, as the value of a schema
    /// does. If so, which tokens it allows is remembered once for all that may follow. A rule that holds what
    /// was read so far gives `false`: it is almost never met twice.
    fn recurs(&self) -> bool {
        true
    }

    /// Above zero where the rule may be met several times before anything is read, behind others that begin
    /// with it: more than that of each rule that its body may begin with. It is opened once then, when no
    /// rule is left that may begin with it.
    fn height(&self) -> u32 {
        0
    }

    /// The bytes of memory that the rule holds and few others share, roughly. Caches are bounded by them, so
    /// what was read and is remembered here must count.
    fn held_bytes(&self) -> usize {
        RULE_BYTES
    }

    /// Where in the grammar this is, in a user's words, for error messages:
    /// `arguments of functions.f, /properties/city`.
    fn place(&self) -> String;

    /// Whether the other rule is this one, by content.
    fn same(&self, other: &dyn Rule) -> bool;

    /// A hash of the content.
    fn fingerprint(&self) -> u64;
}

/// Says what follows a captured text.
pub trait Binder: Debug + Send + Sync + Any {
    /// What follows `text`, which is a text of the captured expression.
    fn bind(&self, text: &[u8]) -> Expression;

    /// How what follows begins, as far as that is the same for all texts. Tokens that end in it are judged
    /// without binding.
    fn begins(&self) -> Vec<Beginning> {
        vec![Beginning::unknown()]
    }

    /// What follows all texts but those that the binder [knows](Binder::knows), where these are few.
    fn usual(&self) -> Option<Expression> {
        None
    }

    /// Whether something else than the usual may follow a text.
    fn knows(&self, _text: &[u8]) -> bool {
        true
    }

    /// The captured texts whose continuation may differ from the usual one: those that the binder
    /// [knows](Binder::knows), and those of `later` (captured by a proposed completion) that must not come
    /// again. What completes one text completes every text that is not listed here; what completes a listed
    /// text completes every text with the same value. Listed are only texts that the capture may have read:
    /// each is bound, and others may leave no continuation. `None` where all of a text matters.
    fn told_apart(&self, _later: &[Arc<[u8]>]) -> Option<Vec<Arc<[u8]>>> {
        None
    }

    /// The length in bytes of a shortest text of what follows, whatever was captured.
    fn min_len(&self) -> u32;

    /// What no completion of what follows exceeds, whatever was captured, where something is known.
    fn enough(&self) -> Option<Enough> {
        None
    }

    /// As a rule's [`held_bytes`](Rule::held_bytes).
    fn held_bytes(&self) -> usize {
        RULE_BYTES
    }

    /// Whether the other binder is this one, by content.
    fn same(&self, other: &dyn Binder) -> bool;

    /// A hash of the content.
    fn fingerprint(&self) -> u64;
}

/// One of the ways in which the continuation of a captured text may begin, the same for all captured texts:
/// every continuation begins in one of them, and each `text` begins a continuation of every captured text.
#[derive(Debug)]
pub struct Beginning {
    /// What is the same.
    pub text: Expression,
    /// What comes after it.
    pub then: Then,
}

/// What comes after the beginning of what follows a captured text.
#[derive(Debug)]
pub enum Then {
    /// What stands behind the capture: `text` was all of what follows.
    Rest,
    /// More, with one of these bytes first, that depends on what was captured.
    More(ByteSet),
}

impl Beginning {
    /// All of what follows.
    #[must_use]
    pub fn all(text: Expression) -> Self {
        Self { text, then: Then::Rest }
    }

    /// Nothing is the same.
    #[must_use]
    pub fn unknown() -> Self {
        Self::of_any(Expression::empty())
    }

    /// What anything may come after.
    #[must_use]
    pub fn of_any(text: Expression) -> Self {
        Self { text, then: Then::More(ByteSet::ALL) }
    }
}

/// What a completion does not exceed.
#[derive(Debug)]
pub enum Enough {
    /// So many bytes.
    Bytes(u32),
    /// The completion of this.
    Completing(Expression),
}

macro_rules! shared {
    ($name:ident, $trait:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone)]
        pub struct $name {
            shared: Arc<dyn $trait>,
            fingerprint: u64,
        }

        impl $name {
            /// Shares it, with its fingerprint at hand.
            #[must_use]
            pub fn new(shared: Arc<dyn $trait>) -> Self {
                let fingerprint = shared.fingerprint();
                Self { shared, fingerprint }
            }
        }

        impl Deref for $name {
            type Target = dyn $trait;

            fn deref(&self) -> &Self::Target {
                &*self.shared
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                Arc::ptr_eq(&self.shared, &other.shared)
                    || (self.fingerprint == other.fingerprint && self.same(&**other))
            }
        }

        impl Eq for $name {}

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                state.write_u64(self.fingerprint);
            }
        }

        impl Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.shared.fmt(f)
            }
        }
    };
}

shared!(RuleRef, Rule, "A shared [`Rule`], compared by content.");
shared!(BinderRef, Binder, "A shared [`Binder`], compared by content.");
shared!(ArmsRef, MakeArms, "Shared [arms](MakeArms), compared by content.");
